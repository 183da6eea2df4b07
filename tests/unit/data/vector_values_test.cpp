#include "models/data/vector_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "models/formats/elementwise.h"
#include "models/formats/convert.h"
#include "tests/unit/data/tile_fixture.h"

namespace spyre::models {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

class VectorValuesTest : public testing::Test {
 protected:
  LxOperand run(VectorFunction function, std::vector<LxOperand> sources, LxOperand destination) {
    op.opcode = Opcode::vector;
    op.function = function;
    op.source_count = static_cast<std::uint8_t>(sources.size());
    std::copy(sources.begin(), sources.end(), op.sources.begin());
    op.destination = destination;
    execute_vector(op, bench.lx(), scratch);
    return destination;
  }
  std::vector<float> result(VectorFunction function, std::vector<LxOperand> sources,
                            LxOperand destination) {
    return bench.values_of(run(function, std::move(sources), destination));
  }

  TileBench bench;
  VectorScratch scratch;
  TileOp op;
};

TEST_F(VectorValuesTest, RowsColumnsAndSingleElementsAreRepeated) {
  const LxOperand x = bench.tile_of({1, 2, 3, 4, 5, 6}, 2, 3);
  const LxOperand row = bench.tile_of({10, 20, 30}, 1, 3);
  const LxOperand column = bench.tile_of({100, 200}, 2, 1);
  const LxOperand one = bench.tile_of({1000}, 1, 1);
  const LxOperand y = bench.tile(2, 3);
  EXPECT_THAT(result(VectorFunction::add, {x, row}, y), ElementsAre(11, 22, 33, 14, 25, 36));
  EXPECT_THAT(result(VectorFunction::add, {column, x}, y),
              ElementsAre(101, 102, 103, 204, 205, 206));
  EXPECT_THAT(result(VectorFunction::sub, {x, one}, y),
              ElementsAre(-999, -998, -997, -996, -995, -994));
  EXPECT_THAT(result(VectorFunction::mul, {row, column}, y),
              ElementsAre(1000, 2000, 3000, 2000, 4000, 6000));
}

TEST_F(VectorValuesTest, ANumberStandsOnEitherSide) {
  const LxOperand x = bench.tile_of({1, 2, 4}, 1, 3);
  const LxOperand y = bench.tile(1, 3);
  op.number = 8;
  op.number_place = 1;
  EXPECT_THAT(result(VectorFunction::div, {x}, y), ElementsAre(0.125F, 0.25F, 0.5F));
  op.number_place = 0;
  EXPECT_THAT(result(VectorFunction::div, {x}, y), ElementsAre(8, 4, 2));
  EXPECT_THAT(result(VectorFunction::fill, {}, y), ElementsAre(8, 8, 8));
}

TEST_F(VectorValuesTest, WholeSticksAndPartsGiveTheSame) {
  // The same numbers as a solid tile and as part of a taller buffer take two ways through the code.
  const std::vector<float> a = bench.random_values(7 * 130);
  const std::vector<float> b = bench.random_values(7 * 130);
  const LxOperand solid_a = bench.tile_of(a, 7, 130);
  const LxOperand solid_b = bench.tile_of(b, 7, 130);
  const LxOperand part_a = bench.tile(7, 130, DataType::fp16, 9);
  write_tile(bench.lx(), part_a, a);
  for (const VectorFunction function :
       {VectorFunction::add, VectorFunction::mul, VectorFunction::max, VectorFunction::div,
        VectorFunction::less, VectorFunction::silu_mul}) {
    const auto whole = result(function, {solid_a, solid_b}, bench.tile(7, 130));
    const auto parts = result(function, {part_a, solid_b}, bench.tile(7, 130));
    EXPECT_EQ(whole, parts) << info(function).name;
  }
}

TEST_F(VectorValuesTest, EveryElementwiseFunctionRoundsItsExactValueOnce) {
  const std::map<VectorFunction, std::function<double(double, double, double)>> exact{
      {VectorFunction::copy, [](double a, double, double) { return a; }},
      {VectorFunction::add, [](double a, double b, double) { return a + b; }},
      {VectorFunction::sub, [](double a, double b, double) { return a - b; }},
      {VectorFunction::mul, [](double a, double b, double) { return a * b; }},
      {VectorFunction::div, [](double a, double b, double) { return a / b; }},
      {VectorFunction::max, [](double a, double b, double) { return std::max(a, b); }},
      {VectorFunction::min, [](double a, double b, double) { return std::min(a, b); }},
      {VectorFunction::rem, [](double a, double b, double) { return std::fmod(a, b); }},
      {VectorFunction::pow, [](double a, double b, double) { return std::pow(a, b); }},
      {VectorFunction::fma, [](double a, double b, double c) { return a * b + c; }},
      {VectorFunction::neg, [](double a, double, double) { return -a; }},
      {VectorFunction::abs, [](double a, double, double) { return std::fabs(a); }},
      {VectorFunction::floor, [](double a, double, double) { return std::floor(a); }},
      {VectorFunction::ceil, [](double a, double, double) { return std::ceil(a); }},
      {VectorFunction::sqrt, [](double a, double, double) { return std::sqrt(a); }},
      {VectorFunction::rsqrt, [](double a, double, double) { return 1 / std::sqrt(a); }},
      {VectorFunction::reciprocal, [](double a, double, double) { return 1 / a; }},
      {VectorFunction::exp, [](double a, double, double) { return std::exp(a); }},
      {VectorFunction::exp2, [](double a, double, double) { return std::exp2(a); }},
      {VectorFunction::log, [](double a, double, double) { return std::log(a); }},
      {VectorFunction::log2, [](double a, double, double) { return std::log2(a); }},
      {VectorFunction::log1p, [](double a, double, double) { return std::log1p(a); }},
      {VectorFunction::sin, [](double a, double, double) { return std::sin(a); }},
      {VectorFunction::cos, [](double a, double, double) { return std::cos(a); }},
      {VectorFunction::tanh, [](double a, double, double) { return std::tanh(a); }},
      {VectorFunction::erf, [](double a, double, double) { return std::erf(a); }},
      {VectorFunction::sigmoid, [](double a, double, double) { return 1 / (1 + std::exp(-a)); }},
      {VectorFunction::silu, [](double a, double, double) { return a / (1 + std::exp(-a)); }},
      {VectorFunction::gelu,
       [](double a, double, double) {
         return 0.5 * a * (1 + std::tanh(std::sqrt(2 / M_PI) * (a + 0.044715 * a * a * a)));
       }},
      {VectorFunction::equal, [](double a, double b, double) { return a == b; }},
      {VectorFunction::not_equal, [](double a, double b, double) { return a != b; }},
      {VectorFunction::less, [](double a, double b, double) { return a < b; }},
      {VectorFunction::less_equal, [](double a, double b, double) { return a <= b; }},
      {VectorFunction::select, [](double a, double b, double c) { return a != 0 ? b : c; }},
      {VectorFunction::fill, [](double a, double, double) { return a; }},
      {VectorFunction::silu_mul,
       [](double a, double b, double) { return a / (1 + std::exp(-a)) * b; }},
  };
  int covered = 0;
  for (const VectorFunctionInfo& entry : kVectorFunctions) {
    if (!is_elementwise(entry.function)) continue;
    if (entry.function == VectorFunction::bit_and || entry.function == VectorFunction::bit_or ||
        entry.function == VectorFunction::bit_xor || entry.function == VectorFunction::bias_gelu) {
      continue;  // integers below; the composition of two that are here
    }
    ASSERT_TRUE(exact.contains(entry.function)) << entry.name;
    ++covered;
    // 24 elements a tile; fp32 operands above 0 where the function needs it.
    const std::vector<float> a = bench.random_values(24, 0.125F, 4);
    const std::vector<float> b = bench.random_values(24, 0.25F, 3);
    const std::vector<float> c = bench.random_values(24);
    std::vector<LxOperand> sources{bench.tile_of(a, 4, 6, DataType::fp32),
                                   bench.tile_of(b, 4, 6, DataType::fp32),
                                   bench.tile_of(c, 4, 6, DataType::fp32)};
    sources.resize(static_cast<std::size_t>(entry.sources));
    const auto got = result(entry.function, sources, bench.tile(4, 6));
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double want = exact.at(entry.function)(a[i], b[i], c[i]);
      // One rounding to fp16 and the fp32 computation before it.
      EXPECT_NEAR(got[i], want, std::fabs(want) * (1.0 / 2048 + 1e-6) + 6e-8) << entry.name;
    }
  }
  EXPECT_EQ(covered, static_cast<int>(exact.size()));
}

