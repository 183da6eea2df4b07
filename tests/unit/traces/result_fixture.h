// A result as a run would hand it back, with figures that are easy to check by head.
#pragma once

#include <string>

#include "tests/support/test_machine.h"
#include "traces/run_result.h"

namespace spyre::traces::test {

/// 2 cores of 32 in use for 1,500,000 cycles (1 ms); 100,000,000 B useful, as the ledger and the
/// channels count them.
inline RunResult make_result() {
  RunResult result;
  result.machine = models::make_test_machine();
  result.meta = {{"model", "toy"},  {"phase", "decode"}, {"batch", "4"},
                 {"context", "64"}, {"chunk", "1"},      {"dtype", "fp16"}};
  result.cores = 2;
  result.cycles = 1'500'000;
  result.time_ps = 1'000'000'000;
  ByteCounts& bytes = result.bytes;
  bytes.weights = 90'000'000;
  bytes.kv_read = 8'000'000;
  bytes.kv_write = 1'000'000;
  bytes.embedding = 500'000;
  bytes.activations = 400'000;
  bytes.constants = 100'000;
  bytes.padding = 160'000;
  bytes.reread = 1'600'000;
  bytes.read = 100'000'000;
  bytes.written = 1'760'000;
  result.tensors = {{"attn.wq", "weight", 91'760'000, 0, 160'000, 0, 1'600'000},
                    {"kv", "kv_cache", 8'240'000, 1'760'000, 0, 0, 0}};
  result.ops = {{"l0.qkv", 0, 3'072'000'000, 50'000'000, 61.44, 30.0, 0.5, 0.6, "memory"},
                {"head", -1, 0, 50'000'000, 0.0, 30.0, 0.25, 0.4, "overhead"}};
  result.core_cycles.resize(32);
  for (CoreCycles& core : result.core_cycles) core.idle = 1'500'000;
  const auto stall = [](CoreCycles& core, models::StallCause cause) -> std::uint64_t& {
    return core.stalls[static_cast<std::size_t>(cause)];
  };
  for (std::size_t core = 0; core < 2; ++core) {
    CoreCycles& cycles = result.core_cycles[core];
    cycles.idle = 0;
    cycles.matrix = core == 0 ? 900'000 : 500'000;
    cycles.vector = 100'000;
    stall(cycles, models::StallCause::dram_read) = 300'000;
    stall(cycles, models::StallCause::launch) = 100'000;
    stall(cycles, models::StallCause::barrier) = core == 0 ? 100'000 : 500'000;
  }
  result.channels.resize(16);
  for (models::ChannelCounters& channel : result.channels) {
    channel.read_bursts = 195'312;  // x 32 B x 16 channels = 99,999,744 B
    channel.write_bursts = 3'437;
    channel.activates = 20'000;
    channel.busy_ps = 500'000'000;
  }
  result.channels[0].read_bursts += 8;   // 100,000,000 B
  result.channels[0].write_bursts += 8;  // 1,760,000 B
  result.requests = 25'000;
  result.tile_ops = 1'234;
  models::MachineEntry entry;
  entry.key = "dram.channels";
  entry.value = "16";
  entry.unit = "1";
  entry.source = "a data sheet";
  result.machine_entries = {entry};
  return result;
}

}  // namespace spyre::traces::test
