// Figures derived from a RunResult, computed in one place for text, JSON and tests.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "traces/run_result.h"

namespace spyre::traces {

struct Summary {
  double time_ms = 0;
  double roofline_ms =
      0;  ///< sum over launches of each one's roofline: launches run one after the other
  std::optional<double>
      tokens_per_s;  ///< new tokens per second; only of a whole run whose schedule says how many
  double achieved_gbps = 0;  ///< all DRAM bytes over time
  double mbu_peak = 0;       ///< useful bytes over time, against the DRAM's peak
  double mbu_measured = 0;   ///< the same against the ceiling measured on the card
  double mfu = 0;            ///< FLOPs over time, against the fp16 peak of the cores in use
  std::uint64_t flops = 0;
  CoreCycles cores;  ///< summed over all cores
  double ridge_point =
      0;  ///< FLOP/B at which the fp16 peak of the cores in use meets the DRAM's peak
  double bus_utilisation =
      0;  ///< share of time in which a channel's data bus moves something, ECC included
  double row_hit_rate = 0;  ///< share of bursts, ECC included, that needed no activate of their own
  double load_imbalance = 0;  ///< largest over mean active time of the cores in use; 1 = balanced
  models::ChannelCounters channels;  ///< summed
};

[[nodiscard]] Summary summarise(const RunResult& result);

/// A whole number from the schedule's meta section.
[[nodiscard]] std::optional<std::int64_t> meta_number(const RunResult& result,
                                                      const std::string& key);
[[nodiscard]] std::string meta_text(const RunResult& result, const std::string& key);

}  // namespace spyre::traces