TEST_F(VectorValuesTest, IntegersWrapAroundAndNeverTrap) {
  constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
  const auto integers = [&](const std::vector<std::int32_t>& values) {
    const LxOperand tile =
        bench.tile(1, static_cast<std::uint32_t>(values.size()), DataType::int32);
    write_tile(bench.lx(), tile, values);
    return tile;
  };
  const LxOperand a = integers({kLowest, 7, -7, 12});
  const LxOperand b = integers({-1, 0, 2, 10});
  const LxOperand y = bench.tile(1, 4, DataType::int32);
  const auto of = [&](VectorFunction function) {
    run(function, {a, b}, y);
    std::vector<std::int32_t> values;
    read_tile(bench.lx(), y, values);
    return values;
  };
  EXPECT_THAT(of(VectorFunction::add), ElementsAre(2147483647, 7, -5, 22));
  EXPECT_THAT(of(VectorFunction::mul), ElementsAre(kLowest, 0, -14, 120));
  EXPECT_THAT(of(VectorFunction::div), ElementsAre(kLowest, 0, -3, 1));
  EXPECT_THAT(of(VectorFunction::rem), ElementsAre(0, 0, -1, 2));
  EXPECT_THAT(of(VectorFunction::bit_and), ElementsAre(kLowest, 0, 0, 8));
  EXPECT_THAT(of(VectorFunction::bit_or), ElementsAre(-1, 7, -5, 14));
  EXPECT_THAT(of(VectorFunction::bit_xor), ElementsAre(2147483647, 7, -5, 6));
  EXPECT_THAT(of(VectorFunction::less_equal), ElementsAre(1, 0, 1, 0));
}

