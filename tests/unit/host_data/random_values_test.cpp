// The generator: fixed numbers, and the distributions they are said to have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/random_values.h"

namespace spyre::runtime {
namespace {

/// The standard normal distribution function.
double below(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

TEST(RandomValues, AreFixed) {
  const RandomValues random(1);
  EXPECT_EQ(random.bits(0), RandomValues(1).bits(0));
  EXPECT_NE(random.bits(0), RandomValues(2).bits(0));
  EXPECT_NE(random.bits(0), random.bits(1));
  EXPECT_EQ(random.bits(0), 0x5e41ab087439611eU);
  // The other two as Python's statistics.NormalDist().inv_cdf() has them.
  EXPECT_DOUBLE_EQ(random.normal(0), -0.3366522922158836);
  EXPECT_DOUBLE_EQ(random.normal(12345), -1.2843161100321896);
  EXPECT_DOUBLE_EQ(random.normal(183726), -4.4443958276162085);
}

TEST(RandomValues, NormalIsTheInverseOfTheDistributionFunction) {
  const RandomValues random(7);
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double u = random.unit(i);
    ASSERT_NEAR(below(random.normal(i)) / u, 1, 1e-12) << u;
  }
}

TEST(RandomValues, NormalHasMeanZeroAndVarianceOne) {
  const RandomValues random(3);
  constexpr std::uint64_t kCount = 1000000;
  double sum = 0, squares = 0, fourth = 0, neighbours = 0, largest = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double x = random.normal(i);
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    neighbours += x * random.normal(i + 1);
    largest = std::max(largest, std::fabs(x));
  }
  EXPECT_NEAR(sum / kCount, 0, 0.005);
  EXPECT_NEAR(squares / kCount, 1, 0.01);
  EXPECT_NEAR(fourth / kCount, 3, 0.1);
  EXPECT_NEAR(neighbours / kCount, 0, 0.005);
  EXPECT_GT(largest, 4);
  EXPECT_LT(largest, 7);
}

TEST(RandomValues, IntegersTakeEveryValueAlikeAndBothEnds) {
  const RandomValues random(9);
  std::vector<int> counts(64);
  for (std::uint64_t i = 0; i < 64000; ++i) {
    const std::int64_t value = random.integer(i, -10, 53);
    ASSERT_GE(value, -10);
    ASSERT_LE(value, 53);
    ++counts[static_cast<std::size_t>(value + 10)];
  }
  EXPECT_GT(*std::ranges::min_element(counts), 850);
  EXPECT_LT(*std::ranges::max_element(counts), 1150);
  EXPECT_EQ(random.integer(0, 4, 4), 4);
  (void)random.integer(0, INT64_MIN, INT64_MAX);
}

TEST(RandomValues, UniformStaysInItsRange) {
  const RandomValues random(9);
  double sum = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double value = random.uniform(i, 0.5, 1.5);
    ASSERT_GE(value, 0.5);
    ASSERT_LE(value, 1.5);
    sum += value;
  }
  EXPECT_NEAR(sum / 100000, 1, 0.01);
}

}  // namespace
}  // namespace spyre::runtime
