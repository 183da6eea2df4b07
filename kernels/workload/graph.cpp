#include "kernels/workload/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {
namespace {

/// The step's operation count in floating point: large enough to be compared before it is computed
/// in integers.
double rough_flops(const ModelConfig& model, const StepOptions& step) {
  const double tokens = static_cast<double>(step.batch) * static_cast<double>(step.chunk);
  const double positions = static_cast<double>(step.context) + static_cast<double>(step.chunk);
  const double attention = 4.0 * static_cast<double>(model.layers) *
                           static_cast<double>(model.heads * model.head_dim) * positions;
  return tokens * (2.0 * static_cast<double>(model.parameters()) + attention);
}

void check_step(const ModelConfig& model, const StepOptions& step) {
  std::vector<models::Diagnostic> findings;
  const auto report = [&](std::string message) {
    findings.push_back({models::Severity::error, "", {}, std::move(message)});
  };
  if (step.batch < 1) report(fmt::format("batch is {}; it must be at least 1", step.batch));
  if (step.chunk < 1) {
    report(fmt::format("the number of new tokens is {}; it must be at least 1", step.chunk));
  }
  if (step.context < 0) report(fmt::format("context is {}; it must not be negative", step.context));
  if (step.phase == Phase::decode && step.chunk > 1) {
    report(
        fmt::format("a decode step has 1 new token per sequence, not {}; use prefill", step.chunk));
  }
  if (step.phase == Phase::prefill && step.batch > 1) {
    report(
        fmt::format("a prefill chunk belongs to 1 sequence, not {}; use a batch of 1", step.batch));
  }
  const std::int64_t room = model.max_positions - std::max<std::int64_t>(step.chunk, 0);
  if (room < 0) {
    report(fmt::format("{} new tokens are more than the {} positions that {} was made for",
                       step.chunk, model.max_positions, model.name));
  } else if (step.context > room) {
    report(
        fmt::format("context {} and {} new token{} exceed the {} positions that {} was made "
                    "for; use a context of at most {}",
                    step.context, step.chunk, step.chunk == 1 ? "" : "s", model.max_positions,
                    model.name, room));
  }
  constexpr double kMostFlops = 0x1p61;  // every other count of the ledger is smaller
  if (findings.empty() && rough_flops(model, step) > kMostFlops) {
    report(
        fmt::format("a batch of {} with context {} has more operations than can be counted in "
                    "64 bits; use a smaller batch",
                    step.batch, step.context));
  }
  if (!findings.empty()) throw models::InputError(std::move(findings));
}

/// Makes the nodes of one model's step.
class NodeMaker {
 public:
  NodeMaker(const ModelConfig& model, const StepOptions& step)
      : model_(model), tokens_(step.new_tokens()) {}

  /// A node without weights of its own, whose result is tokens x n.
  [[nodiscard]] Node plain(NodeKind kind, std::string name, std::vector<std::string> inputs,
                           std::int64_t n) const {
    Node node;
    node.kind = kind;
    node.name = std::move(name);
    node.inputs = std::move(inputs);
    node.m = tokens_;
    node.n = n;
    return node;
  }

  [[nodiscard]] Node norm(const std::string& name, const std::string& input) const {
    Node node = plain(NodeKind::norm, name, {input}, model_.hidden);
    node.weights.push_back({name, 1, model_.hidden});
    if (model_.norm == NormKind::layer) node.weights.push_back({name + ".bias", 1, model_.hidden});
    return node;
  }

  [[nodiscard]] Node linear(const std::string& name, const std::string& input, std::int64_t n,
                            std::int64_t k, bool bias) const {
    Node node = plain(NodeKind::linear, name, {input}, n);
    node.k = k;
    node.weights.push_back({name, k, n});
    if (bias) node.weights.push_back({name + ".bias", 1, n});
    return node;
  }

