// The gaps between DRAM commands, derived once from the timing parameters. All in cycles of the
// command clock.
//
// Follows the constraint table for LPDDR5 with bank groups (sources of the numbers:
// models/machines/*.yaml). Not modelled: the split of an activate into two commands, CAS/WCK
// synchronisation, per-bank refresh, BL32.
#pragma once

#include <cstdint>
#include <limits>

#include "models/machine/machine.h"

namespace spyre::models {

/// A time or a duration in cycles of the DRAM command clock.
using DramCycles = std::int64_t;
inline constexpr DramCycles kNever = std::numeric_limits<DramCycles>::max() / 4;
inline constexpr DramCycles kLongAgo = -100'000;

struct CommandGaps {
  explicit CommandGaps(const DramTiming& t)
      : read_to_write(t.rl + t.burst + t.read_to_write_gap - t.wl),
        write_to_read(t.wl + t.burst + t.wtr_s),
        write_to_read_same_group(t.wl + t.burst + t.wtr_l),
        read_to_precharge(t.rtp),
        write_to_precharge(t.wl + t.burst + t.wr),
        read_to_data_end(t.rl + t.burst),
        write_to_data_end(t.wl + t.burst) {}

  // From column command to column command.
  DramCycles read_to_write, write_to_read, write_to_read_same_group;
  // From column command to precharge of that bank.
  DramCycles read_to_precharge, write_to_precharge;
  // From column command to the last data of its burst.
  DramCycles read_to_data_end, write_to_data_end;
};

/// Cycle of the first all-bank refresh; kNever when refresh is off. Throws InputError when nothing
/// fits between two.
[[nodiscard]] DramCycles first_refresh(const DramDescription& dram);

}  // namespace spyre::models
