#include "models/card/lx_ports.h"

#include <algorithm>

namespace spyre::models {
namespace {

__extension__ using WideInteger = unsigned __int128;

}  // namespace

LxPorts::LxPorts(const LxDescription& lx, const CoreClock& clock, std::int64_t stick_bytes)
    : lx_(lx),
      clock_(clock),
      stick_bytes_(static_cast<std::uint64_t>(stick_bytes)),
      bank_cycles_(static_cast<std::uint64_t>((stick_bytes + lx.bank_bytes_per_cycle - 1) /
                                              lx.bank_bytes_per_cycle)) {}

Picoseconds LxPorts::transfer(std::uint64_t bytes, Picoseconds time) {
  const auto width = static_cast<std::uint64_t>(lx_.port_bytes_per_cycle);
  port_free_ = std::max(port_free_, time) + clock_.to_ps((bytes + width - 1) / width);
  transferred_bytes_ += bytes;
  return port_free_;
}

Cycles LxPorts::compute_conflicts(std::uint64_t bytes, Picoseconds time, Picoseconds duration) {
  const Picoseconds end = time + duration;
  const Cycles window = clock_.elapsed(end) - clock_.elapsed(std::min(seen_until_, end));
  const std::uint64_t transfer_accesses = (transferred_bytes_ - seen_bytes_) / stick_bytes_;
  seen_bytes_ = transferred_bytes_;
  seen_until_ = end;
  if (window == 0) return 0;
  const std::uint64_t accesses = (bytes + stick_bytes_ - 1) / stick_bytes_;
  const auto denominator = window * static_cast<std::uint64_t>(lx_.banks);
  const std::uint64_t numerator = accesses * std::min(transfer_accesses * bank_cycles_, window);
  // The carried fraction is kept in 1/2^20 cycles, whatever the window.
  constexpr std::uint64_t kOne = std::uint64_t{1} << 20;
  carried_ += static_cast<std::uint64_t>(static_cast<WideInteger>(numerator) * kOne / denominator);
  const Cycles waited = carried_ / kOne;
  carried_ %= kOne;
  conflict_cycles_ += waited;
  return waited;
}

}  // namespace spyre::models
