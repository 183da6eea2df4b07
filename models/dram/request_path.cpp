#include "models/dram/request_path.h"

#include <algorithm>

namespace spyre::models {
namespace {

constexpr Picoseconds kPsPerSecond = 1'000'000'000'000;

}  // namespace

RequestPath::RequestPath(const RequestPathDescription& description)
    : interval_(static_cast<Picoseconds>(description.interval_ps)),
      bytes_per_second_(static_cast<Picoseconds>(description.bytes_per_second)) {}

void RequestPath::push(Picoseconds arrival, std::uint32_t slot, std::uint32_t bytes,
                       bool multicast) {
  waiting_.push_back({arrival, pushed_++, slot, bytes, multicast});
  std::ranges::push_heap(waiting_, later);
  find_next_start();
}

std::uint32_t RequestPath::start_next() {
  std::ranges::pop_heap(waiting_, later);
  const Waiting request = waiting_.back();
  waiting_.pop_back();
  // bytes * 1e12 fits: requests are kilobytes.
  const Picoseconds transfer =
      request.multicast ? 0 : request.bytes * kPsPerSecond / bytes_per_second_;
  free_at_ = std::max(request.arrival, free_at_) + std::max(interval_, transfer);
  find_next_start();
  return request.slot;
}

void RequestPath::find_next_start() {
  next_start_ = waiting_.empty() ? kNoDecision : std::max(waiting_.front().arrival, free_at_);
}

}  // namespace spyre::models
