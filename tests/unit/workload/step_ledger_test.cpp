#include <gtest/gtest.h>

#include <random>

#include "kernels/workload/graph.h"
#include "tests/unit/workload/config_text.h"

namespace spyre::kernels {
namespace {

using models::DataType;

StepLedger ledger(const ModelConfig& model, const StepOptions& step) {
  return step_ledger(build_graph(model, step));
}

StepOptions decode(std::int64_t batch, std::int64_t context, DataType weights = DataType::fp16) {
  StepOptions step;
  step.batch = batch;
  step.context = context;
  step.weight_type = weights;
  return step;
}

TEST(StepLedger, WeightBytesOfADecodeStepAreExact) {
  EXPECT_EQ(ledger(find_model("granite-3.3-8b"), decode(1, 4096)).weight_bytes, 16341729280u);
  EXPECT_EQ(ledger(find_model("llama-3.1-8b"), decode(1, 0)).weight_bytes, 15009849344u);
  EXPECT_EQ(ledger(find_model("distilgpt2"), decode(1, 0)).weight_bytes, 162252288u);
}

TEST(StepLedger, GraniteReadsItsCacheOnceAt4096) {
  const StepLedger step = ledger(find_model("granite-3.3-8b"), decode(1, 4096));
  EXPECT_EQ(step.kv_read_bytes, 671088640u);
  EXPECT_EQ(step.kv_write_bytes, 163840u);
  EXPECT_EQ(step.embedding_bytes, 4096u * 2);
  EXPECT_EQ(step.total_bytes(), 16341729280u + 671088640u + 163840u + 8192u);
}

// T1: KV heads count, not query heads.
TEST(StepLedger, LlamaCacheIsCountedInKvHeads) {
  const StepLedger step = ledger(find_model("llama-3.1-8b"), decode(1, 1024));
  EXPECT_EQ(step.kv_read_bytes, 134217728u);
  EXPECT_EQ(step.kv_read_bytes / 32, 4194304u);
  EXPECT_EQ(step.kv_write_bytes, 131072u);
  EXPECT_EQ(step.kv_write_bytes / 32, 4096u);
}

TEST(StepLedger, MultiQueryAttentionKeeps512BytesPerTokenAndLayer) {
  ModelConfig model = find_model("llama-3.1-8b");
  model.kv_heads = 1;
  EXPECT_EQ(ledger(model, decode(1, 0)).kv_write_bytes, 512u * 32);
}

TEST(StepLedger, BatchSharesTheWeightsAndNothingElse) {
  for (const std::string& name : model_names()) {
    const ModelConfig model = find_model(name);
    const StepLedger one = ledger(model, decode(1, 1000));
    const StepLedger many = ledger(model, decode(32, 1000));
    EXPECT_EQ(many.weight_bytes, one.weight_bytes) << name;
    EXPECT_EQ(many.kv_read_bytes, 32 * one.kv_read_bytes) << name;
    EXPECT_EQ(many.kv_write_bytes, 32 * one.kv_write_bytes) << name;
    EXPECT_EQ(many.embedding_bytes, 32 * one.embedding_bytes) << name;
    EXPECT_EQ(many.flops, 32 * one.flops) << name;
  }
}

TEST(StepLedger, WidthOfTheWeightTypeScalesExactly) {
  for (const std::string& name : model_names()) {
    const ModelConfig model = find_model(name);
    const std::uint64_t fp16 = ledger(model, decode(1, 0)).weight_bytes;
    EXPECT_EQ(2 * ledger(model, decode(1, 0, DataType::int8)).weight_bytes, fp16) << name;
    EXPECT_EQ(2 * ledger(model, decode(1, 0, DataType::fp8)).weight_bytes, fp16) << name;
    EXPECT_EQ(ledger(model, decode(1, 0, DataType::fp32)).weight_bytes, 2 * fp16) << name;
    EXPECT_EQ(fp16, 2 * static_cast<std::uint64_t>(model.parameters_read_per_step())) << name;
  }
}

TEST(StepLedger, OddInt4TensorsAreRoundedUpOneByOne) {
  ModelConfig model = parsed(changed(kLlamaText, "\"vocab_size\": 100", "\"vocab_size\": 101"));
  model.hidden = 65;  // odd gains: 33 bytes each, five of them
  model.intermediate = 161;
  const std::int64_t even = 2 * (2 * 65 * 64 + 2 * 65 * 64);
  const std::int64_t odd_mlp = 3 * ((65 * 161 + 1) / 2);
  EXPECT_EQ(ledger(model, decode(1, 0, DataType::int4)).weight_bytes,
            static_cast<std::uint64_t>(even / 2 + 2 * odd_mlp + 5 * 33 + (65 * 101 + 1) / 2));
  EXPECT_EQ(ledger(model, decode(3, 0, DataType::int4)).embedding_bytes, 3u * 33);
}

TEST(StepLedger, LearnedPositionsAreGatheredLikeEmbeddingRows) {
  EXPECT_EQ(ledger(find_model("gpt2"), decode(4, 9)).embedding_bytes, 4u * 2 * 768 * 2);
}

TEST(StepLedger, CacheTypeIsIndependentOfTheWeightType) {
  StepOptions step = decode(1, 100, DataType::int4);
  step.kv_type = DataType::fp8;
  const StepLedger narrow = ledger(find_model("llama-3.1-8b"), step);
  EXPECT_EQ(narrow.kv_read_bytes, 100u * 131072 / 2);
  EXPECT_EQ(narrow.kv_write_bytes, 131072u / 2);
}

TEST(StepLedger, FirstTokenOfASequenceReadsNoCache) {
  const StepLedger step = ledger(find_model("gpt2"), decode(1, 0));
  EXPECT_EQ(step.kv_read_bytes, 0u);
  // it still attends to itself
  EXPECT_EQ(step.flops, 2u * 123653376 + 4u * 12 * 12 * 64);
}

/// Counts operations token by token and head by head.
std::uint64_t slow_flops(const ModelConfig& model, const StepOptions& step) {
  const auto head = static_cast<std::uint64_t>(model.vocabulary * model.hidden);
  const auto body = static_cast<std::uint64_t>(model.parameters_read_per_step()) - head;
  std::uint64_t flops = 0;
  for (std::int64_t sequence = 0; sequence < step.batch; ++sequence) {
    for (std::int64_t i = 0; i < step.chunk; ++i) {
      flops += 2 * body;
      if (i == step.chunk - 1) flops += 2 * head;
      for (std::int64_t h = 0; h < model.layers * model.heads; ++h) {
        const auto attended = static_cast<std::uint64_t>(step.context + i + 1);
        flops += 2 * static_cast<std::uint64_t>(model.head_dim) * attended;  // q k
        flops += 2 * static_cast<std::uint64_t>(model.head_dim) * attended;  // p v
      }
    }
  }
  return flops;
}

TEST(StepLedger, OperationsAgreeWithASlowCountOnRandomSteps) {
  std::mt19937 random(11);
  const auto upto = [&](int high) { return std::uniform_int_distribution<int>(1, high)(random); };
  const std::vector<std::string> names = model_names();
  for (int i = 0; i < 100; ++i) {
    const ModelConfig model = find_model(names[static_cast<std::size_t>(i) % names.size()]);
    StepOptions step = decode(upto(16), upto(600) - 1);
    if (upto(2) == 1) {
      step.phase = Phase::prefill;
      step.batch = 1;
      step.chunk = upto(256);
    }
    EXPECT_EQ(ledger(model, step).flops, slow_flops(model, step)) << model.name;
  }
}

TEST(StepLedger, ChunksOfAPromptAddUpToTheWholePrompt) {
  const ModelConfig model = find_model("granite-3.3-8b");
  const auto chunk = [&](std::int64_t context, std::int64_t tokens) {
    StepOptions step;
    step.phase = Phase::prefill;
    step.context = context;
    step.chunk = tokens;
    return ledger(model, step);
  };
  const StepLedger whole = chunk(0, 1000);
  const StepLedger first = chunk(0, 512);
  const StepLedger second = chunk(512, 488);
  const std::uint64_t head = 2u * 49159 * 4096;  // computed once per chunk
  EXPECT_EQ(first.flops + second.flops, whole.flops + head);
  EXPECT_EQ(first.kv_write_bytes + second.kv_write_bytes, whole.kv_write_bytes);
  EXPECT_EQ(first.kv_read_bytes, 0u);
  EXPECT_EQ(second.kv_read_bytes, 512u * 163840);
}

TEST(StepLedger, ResidentBytesAreAllParametersAndTheWholeCache) {
  for (const std::string& name : model_names()) {
    const ModelConfig model = find_model(name);
    const Graph graph = build_graph(model, decode(3, 99));
    const StepLedger step = step_ledger(graph);
    EXPECT_EQ(resident_bytes(graph), 2 * static_cast<std::uint64_t>(model.parameters()) +
                                         step.kv_read_bytes + step.kv_write_bytes)
        << name;
  }
}

}  // namespace
}  // namespace spyre::kernels
