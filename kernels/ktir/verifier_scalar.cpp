#include <fmt/format.h>

#include "kernels/ktir/verifier_state.h"

namespace spyre::kernels::ktir {
namespace {

bool is_value_type(const Type& type) {
  return type.is_scalar() || type.is_tensor();
}

bool is_condition(const ScalarType& type) {
  return type == ScalarType{ScalarKind::integer, 1};
}

/// Integers in the sense of arith: iN and index. siN and uiN lie in memory and are accepted too.
bool is_whole(const ScalarType& type) {
  return !type.is_float();
}

/// Empty if the cast is allowed, else what it needs.
std::string_view cast_needs(OpCode code, const ScalarType& from, const ScalarType& to) {
  switch (code) {
    case OpCode::arith_index_cast:
    case OpCode::arith_index_castui: {
      const bool one = (from.kind == ScalarKind::index) != (to.kind == ScalarKind::index);
      return one && is_whole(from) && is_whole(to) ? "" : "index on one side and iN on the other";
    }
    case OpCode::arith_extf:
      return from.is_float() && to.is_float() && from.width < to.width ? "" : "a wider float";
    case OpCode::arith_truncf:
      return from.is_float() && to.is_float() && from.width > to.width ? "" : "a narrower float";
    case OpCode::arith_sitofp:
    case OpCode::arith_uitofp:
      return from.is_integer() && to.is_float() ? "" : "an integer (iN) and a float";
    case OpCode::arith_fptosi:
    case OpCode::arith_fptoui:
      return from.is_float() && to.is_integer() ? "" : "a float and an integer (iN)";
    case OpCode::arith_extsi:
    case OpCode::arith_extui:
      return from.is_integer() && to.is_integer() && from.width < to.width ? "" : "a wider integer";
    case OpCode::arith_trunci:
      return from.is_integer() && to.is_integer() && from.width > to.width ? ""
                                                                           : "a narrower integer";
    case OpCode::arith_bitcast:
      return from.width == to.width ? "" : "types of one width";
    default:
      return from == to ? "" : "one element type";
  }
}

}  // namespace

void FunctionVerifier::check_elementwise(const Operation& op) {
  if (!has_counts(op, op.info->operands, 1)) return;
  const Type& wanted = result(op);
  if (!is_value_type(wanted)) {
    return error(op, fmt::format("it works on scalars and tensors, not on {}", to_string(wanted)));
  }
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    if (!same(op, operand(op, i), wanted, fmt::format("operand {}", i))) return;
  }
  const bool floating = wanted.element.is_float();
  if (op.info->elements == ElementClass::floating && !floating) {
    error(op, fmt::format("its elements are floats, not {}", to_string(wanted.element)));
  } else if (op.info->elements == ElementClass::integer && floating) {
    error(op, fmt::format("its elements are integers or index, not {}", to_string(wanted.element)));
  }
}

void FunctionVerifier::check_compare(const Operation& op) {
  if (!has_counts(op, 2, 1)) return;
  const Type& type = operand(op, 0);
  if (!is_value_type(type)) {
    return error(op, fmt::format("it works on scalars and tensors, not on {}", to_string(type)));
  }
  if (value_of<StringValue>(op.attribute("predicate")) == nullptr) {
    return error(op, "the attribute 'predicate' must name a comparison");
  }
  if (!same(op, operand(op, 1), type, "operand 1")) return;
  Type wanted = type;
  wanted.element = {ScalarKind::integer, 1};
  if (!same(op, result(op), wanted, "the result")) return;
  if (type.element.is_float() != (op.info->elements == ElementClass::floating)) {
    error(op, fmt::format("it does not compare {}", to_string(type.element)));
  }
}