TEST_F(VectorValuesTest, AMaskOfIntegersSelectsNumbers) {
  const LxOperand index = bench.tile(2, 3, DataType::int32);
  op.axis = 1;
  op.number = 5;
  op.number_place = 0;
  run(VectorFunction::iota, {}, index);  // 5 6 7 in both rows
  const LxOperand mask = bench.tile(2, 3, DataType::int8);
  op.number = 6;
  op.number_place = 1;
  run(VectorFunction::less_equal, {index}, mask);
  op.number_place = -1;
  const LxOperand x = bench.tile_of({1, 2, 3, 4, 5, 6}, 2, 3);
  op.number = -std::numeric_limits<double>::infinity();
  op.number_place = 2;
  const auto y = result(VectorFunction::select, {mask, x}, bench.tile(2, 3));
  EXPECT_THAT(y, ElementsAre(1, 2, -HUGE_VALF, 4, 5, -HUGE_VALF));
}

TEST_F(VectorValuesTest, CopyConvertsAndBitcastDoesNot) {
  const LxOperand x = bench.tile_of({1.5F, -2.25F}, 1, 2, DataType::fp32);
  EXPECT_THAT(result(VectorFunction::copy, {x}, bench.tile(1, 2, DataType::int32)),
              ElementsAre(2, -2));
  const LxOperand bits = run(VectorFunction::bitcast, {x}, bench.tile(1, 2, DataType::int32));
  std::vector<std::int32_t> values;
  read_tile(bench.lx(), bits, values);
  EXPECT_THAT(values, ElementsAre(0x3fc00000, static_cast<std::int32_t>(0xc0100000)));
}

