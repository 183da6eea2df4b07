#include "kernels/schedule/tile_geometry.h"

#include <algorithm>

#include "kernels/schedule/layout.h"

namespace spyre::kernels {
namespace {

std::int64_t ceil_divide(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

/// One level of a nest of sticks; levels are kept innermost first.
struct Level {
  std::int64_t count = 1;
  std::int64_t stride = 0;
};

struct SlabOfSticks {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

SlabOfSticks sticks_along(const TensorGeometry& geometry, const Rectangle& rectangle) {
  const std::int64_t begin = rectangle.offset[geometry.stick_dim];
  const std::int64_t size = rectangle.size[geometry.stick_dim];
  if (size <= 0) return {};
  const std::int64_t first = begin / geometry.elements_per_stick;
  return {first, ceil_divide(begin + size, geometry.elements_per_stick) - first};
}

/// Device order, outermost first.
void set_order(const std::vector<LayoutDim>& layout, TensorGeometry& geometry) {
  std::array<bool, kMaxTensorRank> placed{};
  std::size_t last = geometry.rank;
  for (auto entry = layout.rbegin(); entry != layout.rend(); ++entry) {
    if (entry->dim >= geometry.rank || placed[entry->dim]) continue;
    placed[entry->dim] = true;
    geometry.order[--last] = entry->dim;
  }
  for (std::size_t dim = geometry.rank; dim-- > 0;) {
    if (!placed[dim]) geometry.order[--last] = dim;
  }
}

}  // namespace

std::int64_t elements_per_stick(DataType type, const models::Machine& machine) {
  return stick_elements(type, machine.limits.stick_bytes);
}

namespace {

/// Elements as an array of a host has them: the last dim is what tiles take as columns.
TensorGeometry strided_geometry(const Tensor& tensor, const models::Machine& machine) {
  TensorGeometry geometry;
  geometry.strided = true;
  geometry.rank = std::min(tensor.shape.size(), kMaxTensorRank);
  geometry.stick_dim = geometry.rank > 0 ? geometry.rank - 1 : 0;
  geometry.elements_per_stick = elements_per_stick(tensor.type, machine);
  geometry.stick_bytes = machine.limits.stick_bytes;
  geometry.element_bits = models::bits(tensor.type);
  std::int64_t last = 0;
  bool empty = false;
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
    geometry.shape[dim] = geometry.extent[dim] = tensor.shape[dim];
    geometry.stride[dim] = tensor.strides[dim] * geometry.element_bits / 8;
    geometry.order[dim] = dim;
    last += (tensor.shape[dim] - 1) * geometry.stride[dim];
    empty = empty || tensor.shape[dim] == 0;
  }
  geometry.bytes = empty ? 0 : static_cast<std::uint64_t>(last + (geometry.element_bits + 7) / 8);
  return geometry;
}

}  // namespace

TensorGeometry geometry_of(const Tensor& tensor, const models::Machine& machine) {
  if (!tensor.strides.empty()) return strided_geometry(tensor, machine);
  TensorGeometry geometry;
  geometry.rank = std::min(tensor.shape.size(), kMaxTensorRank);
  geometry.stick_dim =
      tensor.layout.empty() && geometry.rank > 0 ? geometry.rank - 1 : tensor.stick_dim;
  geometry.elements_per_stick = elements_per_stick(tensor.type, machine);
  geometry.stick_bytes = machine.limits.stick_bytes;
  geometry.element_bits = models::bits(tensor.type);
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
    geometry.shape[dim] = tensor.shape[dim];
    geometry.extent[dim] = dim == geometry.stick_dim
                               ? ceil_divide(tensor.shape[dim], geometry.elements_per_stick)
                               : tensor.shape[dim];
  }
  set_order(tensor.layout.empty() ? default_layout(geometry.rank, geometry.elements_per_stick)
                                  : tensor.layout,
            geometry);
  std::int64_t stride = geometry.stick_bytes;
  for (std::size_t i = geometry.rank; i-- > 0;) {
    const std::size_t dim = geometry.order[i];
    geometry.stride[dim] = stride;
    stride *= geometry.extent[dim];
  }
  geometry.bytes = static_cast<std::uint64_t>(stride);
  return geometry;
}

std::int64_t elements_of(const TensorGeometry& geometry, const Rectangle& rectangle) {
  std::int64_t product = 1;
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) product *= rectangle.size[dim];
  return product;
}

