// Where every core's cycles went.
#pragma once

#include <vector>

#include "models/events/observer.h"
#include "models/machine/machine.h"
#include "traces/run_result.h"

namespace spyre::traces {

/// Counts in whole cycles by the clock's edges, so that a core's counts add up to the run's cycles
/// exactly.
class CoreLedger final : public models::Observer {
 public:
  explicit CoreLedger(const models::Machine& machine)
      : clock_(machine.clock), cores_(static_cast<std::size_t>(machine.cores.count)) {}

  void on_core_interval(const models::CoreInterval& interval) override {
    CoreCycles& core = cores_[interval.core];
    const std::uint64_t cycles =
        clock_.elapsed(interval.end_ps) - clock_.elapsed(interval.begin_ps);
    switch (interval.activity) {
      case models::CoreActivity::matrix:
        core.matrix += cycles;
        break;
      case models::CoreActivity::vector:
        core.vector += cycles;
        break;
      case models::CoreActivity::idle:
        core.idle += cycles;
        break;
      case models::CoreActivity::stalled:
        core.stalls[static_cast<std::size_t>(interval.cause)] += cycles;
        break;
    }
  }

  [[nodiscard]] const std::vector<CoreCycles>& cores() const { return cores_; }

 private:
  models::CoreClock clock_;
  std::vector<CoreCycles> cores_;
};

}  // namespace spyre::traces
