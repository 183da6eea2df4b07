// Operations that only say how elements are read: reshape, slice, broadcast, transpose, splat.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/lowering/element_type.h"
#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {
void Lowerer::lower_splat(const Operation& op) {
  TensorValue value = tensor(op.operands[0], op);
  value.shape = type(op.results[0]).shape;
  if (auto* reading = std::get_if<Reading>(&value.content)) {
    reading->strides.assign(value.shape.size(), 0);
  }
  set(op.results[0], value);
}

void Lowerer::lower_extract(const Operation& op) {
  TensorValue value = tensor(op.operands[0], op);
  if (auto* reading = std::get_if<Reading>(&value.content)) {
    for (std::size_t d = 0; d < value.shape.size(); ++d) {
      const Integer index = integer(op.operands[d + 1], op);
      const Range range = index.range();
      if (!range.within(0, value.shape[d] - 1)) {
        fail(op, fmt::format("index {} may lie outside the tensor: it is {} of {}", d, index.text(),
                             value.shape[d]));
      }
      reading->offset = reading->offset + index * reading->strides[d];
    }
    reading->strides.clear();
  } else if (value.number()->is_constant() && !value.element.is_float()) {
    return set(op.results[0], Integer(static_cast<std::int64_t>(value.number()->constant)));
  } else if (!value.element.is_float()) {
    return set(op.results[0], *value.number()->formula);
  }
  value.shape.clear();
  value.cut.clear();
  set(op.results[0], value);
}

TensorValue Lowerer::reshaped(const Operation& op, const TensorValue& value, const Shape& shape) {
  TensorValue result = value;
  result.shape = shape;
  const Reading* reading = value.reading();
  if (reading == nullptr) return result;
  if (!value.cut.empty()) {  // dimensions of one element may come and go
    result.cut.assign(shape.size(), "");
    std::size_t to = 0;
    for (std::size_t from = 0; from < value.shape.size(); ++from) {
      if (value.shape[from] == 1) continue;
      while (to < shape.size() && shape[to] == 1) ++to;
      if (to == shape.size() || shape[to] != value.shape[from]) {
        fail(op,
             "its operand comes from a view that may end inside the tile, so its dimensions "
             "cannot be joined or split");
      }
      result.cut[to++] = value.cut[from];
    }
  }
  if (auto strides = reshaped_strides(value.shape, reading->strides, shape)) {
    result.content = Reading{reading->buffer, std::move(*strides), reading->offset};
    return result;
  }
  const BufferId buffer = rearranged(op, value, usual_geometry(value.shape));
  result.content = Reading{buffer, dense_strides(shape), 0};
  return result;
}

void Lowerer::lower_reshape(const Operation& op) {
  const TensorValue value = tensor(op.operands[0], op);
  Shape shape = type(op.results[0]).shape;
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::int64_t& size : shape) {
    if (size != ktir::kDynamic) {
      known *= size;
    } else if (open == nullptr) {
      open = &size;
    } else {
      fail(op, "the result has several sizes that its type leaves open");
    }
  }
  if (open != nullptr) *open = known == 0 ? 0 : elements_of(value.shape) / known;
  if (elements_of(shape) != elements_of(value.shape)) {
    fail(op, fmt::format("{} elements become {}", elements_of(value.shape), elements_of(shape)));
  }
  set(op.results[0], reshaped(op, value, shape));
}

std::vector<Integer> Lowerer::mixed(const Operation& op, std::string_view attribute,
                                    std::size_t segment) const {
  std::vector<Integer> result;
  std::size_t next = 0;
  const auto numbers = ktir::integers_of(op.attribute(attribute));
  if (!numbers) fail(op, fmt::format("the attribute '{}' is missing", attribute));
  for (const std::int64_t fixed : *numbers) {
    result.push_back(fixed == ktir::kDynamic ? integer(op.segment(segment)[next++], op)
                                             : Integer(fixed));
  }
  return result;
}

namespace {

/// Which dimensions of a slice's sizes its type keeps: those of one element may be left out.
std::vector<std::size_t> kept_dimensions(const Shape& sizes, const Shape& kept) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (result.size() < kept.size() && ktir::sizes_agree(kept[result.size()], sizes[i])) {
      result.push_back(i);
    }
  }
  return result;
}

}  // namespace

void Lowerer::lower_extract_slice(const Operation& op) {
  TensorValue value = tensor(op.operands[0], op);
  const std::vector<Integer> offsets = mixed(op, "static_offsets", 1);
  const std::vector<Integer> sizes = mixed(op, "static_sizes", 2);
  const std::vector<Integer> steps = mixed(op, "static_strides", 3);
  Shape taken;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (!sizes[d].is_constant() || !steps[d].is_constant()) {
      fail(op, "its sizes and strides must be known before the run");
    }
    const Integer last = offsets[d] + (sizes[d].constant() - 1) * steps[d].constant();
    if (offsets[d].range().low < 0 || last.range().high >= value.shape[d]) {
      fail(op, fmt::format("dimension {} of the slice may leave the tensor: it begins at {}", d,
                           offsets[d].text()));
    }
    taken.push_back(sizes[d].constant());
  }
  const std::vector<std::size_t> kept = kept_dimensions(taken, type(op.results[0]).shape);
  if (!value.cut.empty()) {
    fail(op, "it takes a slice of a tile that its view may cut off: load the slice instead");
  }
  Shape shape;
  for (const std::size_t d : kept) shape.push_back(taken[d]);
  if (auto* reading = std::get_if<Reading>(&value.content)) {
    Shape strides;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      reading->offset = reading->offset + offsets[d] * reading->strides[d];
    }
    for (const std::size_t d : kept) strides.push_back(reading->strides[d] * steps[d].constant());
    reading->strides = strides;
  }
  value.shape = shape;
  set(op.results[0], value);
}

