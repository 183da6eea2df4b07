// What is said of the waves before a run.
#include <gtest/gtest.h>

#include "models/diagnostics/diagnostics.h"
#include "runtime/cli/wave_plan.h"

namespace spyre::runtime {
namespace {

std::string refusal(const std::vector<PlannedLaunch>& launches,
                    const traces::WaveOptions& options) {
  try {
    static_cast<void>(wave_plan(launches, options));
  } catch (const models::InputError& error) {
    return error.what();
  }
  return {};
}

TEST(WavePlan, NamesTheLaunchesOfTheLayerAndTheBound) {
  const std::vector<PlannedLaunch> launches{
      {"embed"}, {"l0.qkv", 0}, {"l0.mlp", 0}, {"l1.qkv", 1}, {"head"}};
  EXPECT_EQ(wave_plan(launches, {0, std::uint64_t{64} << 20}),
            "waves: layer 0, 2 launches (qkv, mlp), at most 64 MB");
  EXPECT_EQ(wave_plan(launches, {1, std::uint64_t{1} << 20}),
            "waves: layer 1, 1 launch (qkv), at most 1 MB");
}

TEST(WavePlan, ALayerThatTheRunLacksIsRefused) {
  const std::vector<PlannedLaunch> launches{{"embed"}, {"l3.qkv", 3}, {"l7.qkv", 7}};
  EXPECT_EQ(refusal(launches, {8, 1}),
            "error: --waves-layer 8: the run has no such layer; its layers are 3 to 7");
  EXPECT_EQ(refusal(launches, {4, 1}),
            "error: --waves-layer 4: the run has no such layer; its layers are 3 to 7");
}

TEST(WavePlan, WithoutLayersItIsTheFirstLaunch) {
  EXPECT_EQ(wave_plan({{"matmul"}, {"next"}}, {5, std::uint64_t{2} << 20}),
            "waves: the first launch (matmul), for the launches have no layers; at most 2 MB");
  EXPECT_EQ(refusal({}, {}), "error: --waves: the run has no launches");
}

TEST(WavePlan, ManyLaunchesAreCounted) {
  const std::vector<PlannedLaunch> launches(100, PlannedLaunch{"a", 0});
  EXPECT_EQ(wave_plan(launches, {0, std::uint64_t{1} << 20}),
            "waves: layer 0, 100 launches (a, a, a, a, a, a, a, a and 92 more), at most 1 MB");
}

}  // namespace
}  // namespace spyre::runtime
