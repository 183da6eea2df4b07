// One simulation: owns the SystemC kernel context and the card, runs a program to its end, and
// hands back the counters.
//
// One simulation at a time per process and thread; any number one after the other. Everything else
// about a run reaches the observers.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/data/data_plane.h"
#include "models/dram/memory_system.h"
#include "models/events/observer.h"
#include "models/isa/tile_op.h"
#include "models/machine/machine.h"

namespace spyre::runtime {

struct SimulationOptions {
  /// Called now and then with the simulated time so far and the number of launches begun. May be
  /// empty.
  std::function<void(models::Picoseconds time, std::uint32_t launches)> progress;
  const std::atomic<bool>* stop = nullptr;  ///< polled; when it turns true the run ends early
};

struct SimulationOutcome {
  enum class End { finished, interrupted, deadlocked };
  End end = End::finished;
  std::string deadlock;  ///< what each stuck core waits for, one line per core
  models::Picoseconds time_ps = 0;
  std::uint64_t requests = 0;  ///< DRAM requests
  std::uint64_t tile_ops = 0;
  std::uint32_t launches = 0;
  models::Picoseconds ring_busy_ps = 0;  ///< summed over links
  std::vector<models::ChannelCounters> channels;
};

/// Runs `program` on a card with `machine`'s numbers; what it does to the bytes, it does to `data`.
/// All arguments must outlive the call.
[[nodiscard]] SimulationOutcome simulate(const models::Machine& machine,
                                         models::ProgramSource& program, models::DataPlane& data,
                                         const std::vector<models::Observer*>& observers,
                                         const SimulationOptions& options = {});

}  // namespace spyre::runtime
