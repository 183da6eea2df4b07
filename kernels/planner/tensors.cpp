#include "kernels/planner/tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/planner/work_division.h"
#include "kernels/schedule/placement.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {
namespace {

Tensor tensor(std::string name, DataType type, TensorKind kind, std::vector<std::string> dims,
              std::vector<std::int64_t> shape) {
  Tensor result;
  result.name = std::move(name);
  result.type = type;
  result.kind = kind;
  result.dims = std::move(dims);
  result.shape = std::move(shape);
  result.stick_dim = result.shape.size() - 1;
  return result;
}

/// Dimensions in order, the last one in sticks: every row is contiguous.
void lay_out_by_rows(const PlanContext& context, Tensor& tensor) {
  for (std::size_t dim = 0; dim < tensor.shape.size(); ++dim) {
    const bool last = dim + 1 == tensor.shape.size();
    tensor.layout.push_back({dim, last ? context.elements_per_stick(tensor.type) : 1});
  }
}

void add_weight(PlanContext& context, const Weight& weight, bool layered) {
  std::vector<std::string> dims;
  std::vector<std::int64_t> shape;
  if (layered) {
    dims.emplace_back("l");
    shape.push_back(context.graph.model.layers);
  }
  if (weight.k > 1) {
    dims.emplace_back("k");
    shape.push_back(weight.k);
  }
  dims.emplace_back("n");
  shape.push_back(weight.n);
  Tensor result = tensor(weight.name, context.weight_type(), TensorKind::weight, std::move(dims),
                         std::move(shape));
  if (weight.k == 1) lay_out_by_rows(context, result);
  context.schedule.tensors.push_back(std::move(result));
}

void add_table(PlanContext& context, const Weight& table) {
  Tensor result = tensor(table.name, context.weight_type(), TensorKind::embedding, {"v", "d"},
                         {table.k, table.n});
  lay_out_by_rows(context, result);
  context.schedule.tensors.push_back(std::move(result));
}

void add_indices(PlanContext& context, const char* name, std::vector<std::int64_t> values) {
  Tensor result = tensor(name, DataType::int32, TensorKind::index, {"t"},
                         {static_cast<std::int64_t>(values.size())});
  result.values = std::move(values);
  context.schedule.tensors.push_back(std::move(result));
}

/// Distinct token ids without meaning, spread over the rows of the table that one core can reach.
std::vector<std::int64_t> token_ids(const PlanContext& context) {
  const std::int64_t row_bytes =
      models::bytes_of(context.weight_type(), context.graph.model.hidden);
  const std::int64_t rows =
      std::min(context.graph.model.vocabulary,
               std::max<std::int64_t>(context.machine.limits.span_bytes / row_bytes, 1));
  const std::int64_t distance = std::max<std::int64_t>(rows / context.tokens(), 1);
  std::vector<std::int64_t> ids;
  for (std::int64_t token = 0; token < context.tokens(); ++token) {
    ids.push_back((token * distance + distance / 2) % rows);
  }
  return ids;
}

std::vector<std::int64_t> position_ids(const PlanContext& context) {
  std::vector<std::int64_t> ids;
  for (std::int64_t sequence = 0; sequence < context.graph.step.batch; ++sequence) {
    for (std::int64_t token = 0; token < context.graph.step.chunk; ++token) {
      ids.push_back(context.graph.step.context + token);
    }
  }
  return ids;
}

void add_cache(PlanContext& context, const char* name) {
  const ModelConfig& model = context.graph.model;
  const StepOptions& step = context.graph.step;
  const std::int64_t block = context.machine.limits.kv_block_tokens;
  Tensor result =
      tensor(name, step.kv_type, TensorKind::kv_cache, {"l", "b", "block", "h", "t", "d"},
             {model.layers, step.batch, ceil_divide(step.context + step.chunk, block),
              model.kv_heads, block, model.head_dim});
  // Within a head's block by stick columns, the order in which a tile lies in LX: whole columns are
  // one request.
  for (std::size_t dim = 0; dim < 4; ++dim) result.layout.push_back({dim, 1});
  result.layout.push_back({5, context.elements_per_stick(step.kv_type)});
  result.layout.push_back({4, 1});
  context.schedule.tensors.push_back(std::move(result));
}

}  // namespace

std::int64_t PlannedWeight::sticks() const {
  return ceil_divide(n, per_stick);
}

