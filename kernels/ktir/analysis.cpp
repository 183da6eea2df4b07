#include "kernels/ktir/analysis.h"

#include <algorithm>
#include <limits>

namespace spyre::kernels::ktir {
namespace {

using Folded = std::optional<std::int64_t>;

Folded divide(OpCode code, std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  if (b == 0 || (a == kLowest && b == -1)) return std::nullopt;
  const bool is_unsigned =
      code == OpCode::arith_divui || code == OpCode::arith_ceildivui || code == OpCode::arith_remui;
  if (is_unsigned && (a < 0 || b < 0)) return std::nullopt;
  const bool inexact = a % b != 0;
  const bool negative = (a < 0) != (b < 0);
  switch (code) {
    case OpCode::arith_remsi:
    case OpCode::arith_remui:
      return a % b;
    case OpCode::arith_ceildivsi:
    case OpCode::arith_ceildivui:
      return a / b + (inexact && !negative ? 1 : 0);
    case OpCode::arith_floordivsi:
      return a / b - (inexact && negative ? 1 : 0);
    default:
      return a / b;
  }
}

Folded binary(OpCode code, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (code) {
    case OpCode::arith_addi:
      return __builtin_add_overflow(a, b, &result) ? Folded() : Folded(result);
    case OpCode::arith_subi:
      return __builtin_sub_overflow(a, b, &result) ? Folded() : Folded(result);
    case OpCode::arith_muli:
      return __builtin_mul_overflow(a, b, &result) ? Folded() : Folded(result);
    case OpCode::arith_divsi:
    case OpCode::arith_divui:
    case OpCode::arith_ceildivsi:
    case OpCode::arith_ceildivui:
    case OpCode::arith_floordivsi:
    case OpCode::arith_remsi:
    case OpCode::arith_remui:
      return divide(code, a, b);
    case OpCode::arith_minsi:
      return std::min(a, b);
    case OpCode::arith_maxsi:
      return std::max(a, b);
    case OpCode::arith_andi:
      return a & b;
    case OpCode::arith_ori:
      return a | b;
    default:
      return std::nullopt;
  }
}

/// Values outside the range of a signed integer of that width wrap at run time: not folded.
bool fits(std::int64_t value, const ScalarType& type) {
  if (type.width >= 64) return true;
  const std::int64_t half = std::int64_t{1} << (type.width - 1);
  return value >= -half && value < half;
}

}  // namespace

DefUse::DefUse(const Function& function)
    : definitions_(function.values.size()), uses_(function.values.size()) {
  visit(function.body);
}

void DefUse::visit(const Region& region) {
  for (const Operation& op : region.operations) {
    for (const ValueId result : op.results) definitions_[result] = &op;
    for (std::size_t i = 0; i < op.operands.size(); ++i) uses_[op.operands[i]].push_back({&op, i});
    for (const Region& inner : op.regions) visit(inner);
  }
}

Constants::Constants(const Function& function)
    : function_(function), values_(function.values.size()) {
  visit(function.body);
}

std::optional<std::vector<std::int64_t>> Constants::values(std::span<const ValueId> ids) const {
  std::vector<std::int64_t> known;
  for (const ValueId id : ids) {
    if (!values_[id]) return std::nullopt;
    known.push_back(*values_[id]);
  }
  return known;
}

void Constants::visit(const Region& region) {
  for (const Operation& op : region.operations) {
    fold(op);
    for (const Region& inner : op.regions) visit(inner);
  }
}

void Constants::fold(const Operation& op) {
  if (op.is(OpCode::ktdp_get_compute_tile_id) && function_.core_count() == 1) {
    for (const ValueId result : op.results) values_[result] = 0;
  }
  if (op.results.size() != 1 || !function_.type(op.results[0]).is_scalar()) return;
  const ScalarType& type = function_.type(op.results[0]).element;
  if (type.is_float()) return;
  Folded folded;
  if (op.is(OpCode::arith_constant)) {
    if (const auto* integer = value_of<IntegerValue>(op.attribute("value")))
      folded = integer->value;
  } else if (op.is(OpCode::arith_index_cast) && op.operands.size() == 1) {
    folded = values_[op.operands[0]];
  } else if (op.operands.size() == 2 && values_[op.operands[0]] && values_[op.operands[1]]) {
    folded = binary(op.code(), *values_[op.operands[0]], *values_[op.operands[1]]);
  }
  if (folded && fits(*folded, type)) values_[op.results[0]] = folded;
}

std::optional<std::int64_t> LoopBounds::trip_count() const {
  if (!lower || !upper || !step || *step <= 0) return std::nullopt;
  if (*upper <= *lower) return 0;
  std::int64_t span = 0;
  if (__builtin_sub_overflow(*upper, *lower, &span)) return std::nullopt;
  return ceil_divide(span, *step);
}

LoopBounds loop_bounds(const Operation& loop, const Constants& constants) {
  const std::span<const ValueId> bounds = loop.segment(0);
  return {constants.value(bounds[0]), constants.value(bounds[1]), constants.value(bounds[2])};
}

}  // namespace spyre::kernels::ktir
