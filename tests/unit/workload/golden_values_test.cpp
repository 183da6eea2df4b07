// The course's golden values for models and decode steps, by id, and its table of parameter counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "kernels/workload/graph.h"
#include "models/analytic/kv_cache.h"
#include "models/analytic/roofline.h"

namespace spyre::kernels {
namespace {

using models::DataType;
using models::Roof;

constexpr Roof kH100{989e12, 3.35e12};  // dense bf16 as the course's lecture 10 rounds it (G003)
constexpr double kSpyreBandwidth = 204.8e9;  // torch-spyre work_division.py, as G145 to G153 state
constexpr std::int64_t kMiB = std::int64_t{1} << 20;

struct Counted {
  const char* model;
  std::int64_t parameters;
  std::int64_t kv_bytes_per_token;
  std::int64_t crossover, crossover_of_32;  // whole tokens up to which fp16 cache <= fp16 weights

  friend std::ostream& operator<<(std::ostream& out, const Counted& c) { return out << c.model; }
};

std::int64_t whole(double tokens) {
  return static_cast<std::int64_t>(tokens);
}

class ParameterCounts : public ::testing::TestWithParam<Counted> {};

TEST_P(ParameterCounts, AreThePublishedOnes) {
  const Counted& expected = GetParam();
  const ModelConfig model = find_model(expected.model);
  EXPECT_EQ(model.parameters(), expected.parameters);
  const std::int64_t kv =
      models::kv_bytes_per_token(model.layers, model.kv_heads, model.head_dim, DataType::fp16);
  EXPECT_EQ(kv, expected.kv_bytes_per_token);
  const std::int64_t weights = 2 * model.parameters();
  EXPECT_EQ(whole(models::kv_crossover_context(weights, 1, kv)), expected.crossover);
  EXPECT_EQ(whole(models::kv_crossover_context(weights, 32, kv)), expected.crossover_of_32);
}

INSTANTIATE_TEST_SUITE_P(
    CourseTable, ParameterCounts,
    ::testing::Values(Counted{"distilgpt2", 81912576, 18432, 8888, 277},
                      Counted{"gpt2", 124439808, 36864, 6751, 210},
                      Counted{"llama-2-7b", 6738415616, 524288, 25705, 803},
                      Counted{"llama-2-13b", 13015864320, 819200, 31777, 993},
                      Counted{"llama-3.1-8b", 8030261248, 131072, 122532, 3829},
                      Counted{"granite-3.3-8b", 8170864640, 163840, 99742, 3116},
                      Counted{"mistral-7b", 7241732096, 131072, 110500, 3453},
                      Counted{"qwen3-8b", 8190735360, 147456, 111093, 3471}));

// T16
TEST(GoldenValues, LlamaCountsPerLayerInAllAndPerStep) {
  const ModelConfig model = find_model("llama-3.1-8b");
  std::int64_t layer = 0;
  const Graph graph = build_graph(model, {});
  for (const Node& node : graph.layer) {
    for (const Weight& weight : node.weights) layer += weight.parameters();
  }
  EXPECT_EQ(layer, 218112000);
  EXPECT_EQ(model.parameters(), 8030261248);
  EXPECT_EQ(model.parameters_read_per_step(), 7504924672);
  EXPECT_EQ(step_ledger(graph).weight_bytes, 15009849344u);
  EXPECT_NEAR(15009849344.0 / kSpyreBandwidth, 73.3e-3, 5e-5);
}

/// Bytes and operations as these golden values define them: every parameter once, S cached tokens,
/// nothing written.
struct CourseStep {
  double bytes, flops;
};
CourseStep course_step(double batch, double context) {
  const ModelConfig model = find_model("llama-3.1-8b");
  const auto parameters = static_cast<double>(model.parameters());
  const auto kv = static_cast<double>(
      models::kv_bytes_per_token(model.layers, model.kv_heads, model.head_dim, DataType::fp16));
  const auto per_position = 4.0 * static_cast<double>(model.layers * model.heads * model.head_dim);
  return {2 * parameters + batch * kv * context, batch * (2 * parameters + per_position * context)};
}

struct H100Step {
  const char* id;
  double batch, context;
  double gigabytes, intensity, memory_ms, compute_ms, tokens_per_second;  // compute 0: not stated