Remote PlannedWeight::tile(const Index& row, const Index& column, const Index& rows,
                           const Index& columns) const {
  Remote result{tensor, {row, column}, {rows, columns}};
  if (layered) {
    result.at.insert(result.at.begin(), "l");
    result.size.insert(result.size.begin(), 1);
  }
  return result;
}

Remote PlannedWeight::slice(const Index& column, const Index& columns) const {
  if (layered) return {tensor, {"l", column}, {1, columns}};
  return {tensor, {column}, {columns}};
}

double PlanContext::score_scale() const {
  if (graph.model.attention_multiplier != 0) return graph.model.attention_multiplier;
  return 1.0 / std::sqrt(static_cast<double>(graph.model.head_dim));
}

bool PlanContext::has_weight(const std::string& name) const {
  return std::any_of(schedule.tensors.begin(), schedule.tensors.end(),
                     [&](const Tensor& tensor) { return tensor.name == name; });
}

PlannedWeight PlanContext::weight(const std::string& name) const {
  const auto found = std::find_if(schedule.tensors.begin(), schedule.tensors.end(),
                                  [&](const Tensor& tensor) { return tensor.name == name; });
  PlannedWeight result;
  if (found == schedule.tensors.end()) return result;
  result.tensor = name;
  result.layered = found->dims.front() == "l";
  result.n = found->shape.back();
  if (found->shape.size() == (result.layered ? 3U : 2U)) {
    result.k = found->shape[found->shape.size() - 2];
  }
  result.per_stick = elements_per_stick(found->type);
  return result;
}

void add_tensors(PlanContext& context) {
  const Graph& graph = context.graph;
  for (const Node& node : graph.layer) {
    for (const Weight& weight : node.weights) add_weight(context, weight, true);
  }
  for (const Node& node : graph.epilogue) {
    for (const Weight& weight : node.weights) add_weight(context, weight, false);
  }
  for (const Node& node : graph.prologue) {
    for (const Weight& table : node.weights) add_table(context, table);
  }
  if (!graph.model.learned_positions) {
    context.schedule.tensors.push_back(
        tensor(kRopeTable, context.activation_type(), TensorKind::constant, {"t", "d"},
               {graph.step.context + graph.step.chunk, graph.model.head_dim}));
  }
  add_cache(context, kKeyCache);
  add_cache(context, kValueCache);
  add_indices(context, kTokens, token_ids(context));
  if (graph.model.learned_positions) add_indices(context, kPositions, position_ids(context));
  add_activation(context, kLogits, graph.step.batch, graph.model.vocabulary);
}

void add_activation(PlanContext& context, const std::string& name, std::int64_t rows,
                    std::int64_t columns) {
  context.schedule.tensors.push_back(
      tensor(name, context.activation_type(), TensorKind::activation, {"m", "n"}, {rows, columns}));
}

void check_capacity(const PlanContext& context) {
  std::uint64_t total = 0;
  std::uint64_t weights = 0;
  std::uint64_t cache = 0;
  for (const Tensor& tensor : context.schedule.tensors) {
    const std::uint64_t bytes = device_bytes(tensor, context.machine);
    total += bytes;
    if (tensor.kind == TensorKind::weight || tensor.kind == TensorKind::embedding) weights += bytes;
    if (tensor.kind == TensorKind::kv_cache) cache += bytes;
  }
  const auto usable = static_cast<std::uint64_t>(context.machine.dram.usable_bytes);
  if (total <= usable) return;
  throw models::InputError(fmt::format(
      "dram: {} needs {} B (weights {} B, KV cache {} B, activations and tables {} B), but {} B "
      "are usable; "
      "use a smaller batch, context or model, or narrower weights",
      context.graph.model.name, total, weights, cache, total - weights - cache, usable));
}

Remote activation(const std::string& tensor, const Index& row, const Index& column,
                  const Index& rows, const Index& columns) {
  return {tensor, {row, column}, {rows, columns}};
}

Remote cache_tile(const PlanContext& context, const char* tensor, const Index& sequence,
                  const Index& block, const Index& head, const Index& token, const Index& blocks,
                  const Index& tokens) {
  return {tensor,
          {"l", sequence, block, head, token, 0},
          {1, 1, blocks, 1, tokens, context.graph.model.head_dim}};
}

}  // namespace spyre::kernels
