// The vector unit's reductions over float scratch: along each row, one rounding at the end.
//
// Modelled: sums, sums of squares, maxima and minima in fp32. Not modelled: the order in which the
// real unit adds, which is not public.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "models/formats/format.h"

namespace spyre::models {

enum class Reduction : std::uint8_t { sum, sum_of_squares, max, min };

/// result[r] = the reduction of the row-major x[rows, columns] along row r; of no columns: 0,
/// -infinity, +infinity. Throws std::invalid_argument where lengths do not match. Order: 64 lanes
/// each take every 64th element, then halves are combined 32, 16, ... 1 apart. 64 is the number of
/// 16-bit elements in a stick; that the unit adds in this order is assumed.
void reduce_rows(Reduction op, Format format, std::size_t columns, std::span<const float> x,
                 std::span<float> result);

}  // namespace spyre::models
