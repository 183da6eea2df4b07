#include "kernels/workload/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/workload/config_text.h"

namespace spyre::kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const std::vector<Node>& nodes) {
  std::vector<std::string> result;
  for (const Node& node : nodes) result.push_back(node.name);
  return result;
}

const Node& node_named(const std::vector<Node>& nodes, const std::string& name) {
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.name == name; });
  if (found == nodes.end()) throw std::out_of_range(name);
  return *found;
}

StepOptions decode(std::int64_t batch, std::int64_t context) {
  StepOptions step;
  step.batch = batch;
  step.context = context;
  return step;
}

StepOptions prefill(std::int64_t context, std::int64_t chunk) {
  StepOptions step;
  step.phase = Phase::prefill;
  step.context = context;
  step.chunk = chunk;
  return step;
}

std::string complaint_about(const std::string& model, const StepOptions& step) {
  try {
    (void)build_graph(find_model(model), step);
  } catch (const models::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Graph, LlamaLayerHasRopeAndAGatedMlp) {
  const Graph graph = build_graph(find_model("llama-3.1-8b"), decode(1, 0));
  EXPECT_THAT(names(graph.prologue), ElementsAre("embed"));
  EXPECT_THAT(names(graph.layer),
              ElementsAre("attn.norm", "attn.wq", "attn.wk", "attn.wv", "attn.rope",
                          "attn.attention", "attn.wo", "attn.add", "mlp.norm", "mlp.gate", "mlp.up",
                          "mlp.act", "mlp.down", "mlp.add"));
  EXPECT_THAT(names(graph.epilogue), ElementsAre("norm", "head"));
}

TEST(Graph, Gpt2LayerHasBiasesAndNoRope) {
  const Graph graph = build_graph(find_model("gpt2"), decode(1, 0));
  EXPECT_THAT(names(graph.layer),
              ElementsAre("attn.norm", "attn.wq", "attn.wk", "attn.wv", "attn.attention", "attn.wo",
                          "attn.add", "mlp.norm", "mlp.fc", "mlp.act", "mlp.proj", "mlp.add"));
  for (const Node& node : graph.layer) {
    const bool has_weights = node.kind == NodeKind::linear || node.kind == NodeKind::norm;
    EXPECT_EQ(node.weights.size(), has_weights ? 2u : 0u) << node.name;
  }
  EXPECT_EQ(node_named(graph.epilogue, "head").weights.size(), 1u);
  const Node& embed = graph.prologue.front();
  ASSERT_EQ(embed.weights.size(), 2u);
  EXPECT_EQ(embed.weights[1].name, "embed.positions");
  EXPECT_EQ(embed.weights[1].k, 1024);
}

TEST(Graph, Qwen3NormsQueriesAndKeysBeforeRope) {
  const Graph graph = build_graph(find_model("qwen3-8b"), decode(1, 0));
  const Node& qk_norm = node_named(graph.layer, "attn.qk_norm");
  EXPECT_THAT(qk_norm.inputs, ElementsAre("attn.wq", "attn.wk"));
  EXPECT_EQ(qk_norm.weights.size(), 2u);
  EXPECT_EQ(qk_norm.weights[0].n, 128);
  EXPECT_THAT(node_named(graph.layer, "attn.rope").inputs, ElementsAre("attn.qk_norm"));
  EXPECT_THAT(node_named(graph.layer, "attn.attention").inputs,
              ElementsAre("attn.rope", "attn.wv"));
}

TEST(Graph, ShapesFollowHeadsNotHiddenSize) {
  const ModelConfig model =
      parsed(extended(kLlamaText, "\"head_dim\": 32, \"num_key_value_heads\": 2"));
  const Graph graph = build_graph(model, decode(3, 5));
  const Node& wq = node_named(graph.layer, "attn.wq");
  EXPECT_EQ(wq.m, 3);
  EXPECT_EQ(wq.k, 64);
  EXPECT_EQ(wq.n, 128);
  EXPECT_EQ(node_named(graph.layer, "attn.wk").n, 64);
  EXPECT_EQ(node_named(graph.layer, "attn.wo").k, 128);
  EXPECT_EQ(node_named(graph.layer, "attn.wo").n, 64);
  EXPECT_EQ(node_named(graph.layer, "attn.rope").n, 192);
}

TEST(Graph, EveryInputIsAnEarlierNode) {
  for (const std::string& name : model_names()) {
    const Graph graph = build_graph(find_model(name), decode(2, 7));
    std::vector<std::string> known{"x"};
    const auto check = [&](const std::vector<Node>& nodes) {
      for (const Node& node : nodes) {
        for (const std::string& input : node.inputs) EXPECT_THAT(known, ::testing::Contains(input));
        EXPECT_EQ(std::count(known.begin(), known.end(), node.name), 0) << node.name;
        EXPECT_GT(node.m, 0) << node.name;
        EXPECT_GT(node.n, 0) << node.name;
        known.push_back(node.name);
      }
    };
    check(graph.prologue);
    check(graph.layer);
    check(graph.epilogue);
  }
}

TEST(Graph, WeightsOfLayersAndEpilogueAreTheParametersReadPerStep) {
  for (const std::string& name : model_names()) {
    const ModelConfig model = find_model(name);
    const Graph graph = build_graph(model, decode(1, 0));
    std::int64_t read = 0, gathered = 0;
    for (const Node& node : graph.layer) {
      for (const Weight& weight : node.weights) read += model.layers * weight.parameters();
    }
    for (const Node& node : graph.epilogue) {
      for (const Weight& weight : node.weights) read += weight.parameters();
    }
    for (const Weight& table : graph.prologue.front().weights) gathered += table.parameters();
    if (model.tied_embeddings) gathered -= model.vocabulary * model.hidden;
    EXPECT_EQ(read, model.parameters_read_per_step()) << name;
    EXPECT_EQ(read + gathered, model.parameters()) << name;
  }
}

TEST(Graph, MatrixOfALinearNodeHasItsShape) {
  for (const std::string& name : model_names()) {
    const Graph graph = build_graph(find_model(name), prefill(3, 5));
    for (const Node& node : graph.layer) {
      if (node.kind != NodeKind::linear) continue;
      EXPECT_EQ(node.m, 5);
      EXPECT_EQ(node.weights[0].name, node.name);
      EXPECT_EQ(node.weights[0].k, node.k);
      EXPECT_EQ(node.weights[0].n, node.n);
      if (node.weights.size() > 1) {
        EXPECT_EQ(node.weights[1].name, node.name + ".bias");
        EXPECT_EQ(node.weights[1].parameters(), node.n);
      }
    }
  }
}

TEST(Graph, HeadOfAPrefillChunkComputesOneRow) {
  const Graph chunk = build_graph(find_model("gpt2"), prefill(0, 512));
  EXPECT_TRUE(node_named(chunk.epilogue, "head").last_token_only);
  EXPECT_EQ(node_named(chunk.epilogue, "head").m, 1);
  EXPECT_EQ(node_named(chunk.layer, "mlp.fc").m, 512);
  const Graph step = build_graph(find_model("gpt2"), decode(8, 100));
  EXPECT_FALSE(node_named(step.epilogue, "head").last_token_only);
  EXPECT_EQ(node_named(step.epilogue, "head").m, 8);
}

TEST(Graph, ContextMayFillTheModelsPositionsButNotOneMore) {
  EXPECT_EQ(complaint_about("gpt2", decode(1, 1023)), "");
  EXPECT_EQ(complaint_about("gpt2", decode(1, 1024)),
            "error: context 1024 and 1 new token exceed the 1024 positions that gpt2 was made for; "
            "use a context of at most 1023");
  EXPECT_EQ(complaint_about("gpt2", prefill(512, 512)), "");
  EXPECT_EQ(complaint_about("gpt2", prefill(513, 512)),
            "error: context 513 and 512 new tokens exceed the 1024 positions that gpt2 was made "
            "for; use a context of at most 512");
  EXPECT_EQ(complaint_about("gpt2", prefill(0, 1025)),
            "error: 1025 new tokens are more than the 1024 positions that gpt2 was made for");
}

TEST(Graph, ImpossibleStepsAreRefusedWithASentence) {
  EXPECT_EQ(complaint_about("gpt2", decode(0, 1)), "error: batch is 0; it must be at least 1");
  EXPECT_EQ(complaint_about("gpt2", decode(1, -1)),
            "error: context is -1; it must not be negative");
  EXPECT_EQ(complaint_about("gpt2", prefill(0, 0)),
            "error: the number of new tokens is 0; it must be at least 1");
  StepOptions step = decode(1, 0);
  step.chunk = 2;
  EXPECT_EQ(complaint_about("gpt2", step),
            "error: a decode step has 1 new token per sequence, not 2; use prefill");
  step = prefill(0, 8);
  step.batch = 2;
  EXPECT_EQ(complaint_about("gpt2", step),
            "error: a prefill chunk belongs to 1 sequence, not 2; use a batch of 1");
}

TEST(Graph, EveryFaultOfAStepIsReportedAtOnce) {
  const std::string text = complaint_about("gpt2", decode(-3, 5000));
  EXPECT_THAT(text, HasSubstr("batch is -3"));
  EXPECT_THAT(text, HasSubstr("context 5000"));
}

TEST(Graph, ExtremeNumbersAreRefusedBeforeTheyOverflow) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(complaint_about("llama-2-7b", decode(kMost, 4095)), HasSubstr("64 bits"));
  EXPECT_THAT(complaint_about("llama-2-7b", decode(1, kMost)), HasSubstr("4096 positions"));
  EXPECT_THAT(complaint_about("llama-2-7b", prefill(kMost, kMost)), HasSubstr("new tokens"));
}

}  // namespace
}  // namespace spyre::kernels
