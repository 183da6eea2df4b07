// What the values of a KTIR function have become while it is lowered.
//
// A tensor is a reading of an LX buffer: its element (i0, i1, ...) stands at place offset + sum of
// index * stride of the buffer's tile, counted row by row. So reshape, transpose, slice, broadcast
// and splat cost nothing until an operation needs the elements in another arrangement. A tensor
// whose elements are all one known number needs no buffer at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/ktir/ir.h"
#include "kernels/lowering/integer.h"
#include "models/isa/data_type.h"

namespace spyre::kernels::lowering {

using BufferId = std::size_t;
using Shape = std::vector<std::int64_t>;

[[nodiscard]] inline std::int64_t elements_of(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

/// Row-major strides of a dense tensor.
[[nodiscard]] inline Shape dense_strides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// One number for every element: a constant, or an integer formula.
struct Number {
  double constant = 0;
  std::optional<Integer> formula;

  [[nodiscard]] bool is_constant() const { return !formula; }
  [[nodiscard]] bool is(double value) const { return !formula && constant == value; }
};

struct Reading {
  BufferId buffer = 0;
  Shape strides;  ///< one per dimension of the tensor
  Integer offset;
};

/// A tensor, or a scalar that is known at run time only (rank 0).
struct TensorValue {
  ktir::ScalarType element;
  Shape shape;
  std::variant<Number, Reading> content;
  /// Integers: what the elements lie in, where it is known.
  std::optional<Range> range;
  /// Empty, or per dimension: not empty where the view it came from may end inside the tile, and
  /// then how far the tile goes. Tensors of the same text go equally far.
  std::vector<std::string> cut;

  [[nodiscard]] const Number* number() const { return std::get_if<Number>(&content); }
  [[nodiscard]] const Reading* reading() const { return std::get_if<Reading>(&content); }
};

/// A box of coordinates that a partition of a distributed view holds.
struct Box {
  Shape low, size;
};

/// construct_memory_view, everything but its base known.
struct MemoryView {
  std::string name;
  const ktir::Operation* op = nullptr;
  ktir::ScalarType element;
  Integer base;  ///< elements
  Shape shape, strides;
  ktir::MemorySpace space;
  Box box;  ///< the coordinates it holds of a distributed view
};

/// A view, or several that make up one.
struct View {
  std::vector<MemoryView> parts;
  Shape shape;
  bool distributed = false;
};

/// construct_access_tile: tile dimension i runs along dimension order[i] of the view from base on.
struct DirectTile {
  View view;
  std::vector<Integer> base;  ///< per dimension of the view
  Shape extent;               ///< per dimension of the view
  std::vector<std::size_t> order;

  [[nodiscard]] Shape shape() const {
    Shape result;
    for (const std::size_t dimension : order) result.push_back(extent[dimension]);
    return result;
  }
};

/// construct_indirect_access_tile.
struct IndirectTile {
  struct Subscript {
    std::optional<View> table;
    ktir::AffineMap map;
  };
  View view;
  std::vector<Subscript> subscripts;  ///< per dimension of the view
  std::vector<Integer> captured;      ///< the maps' symbols
  Shape low, extent;                  ///< of the intermediate variables
  std::vector<std::size_t> order;     ///< tile dimension i is variable order[i]
};

/// inter_tile_produce: what each core brings, and which cores take part in which group.
struct Future {
  std::vector<TensorValue> partials;
  std::vector<std::vector<std::int64_t>> producers;  ///< per group
  std::vector<std::int64_t> group_ids;
  const ktir::Operation* op = nullptr;
};

using LoweredValue =
    std::variant<std::monostate, Integer, TensorValue, View, DirectTile, IndirectTile, Future>;

}  // namespace spyre::kernels::lowering
