#include "models/dram/address_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "models/diagnostics/diagnostics.h"
#include "tests/support/test_machine.h"

namespace spyre::models {
namespace {

DramDescription with_map(const std::string& name, std::int64_t channels = 16) {
  DramDescription dram = make_test_dram();
  dram.address_map = name;
  dram.channels = channels;
  return dram;
}

class EveryMap : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Maps, EveryMap, testing::ValuesIn(AddressMap::names()),
                         [](const auto& tested) { return tested.param; });

TEST_P(EveryMap, EncodeUndoesDecode) {
  const AddressMap map(with_map(GetParam()), 128);
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t offset = random() % (std::uint64_t{1} << 33) / 32 * 32;
    ASSERT_EQ(map.encode(map.decode(offset)), offset);
  }
}

TEST_P(EveryMap, NoTwoBurstsShareAPlace) {
  const AddressMap map(with_map(GetParam()), 128);
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> places;
  constexpr std::uint64_t kBytes = 1 << 20;
  for (std::uint64_t offset = 0; offset < kBytes; offset += 32) {
    const BankAddress place = map.decode(offset);
    EXPECT_LT(place.group, 4u);
    EXPECT_LT(place.bank, 4u);
    EXPECT_LT(place.column, 64u);
    EXPECT_LT(place.row, kBytes / (16 * 2048));
    places.emplace(place.group, place.bank, place.row, place.column);
  }
  EXPECT_EQ(places.size(), kBytes / 32);
}

TEST_P(EveryMap, RunNamesTheBanksThatItsBurstsDecodeTo) {
  const AddressMap map(with_map(GetParam()), 128);
  std::mt19937_64 random(2);
  for (int i = 0; i < 5'000; ++i) {
    const std::uint64_t span = map.run_span_bytes();
    const std::uint64_t offset = random() % (std::uint64_t{1} << 31) / 32 * 32;
    const std::uint64_t bytes = std::min((random() % 64 + 1) * 32, span - offset % span);
    std::vector<std::uint32_t> expected;  // in order of first touch
    for (std::uint64_t at = offset; at < offset + bytes; at += 32) {
      const BankAddress place = map.decode(at);
      ASSERT_EQ(place.row, map.decode(offset).row);
      const std::uint32_t id = place.group * 4 + place.bank;
      if (std::ranges::find(expected, id) == expected.end()) expected.push_back(id);
    }
    const BurstRun run = map.run(offset, bytes);
    ASSERT_EQ(run.row, map.decode(offset).row);
    ASSERT_EQ(run.bursts, bytes / 32);
    ASSERT_EQ(run.bank_count, expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k)
      ASSERT_EQ(run.banks >> (4 * k) & 15, expected[k]);
  }
}

TEST(AddressMapTest, ChannelInterleaveIsABijectionForAnyChannelCount) {
  for (const std::int64_t channels : {1, 3, 12, 16}) {
    const AddressMap map(with_map("sic", channels), 128);
    std::set<std::pair<std::uint32_t, std::uint64_t>> places;
    for (std::uint64_t address = 0; address < 200'000; address += 128) {
      const ChannelAddress place = map.to_channel(address);
      EXPECT_LT(place.channel, channels);
      EXPECT_EQ(map.from_channel(place), address);
      places.emplace(place.channel, place.offset);
    }
    EXPECT_EQ(places.size(), (200'000 + 127) / 128);
  }
}

TEST(AddressMapTest, ConsecutiveGrainsLieInConsecutiveChannels) {
  const AddressMap map(with_map("sic", 12), 128);
  EXPECT_EQ(map.to_channel(1023), (ChannelAddress{0, 1023}));
  EXPECT_EQ(map.to_channel(1024), (ChannelAddress{1, 0}));
  EXPECT_EQ(map.to_channel(12 * 1024), (ChannelAddress{0, 1024}));
}

TEST(AddressMapTest, SicKeepsAStickInOneGroupAndRotatesSticksOverAllGroups) {
  const AddressMap map(with_map("sic"), 128);
  for (std::uint64_t block = 0; block < 64 * 1024; block += 512) {
    std::set<std::uint32_t> groups;
    for (std::uint64_t stick = 0; stick < 512; stick += 128) {
      const std::uint32_t group = map.decode(block + stick).group;
      for (std::uint64_t burst = 32; burst < 128; burst += 32) {
        EXPECT_EQ(map.decode(block + stick + burst).group, group);
      }
      groups.insert(group);
    }
    EXPECT_EQ(groups.size(), 4u);
  }
}

TEST(AddressMapTest, OnlySicSpreadsStridesOf512BytesOverGroups) {
  const auto groups = [](const std::string& name) {
    const AddressMap map(with_map(name), 128);
    std::set<std::uint32_t> seen;
    for (std::uint64_t offset = 0; offset < 8192; offset += 512)
      seen.insert(map.decode(offset).group);
    return seen.size();
  };
  EXPECT_EQ(groups("si"), 1u);
  EXPECT_EQ(groups("six"), 1u);
  EXPECT_EQ(groups("sic"), 4u);
}

TEST(AddressMapTest, UnknownNameIsRejectedWithTheNearestOne) {
  try {
    AddressMap map(with_map("sics"), 128);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean"), std::string::npos) << error.what();
  }
}

TEST(AddressMapTest, SizesThatDoNotFitAreRejected) {
  DramDescription dram = with_map("sic");
  dram.bank_groups = 3;
  EXPECT_THROW(AddressMap(dram, 128), InputError);
  dram = with_map("sic");
  dram.banks_per_group = 8;
  EXPECT_THROW(AddressMap(dram, 128), InputError);
  dram = with_map("sic");
  dram.channel_interleave_bytes = 64;
  EXPECT_THROW(AddressMap(dram, 128), InputError);
}

}  // namespace
}  // namespace spyre::models
