// What goes into a channel and what comes out, the same for both scheduling tiers.
#pragma once

#include <cstdint>

#include "models/dram/dram_timing.h"

namespace spyre::models {

/// Contiguous bytes of one channel, all read or all written.
struct ChannelAccess {
  std::uint64_t offset = 0;  ///< bytes within the channel, a multiple of the burst
  std::uint32_t bytes = 0;   ///< a multiple of the burst
  std::uint32_t tag = 0;     ///< the caller's; comes back in every completion
  bool write = false;
  DramCycles arrival = 0;  ///< not earlier than the last advance() and the last push()
};

/// All data of an access, or of one run of it, has crossed the DRAM's pins.
struct ChannelCompletion {
  std::uint32_t tag = 0;
  DramCycles time = 0;
};

/// When a channel turns round between reads and writes.
struct WritePolicy {
  /// Bursts in one direction after which the other direction gets its turn, if it has a run under
  /// way. 0: plain FR-FCFS, a direction is kept while something in the window can go on without a
  /// turnaround.
  std::uint32_t batch_bursts = 0;
};

}  // namespace spyre::models
