// What can be wrong with the operands of a vector operation.
#pragma once

#include "kernels/schedule/tile_rules.h"

namespace spyre::kernels {

/// Rules shape-mismatch, type-mismatch and out-of-range (of patterns). The step is not skipped.
void check_vector(const StepPlace& place, const Step& step, Findings& findings);

}  // namespace spyre::kernels
