// The vector unit's functions, what each computes, and how much work it is per element.
//
// Element by element, a single row or column of an operand (or one element) is repeated over the
// result. A function's cost is counted in passes over its operand: plain passes (one lane
// operation), transcendental passes, and row reductions (across the lanes of every stick). How long
// a pass takes is the machine's affair. Not modelled: the unit's own approximations, which are not
// public; how many passes each function takes is assumed where no source is named.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace spyre::models {

enum class VectorFunction : std::uint8_t {
  copy,  ///< also converts: the destination's element type may differ
  bitcast,
  add,
  sub,
  mul,
  div,
  max,
  min,
  rem,  ///< of the division that rounds towards zero
  pow,
  fma,  ///< a * b + c, rounded once
  neg,
  abs,
  floor,
  ceil,
  sqrt,
  rsqrt,
  reciprocal,
  exp,
  exp2,
  log,
  log2,
  log1p,
  sin,
  cos,
  tanh,
  erf,
  sigmoid,
  silu,
  gelu,   ///< the tanh form
  equal,  ///< comparisons give 1 or 0; with a NaN only not_equal holds
  not_equal,
  less,
  less_equal,
  select,  ///< where the first operand is not 0 the second, else the third
  bit_and,
  bit_or,
  bit_xor,
  fill,          ///< one number, or the one element of a tile, everywhere
  iota,          ///< the element's row (axis 0) or column (axis 1), from 0, plus an optional number
  silu_mul,      ///< silu(a) * b, the gate of SwiGLU
  bias_gelu,     ///< gelu(a + b)
  rmsnorm,       ///< a / sqrt(mean over the row of a^2 + epsilon) * b
  layernorm,     ///< (a - mean) / sqrt(variance + epsilon) * b + c
  rope,          ///< a * cos + rotated(a) * sin; b holds cos in its first half, sin in its second
  softmax_step,  ///< one step of an online softmax down the columns of scores
                 ///< (models/data/composite_functions.h)
  softmax_finish,  ///< rows of a divided by the sums in column 1 of b
  rescale_add,     ///< destination = destination * column 2 of b + a
  transpose,       ///< of rows and columns, or of what `pattern` says
  rearrange,       ///< what `pattern` says: broadcast, slice, reshape
  reduce_sum,  ///< along the rows to one column (axis 1), or down the columns to one row (axis 0)
  reduce_max,
  reduce_min,
};

struct VectorFunctionInfo {
  VectorFunction function;
  std::string_view name;
  int sources;  ///< how many operands it reads, a number among them counted
  int plain_passes;
  int transcendental_passes;
  int row_reductions;        ///< reductions along the stick dimension
  bool transposes;           ///< goes through the on-chip transpose path instead
  int optional_numbers = 0;  ///< numbers that may follow: epsilon, or where iota starts
};

