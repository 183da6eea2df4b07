#include "models/dram/burst_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "models/diagnostics/diagnostics.h"
#include "tests/unit/dram/channel_traffic.h"

namespace spyre::models {
namespace {

struct Access {
  std::uint32_t group, bank, row;
  bool write = false;
  DramCycles arrival = 0;
  std::uint32_t column = 0;
};

/// Runs bursts through a channel under map rbc and returns the commands it issues.
std::vector<IssuedCommand> commands_of(const DramDescription& dram,
                                       const std::vector<Access>& accesses) {
  const AddressMap map(dram, 128);
  BurstScheduler scheduler(dram, map);
  std::vector<IssuedCommand> commands;
  scheduler.set_command_observer(
      [&](const IssuedCommand& command) { commands.push_back(command); });
  for (const Access& access : accesses) {
    scheduler.push({map.encode({access.group, access.bank, access.row, access.column}), 32, 0,
                    access.write, access.arrival});
  }
  std::vector<ChannelCompletion> completions;
  scheduler.advance(100'000, completions);
  return commands;
}

DramCycles time_of(const std::vector<IssuedCommand>& commands, DramCommand command,
                   std::size_t nth = 0) {
  for (const IssuedCommand& issued : commands) {
    if (issued.command == command && nth-- == 0) return issued.time;
  }
  ADD_FAILURE() << "no such command";
  return kNever;
}

/// A gap that one timing parameter alone decides: lengthening the parameter by one moves the second
/// command by one, so the command cannot go at t-1 and does go at t.
struct Probe {
  const char* name;
  std::int64_t DramTiming::*parameter;
  std::vector<Access> accesses;
  DramCommand from, to;
  std::size_t nth_from, nth_to;
  DramCycles gap;
};

void PrintTo(const Probe& probe, std::ostream* out) {
  *out << probe.name;
}

class TimingProbe : public testing::TestWithParam<Probe> {};

TEST_P(TimingProbe, SecondCommandGoesAtTheGapAndNotOneCycleBefore) {
  const Probe& probe = GetParam();
  DramDescription dram = reference_channel("rbc");
  dram.refresh = RefreshMode::none;
  for (const std::int64_t longer : {0, 1, 5}) {
    DramDescription changed = dram;
    changed.timing.*probe.parameter += longer;
    const auto commands = commands_of(changed, probe.accesses);
    EXPECT_EQ(
        time_of(commands, probe.to, probe.nth_to) - time_of(commands, probe.from, probe.nth_from),
        probe.gap + longer);
  }
}

constexpr DramCommand kAct = DramCommand::activate, kPre = DramCommand::precharge,
                      kRd = DramCommand::read, kWr = DramCommand::write;

INSTANTIATE_TEST_SUITE_P(
    Constraints, TimingProbe,
    testing::Values(
        Probe{"tRCD", &DramTiming::rcd, {{0, 0, 0}}, kAct, kRd, 0, 0, 15},
        Probe{"tRP", &DramTiming::rp_pb, {{0, 0, 0}, {0, 0, 1}}, kPre, kAct, 0, 1, 15},
        Probe{"tRAS", &DramTiming::ras, {{0, 0, 0}, {0, 0, 1}}, kAct, kPre, 0, 0, 34},
        // tRC alone decides only where it exceeds tRAS + tRP; at 49 = 34 + 15 they coincide.
        Probe{"tRC", &DramTiming::rc, {{0, 0, 0}, {0, 0, 1}}, kAct, kAct, 0, 1, 49},
        Probe{"tRRD", &DramTiming::rrd, {{0, 0, 0}, {1, 0, 0}}, kAct, kAct, 0, 1, 4},
        Probe{"tFAW",
              &DramTiming::faw,
              {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {0, 1, 0}},
              kAct,
              kAct,
              0,
              4,
              16},
        // The second burst arrives when its row is long open, so that only the column spacing
        // counts.
        Probe{"tCCD_L", &DramTiming::ccd_l, {{0, 0, 0}, {0, 0, 0, false, 0, 1}}, kRd, kRd, 0, 1, 4},
        Probe{"tCCD_L write",
              &DramTiming::ccd_l,
              {{0, 0, 0, true}, {0, 0, 0, true, 0, 1}},
              kWr,
              kWr,
              0,
              1,
              4},
        Probe{"tCCD_S",
              &DramTiming::burst,
              {{0, 0, 0}, {1, 0, 0}, {0, 0, 0, false, 100, 1}, {1, 0, 0, false, 100, 1}},
              kRd,
              kRd,
              2,
              3,
              2},
        Probe{"tRTP",
              &DramTiming::rtp,
              {{0, 0, 0}, {0, 0, 0, false, 100, 1}, {0, 0, 1, false, 100}},
              kRd,
              kPre,
              1,
              0,
              8},
        Probe{"tWR", &DramTiming::wr, {{0, 0, 0, true}, {0, 0, 1}}, kWr, kPre, 0, 0, 9 + 2 + 28},
        Probe{"tWTR_L",
              &DramTiming::wtr_l,
              {{0, 0, 0, true}, {0, 0, 0, false, 16, 1}},
              kWr,
              kRd,
              0,
              0,
              9 + 2 + 12},
        Probe{"tWTR_S",
              &DramTiming::wtr_s,
              {{0, 0, 0}, {1, 0, 0}, {0, 0, 0, true, 100, 1}, {1, 0, 0, false, 101, 1}},
              kWr,
              kRd,
              0,
              2,
              9 + 2 + 5},
        Probe{"read to write",
              &DramTiming::read_to_write_gap,
              {{0, 0, 0}, {0, 0, 0, true, 0, 1}},
              kRd,
              kWr,
              0,
              0,
              12},
        Probe{"RL to write",
              &DramTiming::rl,
              {{0, 0, 0}, {0, 0, 0, true, 0, 1}},
              kRd,
              kWr,
              0,
              0,
              12}),
    [](const auto& tested) {
      std::string name = tested.param.name;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

TEST(BurstSchedulerTest, AllBankRefreshPrechargesAndKeepsBanksClosedForTrfc) {
  const auto commands =
      commands_of(reference_channel("rbc"), {{0, 0, 0}, {0, 0, 0, false, 3'125, 1}});
  EXPECT_EQ(time_of(commands, DramCommand::refresh), 3'125 + 17);
  EXPECT_EQ(time_of(commands, DramCommand::activate, 1), 3'125 + 17 + 224);
}

TEST(BurstSchedulerTest, ABurstThatArrivesACycleBeforeRefreshIsStillServed) {
  const auto commands =
      commands_of(reference_channel("rbc"),
                  {{0, 0, 0}, {0, 0, 0, false, 3'124, 1}, {0, 0, 0, false, 4'000, 2}});
  EXPECT_EQ(time_of(commands, DramCommand::read, 1), 3'124);
  EXPECT_EQ(time_of(commands, DramCommand::refresh), 3'124 + 8 + 17);
}

TEST(BurstSchedulerTest, RowHitOvertakesAnOlderMissOfItsBank) {
  const auto commands =
      commands_of(reference_channel("rbc"), {{0, 0, 0}, {0, 0, 1}, {0, 0, 0, false, 0, 1}});
  std::vector<std::uint32_t> rows;
  for (const IssuedCommand& issued : commands) {
    if (issued.command == DramCommand::read) rows.push_back(issued.row);
  }
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{0, 0, 1}));
}

TEST(BurstSchedulerTest, EccAddsOneBurstBehindSoManyColumnCommands) {
  DramDescription dram = reference_channel("rbc");
  dram.refresh = RefreshMode::none;
  dram.ecc_data_bursts = 2;
  const auto commands = commands_of(dram, {{0, 0, 0},
                                           {1, 0, 0},
                                           {0, 0, 0, false, 100, 1},
                                           {1, 0, 0, false, 100, 1},
                                           {0, 0, 0, false, 100, 2},
                                           {1, 0, 0, false, 100, 2}});
  // Columns 3 and 4 are 2 apart; behind the 4th an ECC burst takes the bus for another 2.
  EXPECT_EQ(time_of(commands, DramCommand::read, 3) - time_of(commands, DramCommand::read, 2), 2);
  EXPECT_EQ(time_of(commands, DramCommand::read, 4) - time_of(commands, DramCommand::read, 3), 4);
}

TEST(BurstSchedulerTest, QueueTooSmallForAStickIsRejected) {
  DramDescription dram = reference_channel("sic");
  dram.queue_entries = 3;
  const AddressMap map(dram, 128);
  EXPECT_THROW(BurstScheduler(dram, map), InputError);
}

TEST(BurstSchedulerTest, RefreshIntervalTooShortForARefreshIsRejected) {
  DramDescription dram = reference_channel("sic");
  dram.timing.refi = 300;
  const AddressMap map(dram, 128);
  EXPECT_THROW(BurstScheduler(dram, map), InputError);
}

/// Independent of the scheduler: checks every pair of commands of a bank, group or rank against the
/// table.
class ConstraintChecker {
 public:
  explicit ConstraintChecker(const DramTiming& timing) : t_(timing) {}

  void check(const IssuedCommand& now) {
    for (auto past = history_.rbegin(); past != history_.rend() && now.time - past->time < 400;
         ++past) {
      const DramCycles gap = now.time - past->time;
      const DramCycles need = required(*past, now);
      ASSERT_GE(gap, need) << "command " << static_cast<int>(now.command) << " at " << now.time
                           << " after " << static_cast<int>(past->command) << " at " << past->time;
    }
    if (now.command == DramCommand::activate) {
      if (activates_.size() >= 4) {
        ASSERT_GE(now.time - activates_[activates_.size() - 4], t_.faw);
      }
      activates_.push_back(now.time);
      open_[now.bank] = now.row + 1;
    } else if (now.command == DramCommand::precharge) {
      ASSERT_NE(open_[now.bank], 0u);
      open_[now.bank] = 0;
    } else if (now.command == DramCommand::refresh) {
      std::ranges::fill(open_, 0u);
    } else {
      ASSERT_EQ(open_[now.bank], now.row + 1) << "column command to a closed or other row";
    }
    history_.push_back(now);
  }

 private:
  [[nodiscard]] DramCycles required(const IssuedCommand& a, const IssuedCommand& b) const {
    using enum DramCommand;
    const bool same_bank = a.bank == b.bank, same_group = a.bank / 4 == b.bank / 4;
    if (b.command ==
        refresh) {  // its time is that of the refresh itself, behind the precharge of all banks
      // A bank that was precharged by itself has waited tRPpb, the shorter one.
      if (a.command == activate) return t_.ras + t_.rp_pb;
      if (a.command == read) return t_.rtp + t_.rp_pb;
      if (a.command == write) return t_.wl + t_.burst + t_.wr + t_.rp_pb;
      return a.command == precharge ? t_.rp_pb : t_.rfc_ab;
    }
    if (a.command == refresh) return b.command == activate ? t_.rfc_ab : 0;
    if (a.command == activate && b.command == activate) return same_bank ? t_.rc : t_.rrd;
    if (a.command == activate && same_bank) return b.command == precharge ? t_.ras : t_.rcd;
    if (a.command == precharge) return same_bank && b.command == activate ? t_.rp_pb : 1;
    if (b.command == precharge && same_bank) {
      return a.command == read ? t_.rtp : t_.wl + t_.burst + t_.wr;
    }
    const bool columns =
        (a.command == read || a.command == write) && (b.command == read || b.command == write);
    if (!columns) return 1;
    if (a.command == b.command) return same_group ? t_.ccd_l : t_.burst;
    if (a.command == read) return t_.rl + t_.burst + t_.read_to_write_gap - t_.wl;
    return t_.wl + t_.burst + (same_group ? t_.wtr_l : t_.wtr_s);
  }

  DramTiming t_;
  std::vector<IssuedCommand> history_;
  std::vector<DramCycles> activates_;
  std::array<std::uint32_t, 16> open_{};
};

TEST(BurstSchedulerTest, NoCommandOfRandomTrafficViolatesTheConstraintTable) {
  for (const char* name : {"rbc", "bgi", "sic"}) {
    const DramDescription dram = reference_channel(name);
    const AddressMap map(dram, 128);
    BurstScheduler scheduler(dram, map);
    ConstraintChecker checker(dram.timing);
    scheduler.set_command_observer([&](const IssuedCommand& command) { checker.check(command); });
    std::mt19937_64 random(3);
    DramCycles arrival = 0;
    for (int i = 0; i < 4'000; ++i) {
      arrival += static_cast<DramCycles>(random() % 12);
      // Few rows, so that hits, conflicts and turnarounds all occur.
      const std::uint64_t offset = random() % 8 * 131'072 + random() % 64 * 128;
      scheduler.push({offset, 128, 0, random() % 3 == 0, arrival});
    }
    std::vector<ChannelCompletion> completions;
    scheduler.advance(kNever - 1, completions);
    EXPECT_EQ(completions.size(), 16'000u);
    EXPECT_GT(scheduler.counters().refreshes, 5u);
    EXPECT_GT(scheduler.counters().turnarounds, 100u);
    EXPECT_GT(scheduler.counters().row_hits, 1'000u);
  }
}

}  // namespace
}  // namespace spyre::models
