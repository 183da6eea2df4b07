// Arithmetic on readings: as which rectangle of its buffer a tensor can be used without moving it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/lowering/value.h"

namespace spyre::kernels::lowering {

/// A loop over elements: how many, and how far apart.
struct Stride {
  std::int64_t size = 1;
  std::int64_t stride = 0;
  bool operator==(const Stride&) const = default;
};

/// The dimensions of a reading, outermost first, without those of one element and with those joined
/// that run on from each other.
[[nodiscard]] std::vector<Stride> joined(const Shape& shape, const Shape& strides);

/// The same elements in the same order as `rows` times `columns`: how far apart rows and columns
/// lie. Nothing if they are not evenly spaced so.
struct Spacing {
  std::int64_t row = 0;
  std::int64_t column = 0;
};
[[nodiscard]] std::optional<Spacing> spacing(const Shape& shape, const Shape& strides,
                                             std::int64_t rows, std::int64_t columns);

/// Part of a buffer's tile. Single rows and columns may stand for many.
struct LxRectangle {
  BufferId buffer = 0;
  Integer row, column;
  std::int64_t rows = 1, columns = 1;
};

/// Rows and columns of a tile.
struct Geometry {
  std::int64_t rows = 1, columns = 1;
  bool operator==(const Geometry&) const = default;
  [[nodiscard]] std::int64_t elements() const { return rows * columns; }
};

/// The rectangle of the buffer (of geometry `buffer`) that a tensor read so is, as `wanted`; with
/// `repeating`, one row, column or element that stands for all. Nothing if its elements must be
/// moved first.
[[nodiscard]] std::optional<LxRectangle> rectangle_of(const Shape& shape, const Reading& reading,
                                                      const Geometry& buffer,
                                                      const Geometry& wanted, bool repeating);

/// Whether the reading is the whole buffer in order.
[[nodiscard]] bool is_dense(const Shape& shape, const Reading& reading);

/// How tiles of a shape lie in LX unless something else is better: the last dimension are the
/// columns.
[[nodiscard]] Geometry usual_geometry(const Shape& shape);

/// Strides of the same elements in another shape; nothing if the elements would have to be moved.
[[nodiscard]] std::optional<Shape> reshaped_strides(const Shape& shape, const Shape& strides,
                                                    const Shape& wanted);

}  // namespace spyre::kernels::lowering
