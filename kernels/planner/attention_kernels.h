// Attention: one new token per sequence against the KV cache, with an online softmax over tiles of KV blocks.
//
// Scores are computed transposed, [tokens, heads of the group] = K q^T, so that the K tile is used as it lies in the
// cache; the probabilities are transposed back before they meet V. A vector function has one result, so the running
// maximum, correction and sum live in "state": softmax_step and rescale_add update and read it.
#pragma once

#include <optional>

#include "kernels/planner/tensors.h"

namespace spyre::kernels {

/// Where queries, keys and values come from and where the result goes.
enum class ActivationHome {
  lx,    ///< resident buffers "qkv" and "attn", on every core
  dram,  ///< tensors "act.qkv" and "act.attn"
};

/// Decode attention of one layer (parameter l). Nothing if no tile fits beside `resident_bytes` of LX.
[[nodiscard]] std::optional<Kernel> build_decode_attention(const PlanContext& context,
                                                           ActivationHome home,
                                                           std::int64_t resident_bytes);

}  // namespace spyre::kernels
