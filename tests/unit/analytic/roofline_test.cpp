// Ids G... name the golden values of the course's public sources (docs/models.md says what they
// are).
#include "models/analytic/roofline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace spyre::models {
namespace {

// H100: 1979 TFLOP/s with sparsity, half of it dense; 3.35 TB/s (NVIDIA datasheet).
constexpr Roof kH100{1979e12 / 2, 3.35e12};
// Spyre: 32 cores x 2 x 8 x 8 x 8 MACs at 1.5 GHz; 204.8 GB/s (LPDDR5-6400).
constexpr Roof kSpyre{32.0 * 2 * 8 * 8 * 8 * 2 * 1.5e9, 204.8e9};

TEST(Roofline, RidgePointOfH100IsG002) {
  EXPECT_NEAR(ridge_point(kH100), 295.3731, 5e-5);
}

TEST(Roofline, RidgePointOfSpyreIsG208) {
  EXPECT_DOUBLE_EQ(ridge_point(kSpyre), 480.0);
  EXPECT_DOUBLE_EQ(ridge_point({kSpyre.flops_per_second, 150e9}), 655.36);  // G209
}

TEST(Roofline, ReluIsMemoryBoundAsG004AndG005Say) {
  const double n = 1048576.0;
  EXPECT_DOUBLE_EQ(arithmetic_intensity(n, 4 * n), 0.25);
  EXPECT_NEAR(memory_seconds(4 * n, kH100), 1.252031e-6, 5e-13);
  EXPECT_NEAR(compute_seconds(n, kH100), 1.059703e-9, 5e-16);
  EXPECT_DOUBLE_EQ(roofline_seconds(n, 4 * n, kH100), memory_seconds(4 * n, kH100));
  EXPECT_EQ(bound(n, 4 * n, kH100), Bound::memory);
}

TEST(Roofline, AttainableRateIsG011ToG014) {
  EXPECT_NEAR(attainable_flops_per_second(0.25, kH100), 0.8375e12, 5e7);
  EXPECT_NEAR(attainable_flops_per_second(5.0, kH100), 16.75e12, 5e8);
  EXPECT_NEAR(attainable_flops_per_second(0.997563, kH100), 3.3418e12, 5e7);
  EXPECT_DOUBLE_EQ(attainable_flops_per_second(341.1667, kH100), 989.5e12);
}

TEST(Roofline, SmallestComputeBoundSquareMatmulOnH100IsG010) {
  const auto is_compute_bound = [](double n) {
    return bound(n * n * (2 * n - 1), 6 * n * n, kH100) == Bound::compute;
  };
  EXPECT_FALSE(is_compute_bound(886));
  EXPECT_TRUE(is_compute_bound(887));
}

TEST(Roofline, BothResourcesAreBusyAtTheRidge) {
  const Roof roof{100.0, 10.0};
  EXPECT_EQ(bound(10.0, 1.0, roof), Bound::compute);
  EXPECT_EQ(bound(std::nextafter(10.0, 0.0), 1.0, roof), Bound::memory);
  EXPECT_DOUBLE_EQ(memory_seconds(1.0, roof), compute_seconds(10.0, roof));
}

TEST(Roofline, WorkWithoutBytesIsComputeBoundAndNoWorkTakesNoTime) {
  EXPECT_TRUE(std::isinf(arithmetic_intensity(1.0, 0.0)));
  EXPECT_EQ(arithmetic_intensity(0.0, 0.0), 0.0);
  EXPECT_EQ(bound(1.0, 0.0, kSpyre), Bound::compute);
  EXPECT_EQ(roofline_seconds(0.0, 0.0, kSpyre), 0.0);
}

TEST(Roofline, UtilisationIsBytesOrFlopsPerSecondOverThePeak) {
  EXPECT_DOUBLE_EQ(mbu(150.0, 2.0, 100.0), 0.75);
  EXPECT_DOUBLE_EQ(mfu(150.0, 2.0, 100.0), 0.75);
  EXPECT_EQ(mbu(1.0, 0.0, 100.0), 0.0);
  EXPECT_EQ(mfu(1.0, 0.0, 100.0), 0.0);
}

TEST(Roofline, EffectiveBandwidthAndMbuOfTheDistilgpt2LabAreG167) {
  const double bytes = 346524672.0;  // G166
  EXPECT_NEAR(bytes / 10e-3, 34.65e9, 5e6);
  EXPECT_NEAR(mbu(bytes, 10e-3, 320e9), 0.108, 5e-4);
}

TEST(Roofline, NoUtilisationExceedsOneAtTheRooflineTime) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(0.0, 15.0);
  for (int i = 0; i < 1000; ++i) {
    const double flops = std::pow(10.0, exponent(random));
    const double bytes = std::pow(10.0, exponent(random));
    const Roof roof{std::pow(10.0, exponent(random)), std::pow(10.0, exponent(random))};
    const double seconds = roofline_seconds(flops, bytes, roof);
    const double memory = mbu(bytes, seconds, roof.bytes_per_second);
    const double compute = mfu(flops, seconds, roof.flops_per_second);
    EXPECT_LE(memory, 1.0 + 1e-12);
    EXPECT_LE(compute, 1.0 + 1e-12);
    EXPECT_NEAR(std::max(memory, compute), 1.0, 1e-12);
    const double rate = attainable_flops_per_second(arithmetic_intensity(flops, bytes), roof);
    EXPECT_NEAR(flops / rate / seconds, 1.0, 1e-12);
    EXPECT_EQ(bound(flops, bytes, roof) == Bound::memory,
              arithmetic_intensity(flops, bytes) < ridge_point(roof));
  }
}

}  // namespace
}  // namespace spyre::models
