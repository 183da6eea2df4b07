// Integer operations on formulas over tile ids and loop variables.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/ktir/scalar_evaluator.h"
#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {
namespace {

Range range_of(const ScalarType& type) {
  if (type.width >= 63) return kAnywhere;
  const std::int64_t half = std::int64_t{1} << (type.width - 1);
  if (type.width == 1) return {0, 1};
  if (type.kind == ScalarKind::unsigned_integer) return {0, 2 * half - 1};
  return {-half, half - 1};
}

bool is_condition(const ScalarType& type) {
  return type.is_integer() && type.width == 1;
}

}  // namespace

void Lowerer::require_not_negative(const Operation& op, const Integer& value) const {
  if (value.range().low >= 0) return;
  fail(op, fmt::format("{} may be negative here, and then an unsigned operation takes it for a "
                       "large number: use the signed one",
                       value.text()));
}

/// Division that rounds towards zero, as arith.divsi does.
Integer Lowerer::quotient(const Operation& op, const Integer& a, const Integer& b) const {
  if (b.range().low <= 0) {
    fail(op, fmt::format("the divisor {} is not known to be positive", b.text()));
  }
  if (a.range().low >= 0) return floor_divide(a, b);
  return floor_divide(maximum(a, 0), b) - floor_divide(maximum(Integer(0) - a, 0), b);
}

Integer Lowerer::integer_binary(const Operation& op, const Integer& a, const Integer& b) const {
  const bool condition = is_condition(type(op.operands[0]).element);
  switch (op.code()) {
    case OpCode::arith_addi:
      return a + b;
    case OpCode::arith_subi:
      return a - b;
    case OpCode::arith_muli:
      return a * b;
    case OpCode::arith_divui:
    case OpCode::arith_remui:
    case OpCode::arith_ceildivui:
      require_not_negative(op, a);
      [[fallthrough]];
    case OpCode::arith_divsi:
    case OpCode::arith_remsi:
    case OpCode::arith_ceildivsi:
    case OpCode::arith_floordivsi: {
      const Integer whole = quotient(op, a, b);
      if (op.is(OpCode::arith_divui) || op.is(OpCode::arith_divsi)) return whole;
      if (op.is(OpCode::arith_floordivsi)) return floor_divide(a, b);
      if (op.is(OpCode::arith_remui) || op.is(OpCode::arith_remsi)) {
        return a.range().low >= 0 ? modulo(a, b) : a - b * whole;
      }
      return Integer(0) - floor_divide(Integer(0) - a, b);
    }
    case OpCode::arith_andi:
      if (condition) return both(a, b);
      if (b.is_constant() && b.constant() >= 0 && ((b.constant() + 1) & b.constant()) == 0) {
        return modulo(a, b.constant() + 1);
      }
      break;
    case OpCode::arith_ori:
      if (condition) return either(a, b);
      break;
    case OpCode::arith_xori:
      if (condition) return a + b - Integer(2) * both(a, b);
      break;
    case OpCode::arith_shli:
      if (b.is_constant() && b.range().within(0, 30)) {
        return a * (std::int64_t{1} << b.constant());
      }
      break;
    case OpCode::arith_shrui:
      require_not_negative(op, a);
      [[fallthrough]];
    case OpCode::arith_shrsi:
      if (b.is_constant() && b.range().within(0, 30)) {
        return floor_divide(a, std::int64_t{1} << b.constant());
      }
      break;
    case OpCode::arith_maxui:
    case OpCode::arith_minui:
      require_not_negative(op, a);
      require_not_negative(op, b);
      return op.is(OpCode::arith_maxui) ? maximum(a, b) : minimum(a, b);
    case OpCode::arith_maxsi:
      return maximum(a, b);
    case OpCode::arith_minsi:
      return minimum(a, b);
    default:
      break;
  }
  fail(op, fmt::format("{} of {} and {} is no formula of tile ids and loop variables that a "
                       "schedule can hold",
                       op.info->name, a.text(), b.text()));
}

Integer Lowerer::integer_compare(const Operation& op, const Integer& a, const Integer& b) const {
  const std::string& predicate = ktir::value_of<ktir::StringValue>(op.attribute("predicate"))->text;
  if (predicate == "eq") return equal(a, b);
  if (predicate == "ne") return negation(equal(a, b));
  if (predicate.front() == 'u') {
    require_not_negative(op, a);
    require_not_negative(op, b);
  }
  const std::string_view relation = std::string_view(predicate).substr(1);
  if (relation == "lt") return less(a, b);
  if (relation == "gt") return less(b, a);
  if (relation == "le") return less(a, b + 1);
  return less(b, a + 1);
}

