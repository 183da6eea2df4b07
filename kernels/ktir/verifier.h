// Checks a module against the rules of KTIR; all faults in one pass.
//
// Checked: every value defined once and before its use, operand and result counts and types of
// every operation, shapes of linalg and tensor operations, terminators, the grid, views, access
// tiles inside their view where the numbers are known before the run, groups of inter-tile
// operations. Warnings: a tile type that contradicts its set, views whose coordinate set has
// another size, overlapping parts of a distributed view, index tiles that may read outside.
// Not checked: whether tensors fit in a core's memory (the lowering does), races between cores.
#pragma once

#include <vector>

#include "kernels/ktir/ir.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels::ktir {

/// Errors and warnings in the order of the text, at most a few hundred.
[[nodiscard]] std::vector<models::Diagnostic> verify(const Module& module);

}  // namespace spyre::kernels::ktir
