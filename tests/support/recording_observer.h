// An observer that keeps copies of everything, for tests.
#pragma once

#include <vector>

#include "models/events/observer.h"

namespace spyre::tests {

class RecordingObserver final : public models::Observer {
 public:
  struct Op {
    std::uint32_t launch, core;
    models::Unit unit;
    models::Opcode opcode;
    std::uint32_t statement;
    std::uint64_t begin_ps, end_ps;
    bool operator==(const Op&) const = default;
  };
  struct LaunchRecord {
    std::uint64_t begin_ps, start_ps, end_ps;
  };

  void on_op(const models::OpEvent& event) override {
    ops.push_back({event.launch, event.core, event.unit, event.op.opcode, event.op.statement,
                   event.begin_ps, event.end_ps});
  }
  void on_launch_end(const models::LaunchEvent& event) override {
    launches.push_back({event.begin_ps, event.start_ps, event.end_ps});
  }
  void on_request(const models::RequestEvent& event) override { requests.push_back(event); }
  void on_core_interval(const models::CoreInterval& interval) override {
    intervals.push_back(interval);
  }

  /// The operation that statement `statement` of `core` was.
  [[nodiscard]] const Op& op(std::uint32_t core, std::uint32_t statement) const {
    for (const Op& record : ops) {
      if (record.core == core && record.statement == statement) return record;
    }
    static const Op none{};
    return none;
  }
  [[nodiscard]] std::uint64_t time_of(std::uint32_t core, models::CoreActivity activity) const {
    std::uint64_t total = 0;
    for (const auto& interval : intervals) {
      if (interval.core == core && interval.activity == activity)
        total += interval.end_ps - interval.begin_ps;
    }
    return total;
  }
  [[nodiscard]] std::uint64_t stalled(std::uint32_t core, models::StallCause cause) const {
    std::uint64_t total = 0;
    for (const auto& interval : intervals) {
      if (interval.core == core && interval.activity == models::CoreActivity::stalled &&
          interval.cause == cause) {
        total += interval.end_ps - interval.begin_ps;
      }
    }
    return total;
  }

  std::vector<Op> ops;
  std::vector<LaunchRecord> launches;
  std::vector<models::RequestEvent> requests;
  std::vector<models::CoreInterval> intervals;
};

}  // namespace spyre::tests