/// The larger or smaller of two where the condition compares just them.
Integer Lowerer::integer_select(const Operation& op, const Integer& condition, const Integer& a,
                                const Integer& b) const {
  if (condition.is_constant()) return condition.constant() != 0 ? a : b;
  const Operation* comparison = uses_.definition(op.operands[0]);
  if (comparison != nullptr && comparison->is(OpCode::arith_cmpi)) {
    const std::string_view predicate =
        ktir::value_of<ktir::StringValue>(comparison->attribute("predicate"))->text;
    const bool same =
        comparison->operands[0] == op.operands[1] && comparison->operands[1] == op.operands[2];
    const bool swapped =
        comparison->operands[0] == op.operands[2] && comparison->operands[1] == op.operands[1];
    if ((same || swapped) && predicate.size() == 3) {
      const bool smaller_first = predicate[1] == 'l';
      return smaller_first == same ? minimum(a, b) : maximum(a, b);
    }
  }
  return b + condition * (a - b);
}

std::optional<Integer> Lowerer::integer_result(const Operation& op,
                                               const std::vector<Integer>& operands) const {
  if (op.results.size() != 1) return std::nullopt;
  const ScalarType to = type(op.results[0]).element;
  const ScalarType from = type(op.operands[0]).element;
  if (to.is_float() || from.is_float()) return std::nullopt;
  if (op.is(OpCode::arith_select)) {
    return integer_select(op, operands[0], operands[1], operands[2]);
  }
  const bool constant =
      std::ranges::all_of(operands, [](const Integer& each) { return each.is_constant(); });
  if (constant) {
    std::vector<std::int64_t> numbers;
    for (const Integer& each : operands) numbers.push_back(each.constant());
    const auto value = ktir::evaluate_integer(op, numbers, from, to);
    if (!value) fail(op, "there is no result: it divides by zero, or shifts too far");
    return Integer(*value);
  }
  Integer result;
  if (op.is(OpCode::arith_cmpi)) {
    result = integer_compare(op, operands[0], operands[1]);
  } else if (operands.size() == 2) {
    result = integer_binary(op, operands[0], operands[1]);
  } else if (op.is(OpCode::math_absi)) {
    result = maximum(operands[0], Integer(0) - operands[0]);
  } else {
    result = operands[0];
    if (op.is(OpCode::arith_extui) || op.is(OpCode::arith_index_castui)) {
      require_not_negative(op, result);
    }
    if (op.is(OpCode::arith_extsi) && is_condition(from)) result = Integer(0) - result;
  }
  const Range limits = range_of(to);
  if (!result.range().within(limits.low, limits.high)) {
    fail(op, fmt::format("{} may leave the range of {} and wrap around", result.text(),
                         ktir::to_string(to)));
  }
  return result;
}

std::optional<Integer> Lowerer::evaluate(const ktir::AffineExpr& expression,
                                         std::span<const Integer> dimensions,
                                         std::span<const Integer> symbols) {
  std::vector<Integer> values;
  for (const ktir::AffineNode& node : expression.nodes()) {
    const auto left = [&]() -> const Integer& { return values[node.left]; };
    const auto right = [&]() -> const Integer& { return values[node.right]; };
    const bool divides = node.kind == ktir::AffineKind::floor_divide ||
                         node.kind == ktir::AffineKind::ceil_divide ||
                         node.kind == ktir::AffineKind::modulo;
    if (divides && right().range().low <= 0) return std::nullopt;
    switch (node.kind) {
      case ktir::AffineKind::constant:
        values.emplace_back(node.value);
        break;
      case ktir::AffineKind::dimension:
        values.push_back(dimensions[static_cast<std::size_t>(node.value)]);
        break;
      case ktir::AffineKind::symbol:
        values.push_back(symbols[static_cast<std::size_t>(node.value)]);
        break;
      case ktir::AffineKind::negate:
        values.push_back(Integer(0) - left());
        break;
      case ktir::AffineKind::add:
        values.push_back(left() + right());
        break;
      case ktir::AffineKind::subtract:
        values.push_back(left() - right());
        break;
      case ktir::AffineKind::multiply:
        values.push_back(left() * right());
        break;
      case ktir::AffineKind::floor_divide:
        values.push_back(floor_divide(left(), right()));
        break;
      case ktir::AffineKind::ceil_divide:
        values.push_back(Integer(0) - floor_divide(Integer(0) - left(), right()));
        break;
      case ktir::AffineKind::modulo:
        values.push_back(modulo(left(), right()));
        break;
    }
  }
  return values.back();
}

}  // namespace spyre::kernels::lowering
