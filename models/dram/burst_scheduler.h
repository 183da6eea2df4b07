// One LPDDR5 channel, one decision per DRAM command: the reference tier.
//
// FR-FCFS over a queue of bursts. Each bank offers one command: a column command for its oldest row
// hit, else what its oldest burst needs (precharge or activate). The command that can go earliest
// is issued, that of the older burst on a tie, and time jumps there; nothing ticks. A stick's
// bursts enter the queue together, when there is room for all of them.
//
// Models: open page; one command per cycle; tRCD, tRP, tRAS, tRC, tRRD, tFAW, tRTP, tWR, tCCD_L,
// tWTR_S/L, read to write; all-bank refresh; in-line ECC as one more burst behind every so many
// column commands. Does not model: what dram_timing.h lists; write drain; priorities.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/dram/activate_window.h"
#include "models/dram/address_map.h"
#include "models/dram/channel_access.h"
#include "models/dram/memory_system.h"
#include "models/dram/ring_queue.h"

namespace spyre::models {

enum class DramCommand : std::uint8_t { activate, precharge, read, write, refresh };

/// One command as it is issued; `bank` counts over all groups. A refresh names no bank.
struct IssuedCommand {
  DramCommand command = DramCommand::refresh;
  std::uint32_t bank = 0, row = 0;
  DramCycles time = 0;
};

class BurstScheduler {
 public:
  /// `map` must outlive the scheduler.
  BurstScheduler(const DramDescription& dram, const AddressMap& map);

  /// Adds an access; returns how many completions it will have: one per burst.
  std::uint32_t push(const ChannelAccess& access);

  void advance(DramCycles until, std::vector<ChannelCompletion>& completions);
  [[nodiscard]] DramCycles next_decision() const { return std::min(next_entry_, next_command_); }
  [[nodiscard]] const ChannelCounters& counters() const { return counters_; }

  /// Called with every command, in order of time; for probes and traces.
  void set_command_observer(std::function<void(const IssuedCommand&)> observer) {
    observer_ = std::move(observer);
  }

 private:
  static constexpr std::uint32_t kClosed = 0xffffffff;
  static constexpr std::int16_t kNone = -1;

  struct Burst {
    std::uint64_t age = 0;
    std::uint32_t row = 0, tag = 0;
    std::int16_t next = kNone;  ///< younger burst of the same bank, or next free entry
    bool write = false;
  };

  struct Bank {
    std::uint32_t row = kClosed;
    std::int16_t oldest = kNone, youngest = kNone;
    std::int16_t offered = kNone,
                 before_offered = kNone;  ///< the burst whose command the bank offers
    DramCycles column_ok = 0, precharge_ok = kLongAgo, activate_ok = 0;
    bool missed = false;  ///< the row was opened for the burst on offer
  };

  void enter(DramCycles now);
  void offer(Bank& bank);
  void find_next_entry();
  void find_next_command();
  void issue(std::vector<ChannelCompletion>& completions);
  void issue_column(std::uint32_t id, std::vector<ChannelCompletion>& completions);
  void take_out(std::uint32_t id);
  void refresh();
  void skip_idle_refreshes(DramCycles until);
  void observe(DramCommand command, std::uint32_t bank, std::uint32_t row, DramCycles time) const {
    if (observer_) observer_({command, bank, row, time});
  }

  const AddressMap& map_;
  DramTiming timing_;
  CommandGaps gaps_;
  Picoseconds burst_ps_;
  std::uint32_t ecc_data_bursts_, ecc_credit_ = 0;
  unsigned bank_bits_, burst_shift_;
  std::uint32_t banks_with_work_ = 0;

  std::array<Bank, 16> banks_;
  ActivateWindow activates_;
  RingQueue<ChannelAccess> waiting_;
  std::uint32_t entered_bytes_ = 0;  ///< of the access at the head
  std::vector<Burst> entries_;
  std::int16_t free_entry_ = 0;
  std::uint32_t free_entries_;
  std::uint64_t next_age_ = 0;

  DramCycles now_ = -1;        ///< of the last command
  DramCycles room_since_ = 0;  ///< an entry was freed
  DramCycles read_ok_ = 0, write_ok_ = 0;
  std::array<DramCycles, 16> group_read_ok_{}, group_write_ok_{};
  DramCycles next_refresh_;
  DramCycles next_entry_ = kNever, next_command_ = kNever;
  std::uint32_t next_bank_ = 0;
  bool last_was_write_ = false;
  ChannelCounters counters_;
  std::function<void(const IssuedCommand&)> observer_;
};

}  // namespace spyre::models
