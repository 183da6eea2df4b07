// Values of integer operations, as the cost model needs them for addresses, loop bounds and
// conditions.
//
// Modelled: arith on integers and index with the wrap-around of the result's width, comparisons,
// casts between integers. Not modelled: floats; what depends on one has no value here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/ktir/ir.h"

namespace spyre::kernels::ktir {

/// The value as an integer of that type holds it: i1 is 0 or 1, uiN is not negative, the others
/// carry their sign.
[[nodiscard]] std::int64_t wrapped(std::int64_t value, const ScalarType& type);

/// The result of an operation on integers of type `from`, with a result of type `to`; nothing for
/// operations on floats and where there is no result (division by zero).
[[nodiscard]] std::optional<std::int64_t> evaluate_integer(const Operation& op,
                                                           std::span<const std::int64_t> operands,
                                                           const ScalarType& from,
                                                           const ScalarType& to);

}  // namespace spyre::kernels::ktir
