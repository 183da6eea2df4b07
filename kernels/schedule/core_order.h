// What the card itself orders among the operations of one core, without time.
//
// An operation has started when it leaves its unit's queue and takes effect when it completes. The
// core guarantees, and no more, that an operation starts after these have completed:
// - the one before it on its unit: matrix, vector and ring do one at a time. The load/store unit
//   does not: it starts transfers in order, but the next may start as soon as the one before has
//   issued its requests, and their effects may come in any order;
// - those that the scoreboard makes it wait for: the last writer of each slot that it reads or
//   writes, and the readers since of each slot that it writes;
// - the last wait or barrier; and everything before it, if it is a signal or barrier.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/schedule/core_walk.h"

namespace spyre::kernels {

/// Operations of a core that complete one after the other: one chain each for the matrix, vector
/// and ring unit, and as many for transfers as are in flight at a time.
inline constexpr std::size_t kChains = 16;
inline constexpr std::uint8_t kRingChain = 0;
inline constexpr std::uint8_t kFirstTransferChain = 3;
inline constexpr std::uint8_t kNoChain = 0xff;

/// By chain: how many of its operations have completed.
using CoreClock = std::array<std::uint32_t, kChains>;

struct CoreEvent {
  std::uint8_t chain = kNoChain;  ///< kNoChain: more transfers in flight than there are chains
  std::uint32_t index = 0;        ///< within its chain, from 1 on
  std::uint32_t barriers = 0;     ///< that the core has passed
  CoreClock before{};             ///< completed when it starts

  /// This one has completed when `later`, of the same core, starts.
  [[nodiscard]] bool is_before(const CoreEvent& later) const {
    if (barriers < later.barriers) return true;
    return chain != kNoChain && later.before[chain] >= index;
  }
};

class CoreOrder {
 public:
  void start(std::size_t slots);
  /// The next operation of the core; skipped steps are none.
  CoreEvent enter(const CompiledKernel& kernel, const Step& step);

 private:
  struct Slot {
    CoreClock writer{};   // the last one has completed
    CoreClock readers{};  // and all that have read it since
  };
  std::uint8_t chain_of(models::Opcode opcode, const CoreClock& before) const;

  std::vector<Slot> slots_;
  CoreClock entered_{};         // everything so far
  CoreClock fence_{};           // the last wait or barrier has completed
  CoreClock transfer_start_{};  // the last transfer has started
  std::array<CoreClock, kFirstTransferChain> unit_done_{};  // the last one of the unit
  std::uint32_t barriers_ = 0;
};

}  // namespace spyre::kernels
