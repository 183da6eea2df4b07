// The vector unit's element-by-element functions on dense rows of numbers.
//
// Modelled: every function computes in fp32 (int32 where all operands are integers); rounding to
// the result's format is the caller's, once per operation. Integer sums and products wrap around,
// division rounds towards zero and gives 0 for a divisor of 0. Not modelled: the unit's own
// approximations, which are not public.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "models/isa/vector_function.h"

namespace spyre::models {

/// One operand over a result of rows x columns: a row, a column or a single element is repeated.
template <typename Number>
struct Repeated {
  std::span<const Number> values;
  std::size_t rows = 1, columns = 1;
};

template <typename Number>
using Operands = std::array<Repeated<Number>, 4>;

/// Whether the function is one of those here (not a reduction, rearrangement or composite).
[[nodiscard]] bool is_elementwise(VectorFunction function);

/// result[r, c] for every element; `result` holds rows x columns. Throws std::invalid_argument for
/// a function that is not elementwise, or not one of integers.
void apply_elementwise(VectorFunction function, const Operands<float>& operands,
                       std::size_t columns, std::span<float> result);
void apply_elementwise(VectorFunction function, const Operands<std::int32_t>& operands,
                       std::size_t columns, std::span<std::int32_t> result);

}  // namespace spyre::models