void FunctionVerifier::check_cast(const Operation& op) {
  if (!has_counts(op, 1, 1)) return;
  const Type& from = operand(op, 0);
  const Type& to = result(op);
  const bool shaped_cast = op.is(OpCode::tensor_cast) || op.is(OpCode::memref_cast);
  const bool right_kind = op.is(OpCode::memref_cast) ? from.kind == TypeKind::memref
                          : shaped_cast              ? from.is_tensor()
                                                     : is_value_type(from);
  if (!right_kind || from.kind != to.kind) {
    return error(op, fmt::format("it cannot turn {} into {}", to_string(from), to_string(to)));
  }
  if (shaped_cast ? !shapes_agree(from.shape, to.shape) : from.shape != to.shape) {
    return error(op, fmt::format("the shapes of {} and {} differ", to_string(from), to_string(to)));
  }
  const std::string_view needs = cast_needs(op.code(), from.element, to.element);
  if (!needs.empty()) {
    error(op, fmt::format("from {} to {}: it needs {}", to_string(from.element),
                          to_string(to.element), needs));
  }
}

void FunctionVerifier::check_constant(const Operation& op) {
  if (!has_counts(op, 0, 1)) return;
  const AttributePtr value = op.attribute("value");
  Type held;
  if (const auto* dense = value_of<DenseValue>(value)) {
    held = dense->type;
  } else if (const auto* integer = value_of<IntegerValue>(value)) {
    held = Type::scalar(integer->type.value_or(ScalarType{ScalarKind::integer, 64}));
  } else if (const auto* real = value_of<RealValue>(value)) {
    held = Type::scalar(real->type.value_or(ScalarType{ScalarKind::f64, 64}));
  } else if (value_of<bool>(value) != nullptr) {
    held = Type::scalar({ScalarKind::integer, 1});
  } else {
    return error(op, "the attribute 'value' must be a number or dense<...>");
  }
  same(op, result(op), held, "the result");
}

void FunctionVerifier::check_select(const Operation& op) {
  if (!has_counts(op, 3, 1)) return;
  const Type& condition = operand(op, 0);
  if (!is_value_type(condition) || !is_condition(condition.element) ||
      (condition.is_tensor() && condition.shape != result(op).shape)) {
    error(op,
          fmt::format("the condition is {}: it must be i1, or a tensor of i1 of the result's shape",
                      to_string(condition)));
  }
  same(op, operand(op, 1), result(op), "operand 1");
  same(op, operand(op, 2), result(op), "operand 2");
}

void FunctionVerifier::check_for(const Operation& op) {
  const std::span<const ValueId> bounds = op.segment(0);
  const std::span<const ValueId> initial = op.segment(1);
  if (bounds.size() != 3 || op.regions.size() != 1) {
    return error(op, "it takes a lower bound, an upper bound and a step, and has one region");
  }
  const Type& counter = type(bounds[0]);
  if (!counter.is_scalar() || counter.element.is_float()) {
    return error(op, fmt::format("the bounds are {}: index or iN", to_string(counter)));
  }
  for (const ValueId bound : bounds) {
    if (!same(op, type(bound), counter, shown(bound))) return;
  }
  if (const std::optional<std::int64_t> step = constants_->value(bounds[2]); step && *step <= 0) {
    error(op, fmt::format("the step is {}: it must be positive", *step));
  }
  if (!has_results(op, initial.size())) return;
  std::vector<Type> carried;
  for (std::size_t i = 0; i < initial.size(); ++i) {
    if (!same(op, type(initial[i]), result(op, i), fmt::format("carried value {}", i))) return;
    carried.push_back(result(op, i));
  }
  yields_are(op, op.regions[0], carried);
  carried.insert(carried.begin(), counter);
  arguments_are(op, op.regions[0], carried);
}

void FunctionVerifier::check_if(const Operation& op) {
  if (op.operands.size() != 1 || op.regions.empty() || op.regions.size() > 2) {
    return error(op, "it takes one condition and has one or two regions");
  }
  same(op, operand(op, 0), Type::scalar({ScalarKind::integer, 1}), "the condition");
  if (!op.results.empty() && op.regions.size() != 2) {
    return error(op, "it has results, so it needs an 'else'");
  }
  std::vector<Type> results;
  for (const ValueId id : op.results) results.push_back(type(id));
  for (const Region& region : op.regions) {
    if (arguments_are(op, region, {})) yields_are(op, region, results);
  }
}

}  // namespace spyre::kernels::ktir
