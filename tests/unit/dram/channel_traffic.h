// The access patterns of the reference figures, and a closed-loop driver for one channel.
//
// Patterns follow the study that the figures come from (docs/models/lpddr5_channel.md): addresses
// modulo 2 GiB, a stick of 128 B per request unless stated.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "models/dram/lpddr5_channel.h"
#include "tests/support/test_machine.h"

namespace spyre::models {

struct TrafficRequest {
  std::uint64_t address = 0;
  std::uint32_t bytes = 128;
  bool write = false;
};

/// Gives request k = 0, 1, 2 ... when called in order.
using TrafficPattern = std::function<TrafficRequest(std::uint64_t)>;

inline constexpr std::uint64_t kChannelBytes = std::uint64_t{1} << 31;

/// seqr, seqw, mix11, mix31, mixb, rnd128, rnd64, run<bytes>, str<bytes>, ms<streams>-<offset>.
inline TrafficPattern traffic_pattern(const std::string& name) {
  const auto number = [&name](std::size_t from) { return std::stoull(name.substr(from)); };
  if (name == "seqr")
    return [](std::uint64_t k) { return TrafficRequest{128 * k % kChannelBytes, 128, false}; };
  if (name == "seqw")
    return [](std::uint64_t k) { return TrafficRequest{128 * k % kChannelBytes, 128, true}; };
  if (name == "mix11") {
    return [](std::uint64_t k) {
      return TrafficRequest{(128 * (k / 2) + 5'636'096 * (k % 2)) % kChannelBytes, 128, k % 2 == 1};
    };
  }
  if (name == "mix31") {
    return [](std::uint64_t k) {
      if (k % 4 == 3)
        return TrafficRequest{(128 * (k / 4) + 7 * 5'636'096ull) % kChannelBytes, 128, true};
      return TrafficRequest{128 * (3 * (k / 4) + k % 4) % kChannelBytes, 128, false};
    };
  }
  if (name == "mixb") {
    return [](std::uint64_t k) {
      return TrafficRequest{128 * k % kChannelBytes, 128, k / 64 % 2 == 1};
    };
  }
  if (name == "rnd128") {
    return [random = std::mt19937_64(12345)](std::uint64_t) mutable {
      return TrafficRequest{128 * (random() % (1u << 24)), 128, false};
    };
  }
  if (name == "rnd64") {
    return [random = std::mt19937_64(12345)](std::uint64_t) mutable {
      return TrafficRequest{64 * (random() % (1u << 25)), 64, false};
    };
  }
  if (name.starts_with("run")) {
    const std::uint64_t length = number(3);
    return [length, base = std::uint64_t{0},
            random = std::mt19937_64(12345)](std::uint64_t k) mutable {
      const std::uint64_t step = k % (length / 128);
      if (step == 0) base = length * (random() % (kChannelBytes / length));
      return TrafficRequest{base + 128 * step, 128, false};
    };
  }
  if (name.starts_with("str")) {
    const std::uint64_t stride = number(3);
    return [stride](std::uint64_t k) {
      return TrafficRequest{stride * k % kChannelBytes, 128, false};
    };
  }
  const std::uint64_t streams = number(2), offset = number(name.find('-') + 1);
  return [streams, offset](std::uint64_t k) {
    return TrafficRequest{(k % streams * offset + 128 * (k / streams)) % kChannelBytes, 128, false};
  };
}

struct ClosedLoopResult {
  std::uint64_t bytes = 0;
  DramCycles cycles = 0;
  ChannelCounters counters;
  [[nodiscard]] double gigabytes_per_second() const {
    return static_cast<double>(bytes) / (static_cast<double>(cycles) * 1.25);
  }
};

/// Offers `requests` requests with at most `outstanding` in flight; a completion releases the next
/// one.
inline ClosedLoopResult run_closed_loop(Lpddr5Channel& channel, TrafficPattern pattern,
                                        std::uint64_t requests, std::size_t outstanding) {
  ClosedLoopResult result;
  std::vector<std::uint32_t> left(outstanding, 0);
  std::vector<DramCycles> end(outstanding, 0);
  std::vector<std::pair<DramCycles, std::uint32_t>> finished;
  std::vector<ChannelCompletion> completions;
  std::uint64_t next = 0;
  const auto push = [&](std::uint32_t slot, DramCycles arrival) {
    if (next == requests) return;
    const TrafficRequest request = pattern(next++);
    left[slot] = channel.push({request.address, request.bytes, slot, request.write, arrival});
    end[slot] = 0;
    result.bytes += request.bytes;
  };
  for (std::uint32_t slot = 0; slot < outstanding; ++slot) push(slot, 0);
  while (channel.next_decision() < kNever) {
    completions.clear();
    channel.advance(channel.next_decision() + channel.write_lookahead(), completions);
    finished.clear();
    for (const ChannelCompletion& completion : completions) {
      end[completion.tag] = std::max(end[completion.tag], completion.time);
      if (--left[completion.tag] == 0) finished.emplace_back(end[completion.tag], completion.tag);
    }
    std::ranges::sort(finished);
    for (const auto& [time, slot] : finished) {
      result.cycles = std::max(result.cycles, time);
      push(slot, time);
    }
  }
  result.counters = channel.counters();
  return result;
}

/// One LPDDR5-6400 x16 channel by itself, without ECC: the set-up of the reference figures.
inline DramDescription reference_channel(const std::string& map) {
  DramDescription dram = make_test_dram();
  dram.channels = 1;
  dram.channel_interleave_bytes = 8192;
  dram.ecc_data_bursts = 0;
  dram.address_map = map;
  return dram;
}

}  // namespace spyre::models
