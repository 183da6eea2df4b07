#include "models/formats/matmul.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "models/formats/convert.h"
#include "tests/unit/formats/reference_values.h"

namespace spyre::models {
namespace {

std::vector<float> random_values(std::size_t n, std::uint64_t seed) {
  RandomBits random(seed);
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(random.uniform(-1.0, 1.0));
  round_to(Format::fp16, values);
  return values;
}

/// One element after the other in the stated order. `volatile` keeps the compiler from fusing or
/// reordering.
std::vector<float> in_order(MatmulShape shape, const std::vector<float>& a,
                            const std::vector<float>& b, std::vector<float> c) {
  for (std::size_t i = 0; i < shape.m; ++i) {
    for (std::size_t j = 0; j < shape.n; ++j) {
      volatile float sum = c[i * shape.n + j];
      for (std::size_t k = 0; k < shape.k; ++k) {
        volatile float product = a[i * shape.k + k] * b[k * shape.n + j];
        sum = sum + product;
      }
      c[i * shape.n + j] = sum;
    }
  }
  return c;
}

class MatmulShapes : public testing::TestWithParam<std::tuple<int, int, int>> {
 protected:
  MatmulShape shape() const {
    const auto [m, n, k] = GetParam();
    return {static_cast<std::size_t>(m), static_cast<std::size_t>(n), static_cast<std::size_t>(k)};
  }
};

TEST_P(MatmulShapes, AddsEveryElementInOrderOfK) {
  const MatmulShape s = shape();
  const std::vector<float> a = random_values(s.m * s.k, 31);
  const std::vector<float> b = random_values(s.k * s.n, 32);
  std::vector<float> c = random_values(s.m * s.n, 33);
  const std::vector<float> expected = in_order(s, a, b, c);
  matmul(s, a, b, c, {.accumulate = true});
  EXPECT_EQ(c, expected);
  matmul(s, a, b, c);
  EXPECT_EQ(c, in_order(s, a, b, std::vector<float>(s.m * s.n)));
}

TEST_P(MatmulShapes, IsCloseToDoublePrecision) {
  const MatmulShape s = shape();
  const std::vector<float> a = random_values(s.m * s.k, 34);
  const std::vector<float> b = random_values(s.k * s.n, 35);
  std::vector<float> c(s.m * s.n);
  matmul(s, a, b, c);
  for (std::size_t i = 0; i < s.m; ++i) {
    for (std::size_t j = 0; j < s.n; ++j) {
      double sum = 0.0, magnitude = 0.0;
      for (std::size_t k = 0; k < s.k; ++k) {
        const double product = double{a[i * s.k + k]} * double{b[k * s.n + j]};
        sum += product;
        magnitude += std::fabs(product);
      }
      // The bound of a sum in order: one half place per addition, of the sum of magnitudes.
      ASSERT_LE(std::fabs(c[i * s.n + j] - sum),
                static_cast<double>(s.k + 1) * std::ldexp(magnitude, -24));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, MatmulShapes,
                         testing::Values(std::tuple{1, 1, 1}, std::tuple{1, 16, 300},
                                         std::tuple{3, 17, 5}, std::tuple{4, 15, 256},
                                         std::tuple{5, 16, 257}, std::tuple{2, 33, 7},
                                         std::tuple{64, 64, 64}, std::tuple{66, 6, 8},
                                         std::tuple{127, 131, 509}, std::tuple{130, 70, 200},
                                         std::tuple{0, 4, 4}, std::tuple{4, 0, 4},
                                         std::tuple{3, 4, 0}));

TEST(Matmul, CutAlongKGivesTheBitsOfTheWhole) {
  const MatmulShape whole{7, 20, 384};
  const std::vector<float> a = random_values(whole.m * whole.k, 36);
  const std::vector<float> b = random_values(whole.k * whole.n, 37);
  std::vector<float> expected(whole.m * whole.n), c(whole.m * whole.n);
  matmul(whole, a, b, expected);
  for (std::size_t k = 0; k < whole.k; k += 128) {
    std::vector<float> part;
    for (std::size_t i = 0; i < whole.m; ++i) {
      const float* row = &a[i * whole.k + k];
      part.insert(part.end(), row, row + 128);
    }
    matmul({7, 20, 128}, part, std::span(b).subspan(k * whole.n, 128 * whole.n), c,
           {.accumulate = k > 0});
  }
  EXPECT_EQ(c, expected);
}

TEST(Matmul, RoundsOnceAtTheEndUnlessBlocksAreAsked) {
  // 1024 + 0.25 four times: fp16 keeps steps of 1 there.
  const std::vector<float> a{1024.0F, 0.25F, 0.25F, 0.25F, 0.25F};
  const std::vector<float> b{1.0F, 1.0F, 1.0F, 1.0F, 1.0F};
  std::vector<float> c(1);
  matmul({1, 1, 5}, a, b, c, {.result = Format::fp16});
  EXPECT_EQ(c[0], 1025.0F);
  matmul({1, 1, 5}, a, b, c, {.result = Format::fp16, .k_block = 1});
  EXPECT_EQ(c[0], 1024.0F);
  matmul({1, 1, 5}, a, b, c, {.result = Format::fp16, .k_block = 4});  // 1024.75, then 1025.25
  EXPECT_EQ(c[0], 1025.0F);
}

TEST(Matmul, ResultsBeyondFp16FitDlFloat16) {
  const std::vector<float> a(64, 256.0F), b(64, 256.0F);
  std::vector<float> c(1);
  matmul({1, 1, 64}, a, b, c, {.result = Format::fp16});
  EXPECT_TRUE(std::isinf(c[0]));
  matmul({1, 1, 64}, a, b, c, {.result = Format::dl16});
  EXPECT_EQ(c[0], 4194304.0F);
}

TEST(Matmul, IntegersAreExactAndWrapAround) {
  RandomBits random(38);
  const MatmulShape s{5, 19, 70};
  std::vector<std::int8_t> a(s.m * s.k), b(s.k * s.n);
  for (auto& x : a) x = static_cast<std::int8_t>(random.next());
  for (auto& x : b) x = static_cast<std::int8_t>(random.next());
  std::vector<std::int32_t> c(s.m * s.n, 2147483647);
  matmul(s, a, b, c, true);
  for (std::size_t i = 0; i < s.m; ++i) {
    for (std::size_t j = 0; j < s.n; ++j) {
      std::int64_t sum = 2147483647;
      for (std::size_t k = 0; k < s.k; ++k) sum += std::int64_t{a[i * s.k + k]} * b[k * s.n + j];
      ASSERT_EQ(c[i * s.n + j], static_cast<std::int32_t>(sum));
    }
  }
}

TEST(Matmul, RejectsOperandsOfTheWrongLength) {
  std::vector<float> a(6), b(6), c(4);
  EXPECT_NO_THROW(matmul({2, 2, 3}, a, b, c));
  EXPECT_THROW(matmul({2, 2, 2}, a, b, c), std::invalid_argument);
  EXPECT_THROW(matmul({2, 2, 3}, a, b, std::span(c).first(3)), std::invalid_argument);
}

}  // namespace
}  // namespace spyre::models