  friend std::ostream& operator<<(std::ostream& out, const H100Step& s) { return out << s.id; }
};

class LlamaDecodeOnH100 : public ::testing::TestWithParam<H100Step> {};

TEST_P(LlamaDecodeOnH100, HasTheStatedBytesTimeAndIntensity) {
  const H100Step& expected = GetParam();
  const CourseStep step = course_step(expected.batch, expected.context);
  const double seconds = models::roofline_seconds(step.flops, step.bytes, kH100);
  constexpr double kRelative = 1e-4;
  EXPECT_NEAR(step.bytes / 1e9, expected.gigabytes, expected.gigabytes * kRelative);
  EXPECT_NEAR(models::arithmetic_intensity(step.flops, step.bytes), expected.intensity,
              expected.intensity * 5 * kRelative);
  EXPECT_NEAR(seconds * 1e3, expected.memory_ms, expected.memory_ms * kRelative);
  EXPECT_NEAR(expected.batch / seconds, expected.tokens_per_second,
              std::max(0.05, expected.tokens_per_second * kRelative));
  EXPECT_EQ(models::bound(step.flops, step.bytes, kH100), models::Bound::memory);
  if (expected.compute_ms > 0) {
    EXPECT_NEAR(models::compute_seconds(step.flops, kH100) * 1e3, expected.compute_ms, 5e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(
    G135ToG143, LlamaDecodeOnH100,
    ::testing::Values(H100Step{"G135", 1, 0, 16.0605, 1.0000, 4.7942, 0, 208.59},
                      H100Step{"G136", 1, 1024, 16.1947, 1.0249, 4.8343, 0, 206.86},
                      H100Step{"G137", 1, 8192, 17.1343, 1.1880, 5.1147, 0, 195.51},
                      H100Step{"G138", 1, 32768, 20.3555, 1.6330, 6.0763, 0, 164.57},
                      H100Step{"G139", 1, 131072, 33.2404, 2.5505, 9.9225, 0, 100.78},
                      H100Step{"G140", 1, 4096, 16.597, 1.097, 4.954, 0.018, 201.8},
                      H100Step{"G141", 32, 4096, 33.240, 17.529, 9.923, 0.589, 3225.0},
                      H100Step{"G142", 64, 4096, 50.420, 23.112, 15.051, 1.178, 4252.3},
                      H100Step{"G143", 296, 4096, 174.974, 30.802, 52.231, 5.450, 5667.1}),
    [](const auto& value) { return std::string(value.param.id); });

TEST(GoldenValues, BatchingAloneNeverMakesThisDecodeComputeBound) {  // note of G140
  EXPECT_NEAR(
      models::arithmetic_intensity(course_step(1e9, 4096).flops, course_step(1e9, 4096).bytes),
      33.9, 0.05);
}

TEST(GoldenValues, UntiedEmbeddingIsGatheredNotReadAsG144Says) {
  const ModelConfig model = find_model("llama-3.1-8b");
  EXPECT_EQ(model.parameters_read_per_step(), 7504924672);
  EXPECT_NEAR(static_cast<double>(step_ledger(build_graph(model, {})).weight_bytes) / 1e9, 15.0098,
              1e-4);
}

struct SpyreStep {
  const char* id;
  const char* model;
  bool all_parameters;  // the stated figure counts the gathered table of an untied model as well
  DataType type;
  double gigabytes, milliseconds, tokens_per_second;

  friend std::ostream& operator<<(std::ostream& out, const SpyreStep& s) { return out << s.id; }
};

class WeightsOnlyDecodeOnSpyre : public ::testing::TestWithParam<SpyreStep> {};

TEST_P(WeightsOnlyDecodeOnSpyre, HasTheStatedBytesAndTime) {
  const SpyreStep& expected = GetParam();
  StepOptions step;
  step.weight_type = expected.type;
  const Graph graph = build_graph(find_model(expected.model), step);
  const double bytes =
      expected.all_parameters
          ? static_cast<double>(resident_bytes(graph) - step_ledger(graph).kv_write_bytes)
          : static_cast<double>(step_ledger(graph).weight_bytes);
  EXPECT_NEAR(bytes / 1e9, expected.gigabytes, 6e-5);
  EXPECT_NEAR(bytes / kSpyreBandwidth * 1e3, expected.milliseconds, 6e-4);
  EXPECT_NEAR(kSpyreBandwidth / bytes, expected.tokens_per_second, 6e-4);
}

INSTANTIATE_TEST_SUITE_P(
    G145ToG153, WeightsOnlyDecodeOnSpyre,
    ::testing::Values(
        SpyreStep{"G145", "granite-3.3-8b", false, DataType::fp16, 16.3417, 79.794, 12.532},
        SpyreStep{"G146", "granite-3.3-8b", false, DataType::int8, 8.1709, 39.897, 25.065},
        SpyreStep{"G147", "granite-3.3-8b", false, DataType::int4, 4.0854, 19.948, 50.129},
        SpyreStep{"G148", "llama-3.1-8b", true, DataType::fp16, 16.0605, 78.421, 12.752},
        SpyreStep{"G149", "llama-3.1-8b", true, DataType::fp8, 8.0303, 39.210, 25.504},
        SpyreStep{"G150", "llama-3.1-8b", true, DataType::int4, 4.0151, 19.605, 51.007},
        SpyreStep{"G151", "llama-3.1-8b", false, DataType::fp16, 15.0098, 73.290, 13.644},
        SpyreStep{"G152", "llama-3.1-8b", false, DataType::int8, 7.5049, 36.645, 27.289},
        SpyreStep{"G153", "llama-3.1-8b", false, DataType::int4, 3.7525, 18.323, 54.577}),
    [](const auto& value) { return std::string(value.param.id); });

// The lab's model. S = 512 attended positions are 511 cached ones and the new token's own.
TEST(GoldenValues, Distilgpt2WeightsAreG164) {
  const auto parameters = static_cast<double>(find_model("distilgpt2").parameters());
  EXPECT_NEAR(4 * parameters / kMiB, 312.47, 5e-3);
  EXPECT_NEAR(2 * parameters / kMiB, 156.24, 5e-3);
}

TEST(GoldenValues, Distilgpt2DecodeBytesAreG166) {
  StepOptions step;
  step.context = 512;
  step.weight_type = DataType::fp32;
  step.kv_type = DataType::fp32;
  const ModelConfig model = find_model("distilgpt2");
  const std::uint64_t positions = 4u * 1024 * 768;  // counted by the course, gathered by a step
  const StepLedger ledger = step_ledger(build_graph(model, step));
  EXPECT_EQ(ledger.weight_bytes + positions + ledger.kv_read_bytes, 346524672u);
}

TEST(GoldenValues, HeadShareOfDistilgpt2IsG168) {
  const ModelConfig model = find_model("distilgpt2");
  EXPECT_EQ(model.vocabulary * model.hidden, 38597376);
  EXPECT_NEAR(38597376.0 / static_cast<double>(model.parameters()), 0.471, 5e-4);
}

TEST(GoldenValues, Distilgpt2DecodeOperationsAreG169) {
  StepOptions step;
  step.context = 511;
  EXPECT_EQ(step_ledger(build_graph(find_model("distilgpt2"), step)).flops, 171689472u);
}

TEST(GoldenValues, Distilgpt2CacheIsG162G163G165G170) {
  const ModelConfig model = find_model("distilgpt2");
  const auto kv = [&](std::int64_t layers, std::int64_t kv_heads, DataType type) {
    return models::kv_bytes_per_token(layers, kv_heads, model.head_dim, type);
  };
  EXPECT_EQ(kv(model.layers, model.kv_heads, DataType::fp32), 36864);
  EXPECT_EQ(1024 * kv(model.layers, model.kv_heads, DataType::fp16), 18 * kMiB);
  EXPECT_EQ(kv(model.layers, 1, DataType::fp16), 1536);
  EXPECT_EQ(models::kv_tokens_that_fit(2 * kMiB, kv(model.layers, 12, DataType::fp16)), 113);
  EXPECT_EQ(models::kv_tokens_that_fit(2 * kMiB, kv(1, 12, DataType::fp16)), 682);
}

}  // namespace
}  // namespace spyre::kernels
