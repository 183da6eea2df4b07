// The decode plan: activations stay in LX, a copy on every core; weights and KV cache stream
// through.
//
// Every linear layer is cut along N: a core computes its columns, then multicasts them to all
// cores. Nothing but weights, KV cache, one embedding row per token, the rope row and the logits
// touches DRAM.
#pragma once

#include "kernels/planner/tensors.h"

namespace spyre::kernels {

/// Adds resident buffers, kernels and launches of a decode step to the context's schedule. Returns
/// false, and adds nothing, when activations and the smallest tiles do not fit LX together.
[[nodiscard]] bool plan_resident_decode(PlanContext& context);

}  // namespace spyre::kernels
