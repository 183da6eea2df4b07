// The vector unit's functions and how much work each is per element.
//
// A function's cost is counted in passes over its operand: plain passes (one lane operation),
// transcendental passes, and row reductions (across the lanes of every stick). How long a pass
// takes is the machine's affair.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace spyre::models {

enum class VectorFunction : std::uint8_t {
  copy,
  add,
  sub,
  mul,
  max,
  neg,
  scale,
  exp,
  gelu,
  silu,
  silu_mul,
  bias_gelu,
  rmsnorm,
  layernorm,
  rope,
  softmax_step,
  softmax_finish,
  rescale_add,
  transpose,
  reduce_sum,
  reduce_max,
};

struct VectorFunctionInfo {
  VectorFunction function;
  std::string_view name;
  int sources;  ///< how many operands it reads
  int plain_passes;
  int transcendental_passes;
  int row_reductions;  ///< reductions along the stick dimension
  bool transposes;     ///< goes through the on-chip transpose path instead
};

inline constexpr std::array<VectorFunctionInfo, 21> kVectorFunctions{{
    {VectorFunction::copy, "copy", 1, 1, 0, 0, false},
    {VectorFunction::add, "add", 2, 1, 0, 0, false},
    {VectorFunction::sub, "sub", 2, 1, 0, 0, false},
    {VectorFunction::mul, "mul", 2, 1, 0, 0, false},
    {VectorFunction::max, "max", 2, 1, 0, 0, false},
    {VectorFunction::neg, "neg", 1, 1, 0, 0, false},
    {VectorFunction::scale, "scale", 1, 1, 0, 0, false},
    {VectorFunction::exp, "exp", 1, 0, 1, 0, false},
    {VectorFunction::gelu, "gelu", 1, 4, 1, 0, false},
    {VectorFunction::silu, "silu", 1, 1, 1, 0, false},
    // silu(a) * b, the gate of SwiGLU
    {VectorFunction::silu_mul, "silu_mul", 2, 2, 1, 0, false},
    // gelu(a + b)
    {VectorFunction::bias_gelu, "bias_gelu", 2, 5, 1, 0, false},
    // square, sum, rsqrt of one value per row, two multiplications
    {VectorFunction::rmsnorm, "rmsnorm", 2, 3, 0, 1, false},
    // mean, subtract, square, sum, scale, shift
    {VectorFunction::layernorm, "layernorm", 3, 5, 0, 2, false},
    // x * cos + rotated(x) * sin
    {VectorFunction::rope, "rope", 2, 4, 0, 0, false},
    // online softmax over the rows (keys) of a transposed score tile: running max, subtract, exp,
    // running sum
    {VectorFunction::softmax_step, "softmax_step", 2, 3, 1, 0, false},
    // divide by the running sum
    {VectorFunction::softmax_finish, "softmax_finish", 2, 1, 0, 0, false},
    // destination = destination * correction + source
    {VectorFunction::rescale_add, "rescale_add", 2, 2, 0, 0, false},
    {VectorFunction::transpose, "transpose", 1, 0, 0, 0, true},
    {VectorFunction::reduce_sum, "reduce_sum", 1, 0, 0, 1, false},
    {VectorFunction::reduce_max, "reduce_max", 1, 0, 0, 1, false},
}};

[[nodiscard]] constexpr const VectorFunctionInfo& info(VectorFunction function) {
  return kVectorFunctions[static_cast<std::size_t>(function)];
}

[[nodiscard]] constexpr std::optional<VectorFunction> vector_function_named(std::string_view name) {
  for (const VectorFunctionInfo& entry : kVectorFunctions) {
    if (entry.name == name) return entry.function;
  }
  return std::nullopt;
}

}  // namespace spyre::models
