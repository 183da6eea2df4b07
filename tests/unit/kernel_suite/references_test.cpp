// The references against numbers worked out by hand, and against each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "models/diagnostics/diagnostics.h"
#include "runtime/suite/references.h"

namespace spyre::runtime::test {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ReferenceArray array(std::vector<std::int64_t> shape, std::vector<double> values) {
  return {std::move(shape), std::move(values)};
}

ReferenceArrays result(const std::string& name, ReferenceArrays arrays,
                       std::map<std::string, double> scalars = {}) {
  return compute_reference(reference_named(name), {std::move(arrays), std::move(scalars)});
}

std::string fault(const std::string& name, ReferenceArrays arrays,
                  std::map<std::string, double> scalars = {}) {
  try {
    (void)result(name, std::move(arrays), std::move(scalars));
  } catch (const models::InputError& error) {
    return error.what();
  }
  return "no error";
}

/// 0.1, 0.2, ... : no two alike.
ReferenceArray ramp(std::vector<std::int64_t> shape, double step = 0.1) {
  ReferenceArray values = ReferenceArray::filled(std::move(shape));
  for (std::size_t i = 0; i < values.values.size(); ++i) {
    values.values[i] = step * static_cast<double>(i + 1);
  }
  return values;
}

TEST(References, HaveNamesOfTheirOwnAndMeanings) {
  std::string last;
  for (const Reference& reference : references()) {
    EXPECT_LT(last, reference.name);
    last = reference.name;
    EXPECT_FALSE(reference.meaning.empty());
    EXPECT_FALSE(reference.arrays.empty());
    EXPECT_FALSE(reference.outputs.empty());
  }
}

TEST(References, ElementByElement) {
  const ReferenceArray a = array({2, 2}, {1, 2, 3, 4});
  const ReferenceArray b = array({2, 2}, {10, 20, 30, 40});
  const ReferenceArray before = array({2, 2}, {-1, -2, -3, -4});
  EXPECT_THAT(result("add", {{"a", a}, {"b", b}}).at("y").values, ElementsAre(11, 22, 33, 44));
  EXPECT_THAT(
      result("add_first", {{"a", a}, {"b", b}, {"before", before}}, {{"count", 3}}).at("y").values,
      ElementsAre(11, 22, 33, -4));
  EXPECT_THAT(result("multiply_add_sqrt",
                     {{"a", a}, {"b", b}, {"c", array({2, 2}, {0, 0, 9, 16})}, {"before", before}},
                     {{"row", 1}})
                  .at("y")
                  .values,
              ElementsAre(-1, -2, 93, 164));
  EXPECT_THAT(result("broadcast_scalar", {{"x", array({1, 1}, {7})}, {"before", a}}).at("y").values,
              Each(7.0));
  EXPECT_THAT(result("constant", {{"before", a}}, {{"value", 2}}).at("y").values, Each(2.0));
}

TEST(References, RopeTurnsPairs) {
  const double angle = std::numbers::pi / 2;
  const ReferenceArray y = result("rope", {{"x", array({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})},
                                           {"cos", array({1, 2}, {1, std::cos(angle)})},
                                           {"sin", array({1, 2}, {0, std::sin(angle)})}})
                               .at("y");
  EXPECT_THAT(y.values, ElementsAre(1, DoubleNear(-4, 1e-14), 3, DoubleNear(2, 1e-14), 5,
                                    DoubleNear(-8, 1e-14), 7, DoubleNear(6, 1e-14)));
}

TEST(References, SoftmaxOfRowsSumsToOneAndIgnoresMinusInfinity) {
  const ReferenceArray y =
      result("softmax_rows",
             {{"x", array({2, 3}, {0, std::log(3.0), -INFINITY, 1000, 1000, 1000})}})
          .at("y");
  EXPECT_THAT(y.values, ElementsAre(DoubleNear(0.25, 1e-15), DoubleNear(0.75, 1e-15), 0, 1.0 / 3,
                                    1.0 / 3, 1.0 / 3));
}

TEST(References, LayerNorm) {
  const ReferenceArrays y = result("layer_norm",
                                   {{"x", array({2, 2}, {1, 3, 10, 10})},
                                    {"weight", array({2}, {2, 4})},
                                    {"bias", array({2, 2}, {0.5, 0.5, 1, 2})}},
                                   {{"epsilon", 0.0}});
  EXPECT_THAT(y.at("mean").values, ElementsAre(2, 10));
  EXPECT_EQ(y.at("mean").shape, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(y.at("reciprocal_deviation").values[0], 1);
  EXPECT_EQ(y.at("y").values[0], -1.5);
  EXPECT_EQ(y.at("y").values[1], 4.5);
}

TEST(References, RmsNormAndSums) {
  EXPECT_THAT(result("rms_norm", {{"x", array({1, 2}, {6, 8})}, {"weight", array({2}, {1, 2})}},
                     {{"epsilon", 14.0}})
                  .at("y")
                  .values,
              ElementsAre(6.0 / 8, 2.0));  // sqrt(50 + 14) = 8
  const ReferenceArray groups =
      result("sum_groups", {{"x", array({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}},
             {{"group", 2}, {"times", 3}})
          .at("y");
  EXPECT_THAT(groups.shape, ElementsAre(2, 2));
  EXPECT_THAT(groups.values, ElementsAre(12, 18, 36, 42));
  EXPECT_THAT(result("sum_of_row", {{"x", array({1, 4}, {1, 2, 3, 4})}}).at("y").values,
              Each(10.0));
}

TEST(References, Matmul) {
  const ReferenceArray c = result("matmul", {{"a", array({2, 3}, {1, 2, 3, 4, 5, 6})},
                                             {"b", array({3, 2}, {1, 0, 0, 1, 2, 3})}})
                               .at("c");
  EXPECT_THAT(c.shape, ElementsAre(2, 2));
  EXPECT_THAT(c.values, ElementsAre(7, 11, 16, 23));
}

TEST(References, SwigluOfOneNumber) {
  const double x = 0.5, gate = 2, up = 3, down = 4;
  const double g = x * gate;
  const ReferenceArray y = result("swiglu_ffn", {{"x", array({1, 1}, {x})},
                                                 {"gate", array({1, 1}, {gate})},
                                                 {"up", array({1, 1}, {up})},
                                                 {"down", array({1, 1}, {down})}})
                               .at("y");
  EXPECT_NEAR(y.values[0], x + g / (1 + std::exp(-g)) * (x * up) * down, 1e-15);
}

TEST(References, AttentionToOneKeyIsItsValueAndToEqualKeysTheMean) {
  const ReferenceArray v = array({2, 2}, {1, 2, 5, 8});
  EXPECT_THAT(
      result("attention", {{"q", ramp({3, 4})}, {"k", ReferenceArray::filled({2, 4}, 1)}, {"v", v}},
             {{"scale", 0.5}})
          .at("y")
          .values,
      ElementsAre(3, 5, 3, 5, 3, 5));
}

TEST(References, PagedAttentionIsAttentionOverTheListedPages) {
  // 1 token, 2 query heads on 1 KV head, pages of 2: positions 0..3 are pages 2 and 0.
  const ReferenceArray q = ramp({1, 2, 3});
  const ReferenceArray keys = ramp({3, 2, 1, 3}, 0.07);
  const ReferenceArray values = ramp({3, 2, 1, 3}, 0.3);
  const ReferenceArrays inputs{{"q", q},
                               {"key_cache", keys},
                               {"value_cache", values},
                               {"block_table", array({1, 3}, {2, 0, 1})}};
  const auto paged = [&](double context) {
    return result("paged_attention", inputs, {{"pages", 2}, {"context", context}, {"scale", 0.7}})
        .at("y");
  };
  const auto dense = [&](std::int64_t positions) {
    ReferenceArray k{{positions, 3}, {}}, v{{positions, 3}, {}};
    for (std::size_t p = 0; p < static_cast<std::size_t>(positions); ++p) {
      const std::size_t row = p < 2 ? 4 + p : p - 2;
      for (std::size_t i = 0; i < 3; ++i) {
        k.values.push_back(keys.values[row * 3 + i]);
        v.values.push_back(values.values[row * 3 + i]);
      }
    }
    return result("attention", {{"q", {{2, 3}, q.values}}, {"k", k}, {"v", v}}, {{"scale", 0.7}})
        .at("y");
  };
  for (const std::int64_t positions : {1, 3, 4}) {
    const ReferenceArray got = paged(static_cast<double>(positions - 1));
    const ReferenceArray want = dense(positions);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(got.values[i], want.values[i], 1e-14);
  }
}

TEST(References, Moves) {
  const ReferenceArray a = array({2, 1}, {1, 2});
  const ReferenceArray b = array({2, 2}, {3, 4, 5, 6});
  EXPECT_THAT(result("concat_columns", {{"a", a}, {"b", b}}).at("y").values,
              ElementsAre(1, 3, 4, 2, 5, 6));
  EXPECT_THAT(result("copy", {{"x", b}}).at("y").values, ElementsAre(3, 4, 5, 6));
  const ReferenceArray stacked = result("stack_parts",
                                        {{"top", array({1, 2}, {1, 2})},
                                         {"middle", array({2, 3}, {3, 5, 99, 4, 6, 99})},
                                         {"bottom", array({1, 2}, {7, 8})}},
                                        {{"middle_rows", 2}})
                                     .at("y");
  EXPECT_THAT(stacked.shape, ElementsAre(4, 2));
  EXPECT_THAT(stacked.values, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  const ReferenceArray rows = array({1, 3}, {1, 0, 1});
  const ReferenceArray columns = array({1, 3}, {0, 0, 1});
  EXPECT_THAT(result("gather", {{"x", b}, {"rows", rows}, {"columns", columns}}).at("y").values,
              ElementsAre(5, 3, 6));
  EXPECT_THAT(
      result(
          "scatter",
          {{"x", array({1, 3}, {10, 20, 30})}, {"before", b}, {"rows", rows}, {"columns", columns}})
          .at("y")
          .values,
      ElementsAre(20, 4, 10, 30));
  EXPECT_THAT(
      result("fill_range", {{"x", a}, {"before", b}}, {{"first", 1}, {"count", 2}}).at("y").values,
      ElementsAre(3, 1, 1, 6));
}

TEST(References, InputsThatDoNotFitAreRefused) {
  const ReferenceArray small = ramp({2, 2}), large = ramp({3, 2}), none = ramp({0, 2});
  EXPECT_THAT(fault("add", {{"a", small}, {"b", large}}), HasSubstr("must have the same shape"));
  EXPECT_THAT(fault("add", {{"a", small}}), HasSubstr("add needs the array 'b'"));
  EXPECT_THAT(fault("add", {{"a", none}, {"b", none}}), HasSubstr("'a' of add is empty"));
  EXPECT_THAT(fault("matmul", {{"a", small}, {"b", large}}), HasSubstr("[m, k] and [k, n]"));
  EXPECT_THAT(fault("sum_groups", {{"x", large}}, {{"group", 2}, {"times", 1}}),
              HasSubstr("a multiple of 'group'"));
  EXPECT_THAT(fault("sum_groups", {{"x", large}}, {{"group", 1.5}, {"times", 1}}),
              HasSubstr("group is 1.5; it must be a whole number from 0 to 3"));
  EXPECT_THAT(
      fault("gather", {{"x", small}, {"rows", array({1}, {2})}, {"columns", array({1}, {0})}}),
      HasSubstr("an index is 2, the dimension has 2"));
  EXPECT_THAT(fault("softmax", {}), HasSubstr("there is no reference 'softmax'"));
}

}  // namespace
}  // namespace spyre::runtime::test
