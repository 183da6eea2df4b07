#include "kernels/ktir/touched_sticks.h"

#include <algorithm>
#include <utility>

#include "kernels/ktir/affine.h"

namespace spyre::kernels::ktir {
namespace {

/// Addresses beyond it are refused, so that sums of them stay inside 64 bits.
constexpr std::int64_t kFarthest = std::int64_t{1} << 60;
constexpr std::int64_t kMostRuns = std::int64_t{1} << 22;

std::int64_t stick_of(std::int64_t byte) {
  return floor_divide(byte, kStickBytes);
}

std::int64_t sticks_of_run(std::int64_t first, std::int64_t bytes) {
  return stick_of(first + bytes - 1) - stick_of(first) + 1;
}

}  // namespace

bool TouchedSticks::add(std::int64_t first, std::int64_t bytes,
                        std::vector<StridedDimension> dimensions) {
  if (first <= -kFarthest || first >= kFarthest || bytes >= kFarthest) return false;
  for (const StridedDimension& each : dimensions) {
    if (each.extent <= 0) return true;
  }
  if (bytes <= 0) return true;
  std::int64_t reach = bytes;
  for (StridedDimension& each : dimensions) {
    std::int64_t span = 0;
    if (__builtin_mul_overflow(each.extent - 1, each.stride, &span)) return false;
    if (span <= -kFarthest || span >= kFarthest) return false;
    if (span < 0) {  // the same places, counted from the other end
      first += span;
      each.stride = -each.stride;
      span = -span;
    }
    reach += span;
    if (first <= -kFarthest || reach >= kFarthest) return false;
  }
  std::erase_if(dimensions,
                [](const StridedDimension& d) { return d.extent == 1 || d.stride == 0; });
  std::ranges::sort(dimensions, {}, &StridedDimension::stride);
  // A run and its neighbour leave no stick out between them if the neighbour starts in the stick
  // after the run's last one at the latest: together they count as one longer run.
  std::size_t merged = 0;
  while (merged < dimensions.size() && dimensions[merged].stride < bytes + kStickBytes) {
    bytes += dimensions[merged].stride * (dimensions[merged].extent - 1);
    ++merged;
  }
  dimensions.erase(dimensions.begin(), dimensions.begin() + static_cast<std::ptrdiff_t>(merged));
  blocks_.push_back({first, bytes, std::move(dimensions)});
  return true;
}

/// Where no two runs share a stick and all of them lie alike in their sticks.
std::optional<std::int64_t> TouchedSticks::closed_count(const Block& block) {
  std::int64_t span = block.bytes;
  std::int64_t runs = 1;
  for (const StridedDimension& each : block.dimensions) {
    if (each.stride % kStickBytes != 0 || each.stride < span + kStickBytes) return std::nullopt;
    span += each.stride * (each.extent - 1);
    runs *= each.extent;  // at most span
  }
  return runs * sticks_of_run(block.first, block.bytes);
}

void TouchedSticks::list(const Block& block, std::vector<Interval>& intervals) {
  std::vector<std::int64_t> at(block.dimensions.size());
  std::int64_t byte = block.first;
  while (true) {
    intervals.push_back({stick_of(byte), stick_of(byte + block.bytes - 1)});
    std::size_t d = 0;
    for (; d < at.size(); ++d) {
      byte += block.dimensions[d].stride;
      if (++at[d] < block.dimensions[d].extent) break;
      byte -= block.dimensions[d].stride * block.dimensions[d].extent;
      at[d] = 0;
    }
    if (d == at.size()) return;
  }
}

std::optional<std::int64_t> TouchedSticks::count() const {
  if (blocks_.size() == 1) {
    if (const auto closed = closed_count(blocks_.front())) return closed;
  }
  std::int64_t runs = 0;
  for (const Block& block : blocks_) {
    std::int64_t of_block = 1;
    for (const StridedDimension& each : block.dimensions) {
      if (__builtin_mul_overflow(of_block, each.extent, &of_block)) return std::nullopt;
    }
    if (of_block > kMostRuns - runs) return std::nullopt;
    runs += of_block;
  }
  std::vector<Interval> intervals;
  intervals.reserve(static_cast<std::size_t>(runs));
  for (const Block& block : blocks_) list(block, intervals);
  std::ranges::sort(intervals, {}, &Interval::first);
  std::int64_t sticks = 0;
  std::int64_t next = intervals.empty() ? 0 : intervals.front().first;
  for (const Interval& each : intervals) {
    if (each.last < next) continue;
    sticks += each.last - std::max(each.first, next) + 1;
    next = each.last + 1;
  }
  return sticks;
}

}  // namespace spyre::kernels::ktir
