// The burst tier against figures of an established DRAM simulator.
//
// Source of the figures: DRAMSys 5.5.0 (commit 2107966), LPDDR5-6400 BG mode expressed in its
// public DDR4 checker; one x16 channel, open page, FR-FCFS, shared queue of 32 bursts, all-bank
// refresh, closed loop with 64 sticks outstanding, 30 000 requests (20 000 for run<bytes>), no ECC.
// GB/s.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/dram/channel_traffic.h"

namespace spyre::models {
namespace {

struct Figure {
  const char* pattern;
  const char* map;
  double gigabytes_per_second;
  std::uint64_t requests = 30'000;
};

constexpr Figure kFigures[] = {
    {"seqr", "rbc", 9.331},
    {"mix11", "rbc", 5.664},
    {"rnd128", "rbc", 10.551},
    {"str8192", "rbc", 5.834},
    {"ms8-2097152", "rbc", 3.038},
    {"seqr", "bgi", 11.731},
    {"seqw", "bgi", 11.608},
    {"mix11", "bgi", 8.390},
    {"mix31", "bgi", 10.163},
    {"mixb", "bgi", 11.386},
    {"rnd128", "bgi", 5.544},
    {"rnd64", "bgi", 5.600},
    {"ms8-2097152", "bgi", 3.930},
    {"mix31", "bi", 9.462},
    {"ms2-2097152", "bi", 9.705},
    {"mix31", "bgx", 9.794},
    {"str1024", "si", 5.868},
    {"ms2-2097152", "si", 9.791},
    {"seqw", "six", 11.486},
    {"str8192", "six", 8.389},
    {"seqr", "sic", 11.668},
    {"seqw", "sic", 11.486},
    {"mix11", "sic", 9.936},
    {"mix31", "sic", 9.782},
    {"rnd128", "sic", 10.550},
    {"rnd64", "sic", 9.045},
    {"run1024", "sic", 10.855, 20'000},
    {"run4096", "sic", 11.482, 20'000},
    {"str4096", "sic", 10.651},
    {"ms4-2097152", "sic", 7.585},
    {"ms32-2097152", "sic", 11.633},
};

TEST(ReferenceFiguresTest, BurstTierStaysWithinOnePercentOnAverageAndThreeAtWorst) {
  double sum = 0;
  for (const Figure& figure : kFigures) {
    const DramDescription dram = reference_channel(figure.map);
    const AddressMap map(dram, 128);
    Lpddr5Channel channel(dram, map, ChannelTier::burst);
    const double rate =
        run_closed_loop(channel, traffic_pattern(figure.pattern), figure.requests, 64)
            .gigabytes_per_second();
    const double error = rate / figure.gigabytes_per_second - 1;
    EXPECT_LT(std::abs(error), 0.03) << figure.pattern << " under " << figure.map << ": " << rate;
    sum += std::abs(error);
  }
  EXPECT_LT(sum / static_cast<double>(std::size(kFigures)), 0.01);
}

TEST(ReferenceFiguresTest, RefreshOffGivesThePeakOnStreams) {
  for (const ChannelTier tier : {ChannelTier::burst, ChannelTier::run}) {
    for (const char* pattern : {"seqr", "seqw"}) {
      DramDescription dram = reference_channel("si");
      dram.refresh = RefreshMode::none;
      const AddressMap map(dram, 128);
      Lpddr5Channel channel(dram, map, tier);
      const double rate =
          run_closed_loop(channel, traffic_pattern(pattern), 30'000, 64).gigabytes_per_second();
      EXPECT_GT(rate, 0.999 * dram.peak_bytes_per_second() / 1e9);
      EXPECT_LE(rate, dram.peak_bytes_per_second() / 1e9);
    }
  }
}

// Unloaded latency of one stick, cycle by cycle from the timing parameters. A simulator with its
// own controller pipeline adds to it (DRAMSys: 35.8 ns for a hit with refresh on; Ramulator 2.1:
// 33.2 ns without).
TEST(ReferenceFiguresTest, UnloadedReadTakesTheTimingParametersAndNothingElse) {
  for (const ChannelTier tier : {ChannelTier::burst, ChannelTier::run}) {
    const DramDescription dram = reference_channel("sic");
    const AddressMap map(dram, 128);
    Lpddr5Channel channel(dram, map, tier);
    const auto latency = [&](std::uint64_t offset, DramCycles arrival) {
      std::vector<ChannelCompletion> completions;
      channel.push({offset, 128, 0, false, arrival});
      channel.advance(arrival + 500, completions);
      DramCycles end = 0;
      for (const ChannelCompletion& completion : completions) end = std::max(end, completion.time);
      return end - arrival;
    };
    const DramCycles hit = 17 + 3 * 4 + 2;  // RL, three gaps of tCCD_L, the last burst
    EXPECT_EQ(latency(0, 1'000), 15 + hit);
    const BankAddress first = map.decode(0);
    EXPECT_EQ(latency(map.encode({first.group, first.bank, first.row, 8}), 2'000), hit)
        << "same bank, same row";
    const std::uint64_t conflict = map.encode({first.group, first.bank, first.row + 1, 0});
    EXPECT_EQ(latency(conflict, 2'600), 15 + 15 + hit);
  }
}

}  // namespace
}  // namespace spyre::models
