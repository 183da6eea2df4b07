#include "kernels/lowering/reading.h"

#include <algorithm>

namespace spyre::kernels::lowering {

std::vector<Stride> joined(const Shape& shape, const Shape& strides) {
  std::vector<Stride> result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    const Stride next{shape[i], strides[i]};
    if (!result.empty() && result.back().stride == next.stride * next.size) {
      result.back() = {result.back().size * next.size, next.stride};
    } else {
      result.push_back(next);
    }
  }
  return result;
}

namespace {

/// Takes the innermost `count` elements off `dims`; nothing if that cuts a dimension unevenly.
std::optional<std::vector<Stride>> take_innermost(std::vector<Stride>& dims, std::int64_t count) {
  std::vector<Stride> taken;
  while (count > 1) {
    if (dims.empty()) return std::nullopt;
    Stride& last = dims.back();
    if (count % last.size == 0) {
      taken.insert(taken.begin(), last);
      count /= last.size;
      dims.pop_back();
    } else if (last.size % count == 0) {
      taken.insert(taken.begin(), {count, last.stride});
      last = {last.size / count, last.stride * count};
      count = 1;
    } else {
      return std::nullopt;
    }
  }
  return taken;
}

/// The one stride of a nest of loops; nothing if there are several.
std::optional<std::int64_t> single_stride(const std::vector<Stride>& dims) {
  Shape shape;
  Shape strides;
  for (const Stride& dim : dims) {
    shape.push_back(dim.size);
    strides.push_back(dim.stride);
  }
  const std::vector<Stride> whole = joined(shape, strides);
  if (whole.size() > 1) return std::nullopt;
  return whole.empty() ? 0 : whole.front().stride;
}

}  // namespace

std::optional<Spacing> spacing(const Shape& shape, const Shape& strides, std::int64_t rows,
                               std::int64_t columns) {
  std::vector<Stride> dims = joined(shape, strides);
  const auto inner = take_innermost(dims, columns);
  if (!inner) return std::nullopt;
  const auto outer = take_innermost(dims, rows);
  if (!outer || !dims.empty()) return std::nullopt;
  const std::optional<std::int64_t> column = single_stride(*inner);
  const std::optional<std::int64_t> row = single_stride(*outer);
  if (!column || !row) return std::nullopt;
  return Spacing{*row, *column};
}

std::optional<LxRectangle> rectangle_of(const Shape& shape, const Reading& reading,
                                        const Geometry& buffer, const Geometry& wanted,
                                        bool repeating) {
  const std::optional<Spacing> lies = spacing(shape, reading.strides, wanted.rows, wanted.columns);
  if (!lies) return std::nullopt;
  LxRectangle result{reading.buffer, 0, 0, wanted.rows, wanted.columns};
  const bool one_row = wanted.rows > 1 && lies->row == 0;
  const bool one_column = wanted.columns > 1 && lies->column == 0;
  if ((one_row || one_column) && !repeating) return std::nullopt;
  if (one_row) result.rows = 1;
  if (one_column) result.columns = 1;
  if (result.columns > 1 && lies->column != 1) return std::nullopt;
  if (result.rows > 1 && lies->row != buffer.columns) return std::nullopt;
  result.row = floor_divide(reading.offset, buffer.columns);
  result.column = modulo(reading.offset, buffer.columns);
  if (result.column.range().high + result.columns > buffer.columns) return std::nullopt;
  return result;
}

bool is_dense(const Shape& shape, const Reading& reading) {
  if (!reading.offset.is(0)) return false;
  const std::vector<Stride> dims = joined(shape, reading.strides);
  return dims.empty() || (dims.size() == 1 && dims.front().stride == 1);
}

Geometry usual_geometry(const Shape& shape) {
  if (shape.empty()) return {1, 1};
  const std::int64_t columns = shape.back();
  return {columns == 0 ? 1 : elements_of(shape) / columns, columns};
}

std::optional<Shape> reshaped_strides(const Shape& shape, const Shape& strides,
                                      const Shape& wanted) {
  std::vector<Stride> dims = joined(shape, strides);
  Shape result(wanted.size(), 0);
  for (std::size_t i = wanted.size(); i-- > 0;) {
    if (wanted[i] == 1) continue;
    const auto taken = take_innermost(dims, wanted[i]);
    const auto stride = taken ? single_stride(*taken) : std::nullopt;
    if (!stride) return std::nullopt;
    result[i] = *stride;
  }
  if (!dims.empty()) return std::nullopt;
  return result;
}

}  // namespace spyre::kernels::lowering
