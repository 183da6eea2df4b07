// Where a rectangle of a tensor lies in DRAM: sticks of the device layout, as strided runs.
//
// A tensor with strides has no sticks of its own: its tiles touch the sticks of DRAM that hold
// their elements. A tile in LX is [columns / stick, rows, stick]: columns run along the tensor's
// stick dimension, rows along all its other dimensions, the first varying slowest. Runs come in the
// order in which that tile is filled: all rows of the first stick column, then of the next. Sticks
// that follow each other in that order and in DRAM form one run. Not modelled: what a stick holds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/schedule/schedule.h"
#include "models/isa/tile_op.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

/// Most dimensions that a tensor may have.
inline constexpr std::size_t kMaxTensorRank = 8;
using Coordinates = std::array<std::int64_t, kMaxTensorRank>;

/// A box of a tensor, in elements; the first `rank` entries count.
struct Rectangle {
  Coordinates offset{};
  Coordinates size{};
};

/// A tensor's device layout as arithmetic: the byte offset of an element's stick is the sum of
/// index * stride.
struct TensorGeometry {
  std::size_t rank = 0;
  bool strided = false;  ///< elements lie `stride` apart along each dim, without sticks
  std::size_t stick_dim = 0;
  std::int64_t elements_per_stick = 1;
  std::int64_t stick_bytes = 0;
  std::int64_t element_bits = 0;
  Coordinates shape{};   ///< elements
  Coordinates extent{};  ///< shape, but sticks along the stick dimension
  Coordinates stride{};  ///< bytes from one index to the next; along the stick dimension from stick
                         ///< to stick
  std::array<std::size_t, kMaxTensorRank> order{};  ///< dimensions, outermost in DRAM first
  std::uint64_t bytes = 0;                          ///< of the whole tensor, padding included
};

[[nodiscard]] std::int64_t elements_per_stick(DataType type, const models::Machine& machine);

/// An empty Tensor::layout means the default (schedule.h). Dimensions that the layout leaves out
/// come outermost.
[[nodiscard]] TensorGeometry geometry_of(const Tensor& tensor, const models::Machine& machine);

/// Elements in the rectangle.
[[nodiscard]] std::int64_t elements_of(const TensorGeometry& geometry, const Rectangle& rectangle);
/// Rows of the tile in LX: the product of all sizes but that of the stick dimension.
[[nodiscard]] std::int64_t rows_of(const TensorGeometry& geometry, const Rectangle& rectangle);
/// Bytes of the elements alone, without the padding of cut sticks.
[[nodiscard]] std::int64_t dense_bytes(const TensorGeometry& geometry, const Rectangle& rectangle);
/// Bytes of the sticks that the rectangle touches: what its runs add up to.
[[nodiscard]] std::int64_t stick_bytes_of(const TensorGeometry& geometry,
                                          const Rectangle& rectangle);

/// Shortens the sizes at the tensor's edges; an offset outside the tensor leaves nothing.
void cut_at_edges(const TensorGeometry& geometry, Rectangle& rectangle);

/// First byte, and the byte after the last, that the (not empty, cut) rectangle touches, from the
/// tensor's start.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
[[nodiscard]] ByteRange touched_range(const TensorGeometry& geometry, const Rectangle& rectangle);

/// Element by element what append_runs() gives in sticks. Of a rectangle that lies inside the
/// tensor.
[[nodiscard]] models::MemoryTile memory_tile(const TensorGeometry& geometry, std::uint64_t base,
                                             const Rectangle& rectangle);

/// A box of elements in memory: along each dimension `count` of them, `stride` bytes apart.
struct StridedDimension {
  std::int64_t count = 1;
  std::int64_t stride = 0;
};
/// Appends the sticks that hold the box's elements of `element_bytes`, the widest stride slowest;
/// gaps of less than a stick are part of a run.
void append_strided_runs(std::uint64_t base, std::vector<StridedDimension> dimensions,
                         std::int64_t element_bytes, std::int64_t stick_bytes,
                         std::vector<models::StickRuns>& runs);

/// Appends the runs of a rectangle that lies inside the tensor; nothing if it is empty. `base` is
/// the tensor's address.
void append_runs(const TensorGeometry& geometry, std::uint64_t base, const Rectangle& rectangle,
                 std::vector<models::StickRuns>& runs);

}  // namespace spyre::kernels