void Lowerer::lower_insert_slice(const Operation& op) {
  TensorValue part = tensor(op.segment(0)[0], op);
  const TensorValue whole = tensor(op.segment(0)[1], op);
  const std::vector<Integer> offsets = mixed(op, "static_offsets", 1);
  const std::vector<Integer> sizes = mixed(op, "static_sizes", 2);
  const std::vector<Integer> steps = mixed(op, "static_strides", 3);
  Reading place;
  Shape taken;
  TensorValue base = in_tile(op, whole);
  BufferId buffer = base.reading()->buffer;
  const bool fresh = whole.reading() == nullptr || buffer != whole.reading()->buffer;
  if (!fresh && !is_dead(buffer)) {
    const BufferId copy =
        new_buffer(op, state_.program.type(buffer), state_.program.geometry(buffer));
    copy_into(op, base, copy);
    buffer = copy;
  }
  overwritten(buffer);
  place.buffer = buffer;
  const Shape strides = dense_strides(whole.shape);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (!sizes[d].is_constant() || !steps[d].is_constant()) {
      fail(op, "its sizes and strides must be known before the run");
    }
    taken.push_back(sizes[d].constant());
    place.strides.push_back(strides[d] * steps[d].constant());
    place.offset = place.offset + offsets[d] * strides[d];
  }
  const Geometry geometry = state_.program.geometry(buffer);
  const std::int64_t columns = taken.empty() ? 1 : std::min(taken.back(), geometry.columns);
  const std::int64_t elements = elements_of(taken);
  for (const std::int64_t width : {columns, geometry.columns, std::int64_t{1}}) {
    if (elements % width != 0) continue;
    const Geometry wanted{elements / width, width};
    const auto rectangle = rectangle_of(taken, place, geometry, wanted, false);
    if (!rectangle) continue;
    part.shape = taken;
    if (auto* reading = std::get_if<Reading>(&part.content)) {
      part = reshaped(op, tensor(op.segment(0)[0], op), taken);
      reading = nullptr;
      const LxRectangle from = arranged(op, part, wanted);
      state_.program.vector(VectorFunction::copy, state_.program.tile(*rectangle),
                            {{from, true, 0, std::nullopt}});
    } else {
      const Number& number = *part.number();
      state_.program.vector(VectorFunction::fill, state_.program.tile(*rectangle),
                            {{std::nullopt, true, number.constant, number.formula}});
    }
    return set(op.results[0], dense(whole.element, whole.shape, buffer));
  }
  fail(op, "the slice is no rectangle of rows and columns of the tile: insert it row by row");
}

void Lowerer::lower_dim(const Operation& op) {
  const std::int64_t dimension = known_integer(op.operands[1], op, "the dimension");
  const auto index = static_cast<std::size_t>(dimension);
  const Shape& shape = op.is(OpCode::memref_dim)
                           ? std::get<View>(state_.values[op.operands[0]]).shape
                           : std::get<TensorValue>(state_.values[op.operands[0]]).shape;
  if (index >= shape.size()) fail(op, fmt::format("there is no dimension {}", dimension));
  set(op.results[0], Integer(shape[index]));
}

void Lowerer::lower_tensor_cast(const Operation& op) {
  set(op.results[0], LoweredValue(state_.values[op.operands[0]]));
}

void Lowerer::lower_broadcast(const Operation& op) {
  TensorValue value = tensor(op.segment(0)[0], op);
  const TensorValue destination = tensor(op.segment(1)[0], op);
  const std::vector<std::int64_t> added = *ktir::integers_of(op.attribute("dimensions"));
  Shape strides;
  std::vector<std::string> cut;
  std::size_t next = 0;
  for (std::size_t d = 0; d < destination.shape.size(); ++d) {
    const bool is_new = std::ranges::find(added, static_cast<std::int64_t>(d)) != added.end();
    const Reading* reading = value.reading();
    strides.push_back(is_new || reading == nullptr ? 0 : reading->strides[next]);
    cut.push_back(is_new || value.cut.empty() ? "" : value.cut[next]);
    if (!is_new) ++next;
  }
  value.shape = destination.shape;
  if (!value.cut.empty()) value.cut = cut;
  if (auto* reading = std::get_if<Reading>(&value.content)) reading->strides = strides;
  set(op.results[0], value);
}

void Lowerer::lower_transpose(const Operation& op) {
  const TensorValue value = tensor(op.segment(0)[0], op);
  TensorValue result = value;
  const std::vector<std::int64_t> permutation = *ktir::integers_of(op.attribute("permutation"));
  for (std::size_t d = 0; d < permutation.size(); ++d) {
    const auto from = static_cast<std::size_t>(permutation[d]);
    result.shape[d] = value.shape[from];
    if (!value.cut.empty()) result.cut[d] = value.cut[from];
    if (auto* reading = std::get_if<Reading>(&result.content)) {
      reading->strides[d] = value.reading()->strides[from];
    }
  }
  set(op.results[0], result);
}

}  // namespace spyre::kernels::lowering
