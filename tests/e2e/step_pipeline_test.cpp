// From a model's name to a result, and the laws that every result keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "kernels/planner/planner.h"
#include "kernels/schedule/writer.h"
#include "models/diagnostics/yaml_reader.h"
#include "runtime/step_pipeline.h"
#include "traces/result_json.h"

namespace spyre::runtime {
namespace {

using ::testing::HasSubstr;

const models::MachineDescription& spyre() {
  static const models::MachineDescription machine = models::read_machine("spyre");
  return machine;
}

kernels::StepOptions decode_step(std::int64_t context, std::int64_t batch = 1) {
  kernels::StepOptions step;
  step.context = context;
  step.batch = batch;
  return step;
}

kernels::StepOptions prefill_step(std::int64_t context, std::int64_t chunk) {
  kernels::StepOptions step;
  step.phase = kernels::Phase::prefill;
  step.context = context;
  step.chunk = chunk;
  return step;
}

std::string plan(const kernels::StepOptions& step, std::int64_t cores = 32) {
  return plan_text(kernels::find_model("distilgpt2"), step, spyre().machine, {.cores = cores});
}

std::string matmul(std::int64_t m, std::int64_t n, std::int64_t k) {
  return kernels::write_schedule(
      kernels::plan_matmul(m, n, k, models::DataType::fp16, spyre().machine, {.cores = 32}));
}

std::string test_schedule(const std::string& name) {
  return models::read_text_file(SPYRE_EMU_TEST_DATA "/schedules/" + name);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string message_of(const std::string& text, const RunOptions& options = {}) {
  try {
    (void)run_text(text, "plan.yaml", spyre(), options);
  } catch (const PlanError& error) {
    return error.what();
  }
  return "no error";
}

struct Case {
  std::string name, text;
};
void PrintTo(const Case& value, std::ostream* out) {
  *out << value.name;
}

class Laws : public ::testing::TestWithParam<Case> {};

TEST_P(Laws, HoldForEveryRun) {
  const traces::RunResult result = run_text(GetParam().text, "plan.yaml", spyre(), {});

  // The ledger by tensor, its kinds, and what the channels moved.
  const traces::ByteCounts& bytes = result.bytes;
  std::uint64_t read = 0, written = 0;
  for (const models::ChannelCounters& channel : result.channels) {
    read += channel.read_bursts * 32;
    written += channel.write_bursts * 32;
  }
  EXPECT_EQ(bytes.read, read);
  EXPECT_EQ(bytes.written, written);
  EXPECT_EQ(bytes.total(), read + written);
  std::uint64_t op_bytes = 0;
  double op_ms = 0;
  for (const traces::OpResult& op : result.ops) {
    op_bytes += op.bytes;
    op_ms += op.time_ms;
    EXPECT_GT(op.time_ms, op.roofline_ms) << op.name;
  }
  EXPECT_EQ(op_bytes, bytes.useful());

  // Every core cycle is busy, idle or stalled for one cause.
  EXPECT_EQ(result.cycles, spyre().machine.clock.elapsed(result.time_ps));
  ASSERT_EQ(result.core_cycles.size(), 32U);
  for (const traces::CoreCycles& core : result.core_cycles) EXPECT_EQ(core.total(), result.cycles);

  // Launches follow each other; before the first one there is the job's own start.
  EXPECT_LE(op_ms, static_cast<double>(result.time_ps) * 1e-9 * (1 + 1e-9));
  EXPECT_FALSE(result.interrupted);
  EXPECT_GT(result.requests, 0U);
  EXPECT_GT(result.tile_ops, 0U);
}

INSTANTIATE_TEST_SUITE_P(Runs, Laws,
                         ::testing::Values(Case{"decode", plan(decode_step(512))},
                                           Case{"partial_block", plan(decode_step(65))},
                                           Case{"batch", plan(decode_step(64, 5))},
                                           Case{"one_core", plan(decode_step(64), 1)},
                                           Case{"three_cores", plan(decode_step(64), 3)},
                                           Case{"prefill", plan(prefill_step(64, 128))},
                                           Case{"uneven_matmul", matmul(100, 100, 100)},
                                           Case{"gemm", test_schedule("gemm.yaml")}),
                         [](const auto& tested) { return tested.param.name; });

TEST(StepPipeline, ADecodeStepMovesWhatTheLedgerOfTheModelSays) {
  const kernels::StepOptions step = decode_step(512);
  const kernels::StepLedger ledger =
      kernels::step_ledger(kernels::build_graph(kernels::find_model("distilgpt2"), step));
  const traces::ByteCounts bytes = run_text(plan(step), "plan.yaml", spyre(), {}).bytes;
  EXPECT_EQ(bytes.weights, ledger.weight_bytes);
  EXPECT_EQ(bytes.kv_read, ledger.kv_read_bytes);
  EXPECT_EQ(bytes.kv_write, ledger.kv_write_bytes);
  EXPECT_EQ(bytes.embedding, ledger.embedding_bytes);
  EXPECT_EQ(bytes.reread, 0U);
}

TEST(StepPipeline, EveryNumberOfCoresMovesTheSameWeights) {
  std::uint64_t weights = 0;
  for (const std::int64_t cores : {1, 2, 4, 8, 16, 32}) {
    const traces::RunResult result =
        run_text(plan(decode_step(64), cores), "plan.yaml", spyre(), {});
    EXPECT_EQ(result.cores, cores);
    if (weights == 0) weights = result.bytes.weights;
    EXPECT_EQ(result.bytes.weights, weights) << cores;
  }
}

TEST(StepPipeline, TheSameTextGivesTheSameBytesOfJson) {
  const std::string text = plan(decode_step(100));
  const auto json = [&](const char* file) {
    return traces::write_result_json(run_text(text, file, spyre(), {}));
  };
  EXPECT_EQ(json("one.yaml"), json("two.yaml"));
}

TEST(StepPipeline, OnlyTimeChangesWithTheMachine) {
  const std::string text = plan(decode_step(100));
  const std::vector<std::string> slower{"dram.channels=8"};
  const traces::RunResult fast = run_text(text, "plan.yaml", spyre(), {});
  const traces::RunResult slow =
      run_text(text, "plan.yaml", models::read_machine("spyre", slower), {});
  EXPECT_GT(slow.time_ps, fast.time_ps);
  EXPECT_EQ(slow.bytes.total(), fast.bytes.total());
  EXPECT_EQ(slow.channels.size(), 8U);
}

TEST(StepPipeline, ABrokenScheduleDoesNotRun) {
  const std::string text = replaced(test_schedule("gemm.yaml"), "shape: [64, 512], slots: 2",
                                    "shape: [6400, 512], slots: 2");
  EXPECT_THAT(message_of(text), HasSubstr("plan.yaml:"));
  EXPECT_THAT(message_of(text), HasSubstr("LX"));
}

TEST(StepPipeline, WhatTheCardRefusesWithoutACheckIsTheSchedulesFault) {
  const std::string text = replaced(test_schedule("gemm.yaml"), "shape: [64, 512], slots: 2",
                                    "shape: [6400, 512], slots: 2");
  RunOptions options;
  options.check = false;
  EXPECT_THAT(message_of(text, options), HasSubstr("beyond the scratchpad"));
}

TEST(StepPipeline, TensorsBeyondTheDramAreRefusedCheckedOrNot) {
  const std::string text =
      replaced(test_schedule("gemm.yaml"), "y: {dtype: fp16, dims: [m, n], shape: [64, 4096]}",
               "y: {dtype: fp16, dims: [m, n], shape: [64, 4096], address: 274877906944}");
  for (const bool check : {false, true}) {
    RunOptions options;
    options.check = check;
    EXPECT_NE(message_of(text, options), "no error") << check;
  }
}

TEST(StepPipeline, AStopEndsTheRunWithWhatHadHappened) {
  const std::string text = plan(prefill_step(0, 512));
  const models::Picoseconds whole = run_text(text, "plan.yaml", spyre(), {}).time_ps;
  std::atomic<bool> stop{false};
  RunOptions options;
  options.simulation.stop = &stop;
  options.simulation.progress = [&](models::Picoseconds, std::uint32_t launches) {
    if (launches > 3) stop = true;
  };
  const traces::RunResult result = run_text(text, "plan.yaml", spyre(), options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_GT(result.time_ps, 0U);
  EXPECT_LT(result.time_ps, whole);
  EXPECT_GT(result.bytes.total(), 0U);
}

}  // namespace
}  // namespace spyre::runtime
