#include "models/formats/elementwise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "models/formats/elementary.h"
#include "models/formats/vector_clones.h"

namespace spyre::models {
namespace {

using Wrapping = std::uint32_t;  // sums of int32 without overflow

std::int32_t wrapped(Wrapping value) {
  return static_cast<std::int32_t>(value);
}

template <typename Number>
Number add(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>)
    return wrapped(Wrapping(a) + Wrapping(b));
  else
    return a + b;
}

template <typename Number>
Number subtract(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>)
    return wrapped(Wrapping(a) - Wrapping(b));
  else
    return a - b;
}

template <typename Number>
Number multiply(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>)
    return wrapped(Wrapping(a) * Wrapping(b));
  else
    return a * b;
}

template <typename Number>
Number divide(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>) {
    if (b == 0) return 0;
    if (b == -1) return subtract(0, a);  // the one quotient that could overflow
    return a / b;
  } else {
    return a / b;
  }
}

template <typename Number>
Number remainder(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>)
    return b == 0 || b == -1 ? 0 : a % b;
  else
    return std::fmod(a, b);
}

/// A NaN operand makes the result NaN.
template <typename Number>
Number maximum(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>)
    return std::max(a, b);
  else
    return a > b || a != a ? a : b;
}

template <typename Number>
Number minimum(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>)
    return std::min(a, b);
  else
    return a < b || a != a ? a : b;
}

template <typename Number>
using Column = std::span<const Number>;

/// One row of the result, all operands already as long as it.
template <typename Number, typename Function>
[[gnu::always_inline]] inline void map(std::array<Column<Number>, 4> x, std::span<Number> y,
                                       Function function) {
  const std::size_t n = y.size();
  Number* const __restrict out = y.data();
  const Number* const a = x[0].data();
  const Number* const b = x[1].data();
  const Number* const c = x[2].data();
  if constexpr (std::is_invocable_v<Function, Number>) {
    for (std::size_t i = 0; i < n; ++i) out[i] = function(a[i]);
  } else if constexpr (std::is_invocable_v<Function, Number, Number>) {
    for (std::size_t i = 0; i < n; ++i) out[i] = function(a[i], b[i]);
  } else {
    for (std::size_t i = 0; i < n; ++i) out[i] = function(a[i], b[i], c[i]);
  }
}

template <typename Number>
[[gnu::always_inline]] inline bool apply_common(VectorFunction function,
                                                std::array<Column<Number>, 4> x,
                                                std::span<Number> y) {
  using N = Number;
  switch (function) {
    case VectorFunction::copy:
    case VectorFunction::fill:
      map<N>(x, y, [](N a) { return a; });
      return true;
    case VectorFunction::add:
      map<N>(x, y, [](N a, N b) { return add(a, b); });
      return true;
    case VectorFunction::sub:
      map<N>(x, y, [](N a, N b) { return subtract(a, b); });
      return true;
    case VectorFunction::mul:
      map<N>(x, y, [](N a, N b) { return multiply(a, b); });
      return true;
    case VectorFunction::div:
      map<N>(x, y, [](N a, N b) { return divide(a, b); });
      return true;
    case VectorFunction::rem:
      map<N>(x, y, [](N a, N b) { return remainder(a, b); });
      return true;
    case VectorFunction::max:
      map<N>(x, y, [](N a, N b) { return maximum(a, b); });
      return true;
    case VectorFunction::min:
      map<N>(x, y, [](N a, N b) { return minimum(a, b); });
      return true;
    case VectorFunction::neg:
      map<N>(x, y, [](N a) { return subtract(std::is_integral_v<N> ? N(0) : N(-0.0), a); });
      return true;
    case VectorFunction::abs:
      map<N>(x, y, [](N a) { return a < 0 ? subtract(N(0), a) : a + N(0); });
      return true;
    case VectorFunction::equal:
      map<N>(x, y, [](N a, N b) { return N(a == b); });
      return true;
    case VectorFunction::not_equal:
      map<N>(x, y, [](N a, N b) { return N(a != b); });
      return true;
    case VectorFunction::less:
      map<N>(x, y, [](N a, N b) { return N(a < b); });
      return true;
    case VectorFunction::less_equal:
      map<N>(x, y, [](N a, N b) { return N(a <= b); });
      return true;
    case VectorFunction::select:
      map<N>(x, y, [](N a, N b, N c) { return a != N(0) ? b : c; });
      return true;
    default:
      return false;
  }
}

