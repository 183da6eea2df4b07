// The one result of a run. Text, JSON, tests and reports all print this.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "models/dram/memory_system.h"
#include "models/events/observer.h"
#include "models/machine/machine_reader.h"

namespace spyre::traces {

/// DRAM bytes by what they are. Useful bytes are counted once per write of them: a second read of
/// the same sticks is `reread`, what lies in a stick beyond the tensor's edge is `padding`.
struct ByteCounts {
  std::uint64_t weights = 0, kv_read = 0, kv_write = 0, embedding = 0, activations = 0,
                constants = 0;
  std::uint64_t padding = 0, reread = 0;
  std::uint64_t read = 0, written = 0;  ///< everything, by direction
  [[nodiscard]] std::uint64_t useful() const {
    return weights + kv_read + kv_write + embedding + activations + constants;
  }
  /// Equal to read + written.
  [[nodiscard]] std::uint64_t total() const { return useful() + padding + reread; }
};

/// Bytes of one tensor (all its layers together).
struct TensorBytes {
  std::string name;
  std::string kind;
  std::uint64_t read = 0, written = 0;                              ///< everything that moved
  std::uint64_t read_padding = 0, written_padding = 0, reread = 0;  ///< how much of that was no use
};

/// One launch.
struct OpResult {
  std::string name;  ///< "qkv"
  std::int32_t layer = -1;
  std::uint64_t flops = 0;  ///< 2 per MAC executed on real elements
  std::uint64_t bytes = 0;  ///< useful DRAM bytes, both directions
  double intensity = 0;     ///< FLOP/B
  double ridge = 0;  ///< FLOP/B at which the peaks meet, for the types and the cores of this launch
  double roofline_ms = 0;
  double time_ms = 0;
  std::string bound;  ///< what most core time went to: "memory", "compute", "ring" or "overhead"
};

struct CoreCycles {
  std::uint64_t matrix = 0, vector = 0, idle = 0;
  std::array<std::uint64_t, models::kStallCauses> stalls{};
  [[nodiscard]] std::uint64_t stalled() const {
    return std::accumulate(stalls.begin(), stalls.end(), std::uint64_t{0});
  }
  [[nodiscard]] std::uint64_t total() const { return matrix + vector + idle + stalled(); }
};

/// What another model of time says of the same kernel, in its own cycles, by what they go into.
struct OtherTiming {
  std::string model;  ///< "ktir-cpu"
  double cycles = 0;
  std::string bound;
  std::vector<std::pair<std::string, double>> parts;  ///< cycles; they add up
  std::uint64_t dram_bytes = 0;
  std::uint64_t operations = 0;
};

struct RunResult {
  std::map<std::string, std::string> meta;  ///< the schedule's: model, phase, batch, context ...
  std::int64_t cores = 0;
  std::uint64_t cycles = 0;
  std::uint64_t time_ps = 0;
  ByteCounts bytes;
  std::vector<TensorBytes> tensors;
  std::vector<OpResult> ops;
  std::vector<CoreCycles> core_cycles;  ///< by core
  std::vector<models::ChannelCounters> channels;
  std::uint64_t requests = 0;
  std::uint64_t tile_ops = 0;
  std::vector<OtherTiming> other_timings;
  bool interrupted = false;  ///< stopped by the user: everything above is what had happened by then
  models::Machine machine;
  std::vector<models::MachineEntry> machine_entries;  ///< the description in effect, with sources
};

}  // namespace spyre::traces
