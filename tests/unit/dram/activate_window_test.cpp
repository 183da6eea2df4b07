#include "models/dram/activate_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace spyre::models {
namespace {

/// The definition: every pair at least tRRD apart, every five within no less than tFAW.
bool legal(std::vector<DramCycles> times, DramCycles rrd, DramCycles faw) {
  std::ranges::sort(times);
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] - times[i - 1] < rrd) return false;
    if (i >= 4 && times[i] - times[i - 4] < faw) return false;
  }
  return true;
}

TEST(ActivateWindowTest, ActivatesKeepTheirDistanceToTheCycle) {
  ActivateWindow window(4, 16);
  EXPECT_EQ(window.book_earliest(100), 100);
  EXPECT_EQ(window.earliest(103), 104);
  EXPECT_EQ(window.earliest(104), 104);
}

TEST(ActivateWindowTest, TheFifthActivateWaitsForTheWindowToTheCycle) {
  ActivateWindow window(4, 20);
  for (const DramCycles expected : {100, 104, 108, 112})
    EXPECT_EQ(window.book_earliest(100), expected);
  EXPECT_EQ(window.earliest(119), 120);
  EXPECT_EQ(window.earliest(120), 120);
}

TEST(ActivateWindowTest, AnActivateBookedAheadLeavesRoomBeforeIt) {
  ActivateWindow window(4, 16);
  EXPECT_EQ(window.book_earliest(100), 100);
  EXPECT_EQ(window.book_earliest(90), 90);
  EXPECT_EQ(window.book_earliest(97), 104);
}

TEST(ActivateWindowTest, BookingsAreTheEarliestLegalCyclesOfABruteForceSearch) {
  for (const auto& [rrd, faw] :
       {std::pair<DramCycles, DramCycles>{4, 16}, {4, 20}, {3, 30}, {1, 4}}) {
    std::mt19937 random(7);
    ActivateWindow window(rrd, faw);
    std::vector<DramCycles> booked;
    DramCycles now = 0;
    for (int i = 0; i < 3'000; ++i) {
      now += static_cast<DramCycles>(random() % 8);
      // At most a few activates lie ahead at any time, as banks allow.
      const DramCycles from = now + static_cast<DramCycles>(random() % 3 == 0 ? random() % 40 : 0);
      DramCycles expected = from;
      std::vector<DramCycles> recent(
          booked.end() - std::min<std::ptrdiff_t>(30, std::ssize(booked)), booked.end());
      for (;; ++expected) {
        std::vector<DramCycles> with = recent;
        with.push_back(expected);
        if (legal(with, rrd, faw)) break;
      }
      ASSERT_EQ(window.book_earliest(from), expected)
          << "activate " << i << ", tRRD " << rrd << ", tFAW " << faw;
      booked.push_back(expected);
      now = std::max(now,
                     expected - 40);  // the scheduler books no further ahead than its banks reach
    }
  }
}

TEST(ActivateWindowTest, NothingIsBookedFromTheLimitOn) {
  ActivateWindow window(4, 16);
  EXPECT_EQ(window.book_earliest(100, 100), kNever);
  EXPECT_EQ(window.book_earliest(99, 100), 99);
  EXPECT_EQ(window.book_earliest(99, 103), kNever);
  EXPECT_EQ(window.book_earliest(99, 104), 103);
}

}  // namespace
}  // namespace spyre::models
