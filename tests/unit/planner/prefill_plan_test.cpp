#include <gtest/gtest.h>

#include <tuple>

#include "tests/unit/planner/plan_walk.h"

namespace spyre::kernels {
namespace {

StepOptions chunk_step(std::int64_t chunk, std::int64_t context) {
  StepOptions step;
  step.phase = Phase::prefill;
  step.chunk = chunk;
  step.context = context;
  return step;
}

class PrefillPlanOf
    : public testing::TestWithParam<
          std::tuple<std::string, std::int64_t, std::pair<std::int64_t, std::int64_t>>> {};

TEST_P(PrefillPlanOf, ComputesTheChunkAndReadsTheCacheOfEveryTurn) {
  const auto& [name, cores, size] = GetParam();
  const auto& [chunk, context] = size;
  const models::Machine machine = models::make_test_machine();
  const Graph graph = small_graph(name, chunk_step(chunk, context));
  const StepLedger ledger = step_ledger(graph);
  const PlanWalk walk = walk_step(graph, machine, cores);
  EXPECT_EQ(walk.first_error(), "");
  EXPECT_GE(walk.read_bytes(TensorKind::weight), walk.device_bytes_of(TensorKind::weight));
  EXPECT_EQ(walk.write_bytes(TensorKind::kv_cache), ledger.kv_write_bytes);
  EXPECT_TRUE(walk.tensors.at("cache.k").writes_each_stick_once());
  EXPECT_TRUE(walk.tensors.at("cache.v").writes_each_stick_once());
  EXPECT_EQ(walk.read_bytes(TensorKind::embedding), ledger.embedding_bytes);
  // The chunk's own tokens are read back with the context's.
  const std::uint64_t cache = ledger.kv_write_bytes / static_cast<std::uint64_t>(chunk) *
                              static_cast<std::uint64_t>(chunk + context);
  EXPECT_GE(walk.read_bytes(TensorKind::kv_cache), cache);
  const std::uint64_t macs = linear_macs(graph);
  const std::uint64_t attention = walk.macs.at("attention");
  EXPECT_EQ(walk.all_macs() - attention, macs);
  const ModelConfig& model = graph.model;
  const std::int64_t seen = chunk * context + chunk * (chunk + 1) / 2;
  EXPECT_GE(attention,
            static_cast<std::uint64_t>(2 * model.layers * model.heads * model.head_dim * seen));
}

INSTANTIATE_TEST_SUITE_P(
    Models, PrefillPlanOf,
    testing::Combine(testing::Values("distilgpt2", "granite-3.3-8b", "qwen3-8b", "llama-2-7b"),
                     testing::Values(1, 3, 8, 31, 32),
                     testing::Values(std::pair<std::int64_t, std::int64_t>{512, 0},
                                     std::pair<std::int64_t, std::int64_t>{128, 640},
                                     std::pair<std::int64_t, std::int64_t>{100, 77},
                                     std::pair<std::int64_t, std::int64_t>{1, 1})));

TEST(PrefillPlan, GraniteReadsWeightsAndCacheOnceOn32Cores) {
  const models::Machine machine = models::make_test_machine();
  const Graph graph = small_graph("granite-3.3-8b", chunk_step(512, 3584));
  const PlanWalk walk = walk_step(graph, machine, 32);
  EXPECT_EQ(walk.first_error(), "");
  EXPECT_EQ(walk.read_bytes(TensorKind::weight), walk.device_bytes_of(TensorKind::weight));
  const std::uint64_t per_token = 2 * 2 * 8 * 128 * 2;  // K and V, 2 layers
  EXPECT_EQ(walk.read_bytes(TensorKind::kv_cache), per_token * (512 + 3584));
  EXPECT_TRUE(walk.tensors.at("cache.k").reads_each_stick_once());
  EXPECT_LE(walk.balance(), 1.05);
}

TEST(PrefillPlan, NamesEveryGroupOfSharingCoresInOneWay) {
  // Two lists of dims that mean the same cores would count shared reads apart.
  const models::Machine machine = models::make_test_machine();
  for (const std::int64_t cores : {1, 5, 31}) {
    const Graph graph = small_graph("qwen3-8b", chunk_step(128, 200), 1);
    for (const Kernel& kernel : plan_step(graph, machine, PlanOptions{.cores = cores}).kernels) {
      for (const Statement& statement : kernel.body) {
        const auto* transfer = std::get_if<TransferStatement>(&statement.action);
        if (transfer == nullptr) continue;
        for (const auto& [dim, size] : kernel.grid) {
          const auto& share = transfer->share;
          EXPECT_TRUE(size > 1 || std::find(share.begin(), share.end(), dim) == share.end())
              << kernel.name;
        }
      }
    }
  }
}

TEST(PrefillPlan, SkipsTilesThatNoQueryOfACoreSees) {
  const models::Machine machine = models::make_test_machine();
  const Graph graph = small_graph("granite-3.3-8b", chunk_step(512, 0));
  const PlanWalk walk = walk_step(graph, machine, 32);
  const ModelConfig& model = graph.model;
  const auto all =
      static_cast<std::uint64_t>(2 * model.layers * model.heads * model.head_dim) * 512 * 512;
  EXPECT_LT(walk.macs.at("attention"), all * 3 / 4);
}

TEST(PrefillPlan, LongChunksOnFewCoresTakeSeveralTurns) {
  const models::Machine machine = models::make_test_machine();
  const Graph graph = small_graph("granite-3.3-8b", chunk_step(2000, 100), 1);
  const PlanWalk walk = walk_step(graph, machine, 5);
  EXPECT_EQ(walk.first_error(), "");
  EXPECT_TRUE(walk.tensors.at("act.attn").writes_each_stick_once());
  EXPECT_EQ(walk.write_bytes(TensorKind::kv_cache), step_ledger(graph).kv_write_bytes);
}

TEST(PrefillPlan, ComputesTheHeadForTheLastTokenAlone) {
  const models::Machine machine = models::make_test_machine();
  const Graph graph = small_graph("llama-3.1-8b", chunk_step(64, 0));
  const PlanWalk walk = walk_step(graph, machine, 32);
  EXPECT_EQ(walk.macs.at("head"), std::uint64_t{4096} * 128256);
}

}  // namespace
}  // namespace spyre::kernels
