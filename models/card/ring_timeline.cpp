#include "models/card/ring_timeline.h"

#include <algorithm>
#include <bit>

namespace spyre::models {

RingTimeline::RingTimeline(const RingDescription& ring, const CoreClock& clock, std::int64_t cores)
    : cores_(static_cast<std::uint32_t>(cores)),
      bytes_per_cycle_(static_cast<std::uint64_t>(ring.bytes_per_cycle)),
      cohort_(ring.multicast_cohort),
      clock_(clock),
      hop_ps_(clock.to_ps(static_cast<Cycles>(ring.hop_cycles))) {
  for (auto& links : link_free_) links.assign(cores_, 0);
}

std::uint32_t RingTimeline::distance(std::uint32_t from, std::uint32_t to,
                                     Direction direction) const {
  return direction == clockwise ? (to + cores_ - from) % cores_ : (from + cores_ - to) % cores_;
}

Picoseconds RingTimeline::latency(std::uint32_t from, std::uint32_t to) const {
  return hop_ps_ * std::min(distance(from, to, clockwise), distance(from, to, counter_clockwise));
}

RingTimeline::Arrival RingTimeline::stream(std::uint32_t source, CoreSet destinations,
                                           Picoseconds duration, Picoseconds time,
                                           Direction direction,
                                           std::array<Picoseconds, kMaxCores>* arrivals) {
  Arrival result{time, time};
  Picoseconds head = time;
  std::uint32_t core = source;
  for (bool first = true; destinations != 0; first = false) {
    Picoseconds& free = link_free_[direction][core];
    head = std::max(head, free);
    free = head + duration;
    busy_ps_ += duration;
    if (first) result.injected_ps = free;
    head += hop_ps_;
    core = direction == clockwise ? (core + 1) % cores_ : (core + cores_ - 1) % cores_;
    if ((destinations >> core & 1) != 0) {
      destinations &= ~(CoreSet{1} << core);
      result.arrived_ps = head + duration;
      if (arrivals != nullptr) (*arrivals)[core] = result.arrived_ps;
    }
  }
  return result;
}

RingTimeline::Arrival RingTimeline::send(std::uint32_t source, CoreSet destinations,
                                         std::uint64_t bytes, Picoseconds time,
                                         std::array<Picoseconds, kMaxCores>* arrivals) {
  Arrival result{time, time};
  if ((destinations >> source & 1) != 0) {
    destinations &= ~(CoreSet{1} << source);
    if (arrivals != nullptr) (*arrivals)[source] = time;
  }
  const Picoseconds duration = clock_.to_ps((bytes + bytes_per_cycle_ - 1) / bytes_per_cycle_);
  std::array<CoreSet, 2> cohort{0, 0};
  std::int64_t members = 0;
  const auto flush = [&] {
    for (const Direction direction : {clockwise, counter_clockwise}) {
      if (cohort[direction] == 0) continue;
      const Arrival arrival =
          stream(source, cohort[direction], duration, time, direction, arrivals);
      result.injected_ps = std::max(result.injected_ps, arrival.injected_ps);
      result.arrived_ps = std::max(result.arrived_ps, arrival.arrived_ps);
    }
    cohort = {0, 0};
    members = 0;
  };
  while (destinations != 0) {
    const auto core = static_cast<std::uint32_t>(std::countr_zero(destinations));
    destinations &= destinations - 1;
    const Direction direction =
        distance(source, core, clockwise) <= distance(source, core, counter_clockwise)
            ? clockwise
            : counter_clockwise;
    cohort[direction] |= CoreSet{1} << core;
    if (++members == cohort_) flush();
  }
  flush();
  return result;
}

}  // namespace spyre::models
