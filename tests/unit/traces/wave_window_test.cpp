// Which launches are recorded, and what the bounds do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/traces/wave_fixture.h"
#include "traces/vcd_writer.h"

namespace spyre::traces::test {
namespace {

using models::CoreActivity;
using models::StallCause;

constexpr std::uint64_t kNoBound = std::uint64_t{1} << 30;

/// Launches of 100 ps each, one interval and one request per launch.
void run_layers(WaveRecorder& recorder, const std::vector<std::int32_t>& layers) {
  for (std::uint32_t n = 0; n < layers.size(); ++n) {
    const models::Launch launch = make_launch(n, layers[n], "k");
    recorder.on_launch_begin(launch, n * 100);
    recorder.on_core_interval(
        {n, 0, CoreActivity::matrix, StallCause::launch, n * 100, n * 100 + 100});
    recorder.on_request({n, 0, 0, false, 0, 64, n * 100, n * 100 + 50});
    recorder.on_launch_end({launch, n * 100, n * 100, n * 100 + 100});
  }
}

TEST(WaveWindow, HoldsAllLaunchesOfTheLayerAndNoOther) {
  WaveRecorder recorder({1, kNoBound});
  run_layers(recorder, {-1, 0, 0, 1, 1, 2});
  const WaveWindow window = recorder.window();
  ASSERT_EQ(window.launches.size(), 2U);
  EXPECT_EQ(window.launches[0].index, 3U);
  EXPECT_EQ(window.begin_ps, 300U);
  EXPECT_EQ(window.end_ps, 500U);
  EXPECT_EQ(window.records.size(), 4U);
  for (const WaveRecord& record : window.records) {
    EXPECT_GE(record.begin_ps, 300U);
    EXPECT_LE(record.end_ps, 500U);
  }
  EXPECT_FALSE(window.truncated);
}

TEST(WaveWindow, IsTheFirstLaunchWhenNoLaunchHasALayer) {
  WaveRecorder recorder({7, kNoBound});
  run_layers(recorder, {-1, -1, -1});
  const WaveWindow window = recorder.window();
  ASSERT_EQ(window.launches.size(), 1U);
  EXPECT_EQ(window.launches[0].index, 0U);
  EXPECT_EQ(window.records.size(), 2U);
  EXPECT_EQ(recorder.nothing_recorded(), "");
}

TEST(WaveWindow, ForgetsTheFirstLaunchWhenALayerComes) {
  WaveRecorder recorder({7, kNoBound});
  run_layers(recorder, {-1, 3, 4});
  EXPECT_TRUE(recorder.window().launches.empty());
  EXPECT_EQ(recorder.nothing_recorded(), "the run has no layer 7; its layers are 3 to 4");
  EXPECT_EQ(recorder.describe(), "waves: none: the run has no layer 7; its layers are 3 to 4");
}

TEST(WaveWindow, TakesEventsThatArriveAfterTheNextLaunchBegan) {
  WaveRecorder recorder({0, kNoBound});
  run_layers(recorder, {0, 0, 1});
  recorder.on_request({0, 0, 0, true, 0, 64, 10, 90});
  recorder.on_request({2, 0, 0, true, 0, 64, 210, 290});
  EXPECT_EQ(recorder.window().records.size(), 5U);
}

TEST(WaveWindow, OfARunThatWasStoppedEndsWithTheLastEvent) {
  WaveRecorder recorder;
  recorder.on_launch_begin(make_launch(0, 0, "k"), 100);
  recorder.on_core_interval({0, 0, CoreActivity::matrix, StallCause::launch, 100, 180});
  const WaveWindow window = recorder.window();
  EXPECT_EQ(window.end_ps, 180U);
  EXPECT_EQ(read_dump(write_vcd(window, 2, kNoBound).text).times.back(), 180U);
}

TEST(WaveWindow, PastTheBoundEndsAtTheEarliestEventLeftOut) {
  WaveRecorder recorder({0, 1'000});
  recorder.on_launch_begin(make_launch(0, 0, "k"), 0);
  std::uint64_t time = 0;
  for (; !recorder.truncated(); time += 10) {
    ASSERT_LT(time, 10'000U);
    recorder.on_core_interval({0, 0, CoreActivity::matrix, StallCause::launch, time, time + 10});
  }
  const std::uint64_t first_left_out = time - 10;
  EXPECT_EQ(recorder.window().end_ps, first_left_out);
  record_op(recorder, 0, 0, models::Opcode::matmul, 25, 5'000);  // arrives late, began early
  record_op(recorder, 0, 0, models::Opcode::matmul, 35, 5'000);
  recorder.on_launch_end({make_launch(0, 0, "k"), 0, 0, 5'000});
  const WaveWindow window = recorder.window();
  EXPECT_TRUE(window.truncated);
  EXPECT_EQ(window.end_ps, 25U);
  const VcdText vcd = write_vcd(window, 2, kNoBound);
  EXPECT_TRUE(vcd.truncated);
  EXPECT_EQ(read_dump(vcd.text).times.back(), 25U);
}

TEST(WaveWindow, MemoryStaysWithinTheBound) {
  constexpr std::uint64_t kBound = 100'000;
  WaveRecorder recorder({0, kBound});
  recorder.on_launch_begin(make_launch(0, 0, "k"), 0);
  for (std::uint64_t n = 0; n < 10'000; ++n) recorder.on_request({0, 0, 0, false, 0, 64, n, n + 5});
  EXPECT_TRUE(recorder.truncated());
  EXPECT_LE(recorder.window().records.size() * sizeof(WaveRecord) * 2, kBound);
  EXPECT_GT(recorder.window().records.size() * sizeof(WaveRecord) * 2, kBound * 9 / 10);
}

TEST(WaveWindow, TheDumpEndsAfterAWholeTimeStepWithinTheBound) {
  WaveRecorder recorder({0, kNoBound});
  recorder.on_launch_begin(make_launch(0, 0, "k"), 0);
  for (std::uint64_t n = 0; n < 2'000; ++n)
    recorder.on_request({0, 0, 0, false, 0, 64, n * 3, n * 3 + 100});
  recorder.on_launch_end({make_launch(0, 0, "k"), 0, 0, 10'000});
  const std::string whole = write_vcd(recorder.window(), 2, kNoBound).text;
  for (const std::uint64_t bound :
       {std::uint64_t{3'000}, std::uint64_t{3'001}, std::uint64_t{3'017}, whole.size() - 1}) {
    const VcdText cut = write_vcd(recorder.window(), 2, bound);
    EXPECT_TRUE(cut.truncated);
    EXPECT_LE(cut.text.size(), bound);
    EXPECT_GT(cut.text.size() + 100, bound);
    EXPECT_EQ(read_dump(cut.text).times.back(), cut.end_ps);
    const std::size_t same = cut.text.rfind('#');
    EXPECT_EQ(cut.text.substr(0, same), whole.substr(0, same));
  }
  EXPECT_FALSE(write_vcd(recorder.window(), 2, whole.size() + 22).truncated);
}

TEST(WaveWindow, DescribesLayerTimesCoresAndSize) {
  WaveRecorder recorder({0, kNoBound});
  record_launch(recorder, make_launch(0, 0, "a", 0xffff'ffff), 12'345'000, 20'000'000);
  record_launch(recorder, make_launch(1, 0, "b", 0xffff'ffff), 20'000'000, 2'712'000'000);
  EXPECT_THAT(
      recorder.describe(),
      ::testing::MatchesRegex(
          "waves: layer 0, 2 launches, 12\\.345 us to 2712\\.000 us, 32 cores, about 1[0-9] kB"));
}

TEST(WaveWindow, OfNothingHasAReason) {
  EXPECT_EQ(WaveRecorder().nothing_recorded(), "the run has no launches");
  WaveRecorder tiny({0, 10});
  run_layers(tiny, {0});
  EXPECT_EQ(tiny.nothing_recorded(), "the bound of the recording is too small for one launch");
}

}  // namespace
}  // namespace spyre::traces::test