SPYRE_VECTOR_CLONES void apply_row(VectorFunction function, std::array<Column<float>, 4> x,
                                   std::span<float> y) {
  if (apply_common<float>(function, x, y)) return;
  switch (function) {
    case VectorFunction::fma:
      return map<float>(x, y, [](float a, float b, float c) { return std::fma(a, b, c); });
    case VectorFunction::pow:
      return map<float>(x, y, [](float a, float b) {
        return static_cast<float>(std::pow(double{a}, double{b}));
      });
    case VectorFunction::floor:
      return map<float>(x, y, [](float a) { return std::floor(a); });
    case VectorFunction::ceil:
      return map<float>(x, y, [](float a) { return std::ceil(a); });
    case VectorFunction::sqrt:
      return map<float>(x, y, [](float a) { return std::sqrt(a); });
    case VectorFunction::rsqrt:
      return map<float>(x, y,
                        [](float a) { return static_cast<float>(1.0 / std::sqrt(double{a})); });
    case VectorFunction::reciprocal:
      return map<float>(x, y, [](float a) { return 1.0F / a; });
    case VectorFunction::exp:
      return map<float>(x, y, [](float a) { return elementary::exp(a); });
    case VectorFunction::exp2:
      return map<float>(x, y, [](float a) { return static_cast<float>(std::exp2(double{a})); });
    case VectorFunction::log:
      return map<float>(x, y, [](float a) { return static_cast<float>(std::log(double{a})); });
    case VectorFunction::log2:
      return map<float>(x, y, [](float a) { return static_cast<float>(std::log2(double{a})); });
    case VectorFunction::log1p:
      return map<float>(x, y, [](float a) { return static_cast<float>(std::log1p(double{a})); });
    case VectorFunction::sin:
      return map<float>(x, y, [](float a) { return static_cast<float>(std::sin(double{a})); });
    case VectorFunction::cos:
      return map<float>(x, y, [](float a) { return static_cast<float>(std::cos(double{a})); });
    case VectorFunction::tanh:
      return map<float>(x, y, [](float a) { return elementary::tanh(a); });
    case VectorFunction::erf:
      return map<float>(x, y, [](float a) { return static_cast<float>(std::erf(double{a})); });
    case VectorFunction::sigmoid:
      return map<float>(x, y, [](float a) { return elementary::sigmoid(a); });
    case VectorFunction::silu:
      return map<float>(x, y, [](float a) { return elementary::silu(a); });
    case VectorFunction::gelu:
      return map<float>(x, y, [](float a) { return elementary::gelu_tanh(a); });
    case VectorFunction::silu_mul:
      return map<float>(x, y, [](float a, float b) { return elementary::silu(a) * b; });
    case VectorFunction::bias_gelu:
      return map<float>(x, y, [](float a, float b) { return elementary::gelu_tanh(a + b); });
    default:
      throw std::invalid_argument(std::string(info(function).name) + " is not elementwise");
  }
}

SPYRE_VECTOR_CLONES void apply_row(VectorFunction function, std::array<Column<std::int32_t>, 4> x,
                                   std::span<std::int32_t> y) {
  using N = std::int32_t;
  if (apply_common<N>(function, x, y)) return;
  switch (function) {
    case VectorFunction::bit_and:
      return map<N>(x, y, [](N a, N b) { return a & b; });
    case VectorFunction::bit_or:
      return map<N>(x, y, [](N a, N b) { return a | b; });
    case VectorFunction::bit_xor:
      return map<N>(x, y, [](N a, N b) { return a ^ b; });
    default:
      throw std::invalid_argument(std::string(info(function).name) +
                                  " is not a function of integers");
  }
}

template <typename Number>
void apply_rows(VectorFunction function, const Operands<Number>& operands, std::size_t columns,
                std::span<Number> result) {
  if (columns == 0 || result.empty()) return;
  // Operands as large as the result need no row by row treatment.
  const bool whole = std::all_of(operands.begin(), operands.end(), [&](const auto& operand) {
    return operand.values.empty() || operand.values.size() == result.size();
  });
  std::array<Column<Number>, 4> x;
  if (whole) {
    for (std::size_t i = 0; i < operands.size(); ++i) x[i] = operands[i].values;
    return apply_row(function, x, result);
  }
  std::array<std::vector<Number>, 4> repeated;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].columns == 1 && columns > 1) repeated[i].resize(columns);
  }
  for (std::size_t row = 0; row * columns < result.size(); ++row) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Repeated<Number>& operand = operands[i];
      if (operand.values.empty()) continue;
      const std::size_t first = operand.rows == 1 ? 0 : row * operand.columns;
      if (repeated[i].empty()) {
        x[i] = operand.values.subspan(first, columns);
      } else {
        std::fill(repeated[i].begin(), repeated[i].end(), operand.values[first]);
        x[i] = repeated[i];
      }
    }
    apply_row(function, x, result.subspan(row * columns, columns));
  }
}

}  // namespace

bool is_elementwise(VectorFunction function) {
  switch (function) {
    case VectorFunction::bitcast:
    case VectorFunction::iota:
    case VectorFunction::rmsnorm:
    case VectorFunction::layernorm:
    case VectorFunction::rope:
    case VectorFunction::softmax_step:
    case VectorFunction::softmax_finish:
    case VectorFunction::rescale_add:
    case VectorFunction::transpose:
    case VectorFunction::rearrange:
    case VectorFunction::reduce_sum:
    case VectorFunction::reduce_max:
    case VectorFunction::reduce_min:
      return false;
    default:
      return true;
  }
}

void apply_elementwise(VectorFunction function, const Operands<float>& operands,
                       std::size_t columns, std::span<float> result) {
  apply_rows(function, operands, columns, result);
}

void apply_elementwise(VectorFunction function, const Operands<std::int32_t>& operands,
                       std::size_t columns, std::span<std::int32_t> result) {
  apply_rows(function, operands, columns, result);
}

}  // namespace spyre::models
