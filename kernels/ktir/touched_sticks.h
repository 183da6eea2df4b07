// How many 128-byte sticks of memory a set of strided accesses touches.
//
// Modelled: each stick counts once, however many elements or accesses lie in it.
// Not modelled: order, reuse in time, banks; it is a count, not a duration.
//
// Sticks of a box with constant strides are counted in closed form where its runs lie apart and
// start at the same place of a stick; else the runs (not the elements) are listed and merged.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace spyre::kernels::ktir {

/// Sticks are the unit of DRAM transfers (ktir.md 3.2).
inline constexpr std::int64_t kStickBytes = 128;

/// One dimension of an access: how often, and how many bytes apart.
struct StridedDimension {
  std::int64_t extent = 1;
  std::int64_t stride = 0;
};

class TouchedSticks {
 public:
  /// `bytes` at `first` and at every combination of the dimensions' strides from there. False if an
  /// address is too large to count with; nothing is added then.
  [[nodiscard]] bool add(std::int64_t first, std::int64_t bytes,
                         std::vector<StridedDimension> dimensions);
  /// Nothing if the accesses consist of more runs than can be listed.
  [[nodiscard]] std::optional<std::int64_t> count() const;

 private:
  /// Runs of `bytes` each; the dimensions ascend in stride and leave a stick or more between runs
  /// of the first of them.
  struct Block {
    std::int64_t first = 0;
    std::int64_t bytes = 0;
    std::vector<StridedDimension> dimensions;
  };
  struct Interval {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  [[nodiscard]] static std::optional<std::int64_t> closed_count(const Block& block);
  static void list(const Block& block, std::vector<Interval>& intervals);

  std::vector<Block> blocks_;
};

}  // namespace spyre::kernels::ktir
