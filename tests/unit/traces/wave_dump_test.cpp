// The dump against the events: read back with a reader of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <tuple>

#include "tests/unit/traces/wave_fixture.h"
#include "traces/vcd_writer.h"

namespace spyre::traces::test {
namespace {

using models::CoreActivity;
using models::Opcode;
using models::StallCause;

constexpr std::uint64_t kNoBound = std::uint64_t{1} << 30;

ReadDump dump_of(const WaveRecorder& recorder, std::int64_t cores = 2) {
  return read_dump(write_vcd(recorder.window(), cores, kNoBound).text);
}

TEST(WaveDump, ActivityHoldsFromBeginToEndExactly) {
  WaveRecorder recorder;
  recorder.on_launch_begin(make_launch(0, 0, "gemm"), 1000);
  recorder.on_core_interval({0, 1, CoreActivity::stalled, StallCause::dram_read, 1000, 2000});
  recorder.on_core_interval({0, 1, CoreActivity::matrix, StallCause::launch, 2000, 3001});
  recorder.on_core_interval({0, 1, CoreActivity::stalled, StallCause::slot_wait, 3001, 4000});
  recorder.on_launch_end({make_launch(0, 0, "gemm"), 1000, 1000, 4000});
  const ReadDump dump = dump_of(recorder);
  const std::string name = "spyre.core01.activity";
  EXPECT_EQ(dump.number_at(name, 1999), 4U);
  EXPECT_EQ(dump.number_at(name, 2000), 1U);
  EXPECT_EQ(dump.number_at(name, 3000), 1U);
  EXPECT_EQ(dump.number_at(name, 3001), 12U);
  EXPECT_EQ(dump.at("spyre.core00.activity", 2000), "x");  // nothing was recorded of core 0
  EXPECT_EQ(dump.times.front(), 1000U);
  EXPECT_EQ(dump.times.back(), 4000U);
}

TEST(WaveDump, EveryStallCauseHasItsOwnCodeAndName) {
  std::map<std::uint8_t, std::string> names;
  for (std::size_t cause = 0; cause < models::kStallCauses; ++cause) {
    const std::uint8_t code = activity_code(CoreActivity::stalled, static_cast<StallCause>(cause));
    EXPECT_TRUE(names.emplace(code, activity_name(code)).second);
    EXPECT_EQ(activity_name(code), to_string(static_cast<StallCause>(cause)));
    EXPECT_GE(code, kFirstStallCode);
    EXPECT_LT(code, kActivityCodes);
  }
  EXPECT_EQ(activity_name(activity_code(CoreActivity::idle, StallCause::launch)), "IDLE");
  EXPECT_EQ(activity_name(activity_code(CoreActivity::matrix, StallCause::launch)), "MATRIX");
  EXPECT_EQ(activity_name(activity_code(CoreActivity::vector, StallCause::launch)), "VECTOR");
}

TEST(WaveDump, OverlappingLoadsAndStoresShowTheirNumberAndTheNewest) {
  WaveRecorder recorder;
  recorder.on_launch_begin(make_launch(0, 0, "gemm"), 0);
  record_op(recorder, 0, 0, Opcode::store, 200, 300);  // arrives first, begins last
  record_op(recorder, 0, 0, Opcode::load, 100, 400);
  record_op(recorder, 0, 0, Opcode::matmul, 100, 200);
  record_op(recorder, 0, 0, Opcode::matmul, 200, 300);
  recorder.on_launch_end({make_launch(0, 0, "gemm"), 0, 0, 500});
  const ReadDump dump = dump_of(recorder);
  const std::string op = "spyre.core00.load_store", running = "spyre.core00.load_store_running";
  EXPECT_EQ(dump.at(op, 99), "z");
  EXPECT_EQ(dump.number_at(op, 100), static_cast<std::uint64_t>(Opcode::load));
  EXPECT_EQ(dump.number_at(op, 200), static_cast<std::uint64_t>(Opcode::store));
  EXPECT_EQ(dump.number_at(op, 300), static_cast<std::uint64_t>(Opcode::load));
  EXPECT_EQ(dump.at(op, 400), "z");
  EXPECT_EQ(dump.number_at(running, 199), 1U);
  EXPECT_EQ(dump.number_at(running, 200), 2U);
  EXPECT_EQ(dump.number_at(running, 300), 1U);
  EXPECT_EQ(dump.number_at(running, 400), 0U);
  EXPECT_EQ(dump.number_at("spyre.core00.matrix", 299), static_cast<std::uint64_t>(Opcode::matmul));
  EXPECT_EQ(dump.at("spyre.core00.matrix", 300), "z");
  EXPECT_EQ(dump.at("spyre.core00.vector", 250), "z");
}

TEST(WaveDump, MegabytesPerSecondAddUpToTheBytesOfTheRequests) {
  WaveRecorder recorder;
  recorder.on_launch_begin(make_launch(0, 0, "gemm"), 500);
  const std::uint64_t end = 500 + 5'000'000;
  recorder.on_request(
      {0, 0, 0, false, 0, 4096, 500, 1'000'499});  // last ps of the first microsecond
  recorder.on_request({0, 1, 0, false, 0, 2048, 500, 1'000'500});  // first ps of the second
  recorder.on_request({0, 1, 0, true, 0, 128, 600, 4'000'500});
  recorder.on_request({0, 1, 0, false, 0, 64, 600, end});  // as the window ends
  recorder.on_launch_end({make_launch(0, 0, "gemm"), 500, 500, end});
  const ReadDump dump = dump_of(recorder);
  const std::string read = "spyre.card.dram_read", write = "spyre.card.dram_write";
  EXPECT_EQ(dump.number_at(read, 500), 4096U);
  EXPECT_EQ(dump.number_at(read, 1'000'499), 4096U);
  EXPECT_EQ(dump.number_at(read, 1'000'500), 2048U);
  EXPECT_EQ(dump.number_at(read, 2'000'500), 0U);
  EXPECT_EQ(dump.number_at(write, 4'000'499), 0U);
  EXPECT_EQ(dump.number_at(write, 4'000'500), 128U);
  std::uint64_t sum = 0;
  for (std::uint64_t time = 500; time < end; time += 1'000'000) sum += dump.number_at(read, time);
  EXPECT_EQ(sum, 4096U + 2048U + 64U);
  EXPECT_EQ(dump.number_at("spyre.core01.reads", 700), 2U);
  EXPECT_EQ(dump.number_at("spyre.core01.writes", 700), 1U);
  EXPECT_EQ(dump.number_at("spyre.card.in_flight", 599), 2U);
  EXPECT_EQ(dump.number_at("spyre.card.in_flight", 600), 4U);
}

TEST(WaveDump, BetweenTwoLaunchesOfTheWindowNothingIsClaimed) {
  WaveRecorder recorder;
  for (const auto& [index, layer, begin] :
       std::vector<std::tuple<std::uint32_t, std::int32_t, std::uint64_t>>{
           {0, 0, 0}, {1, 1, 100}, {2, 0, 200}}) {
    const models::Launch launch = make_launch(index, layer, "k" + std::to_string(index));
    recorder.on_launch_begin(launch, begin);
    recorder.on_core_interval(
        {index, 0, CoreActivity::vector, StallCause::launch, begin, begin + 100});
    recorder.on_launch_end({launch, begin, begin, begin + 100});
  }
  const ReadDump dump = dump_of(recorder);
  EXPECT_EQ(dump.at("spyre.core00.activity", 150), "x");
  EXPECT_EQ(dump.number_at("spyre.core00.activity", 99), 2U);
  EXPECT_EQ(dump.number_at("spyre.core00.activity", 200), 2U);
  EXPECT_EQ(dump.at("spyre.card.kernel", 99), "k0");
  EXPECT_EQ(dump.at("spyre.card.kernel", 150), "-");
  EXPECT_EQ(dump.at("spyre.card.kernel", 250), "k2");
}

TEST(WaveDump, AKernelNameWithBlanksStaysOneValue) {
  WaveRecorder recorder;
  record_launch(recorder, make_launch(0, 0, "two words\n"), 0, 10);
  EXPECT_EQ(dump_of(recorder).at("spyre.card.kernel", 0), "two_words_");
}

/// Random events of four cores: what arrives in which order must not matter, and a scan over all
/// events at a time must agree with the dump.
class RandomWaves : public ::testing::TestWithParam<unsigned> {
 protected:
  struct Op {
    std::uint32_t core;
    Opcode opcode;
    std::uint64_t begin, end;
  };
  struct Request {
    std::uint32_t core;
    bool write;
    std::uint64_t begin, end;
  };
  static constexpr std::uint64_t kEnd = 4'000;