std::int64_t rows_of(const TensorGeometry& geometry, const Rectangle& rectangle) {
  std::int64_t product = 1;
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
    if (dim != geometry.stick_dim) product *= rectangle.size[dim];
  }
  return product;
}

std::int64_t dense_bytes(const TensorGeometry& geometry, const Rectangle& rectangle) {
  return (elements_of(geometry, rectangle) * geometry.element_bits + 7) / 8;
}

std::int64_t stick_bytes_of(const TensorGeometry& geometry, const Rectangle& rectangle) {
  return rows_of(geometry, rectangle) * sticks_along(geometry, rectangle).count *
         geometry.stick_bytes;
}

void cut_at_edges(const TensorGeometry& geometry, Rectangle& rectangle) {
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
    const bool outside = rectangle.offset[dim] < 0;
    const std::int64_t left = geometry.shape[dim] - rectangle.offset[dim];
    rectangle.size[dim] =
        outside ? 0
                : std::clamp<std::int64_t>(rectangle.size[dim], 0, std::max<std::int64_t>(left, 0));
  }
}

ByteRange touched_range(const TensorGeometry& geometry, const Rectangle& rectangle) {
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (geometry.strided) {
    for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
      first += rectangle.offset[dim] * geometry.stride[dim];
      last += (rectangle.offset[dim] + rectangle.size[dim] - 1) * geometry.stride[dim];
    }
    return {static_cast<std::uint64_t>(first),
            static_cast<std::uint64_t>(last + (geometry.element_bits + 7) / 8)};
  }
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
    SlabOfSticks slab{rectangle.offset[dim], rectangle.size[dim]};
    if (dim == geometry.stick_dim) slab = sticks_along(geometry, rectangle);
    first += slab.first * geometry.stride[dim];
    last += (slab.first + slab.count - 1) * geometry.stride[dim];
  }
  return {static_cast<std::uint64_t>(first),
          static_cast<std::uint64_t>(last + geometry.stick_bytes)};
}

models::MemoryTile memory_tile(const TensorGeometry& geometry, std::uint64_t base,
                               const Rectangle& rectangle) {
  models::MemoryTile tile;
  std::int64_t start = 0;
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
    if (dim == geometry.stick_dim) continue;
    start += rectangle.offset[dim] * geometry.stride[dim];
    tile.rows[tile.row_dimensions++] = {static_cast<std::uint32_t>(rectangle.size[dim]),
                                        geometry.stride[dim]};
  }
  if (geometry.rank > 0) {
    tile.columns = static_cast<std::uint32_t>(rectangle.size[geometry.stick_dim]);
    tile.lane_stride = geometry.element_bits / 8;
    tile.first_lane = static_cast<std::uint32_t>(rectangle.offset[geometry.stick_dim]);
    tile.lanes_per_stick = static_cast<std::uint32_t>(geometry.elements_per_stick);
    tile.stick_stride = geometry.stride[geometry.stick_dim];
    if (geometry.strided) {
      start += rectangle.offset[geometry.stick_dim] * geometry.stride[geometry.stick_dim];
      tile.lane_stride = geometry.stride[geometry.stick_dim];
      tile.first_lane = 0;
      tile.lanes_per_stick = 0;
    }
  }
  tile.base = base + static_cast<std::uint64_t>(start);
  return tile;
}

