// linalg operations with a body, and tensor.generate: the body's scalar operations become
// operations over all iterations at once.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {

void Lowerer::lower_linalg(const Operation& op) {
  if (op.is(OpCode::linalg_fill)) return lower_fill(op);
  if (op.is(OpCode::linalg_matmul) || op.is(OpCode::linalg_batch_matmul)) return lower_matmul(op);
  set(op.results[0], elementwise(op, tensors(op.segment(0), op)));
}

/// An operand as every iteration sees it.
TensorValue Lowerer::over_iterations(const Operation& op, const TensorValue& value,
                                     const ktir::AffineMap& map, const Shape& loops) {
  TensorValue result = value;
  result.shape = loops;
  result.cut.clear();
  const Reading* reading = value.reading();
  if (reading == nullptr) return result;
  Reading seen{reading->buffer, Shape(loops.size(), 0), reading->offset};
  if (!value.cut.empty()) result.cut.assign(loops.size(), "");
  for (std::size_t r = 0; r < map.results.size(); ++r) {
    const auto form = map.results[r].linear_form(loops.size(), {});
    if (!form) {
      fail(op, "an indexing map divides: only sums of multiples of the loops are supported");
    }
    seen.offset = seen.offset + form->constant * reading->strides[r];
    for (std::size_t d = 0; d < loops.size(); ++d) {
      seen.strides[d] += form->coefficients[d] * reading->strides[r];
    }
    if (value.cut.empty() || value.cut[r].empty()) continue;
    const auto loop = map.results[r].as_dimension();
    if (!loop) fail(op, "an operand that its view may cut off is indexed by a sum");
    result.cut[*loop] = value.cut[r];
  }
  result.content = seen;
  return result;
}

/// The number of the iteration along one loop.
TensorValue Lowerer::counter(const Operation& op, const Shape& loops, std::size_t loop) {
  const std::int64_t size = loops[loop];
  const ScalarType index{ScalarKind::index, 64};
  if (size == 1) return {index, loops, Number{0, {}}, Range{0, 0}, {}};
  const bool row = loop + 1 == loops.size();
  const BufferId buffer =
      new_buffer(op, DataType::int32, row ? Geometry{1, size} : Geometry{size, 1});
  state_.program.vector(VectorFunction::iota, state_.program.whole(buffer), {}, row ? 1 : 0);
  TensorValue result{index, loops, Number{}, Range{0, size - 1}, {}};
  Reading reading{buffer, Shape(loops.size(), 0), 0};
  reading.strides[loop] = 1;
  result.content = reading;
  return result;
}

void Lowerer::lower_index(const Operation& op) {
  const auto loop =
      static_cast<std::size_t>(ktir::value_of<ktir::IntegerValue>(op.attribute("dim"))->value);
  set(op.results[0], counter(op, generic_loops_.back(), loop));
}

void Lowerer::lower_body(const ktir::Region& region) {
  begin_scope();
  lower(region);
  end_scope();
}

namespace {

const ktir::AffineMap& map_of(const Operation& op, std::size_t operand) {
  const auto* maps = ktir::value_of<ktir::ArrayValue>(op.attribute("indexing_maps"));
  return **ktir::value_of<ktir::AffineMapPtr>(maps->elements[operand]);
}

bool is_reduction(const Operation& op, std::size_t loop) {
  const auto* iterators = ktir::value_of<ktir::ArrayValue>(op.attribute("iterator_types"));
  return ktir::value_of<ktir::StringValue>(iterators->elements[loop])->text == "reduction";
}

/// The loops that a map's results are, each another one; nothing if they are anything else.
std::optional<std::vector<std::size_t>> loops_of(const ktir::AffineMap& map) {
  std::vector<std::size_t> result;
  for (const ktir::AffineExpr& each : map.results) {
    const auto loop = each.as_dimension();
    if (!loop || std::ranges::find(result, *loop) != result.end()) return std::nullopt;
    result.push_back(*loop);
  }
  return result;
}

/// The dimensions of an iteration-shaped tensor in another order.
TensorValue selected(const TensorValue& value, const std::vector<std::size_t>& dimensions) {
  TensorValue result = value;
  result.shape.clear();
  result.cut.clear();
  Shape strides;
  for (const std::size_t d : dimensions) {
    result.shape.push_back(value.shape[d]);
    if (value.reading() != nullptr) strides.push_back(value.reading()->strides[d]);
    if (!value.cut.empty()) result.cut.push_back(value.cut[d]);
  }
  if (auto* reading = std::get_if<Reading>(&result.content)) reading->strides = strides;
  return result;
}

}  // namespace