 private:
  const ModelConfig& model_;
  std::int64_t tokens_;
};

void add_attention(const ModelConfig& model, const NodeMaker& make, std::vector<Node>& layer) {
  const std::int64_t q = model.heads * model.head_dim;
  const std::int64_t kv = model.kv_heads * model.head_dim;
  layer.push_back(make.norm("attn.norm", "x"));
  layer.push_back(make.linear("attn.wq", "attn.norm", q, model.hidden, model.attention_bias));
  layer.push_back(make.linear("attn.wk", "attn.norm", kv, model.hidden, model.attention_bias));
  layer.push_back(make.linear("attn.wv", "attn.norm", kv, model.hidden, model.attention_bias));
  std::vector<std::string> queries_and_keys{"attn.wq", "attn.wk"};
  if (model.qk_norm) {
    Node node = make.plain(NodeKind::qk_norm, "attn.qk_norm", queries_and_keys, q + kv);
    node.weights = {{"attn.q_norm", 1, model.head_dim}, {"attn.k_norm", 1, model.head_dim}};
    layer.push_back(std::move(node));
    queries_and_keys = {"attn.qk_norm"};
  }
  if (!model.learned_positions) {
    layer.push_back(make.plain(NodeKind::rope, "attn.rope", queries_and_keys, q + kv));
    queries_and_keys = {"attn.rope"};
  }
  std::vector<std::string> inputs = std::move(queries_and_keys);
  inputs.emplace_back("attn.wv");
  layer.push_back(make.plain(NodeKind::attention, "attn.attention", std::move(inputs), q));
  layer.push_back(make.linear("attn.wo", "attn.attention", model.hidden, q, model.output_bias));
  layer.push_back(make.plain(NodeKind::add, "attn.add", {"x", "attn.wo"}, model.hidden));
}

void add_mlp(const ModelConfig& model, const NodeMaker& make, std::vector<Node>& layer) {
  const std::int64_t hidden = model.hidden;
  const std::int64_t wide = model.intermediate;
  const bool bias = model.mlp_bias;
  const bool swiglu = model.mlp == MlpKind::swiglu;
  const std::string last = swiglu ? "mlp.down" : "mlp.proj";
  layer.push_back(make.norm("mlp.norm", "attn.add"));
  std::vector<std::string> widened{"mlp.fc"};
  if (swiglu) widened = {"mlp.gate", "mlp.up"};
  for (const std::string& name : widened) {
    layer.push_back(make.linear(name, "mlp.norm", wide, hidden, bias));
  }
  layer.push_back(make.plain(NodeKind::activation, "mlp.act", widened, wide));
  layer.push_back(make.linear(last, "mlp.act", hidden, wide, bias));
  layer.push_back(make.plain(NodeKind::add, "mlp.add", {"attn.add", last}, hidden));
}

Node embedding(const ModelConfig& model, const NodeMaker& make) {
  Node node = make.plain(NodeKind::embedding, "embed", {}, model.hidden);
  node.weights.push_back({"embed", model.vocabulary, model.hidden});
  if (model.learned_positions) {
    node.weights.push_back({"embed.positions", model.max_positions, model.hidden});
  }
  return node;
}

Node head(const ModelConfig& model, const StepOptions& step, const NodeMaker& make) {
  Node node = make.linear("head", "norm", model.vocabulary, model.hidden, false);
  if (step.phase == Phase::prefill) {
    node.last_token_only = true;
    node.m = step.batch;
  }
  return node;
}

}  // namespace

std::string_view to_string(Phase phase) {
  return phase == Phase::decode ? "decode" : "prefill";
}

std::string_view to_string(NodeKind kind) {
  switch (kind) {
    case NodeKind::embedding:
      return "embedding";
    case NodeKind::norm:
      return "norm";
    case NodeKind::linear:
      return "linear";
    case NodeKind::qk_norm:
      return "qk_norm";
    case NodeKind::rope:
      return "rope";
    case NodeKind::attention:
      return "attention";
    case NodeKind::activation:
      return "activation";
    case NodeKind::add:
      return "add";
  }
  return "";
}

Graph build_graph(const ModelConfig& model, const StepOptions& step) {
  check_step(model, step);
  const NodeMaker make(model, step);
  Graph graph;
  graph.model = model;
  graph.step = step;
  graph.prologue.push_back(embedding(model, make));
  add_attention(model, make, graph.layer);
  add_mlp(model, make, graph.layer);
  graph.epilogue.push_back(make.norm("norm", "mlp.add"));
  graph.epilogue.push_back(head(model, step, make));
  return graph;
}

}  // namespace spyre::kernels
