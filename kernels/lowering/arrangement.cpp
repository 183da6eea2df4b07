// Tensors as tiles of the geometry that an operation wants: as they are where possible, else moved
// by a rearrange or transpose, once per scope.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/lowering/element_type.h"
#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {

BufferId Lowerer::new_buffer(const Operation& op, DataType type, const Geometry& geometry) {
  std::string name(op.info->name.substr(op.info->name.find('.') + 1));
  std::string text = fmt::format("a tile of {}", op.info->name);
  const std::optional<ValueId> id =
      target_ ? target_ : (op.results.empty() ? std::nullopt : std::optional(op.results[0]));
  if (id && (this->type(*id).is_tensor() || this->type(*id).is_scalar())) {
    const std::string& given = function_.value(*id).name;
    if (!given.empty()) name = given;
    const ktir::Type& known = this->type(*id);
    text = fmt::format("{} {} [{}]", given.empty() ? "a value" : "%" + given,
                       ktir::to_string(known.element), fmt::join(known.shape, ", "));
  }
  return state_.program.add_buffer(name, type, geometry, std::move(text));
}

TensorValue Lowerer::dense(const ScalarType& element, const Shape& shape, BufferId buffer) const {
  return {element, shape, Reading{buffer, dense_strides(shape), 0}, {}, {}};
}

bool Lowerer::is_dead(BufferId buffer) const {
  if (std::ranges::find(pinned_, buffer) != pinned_.end()) return false;
  const auto reads = [&](const TensorValue& value) {
    return value.reading() != nullptr && value.reading()->buffer == buffer;
  };
  for (ValueId id = 0; id < state_.values.size(); ++id) {
    if (last_uses_.last_use(id) <= position_) continue;
    const LoweredValue& value = state_.values[id];
    if (const auto* tensor = std::get_if<TensorValue>(&value); tensor && reads(*tensor)) {
      return false;
    }
    if (const auto* future = std::get_if<Future>(&value)) {
      if (std::ranges::any_of(future->partials, reads)) return false;
    }
  }
  // What it was derived from may be asked for again in this arrangement.
  return std::ranges::all_of(state_.arrangements, [&](const State::Arrangement& each) {
    return each.result != buffer || each.source == buffer || is_dead(each.source);
  });
}

void Lowerer::overwritten(BufferId buffer) {
  std::erase_if(state_.arrangements, [&](const State::Arrangement& each) {
    return each.source == buffer || each.result == buffer;
  });
}

BufferId Lowerer::filled(const Operation& op, const TensorValue& value, const Geometry& geometry) {
  const Number& number = *value.number();
  const BufferId buffer = new_buffer(op, tile_type_of(value.element, op), geometry);
  state_.program.vector(VectorFunction::fill, state_.program.whole(buffer),
                        {{std::nullopt, true, number.constant, number.formula}});
  return buffer;
}

/// Moves the elements in order into a tile of that geometry.
void Lowerer::move_elements(const Operation& op, const TensorValue& value, const Geometry& wanted,
                            BufferTile into) {
  const Reading& reading = *value.reading();
  std::vector<Stride> dims = joined(value.shape, reading.strides);
  const Geometry source = state_.program.geometry(reading.buffer);
  const bool plain_transpose =
      reading.offset.is(0) && wanted.rows == source.columns && wanted.columns == source.rows &&
      dims == std::vector<Stride>{{source.columns, 1}, {source.rows, source.columns}};
  if (!value.cut.empty() && !plain_transpose) {
    fail(op,
         "its operand comes from a view that may end inside the tile: only elementwise "
         "operations, reductions, products and stores work on what is there");
  }
  const LxRectangle all{reading.buffer, 0, 0, source.rows, source.columns};
  const std::vector<VectorOperand> from{{all, true, 0, std::nullopt}};
  if (plain_transpose) {
    return state_.program.vector(VectorFunction::transpose, std::move(into), from);
  }
  if (source.elements() == 1) {
    return state_.program.vector(VectorFunction::fill, std::move(into), from);
  }
  if (dims.empty()) dims.push_back({1, 1});
  if (dims.size() > models::Pattern::kMaxRank) {
    fail(op, fmt::format("its operand would be moved with {} strides, the vector unit does at "
                         "most {}: reshape or transpose in steps",
                         dims.size(), models::Pattern::kMaxRank));
  }
  PatternText pattern;
  for (const Stride& dim : dims) {
    pattern.sizes.push_back(dim.size);
    pattern.strides.push_back(dim.stride);
  }
  if (!reading.offset.is(0)) pattern.offset = reading.offset.expression();
  const bool along = dims.back().stride == 0 || dims.back().stride == 1;
  state_.program.vector(along ? VectorFunction::rearrange : VectorFunction::transpose,
                        std::move(into), from, 1, std::move(pattern));
}