void Lowerer::lower_generic(const Operation& op) {
  const ktir::Region& region = op.regions[0];
  const std::span<const ValueId> outs = op.segment(1);
  const std::vector<TensorValue> operands = tensors(op.operands, op);
  const auto* iterators = ktir::value_of<ktir::ArrayValue>(op.attribute("iterator_types"));
  Shape loops(iterators->elements.size(), 1);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const ktir::AffineMap& map = map_of(op, i);
    for (std::size_t r = 0; r < map.results.size(); ++r) {
      const auto loop = map.results[r].as_dimension();
      if (loop) loops[*loop] = operands[i].shape[r];
    }
  }
  std::vector<std::int64_t> reductions;
  std::vector<std::size_t> kept;
  for (std::size_t d = 0; d < loops.size(); ++d) {
    if (is_reduction(op, d)) {
      reductions.push_back(static_cast<std::int64_t>(d));
    } else {
      kept.push_back(d);
    }
  }
  if (!reductions.empty() && lower_contraction(op, loops)) return;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    set(region.arguments[i], over_iterations(op, operands[i], map_of(op, i), loops));
  }
  const Operation& yield = region.operations.back();
  generic_loops_.push_back(loops);
  const auto in_order = [&](std::size_t index, const TensorValue& value,
                            const std::vector<std::size_t>& dimensions) {
    const auto order = loops_of(map_of(op, op.segment(0).size() + index));
    if (!order || order->size() != dimensions.size()) {
      fail(op, "the indexing map of its result must name every parallel loop once");
    }
    std::vector<std::size_t> places;
    for (const std::size_t loop : *order) {
      const auto place = std::ranges::find(dimensions, loop);
      if (place == dimensions.end()) fail(op, "its result is indexed by a reduction loop");
      places.push_back(static_cast<std::size_t>(place - dimensions.begin()));
    }
    return std::pair(selected(value, places), places);
  };
  if (reductions.empty()) {
    for (std::size_t i = 0; i < outs.size(); ++i) yields_to_[yield.operands[i]] = op.results[i];
    lower_body(region);
    for (std::size_t i = 0; i < outs.size(); ++i) {
      TensorValue value = tensor(yield.operands[i], op);
      if (value.shape.size() != loops.size()) {  // the same for every iteration
        value.shape = loops;
        if (auto* reading = std::get_if<Reading>(&value.content)) {
          reading->strides.assign(loops.size(), 0);
        }
      }
      set(op.results[i], in_order(i, value, kept).first);
    }
    generic_loops_.pop_back();
    return;
  }
  // Each result is a reduction of its own: a term, and the operation that adds it to the rest.
  std::vector<VectorFunction> reductions_of;
  std::vector<ValueId> terms;
  std::vector<const Operation*> combining;
  for (std::size_t i = 0; i < outs.size(); ++i) {
    const ValueId accumulated = region.arguments[op.segment(0).size() + i];
    const Operation* last = uses_.definition(yield.operands[i]);
    std::optional<ValueId> term;
    if (last != nullptr) {
      combining.push_back(last);
      const bool selects = last->is(OpCode::arith_select);
      if (selects) combining.push_back(uses_.definition(last->operands[0]));
      for (const ValueId id : last->operands) {
        if (id != accumulated && !(selects && id == last->operands[0])) term = id;
      }
    }
    const auto function = term ? combiner(yield.operands[i], accumulated, *term) : std::nullopt;
    if (!function) {
      fail(op,
           "its reduction is not recognised: the body must combine the result so far with a value "
           "by addf, addi, maximumf, maxnumf, maxsi, minimumf, minnumf, minsi, or cmpf and select");
    }
    reductions_of.push_back(*function);
    terms.push_back(*term);
    last_uses_.keep_until(*term, last_uses_.end(op));  // reduced when the whole body is done
  }
  begin_scope();
  for (const Operation& each : region.operations) {
    if (each.info->is_terminator() || !last_uses_.matters(each)) continue;
    if (std::ranges::find(combining, &each) == combining.end()) lower(each);
  }
  end_scope();
  generic_loops_.pop_back();
  for (std::size_t i = 0; i < outs.size(); ++i) {
    // The last uses of the terms are the combining operations.
    position_ = last_uses_.begin(*uses_.definition(yield.operands[i]));
    target_ = op.results[i];
    const std::size_t operand = op.segment(0).size() + i;
    const TensorValue init =
        selected(over_iterations(op, operands[operand], map_of(op, operand), loops), kept);
    TensorValue value = tensor(terms[i], op);
    if (value.shape.size() != loops.size()) {
      value.shape = loops;
      if (auto* reading = std::get_if<Reading>(&value.content)) {
        reading->strides.assign(loops.size(), 0);
      }
    }
    set(op.results[i],
        in_order(i, reduced(op, reductions_of[i], value, reductions, init), kept).first);
  }
}

