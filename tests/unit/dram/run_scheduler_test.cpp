// The run tier against the burst tier, which is its reference.
#include "models/dram/run_scheduler.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/dram/channel_traffic.h"

namespace spyre::models {
namespace {

double rate(const DramDescription& dram, const TrafficPattern& pattern, std::uint64_t requests,
            ChannelTier tier) {
  const AddressMap map(dram, 128);
  Lpddr5Channel channel(dram, map, tier);
  return run_closed_loop(channel, pattern, requests, 64).gigabytes_per_second();
}

/// Runs of `bytes`, each offered as one access, at random places.
TrafficPattern random_runs(std::uint64_t bytes) {
  return [bytes, random = std::mt19937_64(12345)](std::uint64_t) mutable {
    return TrafficRequest{bytes * (random() % (kChannelBytes / bytes)),
                          static_cast<std::uint32_t>(bytes), false};
  };
}

/// `streams` contiguous streams `offset` apart, taken in turn in accesses of `bytes`, every
/// `write_every`-th a write.
TrafficPattern streams_of(std::uint64_t streams, std::uint64_t offset, std::uint64_t bytes,
                          std::uint64_t write_every = 0) {
  return [=](std::uint64_t k) {
    return TrafficRequest{(k % streams * offset + k / streams * bytes) % kChannelBytes,
                          static_cast<std::uint32_t>(bytes),
                          write_every > 0 && k % write_every == 0};
  };
}

struct Comparison {
  std::string name;
  TrafficPattern pattern;
  std::uint64_t requests;
  double tolerance;
};

void PrintTo(const Comparison& comparison, std::ostream* out) {
  *out << comparison.name;
}

class AgainstBurstTier : public testing::TestWithParam<Comparison> {};

TEST_P(AgainstBurstTier, RateAgrees) {
  for (const std::int64_t ecc : {0, 7}) {
    DramDescription dram = reference_channel("sic");
    dram.ecc_data_bursts = ecc;
    const double burst = rate(dram, GetParam().pattern, GetParam().requests, ChannelTier::burst);
    const double run = rate(dram, GetParam().pattern, GetParam().requests, ChannelTier::run);
    EXPECT_NEAR(run / burst, 1.0, GetParam().tolerance)
        << "ECC " << ecc << ": run " << run << ", burst " << burst;
    RecordProperty(ecc > 0 ? "ecc_run_over_burst" : "run_over_burst", std::to_string(run / burst));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, AgainstBurstTier,
    testing::Values(
        Comparison{"random_1KB", random_runs(1'024), 8'000, 0.03},
        Comparison{"random_2KB", random_runs(2'048), 5'000, 0.03},
        Comparison{"random_4KB", random_runs(4'096), 3'000, 0.03},
        Comparison{"random_8KB", random_runs(8'192), 2'000, 0.03},
        Comparison{"stream_1KB", streams_of(1, 0, 1'024), 8'000, 0.03},
        Comparison{"streams_32_of_1KB", streams_of(32, 5'636'096, 1'024), 8'000, 0.03},
        Comparison{"streams_32_of_1KB_2MB_apart", streams_of(32, 2'097'152, 1'024), 8'000, 0.03},
        Comparison{"streams_32_of_256B", streams_of(32, 5'636'096, 256), 20'000, 0.03},
        Comparison{"one_write_in_two_1KB", streams_of(2, 5'636'096, 1'024, 2), 8'000, 0.05},
        Comparison{"one_write_in_three_1KB", streams_of(3, 5'636'096, 1'024, 3), 8'000, 0.05},
        // Sticks: the run tier overlaps bank conflicts a little better than single
        // commands can.
        Comparison{"sticks_random", traffic_pattern("rnd128"), 30'000, 0.05},
        Comparison{"sticks_stride_8KB", traffic_pattern("str8192"), 30'000, 0.05},
        Comparison{"sticks_mix", traffic_pattern("mix31"), 30'000, 0.05}),
    [](const auto& tested) { return tested.param.name; });

TEST(RunSchedulerTest, AWriteThenAReadTurnsTheBusRoundToTheCycle) {
  for (const std::int64_t longer : {0, 1}) {
    DramDescription dram = reference_channel("sic");
    dram.timing.wtr_s += longer;
    const AddressMap map(dram, 128);
    RunScheduler scheduler(dram, map);
    std::vector<ChannelCompletion> completions;
    scheduler.push({0, 1'024, 0, true, 0});
    scheduler.push({1'024, 1'024, 1, false, 0});
    scheduler.advance(1'000, completions);
    ASSERT_EQ(completions.size(), 2u);
    // Write columns 15 to 77 + 2; the read starts WL + burst + tWTR_S after the last write column
    // and takes 64 - 2.
    EXPECT_EQ(completions[0].time, 15 + 62 + 9 + 2);
    EXPECT_EQ(completions[1].time, 15 + 62 + (9 + 2 + 5 + longer) + 62 + 17 + 2);
  }
}

TEST(RunSchedulerTest, AReadThenAWriteTurnsTheBusRoundToTheCycle) {
  for (const std::int64_t longer : {0, 1}) {
    DramDescription dram = reference_channel("sic");
    dram.timing.read_to_write_gap += longer;
    const AddressMap map(dram, 128);
    RunScheduler scheduler(dram, map);
    std::vector<ChannelCompletion> completions;
    scheduler.push({0, 1'024, 0, false, 0});
    scheduler.push({1'024, 1'024, 1, true, 0});
    scheduler.advance(1'000, completions);
    ASSERT_EQ(completions.size(), 2u);
    EXPECT_EQ(completions[0].time, 15 + 62 + 17 + 2);
    EXPECT_EQ(completions[1].time, 15 + 62 + (17 + 2 + 2 + longer - 9) + 62 + 9 + 2);
    EXPECT_EQ(scheduler.counters().turnarounds, 1u);
  }
}

TEST(RunSchedulerTest, ABatchLimitTurnsTheBusRoundInsideARun) {
  const DramDescription dram = reference_channel("sic");
  const AddressMap map(dram, 128);
  const auto turnarounds = [&](std::uint32_t batch) {
    RunScheduler scheduler(dram, map, {.batch_bursts = batch});
    std::vector<ChannelCompletion> completions;
    // 16 bursts each way in one open row, both in the queue before the first is served.
    scheduler.push({0, 512, 0, false, 0});
    scheduler.push({512, 512, 1, true, 0});
    scheduler.advance(5'000, completions);
    EXPECT_EQ(scheduler.counters().read_bursts, 16u);
    EXPECT_EQ(scheduler.counters().write_bursts, 16u);
    return scheduler.counters().turnarounds;
  };
  EXPECT_EQ(turnarounds(0), 1u);  // RW
  EXPECT_EQ(turnarounds(16), 1u);
  EXPECT_EQ(turnarounds(8), 3u);  // RWRW
  EXPECT_EQ(turnarounds(4), 7u);
}

TEST(RunSchedulerTest, ARunOfOneGroupLeavesEveryOtherSlotToAnotherGroup) {
  DramDescription dram = reference_channel("rbc");
  const AddressMap map(dram, 128);
  const auto end_of = [&](std::uint32_t second_group) {
    RunScheduler scheduler(dram, map);
    std::vector<ChannelCompletion> completions;
    scheduler.push({map.encode({0, 0, 0, 0}), 512, 0, false, 0});
    scheduler.push({map.encode({second_group, 1, 0, 0}), 512, 1, false, 0});
    scheduler.advance(1'000, completions);
    return std::max(completions.at(0).time, completions.at(1).time);
  };
  EXPECT_EQ(end_of(0), 15 + 31 * 4 + 17 + 2);      // 32 bursts at tCCD_L
  EXPECT_EQ(end_of(1), 15 + 4 + 15 * 4 + 17 + 2);  // side by side, the second activate tRRD later
}

TEST(RunSchedulerTest, ARefreshCutsARunAndTheRestFollowsIt) {
  DramDescription dram = reference_channel("sic");
  const AddressMap map(dram, 128);
  RunScheduler scheduler(dram, map);
  std::vector<ChannelCompletion> completions;
  scheduler.push({0, 1'024, 0, false, 3'078});
  scheduler.advance(10'000, completions);
  ASSERT_EQ(completions.size(), 1u);
  // Columns from 3093: 16 of 32 before 3125. The last activate's tRAS (3090 + 34) is over, the last
  // read's tRTP is not.
  const DramCycles reopened = 3'123 + 8 + 17 + 224 + 15;
  EXPECT_EQ(completions[0].time, reopened + 15 * 2 + 17 + 2);
  EXPECT_EQ(scheduler.counters().read_bursts, 32u);
  EXPECT_EQ(scheduler.counters().activates, 8u);
}

TEST(RunSchedulerTest, EccTakesOneBurstInEight) {
  DramDescription dram = reference_channel("sic");
  dram.ecc_data_bursts = 7;
  const AddressMap map(dram, 128);
  Lpddr5Channel channel(dram, map);
  const ClosedLoopResult result = run_closed_loop(channel, streams_of(1, 0, 1'024), 7'000, 64);
  EXPECT_EQ(result.counters.read_bursts, 7'000u * 32);
  EXPECT_EQ(result.counters.ecc_bursts, 1'000u * 32);
  EXPECT_NEAR(result.gigabytes_per_second(), 11.66 * 7 / 8, 0.06);
}

}  // namespace
}  // namespace spyre::models
