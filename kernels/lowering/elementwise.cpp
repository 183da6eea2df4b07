// Operations that work element by element: arith, math and spyreop on tensors and on scalars that
// are known at run time only.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/lowering/element_type.h"
#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {
namespace {

const std::map<OpCode, VectorFunction>& functions() {
  static const std::map<OpCode, VectorFunction> table{
      {OpCode::arith_addi, VectorFunction::add},
      {OpCode::arith_subi, VectorFunction::sub},
      {OpCode::arith_muli, VectorFunction::mul},
      {OpCode::arith_andi, VectorFunction::bit_and},
      {OpCode::arith_ori, VectorFunction::bit_or},
      {OpCode::arith_xori, VectorFunction::bit_xor},
      {OpCode::arith_maxsi, VectorFunction::max},
      {OpCode::arith_minsi, VectorFunction::min},
      {OpCode::arith_addf, VectorFunction::add},
      {OpCode::arith_subf, VectorFunction::sub},
      {OpCode::arith_mulf, VectorFunction::mul},
      {OpCode::arith_divf, VectorFunction::div},
      {OpCode::arith_remf, VectorFunction::rem},
      {OpCode::arith_maximumf, VectorFunction::max},
      {OpCode::arith_minimumf, VectorFunction::min},
      {OpCode::arith_maxnumf, VectorFunction::max},
      {OpCode::arith_minnumf, VectorFunction::min},
      {OpCode::arith_negf, VectorFunction::neg},
      {OpCode::math_exp, VectorFunction::exp},
      {OpCode::math_exp2, VectorFunction::exp2},
      {OpCode::math_log, VectorFunction::log},
      {OpCode::math_log2, VectorFunction::log2},
      {OpCode::math_log1p, VectorFunction::log1p},
      {OpCode::math_sqrt, VectorFunction::sqrt},
      {OpCode::math_rsqrt, VectorFunction::rsqrt},
      {OpCode::math_sin, VectorFunction::sin},
      {OpCode::math_cos, VectorFunction::cos},
      {OpCode::math_tanh, VectorFunction::tanh},
      {OpCode::math_erf, VectorFunction::erf},
      {OpCode::math_absf, VectorFunction::abs},
      {OpCode::math_absi, VectorFunction::abs},
      {OpCode::math_ceil, VectorFunction::ceil},
      {OpCode::math_floor, VectorFunction::floor},
      {OpCode::math_powf, VectorFunction::pow},
      {OpCode::math_fma, VectorFunction::fma},
      {OpCode::spyreop_exp, VectorFunction::exp},
      {OpCode::spyreop_sqrt, VectorFunction::sqrt},
      {OpCode::spyreop_reciprocal, VectorFunction::reciprocal},
      {OpCode::spyreop_sigmoid, VectorFunction::sigmoid},
      {OpCode::spyreop_gelu, VectorFunction::gelu},
      {OpCode::spyreop_silu, VectorFunction::silu},
      {OpCode::spyreop_realdiv, VectorFunction::div},
      {OpCode::arith_select, VectorFunction::select},
      {OpCode::linalg_exp, VectorFunction::exp},
      {OpCode::linalg_log, VectorFunction::log},
      {OpCode::linalg_abs, VectorFunction::abs},
      {OpCode::linalg_ceil, VectorFunction::ceil},
      {OpCode::linalg_floor, VectorFunction::floor},
      {OpCode::linalg_negf, VectorFunction::neg},
      {OpCode::linalg_sqrt, VectorFunction::sqrt},
      {OpCode::linalg_rsqrt, VectorFunction::rsqrt},
      {OpCode::linalg_tanh, VectorFunction::tanh},
      {OpCode::linalg_reciprocal, VectorFunction::reciprocal},
      {OpCode::linalg_add, VectorFunction::add},
      {OpCode::linalg_sub, VectorFunction::sub},
      {OpCode::linalg_mul, VectorFunction::mul},
      {OpCode::linalg_max, VectorFunction::max},
      {OpCode::linalg_min, VectorFunction::min},
      {OpCode::linalg_copy, VectorFunction::copy},
  };
  return table;
}

bool is_division(OpCode code) {
  switch (code) {
    case OpCode::arith_divsi:
    case OpCode::arith_divui:
    case OpCode::arith_floordivsi:
    case OpCode::arith_remsi:
    case OpCode::arith_remui:
      return true;
    default:
      return false;
  }
}

ScalarType condition_type() {
  return {ScalarKind::integer, 1};
}

}  // namespace

