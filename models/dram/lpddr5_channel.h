// One LPDDR5 channel: accesses go in with their arrival, completions come out, time advances when
// asked.
//
// Two tiers behind one interface, with the same timing parameters and the same address map: the run
// tier decides once per run of consecutive bursts and is what whole-card simulations use; the burst
// tier decides per DRAM command and is the reference (run_scheduler.h and burst_scheduler.h say
// what each models).
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "models/dram/burst_scheduler.h"
#include "models/dram/run_scheduler.h"

namespace spyre::models {

enum class ChannelTier : std::uint8_t { run, burst };

class Lpddr5Channel {
 public:
  /// `map` must outlive the channel. Throws InputError for a description that cannot work.
  Lpddr5Channel(const DramDescription& dram, const AddressMap& map,
                ChannelTier tier = ChannelTier::run);

  /// Accesses are pushed in order of arrival. Returns how many completions carry the access's tag:
  /// one per run, or one per burst.
  std::uint32_t push(const ChannelAccess& access) {
    return std::visit([&](auto& scheduler) { return scheduler.push(access); }, scheduler_);
  }

  /// Makes every decision up to and including `until` and appends the completions that became
  /// known. A decision at t uses only accesses that arrived by t, so the result does not depend on
  /// the steps in which time advances.
  void advance(DramCycles until, std::vector<ChannelCompletion>& completions) {
    std::visit([&](auto& scheduler) { scheduler.advance(until, completions); }, scheduler_);
  }

  [[nodiscard]] DramCycles next_decision() const {
    return std::visit([](const auto& scheduler) { return scheduler.next_decision(); }, scheduler_);
  }

  [[nodiscard]] const ChannelCounters& counters() const {
    return std::visit(
        [](const auto& scheduler) -> const ChannelCounters& { return scheduler.counters(); },
        scheduler_);
  }

  /// From a decision to the earliest completion that it can cause.
  [[nodiscard]] DramCycles read_lookahead() const { return gaps_.read_to_data_end; }
  [[nodiscard]] DramCycles write_lookahead() const { return gaps_.write_to_data_end; }

 private:
  CommandGaps gaps_;
  std::variant<RunScheduler, BurstScheduler> scheduler_;
};

}  // namespace spyre::models
