// One direction of the way from a group of cores to the memory controller: a server in order of
// arrival.
//
// Occupied by a private read or a write for the longer of the request interval and its bytes at the
// path's rate; by a multicast read for the interval alone. Measured card behaviour behind it: 16
// cores together read at most about 80 GB/s of private data, multicast reads are not held to it,
// requests start 7.5 ns apart. Does not model: the route back, other than the fixed transit that
// the memory system adds; which core waits for which.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "models/machine/machine.h"

namespace spyre::models {

inline constexpr Picoseconds kNoDecision = std::numeric_limits<Picoseconds>::max();

class RequestPath {
 public:
  explicit RequestPath(const RequestPathDescription& description);

  /// A request leaves its core at `arrival`; `slot` comes back from start_next().
  void push(Picoseconds arrival, std::uint32_t slot, std::uint32_t bytes, bool multicast);

  /// When the next request starts on the path; kNoDecision when none waits.
  [[nodiscard]] Picoseconds next_start() const { return next_start_; }

  /// Starts the next request: occupies the path and returns its slot.
  std::uint32_t start_next();

 private:
  struct Waiting {
    Picoseconds arrival = 0;
    std::uint64_t order = 0;  ///< of push, for equal arrivals
    std::uint32_t slot = 0, bytes = 0;
    bool multicast = false;
  };
  /// Heap order: the earliest on top.
  static bool later(const Waiting& a, const Waiting& b) {
    return a.arrival != b.arrival ? a.arrival > b.arrival : a.order > b.order;
  }
  void find_next_start();

  Picoseconds interval_, bytes_per_second_;
  Picoseconds free_at_ = 0, next_start_ = kNoDecision;
  std::uint64_t pushed_ = 0;
  std::vector<Waiting> waiting_;  ///< a heap
};

}  // namespace spyre::models
