#include "kernels/ktir/scalar_evaluator.h"

#include <algorithm>
#include <limits>

namespace spyre::kernels::ktir {
namespace {

using Evaluated = std::optional<std::int64_t>;

std::uint64_t bits_of(std::int64_t value, const ScalarType& type) {
  const auto bits = static_cast<std::uint64_t>(value);
  return type.width >= 64 ? bits : bits & ((std::uint64_t{1} << type.width) - 1);
}

Evaluated divide_signed(OpCode code, std::int64_t a, std::int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
  const bool inexact = a % b != 0;
  const bool negative = (a < 0) != (b < 0);
  switch (code) {
    case OpCode::arith_remsi:
      return a % b;
    case OpCode::arith_ceildivsi:
      return a / b + (inexact && !negative ? 1 : 0);
    case OpCode::arith_floordivsi:
      return a / b - (inexact && negative ? 1 : 0);
    default:
      return a / b;
  }
}

Evaluated divide_unsigned(OpCode code, std::uint64_t a, std::uint64_t b) {
  if (b == 0) return std::nullopt;
  const std::uint64_t quotient = a / b;
  const std::uint64_t remainder = a % b;
  if (code == OpCode::arith_remui) return static_cast<std::int64_t>(remainder);
  const bool up = code == OpCode::arith_ceildivui && remainder != 0;
  return static_cast<std::int64_t>(quotient + (up ? 1 : 0));
}

Evaluated shift(OpCode code, std::int64_t value, std::int64_t by, const ScalarType& type) {
  if (by < 0 || by >= std::min(type.width, 64)) return std::nullopt;
  if (code == OpCode::arith_shrsi) return value >> by;
  const std::uint64_t bits = bits_of(value, type);
  return static_cast<std::int64_t>(code == OpCode::arith_shli ? bits << by : bits >> by);
}

Evaluated compare(std::string_view predicate, std::int64_t a, std::int64_t b,
                  const ScalarType& type) {
  if (predicate == "eq") return a == b ? 1 : 0;
  if (predicate == "ne") return a != b ? 1 : 0;
  const bool is_unsigned = predicate.front() == 'u';
  const bool less = is_unsigned ? bits_of(a, type) < bits_of(b, type) : a < b;
  const std::string_view relation = predicate.substr(1);
  if (relation == "lt") return less ? 1 : 0;
  if (relation == "le") return less || a == b ? 1 : 0;
  if (relation == "gt") return less || a == b ? 0 : 1;
  return less ? 0 : 1;
}

/// Sums and products wrap: they are formed without a sign, which does not overflow.
Evaluated binary(OpCode code, std::int64_t a, std::int64_t b, const ScalarType& type) {
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  const bool a_below_b = bits_of(a, type) < bits_of(b, type);
  switch (code) {
    case OpCode::arith_addi:
      return static_cast<std::int64_t>(ua + ub);
    case OpCode::arith_subi:
      return static_cast<std::int64_t>(ua - ub);
    case OpCode::arith_muli:
      return static_cast<std::int64_t>(ua * ub);
    case OpCode::arith_divsi:
    case OpCode::arith_ceildivsi:
    case OpCode::arith_floordivsi:
    case OpCode::arith_remsi:
      return divide_signed(code, a, b);
    case OpCode::arith_divui:
    case OpCode::arith_ceildivui:
    case OpCode::arith_remui:
      return divide_unsigned(code, bits_of(a, type), bits_of(b, type));
    case OpCode::arith_andi:
      return a & b;
    case OpCode::arith_ori:
      return a | b;
    case OpCode::arith_xori:
      return a ^ b;
    case OpCode::arith_shli:
    case OpCode::arith_shrsi:
    case OpCode::arith_shrui:
      return shift(code, a, b, type);
    case OpCode::arith_maxsi:
      return std::max(a, b);
    case OpCode::arith_minsi:
      return std::min(a, b);
    case OpCode::arith_maxui:
      return a_below_b ? b : a;
    case OpCode::arith_minui:
      return a_below_b ? a : b;
    default:
      return std::nullopt;
  }
}

Evaluated unary(OpCode code, std::int64_t value, const ScalarType& from) {
  switch (code) {
    case OpCode::arith_trunci:
    case OpCode::arith_bitcast:
      return value;
    case OpCode::arith_index_cast:
    case OpCode::arith_extsi:  // of i1 the one bit is the sign
      return from.width == 1 ? -value : value;
    case OpCode::arith_index_castui:
    case OpCode::arith_extui:
      return static_cast<std::int64_t>(bits_of(value, from));
    case OpCode::math_absi:
      return value < 0 ? static_cast<std::int64_t>(-static_cast<std::uint64_t>(value)) : value;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::int64_t wrapped(std::int64_t value, const ScalarType& type) {
  if (type.width >= 64) return value;
  const std::uint64_t bits = bits_of(value, type);
  const bool has_sign = type.kind != ScalarKind::unsigned_integer && type.width > 1;
  const std::uint64_t sign = std::uint64_t{1} << (type.width - 1);
  return static_cast<std::int64_t>(has_sign ? (bits ^ sign) - sign : bits);
}

std::optional<std::int64_t> evaluate_integer(const Operation& op,
                                             std::span<const std::int64_t> operands,
                                             const ScalarType& from, const ScalarType& to) {
  if (from.is_float() || to.is_float()) return std::nullopt;
  Evaluated value;
  if (op.is(OpCode::arith_cmpi) && operands.size() == 2) {
    const auto* predicate = value_of<StringValue>(op.attribute("predicate"));
    if (predicate != nullptr && !predicate->text.empty()) {
      value = compare(predicate->text, operands[0], operands[1], from);
    }
  } else if (operands.size() == 2) {
    value = binary(op.code(), operands[0], operands[1], from);
  } else if (operands.size() == 1) {
    value = unary(op.code(), operands[0], from);
  }
  return value ? Evaluated(wrapped(*value, to)) : std::nullopt;
}

}  // namespace spyre::kernels::ktir
