#include "models/card/ring_timeline.h"

#include <gtest/gtest.h>

#include "tests/support/test_machine.h"

namespace spyre::models {
namespace {

class RingTimelineTest : public testing::Test {
 protected:
  Machine machine = make_test_machine();
  RingTimeline ring{machine.ring, machine.clock, machine.cores.count};
  Picoseconds hop = machine.clock.to_ps(static_cast<Cycles>(machine.ring.hop_cycles));
  Picoseconds ps(Cycles cycles) const { return machine.clock.to_ps(cycles); }
  static CoreSet core(int c) { return CoreSet{1} << c; }
};

TEST_F(RingTimelineTest, ATileTakesItsHopsPlusItsLength) {
  const auto sent = ring.send(0, core(3), 1280, 100);
  EXPECT_EQ(sent.arrived_ps, 100 + 3 * hop + ps(10));
  EXPECT_EQ(sent.injected_ps, 100 + ps(10));
}

TEST_F(RingTimelineTest, TheShorterWayIsTaken) {
  EXPECT_EQ(ring.send(0, core(31), 128, 0).arrived_ps, hop + ps(1));
  EXPECT_EQ(ring.latency(0, 31), hop);
  EXPECT_EQ(ring.latency(0, 16), 16 * hop);
}

TEST_F(RingTimelineTest, TwoTilesOverOneLinkQueue) {
  const Picoseconds first = ring.send(0, core(1), 12800, 0).arrived_ps;
  EXPECT_EQ(ring.send(0, core(1), 12800, 0).arrived_ps, first + ps(100));
}

TEST_F(RingTimelineTest, TheTwoDirectionsDoNotDisturbEachOther) {
  (void)ring.send(0, core(1), 12800, 0);
  EXPECT_EQ(ring.send(0, core(31), 12800, 0).arrived_ps, hop + ps(100));
}

TEST_F(RingTimelineTest, ACrossingTileWaitsOnlyForTheSharedLink) {
  (void)ring.send(1, core(2), 12800, 0);  // link 1 -> 2 is busy for 100 cycles
  EXPECT_EQ(ring.send(0, core(2), 128, 0).arrived_ps, ps(100) + hop + ps(1));
  EXPECT_EQ(ring.send(3, core(4), 128, 0).arrived_ps, hop + ps(1));
}

TEST_F(RingTimelineTest, OneMulticastStreamServesACohortInPassing) {
  std::array<Picoseconds, kMaxCores> arrivals{};
  const CoreSet group = core(1) | core(2) | core(3) | core(4);
  (void)ring.send(0, group, 1280, 0, &arrivals);
  for (int c = 1; c <= 4; ++c) {
    EXPECT_EQ(arrivals[static_cast<std::size_t>(c)], static_cast<Picoseconds>(c) * hop + ps(10));
  }
}

TEST_F(RingTimelineTest, MoreReceiversThanACohortAreServedInTurn) {
  CoreSet group = 0;
  for (int c = 1; c <= machine.ring.multicast_cohort + 1; ++c) group |= core(c);
  std::array<Picoseconds, kMaxCores> arrivals{};
  (void)ring.send(0, group, 12800, 0, &arrivals);
  EXPECT_EQ(arrivals[1], hop + ps(100));
  EXPECT_GE(arrivals[9], ps(200));
}

TEST_F(RingTimelineTest, TheSourceItselfCostsNothing) {
  std::array<Picoseconds, kMaxCores> arrivals{};
  EXPECT_EQ(ring.send(5, core(5), 1 << 20, 77, &arrivals).arrived_ps, 77U);
  EXPECT_EQ(arrivals[5], 77U);
  EXPECT_EQ(ring.busy_ps(), 0U);
}

}  // namespace
}  // namespace spyre::models
