// The plan with activations in DRAM between kernels: prefill chunks, and decode steps whose batch
// is too large for LX.
#pragma once

#include "kernels/planner/tensors.h"

namespace spyre::kernels {

/// Adds activations, kernels and launches to the context's schedule. Throws InputError if a kernel
/// does not fit LX.
void plan_dram_step(PlanContext& context);

}  // namespace spyre::kernels
