// The memory side of the card as a plain object: request paths, address map and LPDDR5 channels.
//
// Models: two-way request paths shared by groups of cores; the split of a request over channels;
// per channel a scheduler that reorders within its queue (see lpddr5_channel.h). Time advances only
// when asked, decision by decision; nothing ticks. Does not model: the interconnect between
// controller and cores beyond a fixed transit and the paths' rates; data.
//
// The contract that makes it exact under lazy advancing: a request pushed with arrival a is never
// considered by a decision earlier than a, and no completion is earlier than its last decision +
// lookahead_ps(). So a caller that advances to time T no later than next_decision_ps() +
// lookahead_ps() learns every completion before it happens.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/machine/machine.h"

namespace spyre::models {

struct MemoryRequest {
  std::uint32_t id = 0;       ///< the caller's; comes back in the completion
  std::uint32_t core = 0;     ///< chooses the request path
  std::uint64_t address = 0;  ///< bytes, a multiple of the stick
  std::uint32_t bytes = 0;    ///< a multiple of the stick, at most the largest request
  bool write = false;
  bool multicast = false;      ///< a read shared by several cores: free of the path's byte rate
  Picoseconds arrival_ps = 0;  ///< leaves the core; not earlier than the last advance()
};

struct MemoryCompletion {
  std::uint32_t id = 0;
  Picoseconds time_ps = 0;  ///< read: last byte at the core; write: last byte in the DRAM's row
};

struct ChannelCounters {
  std::uint64_t read_bursts = 0, write_bursts = 0, ecc_bursts = 0;
  std::uint64_t row_hits = 0,
                row_misses = 0;  ///< per run of bursts in one row; misses = activates needed
  std::uint64_t activates = 0, precharges = 0, refreshes = 0, turnarounds = 0;
  Picoseconds busy_ps = 0;  ///< data bus in use
};

class MemorySystem {
 public:
  MemorySystem(const Machine& machine);
  ~MemorySystem();

  void push(const MemoryRequest& request);

  /// Makes every decision up to and including `now` and appends the completions that became known.
  void advance(Picoseconds now, std::vector<MemoryCompletion>& completions);

  /// The earliest time at which there is something to decide; the largest value when there is
  /// nothing.
  [[nodiscard]] Picoseconds next_decision_ps() const;
  /// Shorter while a write is outstanding: push() may shorten it, so ask again after that.
  [[nodiscard]] Picoseconds lookahead_ps() const;

  [[nodiscard]] const ChannelCounters& counters(std::size_t channel) const;
  [[nodiscard]] std::size_t channels() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace spyre::models