/// Products summed over one loop are work for the matrix unit.
bool Lowerer::lower_contraction(const Operation& op, const Shape& loops) {
  const ktir::Region& region = op.regions[0];
  if (loops.size() != 3 || op.segment(0).size() != 2 || op.segment(1).size() != 1) return false;
  const auto out = loops_of(map_of(op, 2));
  const auto left = loops_of(map_of(op, 0));
  const auto right = loops_of(map_of(op, 1));
  if (!out || !left || !right || out->size() != 2 || left->size() != 2 || right->size() != 2) {
    return false;
  }
  std::size_t k = 0;
  while (k < 3 && std::ranges::find(*out, k) != out->end()) ++k;
  const std::size_t m = (*out)[0];
  const std::size_t n = (*out)[1];
  const auto spans = [](const std::vector<std::size_t>& dims, std::size_t a, std::size_t b) {
    return (dims[0] == a && dims[1] == b) || (dims[0] == b && dims[1] == a);
  };
  const bool swapped = spans(*left, k, n) && spans(*right, m, k);
  if (!is_reduction(op, k) || is_reduction(op, m) || is_reduction(op, n)) return false;
  if (!swapped && !(spans(*left, m, k) && spans(*right, k, n))) return false;
  const Operation* sum = uses_.definition(region.operations.back().operands[0]);
  const ValueId accumulated = region.arguments[2];
  if (sum == nullptr || !sum->is(OpCode::arith_addf)) return false;
  const std::size_t other = sum->operands[0] == accumulated ? 1 : 0;
  if (sum->operands[1 - other] != accumulated) return false;
  const Operation* factor = uses_.definition(sum->operands[other]);
  if (factor == nullptr || !factor->is(OpCode::arith_mulf)) return false;
  const auto argument = [&](ValueId id) {  // widening before the product changes nothing
    const Operation* definition = uses_.definition(id);
    return definition != nullptr && definition->is(OpCode::arith_extf) ? definition->operands[0]
                                                                       : id;
  };
  const ValueId x = argument(factor->operands[0]);
  const ValueId y = argument(factor->operands[1]);
  const bool both_sides = (x == region.arguments[0] && y == region.arguments[1]) ||
                          (x == region.arguments[1] && y == region.arguments[0]);
  const ScalarType product_type = type(factor->results[0]).element;
  if (!both_sides || product_type.width < type(op.results[0]).element.width) return false;
  const TensorValue first = over_iterations(op, tensor(op.operands[0], op), map_of(op, 0), loops);
  const TensorValue second = over_iterations(op, tensor(op.operands[1], op), map_of(op, 1), loops);
  const TensorValue a = selected(swapped ? second : first, {m, k});
  const TensorValue b = selected(swapped ? first : second, {k, n});
  set(op.results[0], product(op, a, b, tensor(op.operands[2], op)));
  return true;
}

void Lowerer::lower_generate(const Operation& op) {
  Shape shape = type(op.results[0]).shape;
  std::size_t next = 0;
  for (std::int64_t& size : shape) {
    if (size == ktir::kDynamic) size = known_integer(op.operands[next++], op, "a size");
  }
  const ktir::Region& region = op.regions[0];
  const Operation& yield = region.operations.back();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (last_uses_.is_used(region.arguments[d])) {
      set(region.arguments[d], counter(op, shape, d));
    }
  }
  yields_to_[yield.operands[0]] = op.results[0];
  lower_body(region);
  TensorValue value = tensor(yield.operands[0], op);
  if (value.shape.size() != shape.size()) {
    value.shape = shape;
    if (auto* reading = std::get_if<Reading>(&value.content)) {
      reading->strides.assign(shape.size(), 0);
    }
  }
  set(op.results[0], value);
}

}  // namespace spyre::kernels::lowering
