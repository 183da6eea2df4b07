#include "kernels/planner/work_division.h"

#include <algorithm>
#include <tuple>

namespace spyre::kernels {
namespace {

/// Large enough for requests of full length on every stick column, small enough that the tail of a
/// kernel (the last tile's matmul, which nothing hides) stays near a microsecond.
constexpr std::int64_t kStreamTileBytes = 128 << 10;

Index boundary(const Slices& slices, const Index& coordinate) {
  if (slices.parts == 1) return slices.units * coordinate;
  if (slices.even()) return Index(slices.units / slices.parts) * coordinate;
  return floor_divide(Index(slices.units) * coordinate, slices.parts);
}

}  // namespace

Index Slices::begin() const {
  return parts == 1 ? Index(0) : boundary(*this, coordinate);
}

Index Slices::end() const {
  return parts == 1 ? Index(units) : boundary(*this, coordinate + 1);
}

Index Slices::length() const {
  return even() ? Index(units / parts) : end() - begin();
}

std::int64_t tile_depth(std::int64_t k, std::int64_t step, std::int64_t limit) {
  if (k <= limit) return k;
  for (std::int64_t depth = limit / step * step; depth > 0 && 2 * depth > limit; depth -= step) {
    if (k % depth == 0) return depth;
  }
  return std::max<std::int64_t>(limit / step * step, 0);
}

StreamTile choose_stream_tile(const models::Machine& machine, const StreamNeed& need) {
  const std::int64_t stick = machine.limits.stick_bytes;
  const std::int64_t request = machine.load_store.max_request_bytes / stick;
  constexpr std::int64_t kSlots = 2;
  constexpr std::int64_t kWidest = 8;  // sticks: beyond it accumulators grow and runs get short
  for (std::int64_t passes = ceil_divide(need.sticks, kWidest); passes <= need.sticks; ++passes) {
    const std::int64_t sticks = ceil_divide(need.sticks, passes);
    const std::int64_t left = need.bytes_left - need.bytes_per_stick * sticks;
    const std::int64_t deepest = left / (kSlots * need.matrices * sticks * stick);
    const std::int64_t wanted = std::max(kStreamTileBytes / (sticks * stick), request);
    const std::int64_t step = std::max(request, need.k_step);
    const std::int64_t rows =
        tile_depth(need.k, step, std::min(deepest, std::max(wanted, need.k_step)));
    if (rows > 0) return {sticks, rows};
  }
  return {};
}

AttentionSplit split_attention(std::int64_t cores, std::int64_t batch, std::int64_t kv_heads,
                               std::int64_t blocks) {
  AttentionSplit best;
  auto best_cost = std::tuple(batch * kv_heads * std::max<std::int64_t>(blocks, 1) + 1,
                              std::int64_t{0}, std::int64_t{0});
  for (std::int64_t sequences = 1; sequences <= std::min(cores, batch); ++sequences) {
    for (std::int64_t heads = 1; heads <= std::min(cores / sequences, kv_heads); ++heads) {
      const std::int64_t ranges = std::clamp<std::int64_t>(cores / (sequences * heads), 1,
                                                           std::max<std::int64_t>(blocks, 1));
      const std::int64_t busiest = ceil_divide(batch, sequences) * ceil_divide(kv_heads, heads) *
                                   ceil_divide(std::max<std::int64_t>(blocks, 1), ranges);
      const auto cost = std::tuple(busiest, ranges, -sequences);
      if (cost < best_cost) {
        best_cost = cost;
        best = {sequences, heads, ranges};
      }
    }
  }
  return best;
}

}  // namespace spyre::kernels