  void SetUp() override {
    std::mt19937 random(GetParam());
    const auto below = [&](std::uint64_t limit) { return random() % limit; };
    for (std::uint32_t core = 0; core < 4; ++core) {
      for (std::uint64_t begin = 0; begin < kEnd;) {
        const std::uint64_t end = std::min(kEnd, begin + 1 + below(200));
        intervals_.push_back({0, core, static_cast<CoreActivity>(below(4)),
                              static_cast<StallCause>(below(models::kStallCauses)), begin, end});
        begin = end;
      }
    }
    for (int n = 0; n < 200; ++n) {
      const std::uint64_t begin = below(kEnd);
      ops_.push_back({static_cast<std::uint32_t>(below(4)),
                      static_cast<Opcode>(below(kOpcodeCodes)), begin,
                      std::min(kEnd, begin + below(100))});
      const std::uint64_t issue = below(kEnd);
      requests_.push_back({static_cast<std::uint32_t>(below(4)), below(2) == 0, issue,
                           std::min(kEnd, issue + below(300))});
    }
  }

  std::string text(unsigned order) const {
    WaveRecorder recorder;
    const models::Launch launch = make_launch(0, 0, "random", 0b1111);
    std::vector<std::function<void()>> events;
    for (const auto& interval : intervals_)
      events.push_back([&] { recorder.on_core_interval(interval); });
    for (const auto& op : ops_)
      events.push_back([&] { record_op(recorder, 0, op.core, op.opcode, op.begin, op.end); });
    for (const auto& r : requests_) {
      events.push_back([&] {
        recorder.on_request({0, r.core, 0, r.write, 0, 64, r.begin, r.end});
      });
    }
    std::mt19937 random(order);
    std::ranges::shuffle(events, random);
    recorder.on_launch_begin(launch, 0);
    for (const auto& event : events) event();
    recorder.on_launch_end({launch, 0, 0, kEnd});
    return write_vcd(recorder.window(), 4, kNoBound).text;
  }

