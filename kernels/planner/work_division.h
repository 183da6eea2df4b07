// How work is divided: over cores, and into tiles that fit LX. Plain arithmetic on the machine's
// numbers.
//
// Work is cut in whole units (sticks, passes of rows, KV blocks); core c of p gets units [u*c // p,
// u*(c+1) // p), so slices differ by one unit at most and the longer ones are spread over the
// request paths.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/planner/index_text.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

[[nodiscard]] constexpr std::int64_t ceil_divide(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

/// `units` cut into `parts` slices; `coordinate` names the slice in a schedule.
struct Slices {
  std::int64_t units = 0;
  std::int64_t parts = 1;
  Index coordinate = 0;

  [[nodiscard]] std::int64_t first(std::int64_t part) const { return units * part / parts; }
  [[nodiscard]] std::int64_t longest() const { return ceil_divide(units, parts); }
  [[nodiscard]] std::int64_t shortest() const { return units / parts; }
  [[nodiscard]] bool even() const { return units % parts == 0; }
  [[nodiscard]] Index begin() const;
  [[nodiscard]] Index end() const;
  /// Units of the slice.
  [[nodiscard]] Index length() const;
};

/// A tile of a weight matrix that is streamed through LX: `rows` of K by `sticks` of N.
struct StreamTile {
  std::int64_t sticks = 0;
  std::int64_t rows = 0;  ///< 0 = no tile fits
};

/// What a streamed tile is chosen for.
struct StreamNeed {
  std::int64_t sticks = 0;  ///< of one core's slice, the longest
  std::int64_t k = 0;
  std::int64_t k_step = 1;    ///< tiles of K start at multiples of it: sticks of the other operand
  std::int64_t matrices = 1;  ///< streamed side by side: gate and up
  std::int64_t bytes_per_stick =
      0;  ///< of LX, beside the tiles, per stick of N: accumulators and results
  std::int64_t bytes_left = 0;  ///< of LX for tiles and the above
};

/// The widest tile that needs fewest passes over the slice, near `kStreamTileBytes` and as deep as
/// fits; rows 0 if none.
[[nodiscard]] StreamTile choose_stream_tile(const models::Machine& machine, const StreamNeed& need);

/// Rows of K per tile: K, or a multiple of `step` up to `limit` that divides K if such a number is
/// near; 0 if `limit` is less than a step.
[[nodiscard]] std::int64_t tile_depth(std::int64_t k, std::int64_t step, std::int64_t limit);

/// Decode attention: sequences x KV heads x ranges of KV blocks over cores.
struct AttentionSplit {
  std::int64_t sequences = 1, heads = 1, ranges = 1;  ///< parts of each
  [[nodiscard]] std::int64_t cores() const { return sequences * heads * ranges; }
};

/// The split whose busiest core has the fewest blocks; of those the one with the fewest ranges to
/// combine, then the most parts of the batch.
[[nodiscard]] AttentionSplit split_attention(std::int64_t cores, std::int64_t batch,
                                             std::int64_t kv_heads, std::int64_t blocks);

}  // namespace spyre::kernels
