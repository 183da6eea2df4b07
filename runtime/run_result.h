// The one result of a run. Text, JSON, tests and reports all print this.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/dram/memory_system.h"
#include "models/events/observer.h"
#include "models/machine/machine_reader.h"

namespace spyre::runtime {

/// DRAM bytes by what they are. Useful bytes are counted once per write of them: a second read of the same sticks is
/// `reread`, what lies in a stick beyond the tensor's edge is `padding`.
struct ByteCounts {
  std::uint64_t weights = 0, kv_read = 0, kv_write = 0, embedding = 0, activations = 0, constants = 0;
  std::uint64_t padding = 0, reread = 0;
  std::uint64_t read = 0, written = 0;  ///< DRAM counters: everything, by direction
  [[nodiscard]] std::uint64_t total() const { return read + written; }
};

/// Bytes of one tensor (all its layers together).
struct TensorBytes {
  std::string name;
  std::string kind;
  std::uint64_t read = 0, written = 0, padding = 0, reread = 0;
};

/// One launch.
struct OpResult {
  std::string name;    ///< "qkv"
  std::int32_t layer = -1;
  std::uint64_t flops = 0;  ///< 2 per MAC executed on real elements
  std::uint64_t bytes = 0;  ///< useful DRAM bytes, both directions
  double intensity = 0;     ///< FLOP/B
  double roofline_ms = 0;
  double time_ms = 0;
  std::string bound;        ///< what the time goes to: "memory", "compute", "ring" or "overhead"
};

struct CoreCycles {
  std::uint64_t matrix = 0, vector = 0, idle = 0;
  std::array<std::uint64_t, models::kStallCauses> stalls{};
  [[nodiscard]] std::uint64_t stalled() const;
  [[nodiscard]] std::uint64_t total() const { return matrix + vector + idle + stalled(); }
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
  std::vector<models::MachineEntry> machine;  ///< the description in effect
};

}  // namespace spyre::runtime
