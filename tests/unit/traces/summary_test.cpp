// The figures derived from a result.
#include <gtest/gtest.h>

#include "tests/unit/traces/result_fixture.h"
#include "traces/summary.h"

namespace spyre::traces::test {
namespace {

TEST(Summary, TimeAndRooflineAreSums) {
  const Summary summary = summarise(make_result());
  EXPECT_DOUBLE_EQ(summary.time_ms, 1.0);
  EXPECT_DOUBLE_EQ(summary.roofline_ms, 0.75);
  EXPECT_EQ(summary.flops, 3'072'000'000U);
}

TEST(Summary, TokensAreTheNewOnesOfAllSequences) {
  RunResult result = make_result();
  EXPECT_DOUBLE_EQ(*summarise(result).tokens_per_s, 4'000.0);
  result.meta["chunk"] = "512";
  EXPECT_DOUBLE_EQ(*summarise(result).tokens_per_s, 4 * 512'000.0);
  result.meta.erase("batch");
  EXPECT_FALSE(summarise(result).tokens_per_s.has_value());
  result.meta["batch"] = "four";
  EXPECT_FALSE(summarise(result).tokens_per_s.has_value());
}

TEST(Summary, MbuCountsUsefulBytesAndTheRateCountsAll) {
  const Summary summary = summarise(make_result());
  EXPECT_DOUBLE_EQ(summary.achieved_gbps, 101.76);
  EXPECT_DOUBLE_EQ(summary.mbu_peak, 100.0 / 204.8);
  EXPECT_DOUBLE_EQ(summary.mbu_measured, 100.0 / 153.0);
}

TEST(Summary, MfuAndTheRidgeAreThoseOfTheCoresInUse) {
  const Summary summary = summarise(make_result());
  // 2 cores x 2 corelets x 512 MACs x 2 x 1.5 GHz = 6.144 TFLOP/s
  EXPECT_DOUBLE_EQ(summary.mfu, 3.072 / 6.144);
  EXPECT_DOUBLE_EQ(summary.ridge_point, 30.0);
}

TEST(Summary, CoreCyclesAddUpOverAllCores) {
  const Summary summary = summarise(make_result());
  EXPECT_EQ(summary.cores.matrix, 1'400'000U);
  EXPECT_EQ(summary.cores.stalled(), 1'400'000U);
  EXPECT_EQ(summary.cores.total(), 32U * 1'500'000U);
}

TEST(Summary, LoadImbalanceLeavesOutWaitingForOthersAndUnusedCores) {
  // Active: 1,300,000 and 900,000 cycles.
  EXPECT_DOUBLE_EQ(summarise(make_result()).load_imbalance, 1.3 / 1.1);
  EXPECT_DOUBLE_EQ(summarise(RunResult{}).load_imbalance, 1.0);
}

TEST(Summary, ARowHitIsABurstWithoutAnActivateOfItsOwn) {
  RunResult result = make_result();
  const double bursts = 16 * (195'312.0 + 3'437.0) + 16;
  EXPECT_DOUBLE_EQ(summarise(result).row_hit_rate, 1 - 320'000 / bursts);
  for (models::ChannelCounters& channel : result.channels) channel.activates = 1'000'000;
  EXPECT_DOUBLE_EQ(summarise(result).row_hit_rate, 0.0);
}

TEST(Summary, TheBusIsBusyInEveryChannelsTime) {
  EXPECT_DOUBLE_EQ(summarise(make_result()).bus_utilisation, 0.5);
}

TEST(Summary, ARunThatDidNothingHasNoRates) {
  RunResult result;
  result.machine = models::make_test_machine();
  result.meta["batch"] = "1";
  const Summary summary = summarise(result);
  EXPECT_EQ(summary.mbu_peak, 0.0);
  EXPECT_EQ(summary.mfu, 0.0);
  EXPECT_EQ(summary.achieved_gbps, 0.0);
  EXPECT_EQ(summary.bus_utilisation, 0.0);
  EXPECT_EQ(summary.row_hit_rate, 0.0);
  EXPECT_FALSE(summary.tokens_per_s.has_value());
}

TEST(MetaNumber, IsAWholeNumberOrNothing) {
  RunResult result;
  result.meta = {{"a", "12"}, {"b", "12x"}, {"c", ""}, {"d", "99999999999999999999"}, {"e", "-3"}};
  EXPECT_EQ(meta_number(result, "a"), 12);
  EXPECT_EQ(meta_number(result, "b"), std::nullopt);
  EXPECT_EQ(meta_number(result, "c"), std::nullopt);
  EXPECT_EQ(meta_number(result, "d"), std::nullopt);
  EXPECT_EQ(meta_number(result, "e"), -3);
  EXPECT_EQ(meta_number(result, "f"), std::nullopt);
  EXPECT_EQ(meta_text(result, "f"), "");
}

}  // namespace
}  // namespace spyre::traces::test