void Lowerer::lower_elementwise(const Operation& op) {
  const bool integers =
      std::ranges::all_of(op.operands, [this](ValueId id) { return is_integer(id); });
  if (integers && op.results.size() == 1 && type(op.results[0]).is_scalar()) {
    std::vector<Integer> operands;
    for (const ValueId id : op.operands) operands.push_back(integer(id, op));
    if (const auto result = integer_result(op, operands)) return set(op.results[0], *result);
  }
  std::vector<TensorValue> operands = tensors(op.operands, op);
  Shape shape;
  for (const TensorValue& operand : operands) {
    if (!operand.shape.empty()) shape = operand.shape;
  }
  for (TensorValue& operand : operands) {  // scalars beside the elements of a body, conditions
    if (operand.shape.size() == shape.size()) continue;
    operand.shape = shape;
    if (auto* reading = std::get_if<Reading>(&operand.content)) {
      reading->strides.assign(shape.size(), 0);
    }
  }
  set(op.results[0], elementwise(op, std::move(operands)));
}

TensorValue Lowerer::elementwise(const Operation& op, std::vector<TensorValue> operands) {
  const ScalarType element = op.results.empty() ? operands[0].element : type(op.results[0]).element;
  const ktir::OpForm form = op.info->form;
  if (form == ktir::OpForm::compare) return compare(op, std::move(operands));
  if (form == ktir::OpForm::cast) return cast(op, operands[0]);
  if (is_division(op.code())) return integer_division(op, std::move(operands));
  if (op.is(OpCode::linalg_div)) {
    if (!element.is_float()) {
      fail(op, "of integers it is not supported: use arith.divsi or arith.divui");
    }
    return apply(op, VectorFunction::div, std::move(operands), element);
  }
  if (op.is(OpCode::linalg_square)) {
    operands.push_back(operands[0]);
    return apply(op, VectorFunction::mul, std::move(operands), element);
  }
  if (op.is(OpCode::arith_maxui) || op.is(OpCode::arith_minui)) {
    for (const TensorValue& operand : operands) {
      if (operand.range && operand.range->low >= 0) continue;
      fail(op, "its operands may be negative as signed integers: use the signed operation");
    }
    return apply(op, op.is(OpCode::arith_maxui) ? VectorFunction::max : VectorFunction::min,
                 std::move(operands), element);
  }
  const auto found = functions().find(op.code());
  if (found != functions().end()) return apply(op, found->second, std::move(operands), element);
  std::string supported;
  for (const auto& [code, function] : functions()) {
    const ktir::OpInfo& info = ktir::op_info(code);
    if (info.dialect() != op.info->dialect()) continue;
    supported += (supported.empty() ? "" : ", ") + std::string(info.name);
  }
  fail(op, fmt::format("the vector unit has no such function; of '{}' it does {}",
                       op.info->dialect(), supported));
}

/// The ordered and unordered comparisons of the two directions that the vector unit has.
TensorValue Lowerer::compare(const Operation& op, std::vector<TensorValue> operands) {
  std::string predicate = ktir::value_of<ktir::StringValue>(op.attribute("predicate"))->text;
  const ScalarType result = condition_type();
  const auto test = [&](VectorFunction function, std::size_t a, std::size_t b) {
    return apply(op, function, {operands[a], operands[b]}, result);
  };
  const auto inverted = [&](const TensorValue& value) {
    return apply(op, VectorFunction::equal,
                 {value, {result, value.shape, Number{0, {}}, Range{0, 0}, {}}}, result);
  };
  if (op.is(OpCode::arith_cmpi)) {
    if (predicate.size() == 3 && predicate[0] == 'u') {
      for (const TensorValue& operand : operands) {
        if (operand.range && operand.range->low >= 0) continue;
        fail(op, "its operands may be negative as signed integers: use a signed comparison");
      }
    }
    predicate = predicate.size() == 3 ? "o" + predicate.substr(1) : "o" + predicate;
    if (predicate == "one") predicate = "une";
  }
  for (const TensorValue& operand : operands) {  // several steps may read them
    if (operand.reading() != nullptr) pinned_.push_back(operand.reading()->buffer);
  }
  struct Unpin {
    std::vector<BufferId>& pinned;
    std::size_t keep;
    ~Unpin() { pinned.resize(keep); }
  } unpin{pinned_, pinned_.size() -
                       static_cast<std::size_t>(std::ranges::count_if(
                           operands, [](const auto& each) { return each.reading() != nullptr; }))};
  if (predicate == "oeq") return test(VectorFunction::equal, 0, 1);
  if (predicate == "une") return test(VectorFunction::not_equal, 0, 1);
  if (predicate == "olt") return test(VectorFunction::less, 0, 1);
  if (predicate == "ogt") return test(VectorFunction::less, 1, 0);
  if (predicate == "ole") return test(VectorFunction::less_equal, 0, 1);
  if (predicate == "oge") return test(VectorFunction::less_equal, 1, 0);
  if (predicate == "ult") return inverted(test(VectorFunction::less_equal, 1, 0));
  if (predicate == "ugt") return inverted(test(VectorFunction::less_equal, 0, 1));
  if (predicate == "ule") return inverted(test(VectorFunction::less, 1, 0));
  if (predicate == "uge") return inverted(test(VectorFunction::less, 0, 1));
  if (predicate == "false" || predicate == "true") {
    const double value = predicate == "true" ? 1 : 0;
    return {result, operands[0].shape, Number{value, {}}, Range{0, 1}, {}};
  }
  if (predicate == "one" || predicate == "ueq") {
    TensorValue either =
        apply(op, VectorFunction::bit_or,
              {test(VectorFunction::less, 0, 1), test(VectorFunction::less, 1, 0)}, result);
    return predicate == "one" ? either : inverted(either);
  }
  // ord, uno: a NaN is not equal to itself.
  TensorValue ordered =
      apply(op, VectorFunction::bit_and,
            {test(VectorFunction::equal, 0, 0), test(VectorFunction::equal, 1, 1)}, result);
  return predicate == "ord" ? ordered : inverted(ordered);
}

