// The values of a host array as doubles, and the array that holds given doubles.
//
// Modelled: one rounding, from the double straight to the element's type, in the type's own
// direction (models/formats); what is too large becomes infinity, or NaN where there is none.
// Integers round to the nearest, ties to even, and saturate; NaN becomes 0. i1 is 0 or 1.
// Not modelled: 64-bit integers beyond 2^53, which a double does not hold exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/host_array.h"

namespace spyre::runtime {

/// Of the element at the start of `bytes`.
[[nodiscard]] double decode_element(const kernels::ktir::ScalarType& element,
                                    const std::byte* bytes);
/// Writes element_bytes(element) bytes.
void encode_element(const kernels::ktir::ScalarType& element, double value, std::byte* bytes);

/// Throws std::invalid_argument where the bytes do not fit the shape.
[[nodiscard]] std::vector<double> to_doubles(const HostArray& array);
/// Throws std::invalid_argument where `values` are not as many as the shape says.
[[nodiscard]] HostArray from_doubles(const kernels::ktir::ScalarType& element,
                                     std::vector<std::int64_t> shape,
                                     std::span<const double> values);

}  // namespace spyre::runtime
