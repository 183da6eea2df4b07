// The tensors of a planned step: weights of all layers as one tensor each, tables, KV cache,
// activations.
//
// Layouts: a weight matrix [l, k, n] is stored by stick columns (all rows of one column are
// contiguous), gains and biases [l, n] by layer, embedding tables by rows. The KV cache [l, b,
// block, h, t, d] keeps one block of one head contiguous, by stick columns within. Not modelled:
// block tables; a sequence's blocks follow each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/planner/schedule_builder.h"
#include "kernels/schedule/schedule.h"
#include "kernels/workload/graph.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

/// A weight as kernels use it.
struct PlannedWeight {
  std::string tensor;
  std::int64_t k = 1, n = 0;
  std::int64_t per_stick = 0;  ///< elements of one stick
  bool layered = false;        ///< first dimension is the layer

  [[nodiscard]] std::int64_t sticks() const;  ///< along n
  /// rows x columns of the matrix from (row, column), in the layer `l`.
  [[nodiscard]] Remote tile(const Index& row, const Index& column, const Index& rows,
                            const Index& columns) const;
  /// Elements of a gain or bias.
  [[nodiscard]] Remote slice(const Index& column, const Index& columns) const;
};

/// Everything that the kernels of one plan are made from.
struct PlanContext {
  const Graph& graph;
  const models::Machine& machine;
  std::int64_t cores = 1;
  Schedule schedule;

  [[nodiscard]] DataType activation_type() const { return graph.step.activation_type; }
  [[nodiscard]] DataType weight_type() const { return graph.step.weight_type; }
  [[nodiscard]] std::int64_t elements_per_stick(DataType type) const {
    return machine.limits.stick_bytes * 8 / models::bits(type);
  }
  /// What the scores of attention are multiplied with.
  [[nodiscard]] double score_scale() const;
  /// Tokens that the step computes.
  [[nodiscard]] std::int64_t tokens() const { return graph.step.new_tokens(); }
  [[nodiscard]] std::int64_t query_columns() const {
    return graph.model.heads * graph.model.head_dim;
  }
  [[nodiscard]] std::int64_t kv_columns() const {
    return graph.model.kv_heads * graph.model.head_dim;
  }
  /// Columns of queries, keys and values side by side.
  [[nodiscard]] std::int64_t qkv_columns() const { return query_columns() + 2 * kv_columns(); }
  /// The planned weight of the node and weight name, e.g. ("attn.wq", "attn.wq.bias").
  [[nodiscard]] PlannedWeight weight(const std::string& name) const;
  [[nodiscard]] bool has_weight(const std::string& name) const;
};

/// Names of the tensors that are not weights.
inline constexpr const char* kTokens = "tokens";
inline constexpr const char* kPositions = "positions";
inline constexpr const char* kRopeTable = "rope";
inline constexpr const char* kKeyCache = "cache.k";
inline constexpr const char* kValueCache = "cache.v";
inline constexpr const char* kLogits = "logits";

/// Adds weights, tables, caches, indices and logits to the context's schedule.
void add_tensors(PlanContext& context);
/// Adds an activation [rows, columns].
void add_activation(PlanContext& context, const std::string& name, std::int64_t rows,
                    std::int64_t columns);
/// Throws InputError if all tensors together are larger than the DRAM that is open to tensors.
void check_capacity(const PlanContext& context);

/// `columns` elements of token row `row` and following ones of an activation.
[[nodiscard]] Remote activation(const std::string& tensor, const Index& row, const Index& column,
                                const Index& rows, const Index& columns);
/// `blocks` KV blocks (or `tokens` tokens of one) of one head of one sequence in layer `l`.
[[nodiscard]] Remote cache_tile(const PlanContext& context, const char* tensor,
                                const Index& sequence, const Index& block, const Index& head,
                                const Index& token, const Index& blocks, const Index& tokens);

}  // namespace spyre::kernels
