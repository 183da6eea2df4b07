// linalg.reduce, and what other operations need of reductions.
//
// The vector unit reduces the columns of a tile (to one column) or its rows (to one row). Sums are
// formed in fp32 and rounded once, whatever the order of the kernel's own combiner; of the NaN
// rules of maximumf and maxnumf no difference is made.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {
namespace {

constexpr const char* kRecognised =
    "recognised are addf, addi, maximumf, maxnumf, maxsi, minimumf, minnumf, minsi, and cmpf or "
    "cmpi (greater or less) with select";

/// The elementwise function that combines two results of a reduction.
VectorFunction pairwise(VectorFunction reduction) {
  if (reduction == VectorFunction::reduce_max) return VectorFunction::max;
  if (reduction == VectorFunction::reduce_min) return VectorFunction::min;
  return VectorFunction::add;
}

bool is_neutral(VectorFunction reduction, const TensorValue& init) {
  const Number* number = init.number();
  if (number == nullptr || number->formula) return false;
  if (reduction == VectorFunction::reduce_sum) return number->constant == 0;
  const double lowest = init.element.is_float()
                            ? -std::numeric_limits<double>::infinity()
                            : -static_cast<double>(std::int64_t{1} << (init.element.width - 1));
  const double highest =
      init.element.is_float()
          ? std::numeric_limits<double>::infinity()
          : static_cast<double>((std::int64_t{1} << (init.element.width - 1)) - 1);
  return number->constant == (reduction == VectorFunction::reduce_max ? lowest : highest);
}

}  // namespace

std::optional<VectorFunction> Lowerer::combiner(ValueId yielded, ValueId a, ValueId b) const {
  const Operation* last = uses_.definition(yielded);
  if (last == nullptr) return std::nullopt;
  const auto takes_both = [&](ValueId x, ValueId y) {
    return (x == a && y == b) || (x == b && y == a);
  };
  if (last->operands.size() == 2 && takes_both(last->operands[0], last->operands[1])) {
    switch (last->code()) {
      case OpCode::arith_addf:
      case OpCode::arith_addi:
        return VectorFunction::reduce_sum;
      case OpCode::arith_maximumf:
      case OpCode::arith_maxnumf:
      case OpCode::arith_maxsi:
        return VectorFunction::reduce_max;
      case OpCode::arith_minimumf:
      case OpCode::arith_minnumf:
      case OpCode::arith_minsi:
        return VectorFunction::reduce_min;
      default:
        return std::nullopt;
    }
  }
  if (!last->is(OpCode::arith_select)) return std::nullopt;
  const Operation* test = uses_.definition(last->operands[0]);
  if (test == nullptr || (!test->is(OpCode::arith_cmpf) && !test->is(OpCode::arith_cmpi)) ||
      !takes_both(test->operands[0], test->operands[1]) ||
      !takes_both(last->operands[1], last->operands[2])) {
    return std::nullopt;
  }
  const std::string& predicate =
      ktir::value_of<ktir::StringValue>(test->attribute("predicate"))->text;
  if (predicate.size() != 3 || predicate[0] == 'u' || (predicate[1] != 'g' && predicate[1] != 'l'))
    return std::nullopt;
  const bool keeps_first = test->operands[0] == last->operands[1];
  return (predicate[1] == 'g') == keeps_first ? VectorFunction::reduce_max
                                              : VectorFunction::reduce_min;
}

void Lowerer::lower_reduce(const Operation& op) {
  const ktir::Region& region = op.regions[0];
  const std::vector<ValueId>& yielded = region.operations.back().operands;
  const std::vector<std::int64_t> dimensions = *ktir::integers_of(op.attribute("dimensions"));
  const std::size_t count = op.results.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto function = combiner(yielded[i], region.arguments[i], region.arguments[count + i]);
    if (!function) fail(op, fmt::format("its combiner is not recognised: {}", kRecognised));
    target_ = op.results[i];
    set(op.results[i], reduced(op, *function, tensor(op.segment(0)[i], op), dimensions,
                               tensor(op.segment(1)[i], op)));
  }
}

TensorValue Lowerer::reduced(const Operation& op, VectorFunction function, const TensorValue& value,
                             const std::vector<std::int64_t>& dimensions, const TensorValue& init) {
  const auto is_reduced = [&](std::size_t d) {
    return std::ranges::find(dimensions, static_cast<std::int64_t>(d)) != dimensions.end();
  };
  // Kept dimensions first; leading reduced ones may stay where they are.
  TensorValue input = value;
  if (const Number* number = value.number()) {
    input = dense(value.element, value.shape, filled(op, value, usual_geometry(value.shape)));
    static_cast<void>(number);
  }
  const Shape strides = input.reading()->strides;
  Shape kept;
  Shape kept_strides;
  std::vector<std::string> kept_cut;
  Shape order_shape;
  Shape order_strides;
  bool leading = true;  // all reduced dimensions of several elements stand in front
  bool seen_kept = false;
  for (std::size_t d = 0; d < input.shape.size(); ++d) {
    if (is_reduced(d)) {
      if (seen_kept && input.shape[d] > 1) leading = false;
      continue;
    }
    seen_kept = seen_kept || input.shape[d] > 1;
    kept.push_back(input.shape[d]);
    kept_strides.push_back(strides[d]);
    kept_cut.push_back(value.cut.empty() ? "" : value.cut[d]);
  }
  const std::int64_t kept_elements = elements_of(kept);
  const std::int64_t reduced_elements =
      elements_of(input.shape) / std::max<std::int64_t>(kept_elements, 1);
  const bool down = leading && seen_kept;  // down the columns, to one row
  TensorValue ordered = input;
  if (!down) {
    ordered.shape = kept;
    Shape ordered_strides = kept_strides;
    ordered.cut = kept_cut;
    for (std::size_t d = 0; d < input.shape.size(); ++d) {
      if (!is_reduced(d)) continue;
      ordered.shape.push_back(input.shape[d]);
      ordered_strides.push_back(strides[d]);
      ordered.cut.push_back(value.cut.empty() ? "" : value.cut[d]);
    }
    std::get<Reading>(ordered.content).strides = ordered_strides;
    if (value.cut.empty()) ordered.cut.clear();
  }
  const Geometry wanted =
      down ? Geometry{reduced_elements, kept_elements} : Geometry{kept_elements, reduced_elements};
  const LxRectangle from = arranged(op, ordered, wanted);
  const BufferId into = new_buffer(op, tile_type_of(value.element, op),
                                   down ? Geometry{1, kept_elements} : Geometry{kept_elements, 1});
  state_.program.vector(function, state_.program.whole(into), {{from, true, 0, std::nullopt}},
                        down ? 0 : 1);
  TensorValue result = dense(value.element, kept, into);
  if (std::ranges::any_of(kept_cut, [](const std::string& each) { return !each.empty(); })) {
    result.cut = kept_cut;
  }
  if (is_neutral(function, init)) return result;
  return apply(op, pairwise(function), {init, result}, value.element);
}

}  // namespace spyre::kernels::lowering
