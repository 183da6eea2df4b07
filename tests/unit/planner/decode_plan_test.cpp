#include <gtest/gtest.h>

#include <tuple>

#include "models/diagnostics/diagnostics.h"
#include "tests/unit/planner/plan_walk.h"

namespace spyre::kernels {
namespace {

StepOptions decode_step(std::int64_t batch, std::int64_t context) {
  StepOptions step;
  step.batch = batch;
  step.context = context;
  return step;
}

/// What must hold for every decode plan, whatever the model, the cores and the types.
void expect_each_byte_once(const Graph& graph, const PlanWalk& walk) {
  const StepLedger ledger = step_ledger(graph);
  EXPECT_EQ(walk.first_error(), "");
  EXPECT_EQ(walk.read_bytes(TensorKind::weight), walk.device_bytes_of(TensorKind::weight));
  EXPECT_GE(walk.read_bytes(TensorKind::weight), ledger.weight_bytes);
  for (const auto& [name, traffic] : walk.tensors) {
    if (graph.model.learned_positions && name == "embed.positions")
      continue;  // one row, per sequence
    EXPECT_TRUE(traffic.reads_each_stick_once() || name.starts_with("act.") || name == "rope")
        << name;
  }
  EXPECT_EQ(walk.read_bytes(TensorKind::kv_cache), ledger.kv_read_bytes);
  EXPECT_EQ(walk.write_bytes(TensorKind::kv_cache), ledger.kv_write_bytes);
  EXPECT_TRUE(walk.tensors.at("cache.k").writes_each_stick_once());
  EXPECT_EQ(walk.read_bytes(TensorKind::embedding), ledger.embedding_bytes);
  EXPECT_TRUE(walk.tensors.at("logits").writes_each_stick_once());
  const ModelConfig& model = graph.model;
  const std::int64_t attention =
      2 * model.layers * model.heads * model.head_dim * graph.step.batch * (graph.step.context + 1);
  EXPECT_EQ(walk.macs.at("attention"), static_cast<std::uint64_t>(attention));
  EXPECT_EQ(walk.all_macs(), linear_macs(graph) + static_cast<std::uint64_t>(attention));
}

TEST(DecodePlan, GraniteReadsEveryByteOfTheLedgerOnce) {
  const models::Machine machine = models::make_test_machine();
  const Graph graph = build_graph(find_model("granite-3.3-8b"), decode_step(1, 4096));
  const PlanWalk walk = walk_step(graph, machine, 32);
  expect_each_byte_once(graph, walk);
  constexpr std::uint64_t kHeadPadding = (769 * 64 - 49159) * 4096 * 2;
  EXPECT_EQ(walk.read_bytes(TensorKind::weight), 16'341'729'280 + kHeadPadding);
  EXPECT_EQ(walk.read_bytes(TensorKind::kv_cache), 671'088'640U);
  EXPECT_EQ(walk.write_bytes(TensorKind::kv_cache), 163'840U);
  EXPECT_EQ(walk.read_bytes(TensorKind::embedding), 8192U);
  EXPECT_EQ(walk.read_bytes(TensorKind::activation), 0U);
  EXPECT_TRUE(walk.findings.empty());
}

TEST(DecodePlan, GraniteBalancesBytesOverTheCores) {
  const models::Machine machine = models::make_test_machine();
  const Graph graph = build_graph(find_model("granite-3.3-8b"), decode_step(1, 4096));
  EXPECT_LE(walk_step(graph, machine, 32).balance(), 1.10);
}

class DecodePlanOf : public testing::TestWithParam<std::tuple<std::string, std::int64_t>> {};

TEST_P(DecodePlanOf, ReadsEveryByteOnce) {
  const auto& [name, cores] = GetParam();
  const models::Machine machine = models::make_test_machine();
  const Graph graph = small_graph(name, decode_step(1, 1000));
  expect_each_byte_once(graph, walk_step(graph, machine, cores));
}

INSTANTIATE_TEST_SUITE_P(AllModels, DecodePlanOf,
                         testing::Combine(testing::ValuesIn(model_names()),
                                          testing::Values(1, 2, 3, 5, 8, 31, 32)));

class DecodePlanAt
    : public testing::TestWithParam<std::tuple<std::string, std::int64_t, std::int64_t>> {};

TEST_P(DecodePlanAt, ReadsEveryByteOnceAtAnyBatchAndContext) {
  const auto& [name, batch, context] = GetParam();
  const models::Machine machine = models::make_test_machine();
  const Graph graph = small_graph(name, decode_step(batch, context));
  expect_each_byte_once(graph, walk_step(graph, machine, 32));
}

INSTANTIATE_TEST_SUITE_P(Edges, DecodePlanAt,
                         testing::Combine(testing::Values("gpt2", "granite-3.3-8b", "qwen3-8b"),
                                          testing::Values(1, 2, 7, 32),
                                          testing::Values(0, 1, 63, 64, 65, 700)));

class DecodePlanIn : public testing::TestWithParam<std::tuple<std::string, models::DataType>> {};

TEST_P(DecodePlanIn, ReadsNarrowWeightsOnce) {
  const auto& [name, type] = GetParam();
  const models::Machine machine = models::make_test_machine();
  StepOptions step = decode_step(2, 130);
  step.weight_type = type;
  const Graph graph = small_graph(name, step);
  expect_each_byte_once(graph, walk_step(graph, machine, 32));
}

INSTANTIATE_TEST_SUITE_P(Types, DecodePlanIn,
                         testing::Combine(testing::ValuesIn(model_names()),
                                          testing::Values(models::DataType::fp8,
                                                          models::DataType::int8,
                                                          models::DataType::int4)));

TEST(DecodePlan, Int8HalvesTheWeightBytes) {
  const models::Machine machine = models::make_test_machine();
  StepOptions step = decode_step(1, 64);
  const std::uint64_t wide =
      walk_step(small_graph("llama-3.1-8b", step), machine, 32).read_bytes(TensorKind::weight);
  step.weight_type = models::DataType::int8;
  const std::uint64_t narrow =
      walk_step(small_graph("llama-3.1-8b", step), machine, 32).read_bytes(TensorKind::weight);
  EXPECT_EQ(narrow * 2, wide);
}

TEST(DecodePlan, ReadsAnFp8CacheAtHalfTheBytes) {
  const models::Machine machine = models::make_test_machine();
  StepOptions step = decode_step(1, 512);
  step.kv_type = models::DataType::fp8;
  const Graph graph = small_graph("granite-3.3-8b", step);
  expect_each_byte_once(graph, walk_step(graph, machine, 32));
}

TEST(DecodePlan, KeepsActivationsInLxUntilTheBatchIsTooLarge) {
  const models::Machine machine = models::make_test_machine();
  const auto planner = [&](std::int64_t batch) {
    const Graph graph = small_graph("granite-3.3-8b", decode_step(batch, 64));
    return plan_step(graph, machine, PlanOptions{}).meta.at("planner");
  };
  EXPECT_EQ(planner(1), "activations in LX");
  EXPECT_EQ(planner(16), "activations in LX");
  EXPECT_EQ(planner(32), "activations in DRAM");
}

TEST(DecodePlan, ALargeCacheOnOneCoreIsCutIntoLaunchesWithinTheSpan) {
  const models::Machine machine = models::make_test_machine();
  const Graph graph = small_graph("granite-3.3-8b", decode_step(40, 4096), 1);
  expect_each_byte_once(graph, walk_step(graph, machine, 1));
}

TEST(DecodePlan, TellsWhatDoesNotFitDram) {
  models::Machine machine = models::make_test_machine();
  machine.dram.usable_bytes = std::int64_t{1} << 30;
  const Graph graph = build_graph(find_model("granite-3.3-8b"), decode_step(1, 64));
  try {
    (void)plan_step(graph, machine, PlanOptions{});
    FAIL();
  } catch (const models::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("1073741824 B are usable"), std::string::npos)
        << error.what();
  }
}

TEST(DecodePlan, TellsHowMuchLxTheSmallestTileNeeds) {
  models::Machine machine = models::make_test_machine();
  machine.lx.bytes = machine.lx.program_reserve_bytes + machine.lx.backend_reserve_bytes + 8192;
  const Graph graph = small_graph("granite-3.3-8b", decode_step(1, 64));
  try {
    (void)plan_step(graph, machine, PlanOptions{});
    FAIL();
  } catch (const models::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("lx: the smallest tile of kernel"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("8192 B"), std::string::npos) << error.what();
  }
}

TEST(DecodePlan, RefusesCoresThatTheMachineDoesNotHave) {
  const models::Machine machine = models::make_test_machine();
  const Graph graph = small_graph("gpt2", decode_step(1, 64));
  for (const std::int64_t cores : {-1, 0, 33}) {
    EXPECT_THROW((void)plan_step(graph, machine, PlanOptions{.cores = cores}), models::InputError);
  }
}

TEST(DecodePlan, IsTheSameTextTwice) {
  const models::Machine machine = models::make_test_machine();
  const Graph graph = small_graph("qwen3-8b", decode_step(3, 100));
  EXPECT_EQ(write_schedule(plan_step(graph, machine, PlanOptions{})),
            write_schedule(plan_step(graph, machine, PlanOptions{})));
}

}  // namespace
}  // namespace spyre::kernels