  std::vector<models::CoreInterval> intervals_;
  std::vector<Op> ops_;
  std::vector<Request> requests_;
};

TEST_P(RandomWaves, DoNotDependOnTheOrderOfArrival) {
  const std::string first = text(1);
  EXPECT_EQ(first, text(1));
  EXPECT_EQ(first, text(2));
  EXPECT_EQ(first, text(3));
}

TEST_P(RandomWaves, AgreeWithAScanOverAllEvents) {
  const ReadDump dump = read_dump(text(7));
  const auto holds = [](const auto& event, std::uint64_t time) {
    return event.begin <= time && time < event.end;
  };
  for (std::uint64_t time = 0; time < kEnd; time += 7) {
    std::uint64_t computing = 0, stalled = 0, in_flight = 0;
    for (const auto& interval : intervals_) {
      if (interval.begin_ps > time || time >= interval.end_ps) continue;
      const std::string name = "spyre.core0" + std::to_string(interval.core) + ".activity";
      ASSERT_EQ(dump.number_at(name, time), activity_code(interval.activity, interval.cause))
          << time;
      stalled += interval.activity == CoreActivity::stalled;
      computing +=
          interval.activity == CoreActivity::matrix || interval.activity == CoreActivity::vector;
    }
    for (std::uint32_t core = 0; core < 4; ++core) {
      const std::string scope = "spyre.core0" + std::to_string(core) + ".";
      std::uint64_t reads = 0, writes = 0, loads = 0, matmuls = 0;
      for (const auto& r : requests_) {
        if (r.core == core && holds(r, time)) ++(r.write ? writes : reads);
      }
      for (const auto& op : ops_) {
        if (op.core != core || !holds(op, time)) continue;
        loads += models::unit_of(op.opcode) == models::Unit::load_store;
        matmuls += op.opcode == Opcode::matmul;
      }
      in_flight += reads + writes;
      ASSERT_EQ(dump.number_at(scope + "reads", time), reads) << time;
      ASSERT_EQ(dump.number_at(scope + "writes", time), writes) << time;
      ASSERT_EQ(dump.number_at(scope + "load_store_running", time), loads) << time;
      ASSERT_EQ(dump.at(scope + "load_store", time) == "z", loads == 0) << time;
      ASSERT_EQ(dump.at(scope + "matrix", time) == "z", matmuls == 0) << time;
    }
    ASSERT_EQ(dump.number_at("spyre.card.in_flight", time), in_flight) << time;
    ASSERT_EQ(dump.number_at("spyre.card.cores_compute", time), computing) << time;
    ASSERT_EQ(dump.number_at("spyre.card.cores_stalled", time), stalled) << time;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWaves, ::testing::Range(0U, 8U));

}  // namespace
}  // namespace spyre::traces::test
