// What one step must move and compute, summed over the nodes of its graph.
#include <functional>

#include "kernels/workload/graph.h"
#include "models/analytic/kv_cache.h"

namespace spyre::kernels {
namespace {

std::uint64_t weight_bytes(const Node& node, models::DataType type) {
  std::int64_t bytes = 0;
  for (const Weight& weight : node.weights) bytes += models::bytes_of(type, weight.parameters());
  return static_cast<std::uint64_t>(bytes);
}

/// Positions that the new tokens attend to, summed: the i-th of a chunk sees the context, its
/// predecessors and itself.
std::int64_t attended_positions(const StepOptions& step) {
  return step.batch * (step.chunk * step.context + step.chunk * (step.chunk + 1) / 2);
}

std::uint64_t node_flops(const Graph& graph, const Node& node) {
  if (node.kind == NodeKind::embedding) return 0;
  std::int64_t flops = 0;
  for (const Weight& weight : node.weights) flops += 2 * node.m * weight.parameters();
  if (node.kind == NodeKind::attention) {
    flops += 4 * graph.model.heads * graph.model.head_dim * attended_positions(graph.step);
  }
  return static_cast<std::uint64_t>(flops);
}

/// Sums a node's figure over the layers and the epilogue; the prologue only gathers.
std::uint64_t total(const Graph& graph, const std::function<std::uint64_t(const Node&)>& figure) {
  std::uint64_t one_layer = 0;
  for (const Node& node : graph.layer) one_layer += figure(node);
  std::uint64_t sum = one_layer * static_cast<std::uint64_t>(graph.model.layers);
  for (const Node& node : graph.epilogue) sum += figure(node);
  return sum;
}

std::uint64_t kv_bytes(const Graph& graph, std::int64_t tokens) {
  const std::int64_t per_token = models::kv_bytes_per_token(
      graph.model.layers, graph.model.kv_heads, graph.model.head_dim, graph.step.kv_type);
  return static_cast<std::uint64_t>(per_token * tokens);
}

/// One row of every table per new token.
std::uint64_t gathered_bytes(const Graph& graph) {
  std::int64_t row = 0;
  for (const Node& node : graph.prologue) {
    for (const Weight& table : node.weights) {
      row += models::bytes_of(graph.step.weight_type, table.n);
    }
  }
  return static_cast<std::uint64_t>(row * graph.step.new_tokens());
}

}  // namespace

StepLedger step_ledger(const Graph& graph) {
  const StepOptions& step = graph.step;
  StepLedger ledger;
  ledger.weight_bytes =
      total(graph, [&](const Node& node) { return weight_bytes(node, step.weight_type); });
  ledger.kv_read_bytes = kv_bytes(graph, step.batch * step.context);
  ledger.kv_write_bytes = kv_bytes(graph, step.new_tokens());
  ledger.embedding_bytes = gathered_bytes(graph);
  ledger.flops = total(graph, [&](const Node& node) { return node_flops(graph, node); });
  return ledger;
}

std::uint64_t resident_bytes(const Graph& graph) {
  const StepOptions& step = graph.step;
  std::uint64_t bytes =
      total(graph, [&](const Node& node) { return weight_bytes(node, step.weight_type); });
  for (const Node& node : graph.prologue) {
    for (const Weight& table : node.weights) {
      // A tied token table is the head's matrix, which is counted already.
      if (graph.model.tied_embeddings && table.name == "embed") continue;
      bytes += static_cast<std::uint64_t>(models::bytes_of(step.weight_type, table.parameters()));
    }
  }
  return bytes + kv_bytes(graph, step.batch * (step.context + step.chunk));
}

}  // namespace spyre::kernels
