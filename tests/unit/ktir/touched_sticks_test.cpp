// Sticks that strided accesses touch, against going through every byte.
#include "kernels/ktir/touched_sticks.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <span>

#include "kernels/ktir/affine.h"

namespace spyre::kernels::ktir {
namespace {

struct Access {
  std::int64_t first = 0;
  std::int64_t bytes = 0;
  std::vector<StridedDimension> dimensions;
};

void touch(std::int64_t first, std::int64_t bytes, std::span<const StridedDimension> dimensions,
           std::set<std::int64_t>& sticks) {
  if (!dimensions.empty()) {
    for (std::int64_t i = 0; i < dimensions.front().extent; ++i) {
      touch(first + i * dimensions.front().stride, bytes, dimensions.subspan(1), sticks);
    }
    return;
  }
  for (std::int64_t byte = first; byte < first + bytes; ++byte) {
    sticks.insert(floor_divide(byte, kStickBytes));
  }
}

std::int64_t counted(const std::vector<Access>& accesses) {
  TouchedSticks sticks;
  for (const Access& access : accesses) {
    EXPECT_TRUE(sticks.add(access.first, access.bytes, access.dimensions));
  }
  return sticks.count().value_or(-1);
}

TEST(KtirTouchedSticks, OfSimpleAccesses) {
  EXPECT_EQ(counted({}), 0);
  EXPECT_EQ(counted({{0, 2, {}}}), 1);
  EXPECT_EQ(counted({{127, 2, {}}}), 2);
  EXPECT_EQ(counted({{0, 2, {{64, 2}}}}), 1);
  EXPECT_EQ(counted({{64, 2, {{64, 2}}}}), 2) << "a run that starts in the middle of a stick";
  EXPECT_EQ(counted({{0, 2, {{32, 64}, {32, 2}}}}), 16) << "half a stick per row, rows adjacent";
  EXPECT_EQ(counted({{0, 2, {{32, 128}, {32, 2}}}}), 32) << "half a stick per row";
  EXPECT_EQ(counted({{0, 2, {{4, 0}, {64, 2}}}}), 1) << "the same place again";
  EXPECT_EQ(counted({{0, 2, {{0, 2}}}}), 0);
  EXPECT_EQ(counted({{-2, 2, {{64, -2}}}}), 1) << "backwards and below 0";
}

TEST(KtirTouchedSticks, CountOnceAcrossAccesses) {
  EXPECT_EQ(counted({{0, 2, {{64, 2}}}, {0, 2, {{64, 2}}}}), 1);
  EXPECT_EQ(counted({{0, 2, {{96, 2}}}, {192, 2, {{96, 2}}}}), 3);
}

TEST(KtirTouchedSticks, LargeBoxesAreCountedWithoutListing) {
  const std::int64_t rows = std::int64_t{1} << 30;
  EXPECT_EQ(counted({{0, 2, {{rows, 4096}, {64, 2}}}}), rows);
}

TEST(KtirTouchedSticks, RefuseWhatCannotBeCounted) {
  TouchedSticks sticks;
  EXPECT_FALSE(sticks.add(std::int64_t{1} << 61, 2, {}));
  EXPECT_FALSE(sticks.add(0, 2, {{std::int64_t{1} << 40, std::int64_t{1} << 40}}));
  EXPECT_EQ(sticks.count(), 0);
  ASSERT_TRUE(sticks.add(0, 2, {{std::int64_t{1} << 30, 1000}}));
  EXPECT_EQ(sticks.count(), std::nullopt) << "2^30 runs that lie differently in their sticks";
}

TEST(KtirTouchedSticks, AgreeWithEveryByte) {
  std::mt19937 random(1);
  const auto upto = [&](int limit) {
    return static_cast<std::int64_t>(random() % unsigned(limit));
  };
  const std::int64_t strides[] = {0,   1,   2,   6,   64,   100, 128, 130,
                                  200, 256, 384, 500, 1024, -2,  -128};
  for (int round = 0; round < 3000; ++round) {
    std::vector<Access> accesses(static_cast<std::size_t>(1 + upto(3)));
    std::set<std::int64_t> wanted;
    for (Access& access : accesses) {
      access = {upto(600) - 100, 1 + upto(8), {}};
      for (std::int64_t d = upto(4); d > 0; --d) {
        access.dimensions.push_back({1 + upto(7), strides[upto(std::size(strides))]});
      }
      touch(access.first, access.bytes, access.dimensions, wanted);
    }
    ASSERT_EQ(counted(accesses), static_cast<std::int64_t>(wanted.size())) << "round " << round;
  }
}

}  // namespace
}  // namespace spyre::kernels::ktir
