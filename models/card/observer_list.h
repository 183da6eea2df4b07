// Fans machine events out to any number of observers. Costs a loop over nothing when there are
// none.
#pragma once

#include <vector>

#include "models/events/observer.h"

namespace spyre::models {

class ObserverList {
 public:
  explicit ObserverList(std::vector<Observer*> observers) : observers_(std::move(observers)) {}

  void launch_begin(const Launch& launch, std::uint64_t begin_ps) const {
    for (Observer* observer : observers_) observer->on_launch_begin(launch, begin_ps);
  }
  void launch_end(const LaunchEvent& event) const {
    for (Observer* observer : observers_) observer->on_launch_end(event);
  }
  void op(const OpEvent& event) const {
    for (Observer* observer : observers_) observer->on_op(event);
  }
  void request(const RequestEvent& event) const {
    for (Observer* observer : observers_) observer->on_request(event);
  }
  void core_interval(const CoreInterval& interval) const {
    if (interval.begin_ps == interval.end_ps) return;
    for (Observer* observer : observers_) observer->on_core_interval(interval);
  }

 private:
  std::vector<Observer*> observers_;
};

}  // namespace spyre::models
