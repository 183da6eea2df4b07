#include "models/card/lx_ports.h"

#include <gtest/gtest.h>

#include "tests/support/test_machine.h"

namespace spyre::models {
namespace {

class LxPortsTest : public testing::Test {
 protected:
  Machine machine = make_test_machine();
  LxPorts ports{machine.lx, machine.clock, machine.limits.stick_bytes};
  Picoseconds ps(Cycles cycles) const { return machine.clock.to_ps(cycles); }
};

TEST_F(LxPortsTest, ATransferTakesItsBytesOverThePortWidth) {
  EXPECT_EQ(ports.transfer(4096, 0), ps(32));
}

TEST_F(LxPortsTest, TransfersQueueOnThePort) {
  EXPECT_EQ(ports.transfer(4096, ps(10)), ps(10) + ps(32));
  EXPECT_EQ(ports.transfer(128, ps(20)), ps(10) + ps(32) + ps(1));
  EXPECT_EQ(ports.transfer(128, ps(100)), ps(100) + ps(1));
}

TEST_F(LxPortsTest, ComputeAloneNeverWaits) {
  EXPECT_EQ(ports.compute_conflicts(1 << 20, 0, ps(1000)), 0U);
}

TEST_F(LxPortsTest, ComputeWaitsForItsShareOfCollisions) {
  // The port is busy all the time, so each of 1600 accesses meets it in 1 of `banks` cycles.
  (void)ports.transfer(128 * 1600, 0);
  EXPECT_EQ(ports.compute_conflicts(128 * 1600, 0, ps(1600)),
            1600U / static_cast<Cycles>(machine.lx.banks));
}

TEST_F(LxPortsTest, MoreBanksMeanFewerCollisions) {
  LxDescription wide = machine.lx;
  wide.banks *= 4;
  LxPorts other(wide, machine.clock, machine.limits.stick_bytes);
  (void)ports.transfer(128 * 1600, 0);
  (void)other.transfer(128 * 1600, 0);
  EXPECT_EQ(ports.compute_conflicts(128 * 1600, 0, ps(1600)),
            4 * other.compute_conflicts(128 * 1600, 0, ps(1600)));
}

TEST_F(LxPortsTest, FractionsOfACycleAreCarriedNotLost) {
  Cycles waited = 0;
  Picoseconds time = 0;
  for (int i = 0; i < 160; ++i) {
    (void)ports.transfer(128 * 10, time);
    waited += ports.compute_conflicts(128 * 10, time, ps(10));
    time += ps(10);
  }
  const auto expected = 1600.0 / static_cast<double>(machine.lx.banks);
  EXPECT_NEAR(static_cast<double>(waited), expected, expected * 0.02);
  EXPECT_EQ(waited, ports.conflict_cycles());
}

}  // namespace
}  // namespace spyre::models
