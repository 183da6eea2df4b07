// The vector unit's arithmetic over float scratch: elementwise functions with one rounding per
// operation, and row reductions with one rounding at the end. The matrix unit's is in matmul.h.
//
// Modelled: operands and results lie on the grid of a format, an operation computes in fp32 and is
// rounded once to the result's format. For + - * / and sqrt of values in a format of up to 11
// significand bits that is the correctly rounded result. Not modelled: the unit's own
// approximations of exp, tanh and the like, which are not public.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "models/formats/format.h"
#include "models/formats/matmul.h"

namespace spyre::models {

enum class UnaryOp : std::uint8_t {
  copy,
  neg,
  abs,
  exp,
  log,
  sqrt,
  rsqrt,
  reciprocal,
  tanh,
  sigmoid,
  silu,
  erf,
  gelu_tanh,
  gelu_erf,
};

/// A NaN operand makes `max` and `min` NaN.
enum class BinaryOp : std::uint8_t { add, sub, mul, div, max, min };

enum class Reduction : std::uint8_t { sum, sum_of_squares, max, min };

/// result[i] = op(x[i]). Every function here throws std::invalid_argument where lengths do not
/// match; a result may be the same span as an operand, but must not overlap it otherwise.
void apply(UnaryOp op, Format format, std::span<const float> x, std::span<float> result);

/// result[i] = op(x[i], y[i]).
void apply(BinaryOp op, Format format, std::span<const float> x, std::span<const float> y,
           std::span<float> result);

/// result[i] = op(x[i], y): `scale` is mul, a bias is add.
void apply(BinaryOp op, Format format, std::span<const float> x, float y, std::span<float> result);

/// result[r] = the reduction of the row-major x[rows, columns] along row r; of no columns: 0,
/// -infinity, +infinity. Order: 64 lanes each take every 64th element, then halves are combined 32,
/// 16, ... 1 apart. 64 is the number of 16-bit elements in a stick; that the unit adds in this
/// order is assumed.
void reduce_rows(Reduction op, Format format, std::size_t columns, std::span<const float> x,
                 std::span<float> result);

}  // namespace spyre::models
