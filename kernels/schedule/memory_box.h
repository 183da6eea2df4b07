// Boxes of bits in one memory, and whether two of them meet: exact for tiles of any layout or
// strides.
//
// Positions count bits, so that types of half a byte need no case of their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/schedule/compiled_kernel.h"
#include "kernels/schedule/core_walk.h"
#include "kernels/schedule/tile_geometry.h"

namespace spyre::kernels {

/// Runs of `run` bits, repeated along each dim.
struct MemoryBox {
  struct Dim {
    std::int64_t count = 1;
    std::int64_t stride = 0;
  };
  std::int64_t base = 0;
  std::int64_t run = 0;
  std::size_t rank = 0;
  std::array<Dim, kMaxTensorRank + 1> dims{};

  void repeat(std::int64_t count, std::int64_t stride) {
    if (count > 1 && stride != 0 && rank < dims.size()) dims[rank++] = {count, stride};
  }
  [[nodiscard]] std::int64_t end() const {
    std::int64_t last = base + run;
    for (std::size_t i = 0; i < rank; ++i) last += (dims[i].count - 1) * dims[i].stride;
    return last;
  }
};

enum class Overlap : std::uint8_t { no, yes, unknown };

/// Whether a bit lies in both. Unknown only for strides so irregular that the search is given up.
[[nodiscard]] Overlap overlap_of(const MemoryBox& a, const MemoryBox& b);

/// Appends what a rectangle (cut, not empty) of a tensor at byte `address` covers, moved by
/// `offset` elements.
void append_boxes(const TensorGeometry& geometry, std::uint64_t address, const Rectangle& rectangle,
                  std::int64_t offset, std::vector<MemoryBox>& boxes);

/// Appends what a tile of a buffer covers in LX.
void append_boxes(const BufferInfo& buffer, const TileView& view, std::int64_t stick_bytes,
                  std::vector<MemoryBox>& boxes);

}  // namespace spyre::kernels
