// What the attention kernels have in common: checks, and the online softmax of a tile of keys.
//
// Scores are transposed, [keys, queries] = K q^T, so that the K tile is used as it lies in DRAM.
// Buffers: "scores", "state" (running maximum, sum and correction of each query, in rows), "p" and
// its transpose "pt", "scale" (the state, per row of the result), "pv", "o".
#pragma once

#include "kernels/ops/attention.h"
#include "kernels/ops/op_plan.h"

namespace spyre::kernels {

void check_heads(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim);
void check_prefill(const PrefillShape& shape);
void check_paged(const PagedShape& shape);
void add_prefill_tensors(OpPlan& plan, const PrefillShape& shape);
void add_paged_tensors(OpPlan& plan, const PagedShape& shape);
/// 1 / sqrt(head_dim): the scores' scale.
[[nodiscard]] double score_scale(std::int64_t head_dim);

/// `queries` columns of scores of up to `keys` keys, results of `head_dim` columns.
void add_softmax_buffers(KernelBuilder& kernel, DataType type, std::int64_t keys,
                         std::int64_t queries, std::int64_t head_dim);

/// An online softmax before its first tile: no key seen, nothing summed up.
void add_softmax_start(KernelBuilder& kernel, const Index& queries);
/// Attends to the keys in "k" and values in "v" whose "scores" stand ready: "o" starts where
/// `first` is not 0.
void add_softmax_tile(KernelBuilder& kernel, const Index& queries, std::int64_t head_dim,
                      const Index& first);

}  // namespace spyre::kernels
