// What both tiers owe their caller: every access served once, independent of the steps in which
// time advances.
#include "models/dram/lpddr5_channel.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/unit/dram/channel_traffic.h"

namespace spyre::models {
namespace {

std::vector<ChannelAccess> random_accesses(std::uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  std::vector<ChannelAccess> accesses;
  DramCycles arrival = 0;
  for (int i = 0; i < count; ++i) {
    // Bursts of load, with pauses longer than a refresh interval now and then.
    arrival += static_cast<DramCycles>(random() % 200 == 0 ? random() % 20'000 : random() % 60);
    const std::uint64_t offset = random() % 64 * 16'384 + random() % 128 * 128;
    const auto bytes = static_cast<std::uint32_t>((random() % 32 + 1) * 128);
    accesses.push_back({offset, bytes, static_cast<std::uint32_t>(i), random() % 3 == 0, arrival});
  }
  return accesses;
}

using Completions = std::vector<std::pair<std::uint32_t, DramCycles>>;

/// Advances by `step` cycles, or in one go when it is 0; pushes no earlier than it has to when
/// `late` is set.
Completions serve(Lpddr5Channel& channel, const std::vector<ChannelAccess>& accesses,
                  DramCycles step, bool late) {
  std::vector<ChannelCompletion> completions;
  if (!late) {
    for (const ChannelAccess& access : accesses) channel.push(access);
  }
  std::size_t next = late ? 0 : accesses.size();
  DramCycles now = 0;
  while (next < accesses.size() || channel.next_decision() < kNever) {
    now = step > 0 ? now + step : kNever - 1;
    while (next < accesses.size() && accesses[next].arrival <= now) channel.push(accesses[next++]);
    channel.advance(now, completions);
  }
  Completions result;
  for (const ChannelCompletion& completion : completions)
    result.emplace_back(completion.tag, completion.time);
  return result;
}

class BothTiers : public testing::TestWithParam<ChannelTier> {};
INSTANTIATE_TEST_SUITE_P(Tiers, BothTiers, testing::Values(ChannelTier::run, ChannelTier::burst),
                         [](const auto& tested) {
                           return tested.param == ChannelTier::run ? "run" : "burst";
                         });

TEST_P(BothTiers, ResultDoesNotDependOnTheStepsOfTime) {
  for (const char* name : {"sic", "rbc", "bi"}) {
    DramDescription dram = reference_channel(name);
    dram.ecc_data_bursts = 7;
    const AddressMap map(dram, 128);
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      const auto accesses = random_accesses(seed, 1'500);
      Lpddr5Channel at_once(dram, map, GetParam());
      const Completions expected = serve(at_once, accesses, 0, false);
      for (const DramCycles step : {1, 7, 997}) {
        Lpddr5Channel stepped(dram, map, GetParam());
        ASSERT_EQ(serve(stepped, accesses, step, true), expected) << name << ", steps of " << step;
        EXPECT_EQ(stepped.counters().activates, at_once.counters().activates);
        EXPECT_EQ(stepped.counters().refreshes, at_once.counters().refreshes);
      }
    }
  }
}

TEST_P(BothTiers, EveryAccessCompletesAsOftenAsAnnouncedAndEveryByteIsABurst) {
  const DramDescription dram = reference_channel("sic");
  const AddressMap map(dram, 128);
  Lpddr5Channel channel(dram, map, GetParam());
  const auto accesses = random_accesses(9, 3'000);
  std::vector<std::uint32_t> left(accesses.size(), 0);
  std::uint64_t read = 0, written = 0;
  for (const ChannelAccess& access : accesses) {
    left[access.tag] = channel.push(access);
    (access.write ? written : read) += access.bytes;
  }
  std::vector<ChannelCompletion> completions;
  channel.advance(kNever - 1, completions);
  for (const ChannelCompletion& completion : completions) {
    ASSERT_GT(left[completion.tag], 0u);
    --left[completion.tag];
    const ChannelAccess& access = accesses[completion.tag];
    EXPECT_GE(completion.time, access.arrival + (access.write ? channel.write_lookahead()
                                                              : channel.read_lookahead()));
  }
  EXPECT_EQ(std::ranges::count(left, 0u), std::ssize(left));
  EXPECT_EQ(channel.counters().read_bursts * 32, read);
  EXPECT_EQ(channel.counters().write_bursts * 32, written);
  EXPECT_EQ(channel.next_decision(), kNever);
}

TEST_P(BothTiers, NoPatternExceedsThePeak) {
  for (const std::string& name : AddressMap::names()) {
    const DramDescription dram = reference_channel(name);
    const AddressMap map(dram, 128);
    for (const char* pattern : {"seqr", "seqw", "rnd128", "mix31", "str512", "ms32-2097152"}) {
      Lpddr5Channel channel(dram, map, GetParam());
      const double rate =
          run_closed_loop(channel, traffic_pattern(pattern), 5'000, 64).gigabytes_per_second();
      EXPECT_LE(rate, dram.peak_bytes_per_second() / 1e9) << pattern << " under " << name;
    }
  }
}

TEST_P(BothTiers, StreamsAreFasterThanRandomSticks) {
  const DramDescription dram = reference_channel("sic");
  const AddressMap map(dram, 128);
  const auto rate = [&](const char* pattern) {
    Lpddr5Channel channel(dram, map, GetParam());
    return run_closed_loop(channel, traffic_pattern(pattern), 10'000, 64).gigabytes_per_second();
  };
  EXPECT_GT(rate("seqr"), rate("rnd128"));
}

TEST_P(BothTiers, AnIdleSecondCountsItsRefreshesAndChangesNothingElse) {
  const DramDescription dram = reference_channel("sic");
  const AddressMap map(dram, 128);
  Lpddr5Channel channel(dram, map, GetParam());
  std::vector<ChannelCompletion> completions;
  const DramCycles second = 800'000'000;
  channel.push({0, 1'024, 0, false, second});
  channel.advance(kNever - 1, completions);
  EXPECT_EQ(channel.counters().refreshes, static_cast<std::uint64_t>(second / 3'125));
  DramCycles end = 0;
  for (const ChannelCompletion& completion : completions) end = std::max(end, completion.time);
  // One second is a whole number of refresh intervals: the access waits for the refresh of its own
  // cycle. Per burst, the four activates are 4 cycles apart and leave one gap.
  EXPECT_EQ(end - second, 224 + 15 + 62 + 17 + 2 + (GetParam() == ChannelTier::burst ? 4 : 0));
}

TEST(ChannelTiersTest, BothTiersServeTheSameBytesInAboutTheSameTime) {
  const DramDescription dram = reference_channel("sic");
  const AddressMap map(dram, 128);
  const auto accesses = random_accesses(4, 3'000);
  DramCycles end[2] = {0, 0};
  for (const ChannelTier tier : {ChannelTier::run, ChannelTier::burst}) {
    Lpddr5Channel channel(dram, map, tier);
    for (const auto& [tag, time] : serve(channel, accesses, 0, false)) {
      DramCycles& last = end[tier == ChannelTier::run ? 0 : 1];
      last = std::max(last, time);
    }
  }
  EXPECT_NEAR(static_cast<double>(end[0]) / static_cast<double>(end[1]), 1.0, 0.05);
}

}  // namespace
}  // namespace spyre::models