TensorValue Lowerer::cast(const Operation& op, const TensorValue& operand) {
  const ScalarType element = type(op.results[0]).element;
  const bool from_unsigned = op.is(OpCode::arith_uitofp) || op.is(OpCode::arith_extui) ||
                             op.is(OpCode::arith_index_castui);
  if (from_unsigned && !(operand.range && operand.range->low >= 0)) {
    fail(op, "its operand may be negative as a signed integer: use the signed cast");
  }
  if (op.is(OpCode::arith_extsi) && operand.element == condition_type()) {
    const TensorValue zero{element, operand.shape, Number{0, {}}, Range{0, 0}, {}};
    TensorValue wide = apply(op, VectorFunction::copy, {operand}, element);
    return apply(op, VectorFunction::sub, {zero, wide}, element);
  }
  if (op.is(OpCode::arith_trunci)) {
    const std::int64_t half = std::int64_t{1} << (std::min(element.width, 62) - 1);
    if (!operand.range || !operand.range->within(-half, half - 1)) {
      fail(op, "its operand may not fit the narrower type: tiles of integers saturate");
    }
  }
  if (!op.is(OpCode::arith_bitcast)) {
    const Number* number = operand.number();
    const std::int64_t exact = exact_integers(element);
    if (number != nullptr && number->formula &&
        !number->formula->range().within(-exact, exact)) {  // rounded by a tile of the type
      TensorValue rounds = operand;
      rounds.element = element;
      rounds.shape = {};
      TensorValue result = dense(element, {}, filled(op, rounds, {1, 1}));
      result.shape = operand.shape;
      std::get<Reading>(result.content).strides.assign(operand.shape.size(), 0);
      return result;
    }
    if (tile_type_of(operand.element, op) == tile_type_of(element, op)) {
      TensorValue same = operand;
      same.element = element;
      return same;
    }
    return apply(op, VectorFunction::copy, {operand}, element);
  }
  const Number* number = operand.number();
  if (number == nullptr || number->formula) {
    return apply(op, VectorFunction::bitcast, {operand}, element);
  }
  if (operand.element.is_float() || !element.is_float()) {
    TensorValue tile = operand;
    return apply(op, VectorFunction::bitcast, {in_tile(op, tile)}, element);
  }
  const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(number->constant));
  const std::uint64_t mask =
      element.width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << element.width) - 1;
  const double value = ktir::decode_bits(element, bits & mask);
  return {element, operand.shape, Number{value, {}}, {}, {}};
}

TensorValue Lowerer::integer_division(const Operation& op, std::vector<TensorValue> operands) {
  const ScalarType element = type(op.results[0]).element;
  const bool remainder = op.is(OpCode::arith_remsi) || op.is(OpCode::arith_remui);
  const bool rounds_to_zero = op.is(OpCode::arith_divsi) || op.is(OpCode::arith_remsi);
  const bool positive = operands[0].range && operands[1].range && operands[0].range->low >= 0 &&
                        operands[1].range->low > 0;
  if (!rounds_to_zero && !positive) {
    fail(op,
         "it is supported for operands that are known not to be negative; use arith.divsi or "
         "arith.remsi");
  }
  return apply(op, remainder ? VectorFunction::rem : VectorFunction::div, std::move(operands),
               element);
}

}  // namespace spyre::kernels::lowering
