// Judges a schedule before it runs: does it fit, is it aligned, is everything written once and read
// after it is written?
#pragma once

#include <vector>

#include "kernels/schedule/placement.h"
#include "kernels/schedule/schedule.h"
#include "models/diagnostics/diagnostics.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

/// Every finding, in file order; empty = clean. Walks all launches on all cores.
[[nodiscard]] std::vector<models::Diagnostic> check_schedule(const Schedule& schedule,
                                                             const Placement& placement,
                                                             const models::Machine& machine);

}  // namespace spyre::kernels