TEST_F(VectorValuesTest, ReductionsGoAlongEitherAxis) {
  const LxOperand x = bench.tile_of({1, 5, 3, 4, 2, 6}, 2, 3);
  op.axis = 1;
  EXPECT_THAT(result(VectorFunction::reduce_sum, {x}, bench.tile(2, 1)), ElementsAre(9, 12));
  EXPECT_THAT(result(VectorFunction::reduce_max, {x}, bench.tile(2, 1)), ElementsAre(5, 6));
  op.axis = 0;
  EXPECT_THAT(result(VectorFunction::reduce_sum, {x}, bench.tile(1, 3)), ElementsAre(5, 7, 9));
  EXPECT_THAT(result(VectorFunction::reduce_min, {x}, bench.tile(1, 3)), ElementsAre(1, 2, 3));
}

TEST_F(VectorValuesTest, ASumOfManySmallNumbersDoesNotStall) {
  const LxOperand x = bench.tile_of(std::vector<float>(65536, 1.0F), 1, 65536);
  op.axis = 1;
  // In fp16 one after the other the sum would stop at 2048.
  EXPECT_THAT(result(VectorFunction::reduce_sum, {x}, bench.tile(1, 1, DataType::fp32)),
              ElementsAre(65536));
}

TEST_F(VectorValuesTest, PatternsBroadcastSliceTransposeAndReshape) {
  const LxOperand x = bench.tile_of({0, 1, 2, 3, 4, 5}, 2, 3);
  const auto pattern = [&](std::vector<std::uint32_t> sizes, std::vector<std::int64_t> strides,
                           std::int64_t offset = 0) {
    op.pattern = {};
    op.pattern.rank = static_cast<std::uint8_t>(sizes.size());
    std::copy(sizes.begin(), sizes.end(), op.pattern.sizes.begin());
    std::copy(strides.begin(), strides.end(), op.pattern.strides.begin());
    op.pattern.offset = offset;
  };
  pattern({3, 2}, {1, 3});
  EXPECT_THAT(result(VectorFunction::transpose, {x}, bench.tile(3, 2)),
              ElementsAre(0, 3, 1, 4, 2, 5));
  pattern({6}, {1});
  EXPECT_THAT(result(VectorFunction::rearrange, {x}, bench.tile(1, 6)),
              ElementsAre(0, 1, 2, 3, 4, 5));
  pattern({2, 2}, {3, 1}, 1);
  EXPECT_THAT(result(VectorFunction::rearrange, {x}, bench.tile(2, 2)), ElementsAre(1, 2, 4, 5));
  pattern({2, 3, 2}, {0, 1, 0});
  EXPECT_THAT(result(VectorFunction::rearrange, {x}, bench.tile(6, 2)),
              ElementsAre(0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2));
  op.pattern = {};
  EXPECT_THAT(result(VectorFunction::transpose, {x}, bench.tile(3, 2)),
              ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST_F(VectorValuesTest, NormsAgreeWithTheirDefinitions) {
  const std::vector<float> x = bench.random_values(3 * 100);
  const std::vector<float> w = bench.random_values(100, 0.5F, 1.5F);
  const std::vector<float> b = bench.random_values(100);
  const LxOperand tile = bench.tile_of(x, 3, 100, DataType::fp32);
  const LxOperand weight = bench.tile_of(w, 1, 100, DataType::fp32);
  const LxOperand bias = bench.tile_of(b, 1, 100, DataType::fp32);
  op.number = 1e-3;
  op.number_place = 2;
  const auto rms =
      result(VectorFunction::rmsnorm, {tile, weight}, bench.tile(3, 100, DataType::fp32));
  op.number_place = 3;
  const auto layer =
      result(VectorFunction::layernorm, {tile, weight, bias}, bench.tile(3, 100, DataType::fp32));
  for (std::size_t r = 0; r < 3; ++r) {
    double sum = 0, squares = 0;
    for (std::size_t c = 0; c < 100; ++c) {
      sum += x[r * 100 + c];
      squares += double{x[r * 100 + c]} * x[r * 100 + c];
    }
    const double mean = sum / 100;
    const double variance = squares / 100 - mean * mean;
    for (std::size_t c = 0; c < 100; ++c) {
      const double value = x[r * 100 + c];
      EXPECT_NEAR(rms[r * 100 + c], value / std::sqrt(squares / 100 + 1e-3) * w[c], 1e-5);
      EXPECT_NEAR(layer[r * 100 + c], (value - mean) / std::sqrt(variance + 1e-3) * w[c] + b[c],
                  1e-5);
    }
  }
}

TEST_F(VectorValuesTest, RopeTurnsEachPairByItsAngle) {
  const LxOperand x = bench.tile_of({1, 2, 3, 4, 5, 6, 7, 8}, 1, 8, DataType::fp32);  // two heads
  const float angle = 0.5F;
  const LxOperand angles =
      bench.tile_of({std::cos(angle), 1, std::sin(angle), 0}, 1, 4, DataType::fp32);
  const auto y = result(VectorFunction::rope, {x, angles}, bench.tile(1, 8, DataType::fp32));
  const float c = std::cos(angle);
  const float s = std::sin(angle);
  const std::vector<float> want{1 * c - 3 * s, 2, 3 * c + 1 * s, 4,
                                5 * c - 7 * s, 6, 7 * c + 5 * s, 8};
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(y[i], want[i], 1e-6);
}

// Keys come in two tiles; what the steps leave is the softmax of all of them.
TEST_F(VectorValuesTest, AnOnlineSoftmaxIsASoftmax) {
  const std::vector<float> scores = bench.random_values(7 * 2, -3, 3);  // 7 keys, 2 queries
  const LxOperand state = bench.tile_of({-HUGE_VALF, -HUGE_VALF, 0, 0, 0, 0}, 3, 2, DataType::fp32);
  op.number = 0.5;
  op.number_place = 2;
  const LxOperand first = bench.tile_of({scores.begin(), scores.begin() + 8}, 4, 2, DataType::fp32);
  const auto p1 =
      result(VectorFunction::softmax_step, {first, state}, bench.tile(4, 2, DataType::fp32));
  const LxOperand second = bench.tile_of({scores.begin() + 8, scores.end()}, 3, 2, DataType::fp32);
  const auto p2 =
      result(VectorFunction::softmax_step, {second, state}, bench.tile(3, 2, DataType::fp32));
  const auto left = bench.values_of(state);
  for (std::size_t q = 0; q < 2; ++q) {
    double sum = 0;
    for (std::size_t k = 0; k < 7; ++k) sum += std::exp(0.5 * scores[k * 2 + q]);
    for (std::size_t k = 0; k < 7; ++k) {
      const double p = k < 4 ? double{p1[k * 2 + q]} * left[4 + q] : double{p2[(k - 4) * 2 + q]};
      EXPECT_NEAR(p / left[2 + q], std::exp(0.5 * scores[k * 2 + q]) / sum, 1e-6);
    }
  }
}

TEST_F(VectorValuesTest, RescaleAddAndFinishUseTheTransposedState) {
  const LxOperand o = bench.tile_of({1, 2, 3, 4}, 2, 2, DataType::fp32);
  const LxOperand pv = bench.tile_of({10, 20, 30, 40}, 2, 2, DataType::fp32);
  const LxOperand state = bench.tile_of({9, 4, 0.5F, 9, 8, 2}, 2, 3, DataType::fp32);
  EXPECT_THAT(result(VectorFunction::rescale_add, {pv, state}, o), ElementsAre(10.5F, 21, 36, 48));
  EXPECT_THAT(result(VectorFunction::softmax_finish, {o, state}, bench.tile(2, 2, DataType::fp32)),
              ElementsAre(10.5F / 4, 21.0F / 4, 36.0F / 8, 48.0F / 8));
}

}  // namespace
}  // namespace spyre::models