void append_strided_runs(std::uint64_t base, std::vector<StridedDimension> dimensions,
                         std::int64_t element_bytes, std::int64_t stick_bytes,
                         std::vector<models::StickRuns>& runs) {
  std::sort(dimensions.begin(), dimensions.end(),
            [](const auto& a, const auto& b) { return a.stride < b.stride; });
  // What lies so close that it touches every stick in between is one span.
  std::int64_t span = element_bytes;
  std::size_t outer = 0;
  for (; outer < dimensions.size(); ++outer) {
    const StridedDimension& dimension = dimensions[outer];
    if (dimension.count <= 0) return;
    if (dimension.stride > std::max(span, stick_bytes)) break;
    span += (dimension.count - 1) * dimension.stride;
  }
  std::int64_t repetitions = 1;
  for (std::size_t i = outer; i < dimensions.size(); ++i) repetitions *= dimensions[i].count;
  if (repetitions <= 0) return;

  models::StickRuns run;
  // Levels that keep to the sticks become the nest's repetitions, as long as they are the
  // innermost.
  std::size_t levels = 0;
  while (outer < dimensions.size() && levels < run.count.size() &&
         dimensions[outer].stride % stick_bytes == 0) {
    run.count[levels] = static_cast<std::uint32_t>(dimensions[outer].count);
    run.stride[levels++] = dimensions[outer].stride;
    repetitions /= dimensions[outer++].count;
  }
  const auto stick = static_cast<std::uint64_t>(stick_bytes);
  for (std::int64_t index = 0; index < repetitions; ++index) {
    std::uint64_t begin = base;
    std::int64_t rest = index;
    for (std::size_t i = outer; i < dimensions.size(); ++i) {
      begin += static_cast<std::uint64_t>(rest % dimensions[i].count * dimensions[i].stride);
      rest /= dimensions[i].count;
    }
    const std::uint64_t end =
        (begin + static_cast<std::uint64_t>(span) + stick - 1) / stick * stick;
    begin = begin / stick * stick;
    if (levels == 0 && !runs.empty() && runs.back().count == run.count &&
        begin < runs.back().base + runs.back().run_bytes && begin >= runs.back().base) {
      // Shares its first stick with the end of the one before.
      const std::uint64_t last_end = runs.back().base + runs.back().run_bytes;
      if (end > last_end) runs.back().run_bytes += static_cast<std::uint32_t>(end - last_end);
      continue;
    }
    run.base = begin;
    run.run_bytes = static_cast<std::uint32_t>(end - begin);
    runs.push_back(run);
  }
}

void append_runs(const TensorGeometry& geometry, std::uint64_t base, const Rectangle& rectangle,
                 std::vector<models::StickRuns>& runs) {
  if (geometry.strided) {
    std::vector<StridedDimension> dimensions;
    std::int64_t offset = 0;
    for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
      offset += rectangle.offset[dim] * geometry.stride[dim];
      dimensions.push_back({rectangle.size[dim], geometry.stride[dim]});
    }
    append_strided_runs(base + static_cast<std::uint64_t>(offset), std::move(dimensions),
                        (geometry.element_bits + 7) / 8, geometry.stick_bytes, runs);
    return;
  }
  // Collect the levels innermost first, folding each into the one below where the two make one
  // progression.
  std::array<Level, kMaxTensorRank> levels;
  std::size_t depth = 0;
  std::int64_t run = geometry.stick_bytes;
  std::int64_t start = 0;
  const auto add_level = [&](std::int64_t count, std::int64_t stride) {
    if (count == 1) return;
    if (depth == 0 && stride == run) {
      run *= count;
    } else if (depth > 0 && stride == levels[depth - 1].count * levels[depth - 1].stride) {
      levels[depth - 1].count *= count;
    } else {
      levels[depth++] = {count, stride};
    }
  };
  for (std::size_t dim = geometry.rank; dim-- > 0;) {
    if (rectangle.size[dim] <= 0) return;
    if (dim == geometry.stick_dim) continue;
    start += rectangle.offset[dim] * geometry.stride[dim];
    add_level(rectangle.size[dim], geometry.stride[dim]);
  }
  if (geometry.rank > 0) {
    const SlabOfSticks slab = sticks_along(geometry, rectangle);
    start += slab.first * geometry.stride[geometry.stick_dim];
    add_level(slab.count, geometry.stride[geometry.stick_dim]);
  }

  models::StickRuns nest;
  nest.run_bytes = static_cast<std::uint32_t>(run);
  for (std::size_t i = 0; i < std::min<std::size_t>(depth, 3); ++i) {
    nest.count[i] = static_cast<std::uint32_t>(levels[i].count);
    nest.stride[i] = levels[i].stride;
  }
  // Levels beyond the three of a nest are written out, the innermost of them running fastest.
  std::int64_t nests = 1;
  for (std::size_t i = 3; i < depth; ++i) nests *= levels[i].count;
  for (std::int64_t index = 0; index < nests; ++index) {
    std::int64_t offset = start;
    std::int64_t rest = index;
    for (std::size_t i = 3; i < depth; ++i) {
      offset += rest % levels[i].count * levels[i].stride;
      rest /= levels[i].count;
    }
    nest.base = base + static_cast<std::uint64_t>(offset);
    runs.push_back(nest);
  }
}

}  // namespace spyre::kernels