inline constexpr std::array kVectorFunctions{
    VectorFunctionInfo{VectorFunction::copy, "copy", 1, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::bitcast, "bitcast", 1, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::add, "add", 2, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::sub, "sub", 2, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::mul, "mul", 2, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::div, "div", 2, 1, 1, 0, false},
    VectorFunctionInfo{VectorFunction::max, "max", 2, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::min, "min", 2, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::rem, "rem", 2, 3, 1, 0, false},
    VectorFunctionInfo{VectorFunction::pow, "pow", 2, 1, 2, 0, false},
    VectorFunctionInfo{VectorFunction::fma, "fma", 3, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::neg, "neg", 1, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::abs, "abs", 1, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::floor, "floor", 1, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::ceil, "ceil", 1, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::sqrt, "sqrt", 1, 0, 1, 0, false},
    VectorFunctionInfo{VectorFunction::rsqrt, "rsqrt", 1, 0, 1, 0, false},
    VectorFunctionInfo{VectorFunction::reciprocal, "reciprocal", 1, 0, 1, 0, false},
    VectorFunctionInfo{VectorFunction::exp, "exp", 1, 0, 1, 0, false},
    VectorFunctionInfo{VectorFunction::exp2, "exp2", 1, 0, 1, 0, false},
    VectorFunctionInfo{VectorFunction::log, "log", 1, 0, 1, 0, false},
    VectorFunctionInfo{VectorFunction::log2, "log2", 1, 0, 1, 0, false},
    VectorFunctionInfo{VectorFunction::log1p, "log1p", 1, 1, 1, 0, false},
    VectorFunctionInfo{VectorFunction::sin, "sin", 1, 0, 1, 0, false},
    VectorFunctionInfo{VectorFunction::cos, "cos", 1, 0, 1, 0, false},
    VectorFunctionInfo{VectorFunction::tanh, "tanh", 1, 0, 1, 0, false},
    VectorFunctionInfo{VectorFunction::erf, "erf", 1, 2, 1, 0, false},
    VectorFunctionInfo{VectorFunction::sigmoid, "sigmoid", 1, 0, 1, 0, false},
    VectorFunctionInfo{VectorFunction::silu, "silu", 1, 1, 1, 0, false},
    VectorFunctionInfo{VectorFunction::gelu, "gelu", 1, 4, 1, 0, false},
    VectorFunctionInfo{VectorFunction::equal, "equal", 2, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::not_equal, "not_equal", 2, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::less, "less", 2, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::less_equal, "less_equal", 2, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::select, "select", 3, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::bit_and, "bit_and", 2, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::bit_or, "bit_or", 2, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::bit_xor, "bit_xor", 2, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::fill, "fill", 1, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::iota, "iota", 0, 1, 0, 0, false, 1},
    VectorFunctionInfo{VectorFunction::silu_mul, "silu_mul", 2, 2, 1, 0, false},
    VectorFunctionInfo{VectorFunction::bias_gelu, "bias_gelu", 2, 5, 1, 0, false},
    // square, sum, rsqrt of one value per row, two multiplications
    VectorFunctionInfo{VectorFunction::rmsnorm, "rmsnorm", 2, 3, 0, 1, false, 1},
    // mean, subtract, square, sum, scale, shift
    VectorFunctionInfo{VectorFunction::layernorm, "layernorm", 3, 5, 0, 2, false, 1},
    VectorFunctionInfo{VectorFunction::rope, "rope", 2, 4, 0, 0, false},
    // running max, subtract, exp, running sum
    VectorFunctionInfo{VectorFunction::softmax_step, "softmax_step", 2, 3, 1, 0, false, 1},
    VectorFunctionInfo{VectorFunction::softmax_finish, "softmax_finish", 2, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::rescale_add, "rescale_add", 2, 2, 0, 0, false},
    VectorFunctionInfo{VectorFunction::transpose, "transpose", 1, 0, 0, 0, true},
    VectorFunctionInfo{VectorFunction::rearrange, "rearrange", 1, 1, 0, 0, false},
    VectorFunctionInfo{VectorFunction::reduce_sum, "reduce_sum", 1, 0, 0, 1, false},
    VectorFunctionInfo{VectorFunction::reduce_max, "reduce_max", 1, 0, 0, 1, false},
    VectorFunctionInfo{VectorFunction::reduce_min, "reduce_min", 1, 0, 0, 1, false},
};

[[nodiscard]] constexpr const VectorFunctionInfo& info(VectorFunction function) {
  return kVectorFunctions[static_cast<std::size_t>(function)];
}

[[nodiscard]] constexpr std::optional<VectorFunction> vector_function_named(std::string_view name) {
  for (const VectorFunctionInfo& entry : kVectorFunctions) {
    if (entry.name == name) return entry.function;
  }
  return std::nullopt;
}

/// Reductions to one row or column: they have an axis.
[[nodiscard]] constexpr bool is_reduction(VectorFunction function) {
  return function == VectorFunction::reduce_sum || function == VectorFunction::reduce_max ||
         function == VectorFunction::reduce_min;
}

}  // namespace spyre::models
