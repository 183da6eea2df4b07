// Attention of new tokens against the KV cache, with an online softmax over tiles of KV blocks.
#pragma once

#include <optional>

#include "kernels/planner/tensors.h"

namespace spyre::kernels {

/// Where queries, keys and values come from and where the result goes.
enum class ActivationHome {
  lx,    ///< resident buffers "qkv" and "attn" (and "gains", "rope_row"), on every core
  dram,  ///< tensors "act.qkv" and "act.attn"
};

/// Decode attention of one layer (parameter l). Nothing if no tile fits beside `resident_bytes` of
/// LX.
[[nodiscard]] std::optional<PlannedKernel> build_decode_attention(const PlanContext& context,
                                                                  ActivationHome home,
                                                                  std::int64_t resident_bytes);

/// Prefill attention of one layer on activations in DRAM, after the chunk's keys and values went to
/// the cache: KV heads x query tiles over cores, which share the reads of K and V. Tiles of keys
/// that no query of a core sees are loaded with the others but not computed on; within a tile
/// nothing is left out. Throws InputError if no tile fits LX.
[[nodiscard]] PlannedKernel build_chunk_attention(const PlanContext& context);

}  // namespace spyre::kernels
