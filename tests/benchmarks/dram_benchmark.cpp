// Speed of the memory side by itself: a decode step's weight stream through the memory system, and
// the per-burst tier on single-channel patterns. Prints simulated rates beside simulation speed.
//
// usage: dram_benchmark [gigabytes of the decode stream, default 16.3]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "models/dram/memory_system.h"
#include "tests/unit/dram/channel_traffic.h"

namespace spyre::models {
namespace {

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::uint64_t total(const MemorySystem& memory, std::uint64_t ChannelCounters::*counter) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < memory.channels(); ++i) sum += memory.counters(i).*counter;
  return sum;
}

/// Every core reads 12 MB regions of its own, one behind the other, with the machine's outstanding
/// requests.
void decode_stream(const Machine& machine, std::uint32_t cores, double bytes) {
  constexpr std::uint64_t kRegion = 12'000'256;  // a multiple of the stick
  const auto request_bytes = static_cast<std::uint32_t>(machine.load_store.max_request_bytes);
  const auto outstanding = static_cast<std::uint32_t>(machine.load_store.outstanding_requests);
  MemorySystem memory(machine);
  std::vector<MemoryCompletion> completions;
  std::vector<std::uint64_t> issued(cores, 0);
  const auto requests = static_cast<std::uint64_t>(bytes / cores / request_bytes);
  const std::uint64_t per_region = kRegion / request_bytes;
  Picoseconds end = 0;
  const auto push = [&](std::uint32_t core, Picoseconds time) {
    if (issued[core] == requests) return;
    const std::uint64_t n = issued[core]++;
    const std::uint64_t address =
        (n / per_region * cores + core) * kRegion + n % per_region * request_bytes;
    memory.push(
        {.id = core, .core = core, .address = address, .bytes = request_bytes, .arrival_ps = time});
  };
  const double start = cpu_seconds();
  for (std::uint32_t i = 0; i < outstanding; ++i) {
    for (std::uint32_t core = 0; core < cores; ++core) push(core, 0);
  }
  for (;;) {
    const Picoseconds next = memory.next_decision_ps();
    if (next == std::numeric_limits<Picoseconds>::max()) break;
    completions.clear();
    memory.advance(next + memory.lookahead_ps(), completions);
    for (const MemoryCompletion& completion : completions) {
      end = std::max(end, completion.time_ps);
      push(completion.id, completion.time_ps);
    }
  }
  const double seconds = cpu_seconds() - start;
  const auto runs = static_cast<double>(total(memory, &ChannelCounters::row_hits) +
                                        total(memory, &ChannelCounters::row_misses));
  fmt::print(
      "{:2} cores  {:6.2f} GB  {:6.1f} GB/s  row hits {:4.1f} %  {:6.2f} s CPU  {:5.2f} M runs/s\n",
      cores, bytes / 1e9,
      static_cast<double>(requests * cores * request_bytes) * 1e3 / static_cast<double>(end),
      100.0 * static_cast<double>(total(memory, &ChannelCounters::row_hits)) / runs, seconds,
      runs / seconds / 1e6);
}

void burst_pattern(const std::string& pattern, ChannelTier tier) {
  const DramDescription dram = reference_channel("sic");
  const AddressMap map(dram, 128);
  Lpddr5Channel channel(dram, map, tier);
  const double start = cpu_seconds();
  const ClosedLoopResult result = run_closed_loop(channel, traffic_pattern(pattern), 500'000, 64);
  const double seconds = cpu_seconds() - start;
  fmt::print("{:5} tier  {:12}  {:6.2f} GB/s  {:5.2f} s CPU  {:6.2f} M bursts/s\n",
             tier == ChannelTier::run ? "run" : "burst", pattern, result.gigabytes_per_second(),
             seconds, static_cast<double>(result.bytes) / 32 / seconds / 1e6);
}

}  // namespace
}  // namespace spyre::models

int main(int argc, char** argv) {
  using namespace spyre::models;
  const double bytes = argc > 1 ? std::strtod(argv[1], nullptr) * 1e9 : 16.3e9;
  const Machine machine = make_test_machine();
  decode_stream(machine, 32, bytes);
  for (const std::uint32_t cores : {1u, 8u, 16u}) decode_stream(machine, cores, bytes / 32 * cores);
  for (const char* pattern : {"seqr", "mix11", "rnd128", "ms32-2097152"}) {
    burst_pattern(pattern, ChannelTier::burst);
    burst_pattern(pattern, ChannelTier::run);
  }
  return 0;
}
