#include "models/diagnostics/nearest_name.h"

#include <gtest/gtest.h>

#include <vector>

namespace spyre::models {
namespace {

const std::vector<std::string> kNames{"channels", "channel_interleave_bytes", "banks_per_group",
                                      "rl", "wl"};

TEST(NearestName, FindsANameWithALetterMissingAddedOrChanged) {
  EXPECT_EQ(nearest_name("chanels", kNames), "channels");
  EXPECT_EQ(nearest_name("channnels", kNames), "channels");
  EXPECT_EQ(nearest_name("chamnels", kNames), "channels");
  EXPECT_EQ(nearest_name("channels", kNames), "channels");
}

TEST(NearestName, AllowsAThirdOfTheLongerNameAndNoMore) {
  const std::vector<std::string> nine{"abcdefghi"};
  EXPECT_EQ(nearest_name("abcdefxyz", nine), "abcdefghi");
  EXPECT_EQ(nearest_name("abcdewxyz", nine), std::nullopt);
}

TEST(NearestName, OffersNothingThatSharesNoLetter) {
  EXPECT_EQ(nearest_name("xy", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("anything", {}), std::nullopt);
}

TEST(NearestName, TakesTheEarlierOfTwoEquallyNearNames) {
  EXPECT_EQ(nearest_name("tl", kNames), "rl");
}

}  // namespace
}  // namespace spyre::models
