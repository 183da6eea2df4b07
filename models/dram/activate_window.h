// tRRD and tFAW of one rank: when the next activate may go. Activates may be booked ahead and out
// of order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "models/dram/dram_timing.h"

namespace spyre::models {

class ActivateWindow {
 public:
  ActivateWindow(DramCycles rrd, DramCycles faw) : rrd_(rrd), faw_(faw) {}

  /// The first cycle from `from` on at which an activate keeps its distance to every one booked.
  [[nodiscard]] DramCycles earliest(DramCycles from) const {
    if (count_ == 0 || from >= times_[count_ - 1] + faw_) return from;
    std::size_t at = position(from);
    for (;;) {
      while (at < count_ && times_[at] <= from) ++at;
      const DramCycles next = conflict(from, at);
      if (next == from) return from;
      from = next;
    }
  }

  /// Books the earliest activate from `from` on and returns its cycle; kNever, booking nothing,
  /// from `limit` on.
  DramCycles book_earliest(DramCycles from, DramCycles limit = kNever) {
    if (count_ >= 4 &&
        from + rrd_ > gapless_since_) {  // no room before the last one: the usual case
      const DramCycles last = times_[count_ - 1];
      const DramCycles time = std::max(std::max(from, last + rrd_), times_[count_ - 4] + faw_);
      if (time >= limit) return kNever;
      if (count_ == kCapacity) drop_oldest();
      times_[count_++] = time;
      if (time - last >= 2 * rrd_) gapless_since_ = time;
      return time;
    }
    const DramCycles time = earliest(from);
    if (time >= limit) return kNever;
    if (count_ == kCapacity) drop_oldest();
    const std::size_t at = position(time);
    for (std::size_t i = count_; i > at; --i) times_[i] = times_[i - 1];
    times_[at] = time;
    ++count_;
    gapless_since_ = times_[count_ - 1];
    return time;
  }

 private:
  /// Activates this far back no longer constrain anything.
  void drop_oldest() {
    std::copy(times_.begin() + kCapacity / 2, times_.end(), times_.begin());
    count_ = kCapacity / 2;
  }

  /// Activates booked at or before `time`.
  [[nodiscard]] std::size_t position(DramCycles time) const {
    std::size_t at = count_;
    while (at > 0 && times_[at - 1] > time) --at;
    return at;
  }

  /// `time` if an activate fits there, else a later cycle to try; `at` activates are booked up to
  /// `time`.
  [[nodiscard]] DramCycles conflict(DramCycles time, std::size_t at) const {
    if (at > 0 && time < times_[at - 1] + rrd_) return times_[at - 1] + rrd_;
    if (at < count_ && times_[at] < time + rrd_) return times_[at] + rrd_;
    // Five activates that include this one must span at least tFAW: `before` of them precede it.
    for (std::size_t before = 0; before <= 4; ++before) {
      const std::size_t after = 4 - before;
      if (before > at || at + after > count_) continue;
      const DramCycles first = before > 0 ? times_[at - before] : time;
      const DramCycles last = after > 0 ? times_[at + after - 1] : time;
      if (last - first < faw_)
        return before > 0 ? std::max(first + faw_, time + 1) : times_[at] + rrd_;
    }
    return time;
  }

  /// Twice what can matter: one activate ahead per bank (16) and the last four.
  static constexpr std::size_t kCapacity = 40;
  DramCycles rrd_, faw_;
  std::array<DramCycles, kCapacity> times_{};
  std::size_t count_ = 0;
  DramCycles gapless_since_ = 0;  ///< from here to the last activate none fits in between
};

}  // namespace spyre::models