/// The elements in order in a buffer of their own of that geometry.
BufferId Lowerer::rearranged(const Operation& op, const TensorValue& value,
                             const Geometry& wanted) {
  const Reading& reading = *value.reading();
  std::string key = fmt::format("{}x{}+{}", wanted.rows, wanted.columns, reading.offset.text());
  for (const Stride& dim : joined(value.shape, reading.strides)) {
    key += fmt::format(",{}*{}", dim.size, dim.stride);
  }
  for (const State::Arrangement& each : state_.arrangements) {
    if (each.source == reading.buffer && each.key == key) return each.result;
  }
  const BufferId result = state_.program.add_buffer(
      state_.program.buffer(reading.buffer).name + "_moved", tile_type_of(value.element, op),
      wanted, state_.program.note(reading.buffer).text + " rearranged");
  move_elements(op, value, wanted, state_.program.whole(result));
  state_.arrangements.push_back({reading.buffer, key, result, state_.scope});
  return result;
}

LxRectangle Lowerer::arranged(const Operation& op, const TensorValue& value, const Geometry& wanted,
                              bool repeating) {
  const Reading* reading = value.reading();
  if (reading == nullptr) {
    const Geometry geometry = repeating ? Geometry{1, 1} : wanted;
    return {filled(op, value, geometry), 0, 0, geometry.rows, geometry.columns};
  }
  const auto as_is = rectangle_of(value.shape, *reading, state_.program.geometry(reading->buffer),
                                  wanted, repeating);
  if (as_is) return *as_is;
  Geometry needed = wanted;
  TensorValue part = value;
  const auto lies = spacing(value.shape, reading->strides, wanted.rows, wanted.columns);
  if (repeating && lies) {  // move one row or column, not what repeats it
    Reading one{reading->buffer, {lies->row, lies->column}, reading->offset};
    part.shape = {wanted.rows, wanted.columns};
    if (lies->row == 0) needed.rows = part.shape[0] = 1;
    if (lies->column == 0) needed.columns = part.shape[1] = 1;
    part.content = one;
  }
  return {rearranged(op, part, needed), 0, 0, needed.rows, needed.columns};
}

TensorValue Lowerer::in_tile(const Operation& op, const TensorValue& value) {
  const Reading* reading = value.reading();
  const std::int64_t elements = elements_of(value.shape);
  if (reading != nullptr && is_dense(value.shape, *reading) &&
      state_.program.geometry(reading->buffer).elements() == elements) {
    return value;
  }
  const Geometry geometry = usual_geometry(value.shape);
  const BufferId buffer =
      reading == nullptr ? filled(op, value, geometry) : rearranged(op, value, geometry);
  TensorValue result = dense(value.element, value.shape, buffer);
  result.range = value.range;
  result.cut = value.cut;
  return result;
}

void Lowerer::copy_into(const Operation& op, const TensorValue& value, BufferId target) {
  Program& program = state_.program;
  overwritten(target);
  if (const Number* number = value.number()) {
    program.vector(VectorFunction::fill, program.whole(target),
                   {{std::nullopt, true, number->constant, number->formula}});
    return;
  }
  const Reading& reading = *value.reading();
  const auto as_is = rectangle_of(value.shape, reading, program.geometry(reading.buffer),
                                  program.geometry(target), false);
  if (!as_is) {
    return move_elements(op, value, program.geometry(target), program.whole(target));
  }
  program.vector(VectorFunction::copy, program.whole(target), {{as_is, true, 0, std::nullopt}});
}

}  // namespace spyre::kernels::lowering
