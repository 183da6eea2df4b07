// Every core's cycles add up to the run's, whatever the intervals.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/traces/ledger_fixture.h"
#include "traces/core_ledger.h"

namespace spyre::traces::test {
namespace {

using models::CoreActivity;
using models::StallCause;

TEST(CoreLedger, CountsByActivityAndByCause) {
  const models::Machine machine = models::make_test_machine();
  const auto ps = [&](std::uint64_t cycles) { return machine.clock.to_ps(cycles); };
  CoreLedger ledger(machine);
  ledger.on_core_interval({0, 3, CoreActivity::stalled, StallCause::dram_read, ps(0), ps(10)});
  ledger.on_core_interval({0, 3, CoreActivity::matrix, StallCause::dram_read, ps(10), ps(17)});
  ledger.on_core_interval({0, 3, CoreActivity::vector, StallCause::dram_read, ps(17), ps(19)});
  ledger.on_core_interval({0, 3, CoreActivity::idle, StallCause::dram_read, ps(19), ps(20)});
  ledger.on_core_interval({1, 3, CoreActivity::stalled, StallCause::barrier, ps(20), ps(25)});
  const CoreCycles& core = ledger.cores()[3];
  EXPECT_EQ(core.matrix, 7U);
  EXPECT_EQ(core.vector, 2U);
  EXPECT_EQ(core.idle, 1U);
  EXPECT_EQ(core.stalls[static_cast<std::size_t>(StallCause::dram_read)], 10U);
  EXPECT_EQ(core.stalls[static_cast<std::size_t>(StallCause::barrier)], 5U);
  EXPECT_EQ(core.stalled(), 15U);
  EXPECT_EQ(core.total(), 25U);
  EXPECT_EQ(ledger.cores()[2].total(), 0U);
}

TEST(CoreLedger, IntervalsThatTouchAddUpToTheLastCycleExactly) {
  models::Machine machine = models::make_test_machine();
  for (const std::int64_t hz : {1'500'000'000, 1'333'333'333, 999'999'937}) {
    machine.clock.hz = hz;
    CoreLedger ledger(machine);
    std::mt19937_64 random(static_cast<std::uint64_t>(hz));
    std::uint64_t time = 0;
    for (int n = 0; n < 10'000; ++n) {
      const std::uint64_t end =
          time + random() % 5'000;  // shorter and longer than a cycle, also nothing
      ledger.on_core_interval({0, 0, static_cast<CoreActivity>(random() % 4),
                               static_cast<StallCause>(random() % models::kStallCauses), time,
                               end});
      time = end;
    }
    EXPECT_EQ(ledger.cores()[0].total(), machine.clock.elapsed(time)) << hz;
  }
}

}  // namespace
}  // namespace spyre::traces::test
