// Who gets the LX banks when: the arbitration of one core's scratchpad, as a plain object.
//
// Models: one port to memory and neighbours (port_bytes_per_cycle, both directions together, in the
// order in which transfers are announced) and the corelets' port; single-ported banks interleaved
// by stick. Two streams of consecutive sticks collide when they touch the same bank in the same
// cycle; the compute stream is the one that waits. The expected number of collisions is the compute
// accesses times the memory port's share of bank cycles since the last compute access, divided by
// the number of banks; a fraction of a cycle is carried over, so that none is lost. Approximate:
// phases of the streams are not tracked; a transfer announced early (a tile on its way over the
// ring) keeps the port from others that could go before it.
// Does not model: conflicts between the matrix and the vector unit; data.
#pragma once

#include "models/machine/machine.h"

namespace spyre::models {

class LxPorts {
 public:
  LxPorts(const LxDescription& lx, const CoreClock& clock, std::int64_t stick_bytes);

  /// A transfer between LX and memory or a neighbour that could start at `time`; returns when its
  /// last byte is through.
  [[nodiscard]] Picoseconds transfer(std::uint64_t bytes, Picoseconds time);

  /// A compute operation reads and writes `bytes` of LX over [time, time + duration); returns the
  /// cycles that it waits.
  [[nodiscard]] Cycles compute_conflicts(std::uint64_t bytes, Picoseconds time,
                                         Picoseconds duration);

  [[nodiscard]] std::uint64_t transferred_bytes() const { return transferred_bytes_; }
  [[nodiscard]] Cycles conflict_cycles() const { return conflict_cycles_; }

 private:
  LxDescription lx_;
  CoreClock clock_;
  std::uint64_t stick_bytes_;
  std::uint64_t bank_cycles_;  // that one stick holds its bank
  Picoseconds port_free_ = 0;
  std::uint64_t transferred_bytes_ = 0;
  std::uint64_t seen_bytes_ = 0;  // of transferred_bytes_, before the last compute access
  Picoseconds seen_until_ = 0;
  std::uint64_t carried_ = 0;  // numerator of the fraction carried over
  Cycles conflict_cycles_ = 0;
};

}  // namespace spyre::models
