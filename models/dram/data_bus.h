// Column commands of one channel as slots on its data bus, in closed form per run of bursts.
//
// Bursts of one bank group must keep tCCD_L, twice the burst time on LPDDR5 with bank groups, so
// one group alone fills every other slot. The bus is therefore two lanes of half the rate: a run in
// one group takes one lane, and a run of another group fits in between on the other lane; a run
// over several groups fills both. Where tCCD_L equals the burst time there is a single lane. Not
// modelled: the order of the bursts within a run.
#pragma once

#include <algorithm>

#include "models/dram/dram_timing.h"

namespace spyre::models {

class DataBus {
 public:
  DataBus(DramCycles burst, DramCycles ccd_l)
      : lanes_(ccd_l > burst ? 2 : 1), slot_(lanes_ * burst) {}

  /// First cycle at which some lane is free.
  [[nodiscard]] DramCycles earliest() const { return std::min(first_, second_); }

  /// A run of `bursts` from `start` on in one bank group; returns the end of its last slot.
  DramCycles take_one_lane(DramCycles start, DramCycles bursts) {
    if (lanes_ == 1) return take_all(start, bursts, start);
    DramCycles& lane = first_ <= second_ ? first_ : second_;
    return lane = std::max(lane, start) + bursts * slot_;
  }

  /// A run over several groups, ending not before `not_before`; returns the end of its last slot.
  DramCycles take_all(DramCycles start, DramCycles bursts, DramCycles not_before) {
    DramCycles end = start + bursts * slot_;
    if (lanes_ == 2) {
      const DramCycles early = std::max(std::min(first_, second_), start);
      const DramCycles late = std::max(std::max(first_, second_), start);
      end = std::max((early + late + bursts * slot_ + 1) / 2, start + bursts * slot_ / 2);
      if (end < late) {  // fits under the run that still holds the other lane
        end = std::max(early + bursts * slot_, not_before);
        (first_ <= second_ ? first_ : second_) = end;
        return end;
      }
    }
    first_ = second_ = std::max(end, not_before);
    return first_;
  }

  /// No slot before `time` (refresh).
  void close_until(DramCycles time) {
    first_ = std::max(first_, time);
    second_ = std::max(second_, time);
  }
  /// Slots from `time` on are free again: a refresh cut a run short.
  void cut(DramCycles time) {
    first_ = std::min(first_, time);
    second_ = std::min(second_, time);
  }

 private:
  DramCycles lanes_, slot_;
  DramCycles first_ = 0, second_ = 0;
};

}  // namespace spyre::models
