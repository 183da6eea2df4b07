// What can be judged without walking a schedule: does it fit, and do explicit addresses make sense?
#pragma once

#include "kernels/schedule/findings.h"
#include "kernels/schedule/placement.h"
#include "kernels/schedule/schedule.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

/// Rules grid, lx-capacity, lx-overlap, lx-core, dram-capacity, dram-overlap, alignment (of
/// addresses).
void check_placement(const Schedule& schedule, const Placement& placement,
                     const models::Machine& machine, Findings& findings);

/// One change of the kernel's buffers after which it fits into LX, as half a sentence; empty if
/// none was found. Every change that is named has been placed again.
[[nodiscard]] std::string lx_remedy(const Schedule& schedule, std::size_t kernel,
                                    const models::Machine& machine);

}  // namespace spyre::kernels
