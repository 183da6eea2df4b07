// The part of the waiting runs that a channel's scheduler looks at: a queue of so many bursts,
// filled in order.
//
// A run enters as soon as its first stick finds room; the rest of it follows as entries become
// free. Entries are freed at an even rate between the first and the last column command of the run
// being served.
#pragma once

#include <algorithm>

#include "models/dram/dram_timing.h"

namespace spyre::models {

class QueueWindow {
 public:
  QueueWindow(DramCycles entries, DramCycles stick_bursts)
      : entries_(entries), stick_bursts_(std::min(stick_bursts, entries)) {}

  /// When a run of `bursts` can enter; kNever until another run is served.
  [[nodiscard]] DramCycles room_at(DramCycles bursts) const {
    const DramCycles must_leave = waiting_ + leaving_ + std::min(bursts, stick_bursts_) - entries_;
    if (must_leave <= 0) return 0;
    if (must_leave > leaving_) return kNever;
    return from_ + ((must_leave - 1) * (to_ - from_) + leaving_ - 1) / leaving_;
  }

  void enter(DramCycles bursts) { waiting_ += bursts; }

  /// `bursts` of a run are served, from `from` to the end of the last slot at `to`.
  void leave(DramCycles bursts, DramCycles from, DramCycles to) {
    waiting_ -= bursts;
    if (from < to_) {
      leaving_ = bursts + leaving_ * (to_ - from) / (to_ - from_);
      to_ = std::max(to, to_);
    } else {
      leaving_ = bursts;
      to_ = to;
    }
    from_ = from;
  }

 private:
  DramCycles entries_, stick_bursts_;
  DramCycles waiting_ = 0;                      ///< bursts entered, not served
  DramCycles leaving_ = 0, from_ = 0, to_ = 0;  ///< bursts being served
};

}  // namespace spyre::models
