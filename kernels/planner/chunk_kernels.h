// Kernels on activations in DRAM that are not linear layers: embedding, norm, and the append to the
// KV cache.
#pragma once

#include "kernels/planner/tensors.h"

namespace spyre::kernels {

/// "embed": every core gathers the rows of its tokens. `output`: tensor [tokens, hidden].
[[nodiscard]] PlannedKernel build_chunk_embed(const PlanContext& context,
                                              const std::string& output);

/// A norm of `rows` rows of `input` from `first_row`, in a kernel `name` of its own.
[[nodiscard]] PlannedKernel build_chunk_norm(const PlanContext& context, const std::string& name,
                                             const std::string& norm, bool layered,
                                             const std::string& input, std::int64_t first_row,
                                             std::int64_t rows, const std::string& output);

/// "kv_append": norms (Qwen3) and rotates the chunk's keys, and stores keys and values to the
/// cache.
[[nodiscard]] PlannedKernel build_kv_append(const PlanContext& context);

}  // namespace spyre::kernels
