#include <gtest/gtest.h>

#include <random>

#include "models/machine/machine.h"

namespace spyre::models {
namespace {

constexpr std::int64_t kFrequencies[] = {1'000'000'000, 1'500'000'000, 1'300'000'000, 999'999'937,
                                         7'000'000'001};

TEST(CoreClock, RoundsCyclesToTheNearestPicosecond) {
  const CoreClock clock{1'500'000'000};
  EXPECT_EQ(clock.to_ps(0), 0u);
  EXPECT_EQ(clock.to_ps(1), 667u);   // 666.67
  EXPECT_EQ(clock.to_ps(2), 1333u);  // 1333.33
  EXPECT_EQ(clock.to_ps(3), 2000u);
  EXPECT_EQ(clock.to_ps(1'500'000'000), 1'000'000'000'000u);
}

TEST(CoreClock, CountsACycleAtItsBoundaryAndNotBefore) {
  const CoreClock clock{1'500'000'000};
  for (const Cycles cycles :
       {Cycles{1}, Cycles{2}, Cycles{3}, Cycles{1'000'001}, Cycles{123'456'789'012}}) {
    EXPECT_EQ(clock.elapsed(clock.to_ps(cycles)), cycles);
    EXPECT_EQ(clock.elapsed(clock.to_ps(cycles) - 1), cycles - 1);
  }
}

TEST(CoreClock, ReturnsTheCyclesItWasGivenAtAnyFrequency) {
  std::mt19937_64 random(1);
  for (const std::int64_t hz : kFrequencies) {
    const CoreClock clock{hz};
    for (int i = 0; i < 20'000; ++i) {
      const Cycles cycles = random() % (Cycles{1} << (1 + random() % 50));
      ASSERT_EQ(clock.elapsed(clock.to_ps(cycles)), cycles) << hz;
    }
  }
}

TEST(CoreClock, AddsUpExactlyOverRandomIntervals) {
  std::mt19937_64 random(2);
  for (const std::int64_t hz : kFrequencies) {
    const CoreClock clock{hz};
    Picoseconds time = 0;
    Cycles sum = 0;
    for (int i = 0; i < 20'000; ++i) {
      const Picoseconds next = time + random() % (Picoseconds{1} << (1 + random() % 40));
      ASSERT_GE(clock.elapsed(next), clock.elapsed(time));
      sum += clock.elapsed(next) - clock.elapsed(time);
      time = next;
    }
    EXPECT_EQ(sum, clock.elapsed(time)) << hz;
    // Against the plain definition, in long double (64 bits of mantissa), to half a picosecond and
    // a cycle.
    const long double exact = static_cast<long double>(time) * static_cast<long double>(hz) / 1e12L;
    EXPECT_NEAR(static_cast<double>(static_cast<long double>(sum) - exact), 0, 1.01) << hz;
  }
}

TEST(CoreClock, IsExactOverMonths) {
  const CoreClock clock{1'500'000'000};
  const Cycles hundred_days = 100ull * 86'400 * 1'500'000'000;
  EXPECT_EQ(clock.to_ps(hundred_days), 100ull * 86'400 * 1'000'000'000'000);
  EXPECT_EQ(clock.elapsed(100ull * 86'400 * 1'000'000'000'000), hundred_days);
}

}  // namespace
}  // namespace spyre::models
