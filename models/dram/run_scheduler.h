// One LPDDR5 channel, one decision per run of bursts: the tier that whole-card simulations use.
//
// A run is consecutive bursts of one channel with one row number. A waiting run enters the
// scheduler's window (QueueWindow). Its banks are precharged and activated as early as bank, tRRD,
// tFAW and refresh allow, but not while a run in the window needs another row of the bank: row hits
// that come before the precharge still find their row. Among the runs whose banks are under way the
// one that can start its column commands earliest is served, the older one on a tie: row hits
// before misses, oldest first. Served in closed form: data bus (DataBus), turnaround, release of
// the banks in the order of their last burst.
//
// Models: open page; tRCD, tRP, tRAS, tRC, tRRD, tFAW, tRTP, tWR, tCCD_L, tWTR_S/L, read to write;
// all-bank refresh, which cuts a run in two; in-line ECC as one more burst in the same row per so
// many data bursts. Does not model: the order of bursts within a run beyond rotation over its
// banks, the command bus, power-down, per-bank refresh, a partial run's idle slots given to another
// run of the same bank groups. How close it comes to the per-burst tier:
// docs/models/lpddr5_channel.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/dram/activate_window.h"
#include "models/dram/address_map.h"
#include "models/dram/channel_access.h"
#include "models/dram/data_bus.h"
#include "models/dram/memory_system.h"
#include "models/dram/queue_window.h"
#include "models/dram/ring_queue.h"

namespace spyre::models {

class RunScheduler {
 public:
  /// `map` must outlive the scheduler.
  RunScheduler(const DramDescription& dram, const AddressMap& map, WritePolicy policy = {});

  /// Adds the runs of an access; returns how many completions it will have.
  std::uint32_t push(const ChannelAccess& access);

  /// Makes every decision up to and including `until`.
  void advance(DramCycles until, std::vector<ChannelCompletion>& completions);

  /// The earliest cycle at which there is something to decide; kNever when there is nothing.
  [[nodiscard]] DramCycles next_decision() const {
    return std::min(std::min(next_entry_, next_prepare_), next_start_);
  }

  [[nodiscard]] const ChannelCounters& counters() const { return counters_; }

 private:
  static constexpr std::uint32_t kClosed = 0xffffffff;
  static constexpr std::uint8_t kSeveralGroups = 0xff;

  struct Bank {
    std::uint32_t row = kClosed;
    std::uint32_t users = 0;  ///< prepared runs that still need the row
    DramCycles column_ok =
        kLongAgo;  ///< last activate + tRCD; fixes the next activate as well (tRC, refresh)
    DramCycles precharge_ok = kLongAgo;
  };

  struct WaitingRun {
    BurstRun place;
    std::uint32_t tag = 0;
    bool write = false;
    DramCycles arrival = 0;
  };

  struct Candidate {
    std::uint64_t banks = 0;
    DramCycles prepare_at = kNever;  ///< first precharge or activate, when unprepared
    DramCycles ready = 0;            ///< first bank can take a column command
    DramCycles earliest_end = 0;     ///< of the last slot, given when each bank is ready
    std::uint32_t row = 0, tag = 0;
    std::uint32_t data_bursts = 0;
    std::uint32_t bursts = 0;     ///< still to serve, ECC included
    std::uint32_t data_left = 0;  ///< still to serve, ECC not included: what takes queue entries
    std::uint32_t bank_count = 0;
    std::uint8_t group = kSeveralGroups;  ///< the only bank group, if it is one
    bool write = false, prepared = false, missed = false;
  };

  void enter(DramCycles now);
  void prepare(Candidate& candidate);
  void prepare_due();
  void plan_preparation(Candidate& candidate);
  void serve(std::size_t index, DramCycles start, std::vector<ChannelCompletion>& completions);
  void release_banks(const Candidate& run, DramCycles end, bool last_part);
  void refresh();
  void skip_idle_refreshes(DramCycles until);
  void find_next_entry();
  void find_next_steps();
  [[nodiscard]] DramCycles bursts_until_turn(const Candidate& run) const;
  [[nodiscard]] DramCycles start_of(const Candidate& candidate) const;
  [[nodiscard]] std::uint32_t ecc_bursts_for(std::uint32_t data_bursts);

  const AddressMap& map_;
  DramTiming timing_;
  CommandGaps gaps_;
  Picoseconds burst_ps_;
  std::uint32_t ecc_data_bursts_, ecc_credit_ = 0;
  unsigned bank_bits_;
  DramCycles column_to_activate_;  ///< tRC - tRCD
  DramCycles rotation_;  ///< bus time that one bank of a rotation holds before the next pair of
                         ///< banks follows

  std::array<Bank, 16> banks_;
  ActivateWindow activates_;
  DataBus bus_;
  QueueWindow window_;
  RingQueue<WaitingRun> waiting_;
  std::vector<Candidate> candidates_;  ///< in order of age

  DramCycles now_ = 0;  ///< of the last decision
  DramCycles read_ok_ = 0, write_ok_ = 0;
  std::array<DramCycles, 16> group_ok_{}, group_read_ok_{};
  DramCycles next_refresh_;
  DramCycles next_entry_ = kNever, next_prepare_ = kNever, next_start_ = kNever;
  std::size_t next_candidate_ = 0;
  WritePolicy policy_;
  bool last_was_write_ = false;
  std::uint32_t batch_ = 0;  ///< bursts served since the last turnaround
  ChannelCounters counters_;
};

}  // namespace spyre::models
