// Transfers of tensors with strides: they may be moved off their tensor, but not out of memory.
#pragma once

#include <vector>

#include "kernels/schedule/placement.h"
#include "kernels/schedule/tile_rules.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

[[nodiscard]] std::vector<MemoryAround> memory_around(const Schedule& schedule,
                                                      const Placement& placement,
                                                      const models::Machine& machine);

/// Rule out-of-range, for a transfer whose tensor has strides.
void check_strided(const StepPlace& place, const Step& step, Findings& findings);

}  // namespace spyre::kernels
