#include "models/dram/dram_timing.h"

#include <fmt/format.h>

#include "models/diagnostics/diagnostics.h"

namespace spyre::models {

DramCycles first_refresh(const DramDescription& dram) {
  if (dram.refresh == RefreshMode::none) return kNever;
  const DramTiming& t = dram.timing;
  // A refresh can start late by what the last command needs before its precharge.
  const DramCycles longest = t.rfc_ab + t.rp_ab + t.rcd + t.ras + t.wl + t.burst + t.wr + t.rp_pb;
  if (t.refi <= longest) {
    throw InputError(
        fmt::format("dram.timing.refi is {} cycles, but must exceed the {} cycles that a refresh "
                    "keeps the banks closed",
                    t.refi, longest));
  }
  return t.refi;
}

}  // namespace spyre::models
