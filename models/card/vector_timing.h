// How long a vector operation takes on the vector units (SFU) of one core.
//
// Models: `lanes` elements per cycle, of any type, for a plain pass, a multiple of that for a
// transcendental pass, a fixed cost per stick for a reduction along the stick, and a byte rate for
// the on-chip transpose. Rows are padded to whole sticks. Does not model: the two corelets' units
// apart, register spills, data.
#pragma once

#include "models/isa/vector_function.h"
#include "models/machine/machine.h"

namespace spyre::models {

/// Cycles of `function` over rows x columns elements of `type`. Zero elements take no time. A
/// reduction along axis 0 combines whole sticks, lane by lane: a plain pass.
[[nodiscard]] Cycles vector_cycles(const Machine& machine, VectorFunction function,
                                   std::int64_t rows, std::int64_t columns, DataType type,
                                   int axis = 1);

}  // namespace spyre::models
