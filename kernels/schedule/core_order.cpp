#include "kernels/schedule/core_order.h"

#include <algorithm>

namespace spyre::kernels {
namespace {

using models::Opcode;
using models::Unit;

void join(CoreClock& clock, const CoreClock& other) {
  for (std::size_t i = 0; i < kChains; ++i) clock[i] = std::max(clock[i], other[i]);
}

}  // namespace

void CoreOrder::start(std::size_t slots) {
  slots_.assign(slots, {});
  entered_ = fence_ = transfer_start_ = {};
  unit_done_ = {};
  barriers_ = 0;
}

/// Transfers take the first chain whose last one is known to be over.
std::uint8_t CoreOrder::chain_of(Opcode opcode, const CoreClock& before) const {
  switch (models::unit_of(opcode)) {
    case Unit::ring:
      return kRingChain;
    case Unit::matrix:
      return 1;
    case Unit::vector:
      return 2;
    case Unit::load_store:
      break;
  }
  for (std::uint8_t chain = kFirstTransferChain; chain < kChains; ++chain) {
    if (before[chain] == entered_[chain]) return chain;
  }
  return kNoChain;
}

CoreEvent CoreOrder::enter(const CompiledKernel& kernel, const Step& step) {
  const Instruction& instruction = *step.instruction;
  const Opcode opcode = instruction.opcode;
  const auto slot_of = [&](const TileView& view) -> Slot& {
    return slots_[kernel.buffers[view.buffer].scoreboard_slot + view.slot_in_buffer];
  };
  const bool transfers = models::unit_of(opcode) == Unit::load_store;
  // A sent tile's destination is another core's slot.
  const bool writes =
      instruction.has_destination && opcode != Opcode::send && opcode != Opcode::multicast;

  CoreEvent event;
  if (opcode == Opcode::signal || opcode == Opcode::barrier) {
    event.before = entered_;
  } else {
    event.before = fence_;
    if (transfers) {
      join(event.before, transfer_start_);
    } else {
      join(event.before, unit_done_[chain_of(opcode, event.before)]);
    }
    for (std::size_t i = 0; i < instruction.source_count; ++i) {
      join(event.before, slot_of(step.sources[i]).writer);
    }
    if (writes) {
      const Slot& slot = slot_of(step.destination);
      join(event.before, slot.writer);
      join(event.before, slot.readers);
    }
  }
  event.barriers = barriers_;
  event.chain = chain_of(opcode, event.before);
  CoreClock done = event.before;
  if (event.chain != kNoChain) {
    event.index = ++entered_[event.chain];
    done[event.chain] = event.index;
  }

  if (transfers) {
    join(transfer_start_, event.before);
  } else {
    unit_done_[event.chain] = done;
  }
  for (std::size_t i = 0; i < instruction.source_count; ++i) {
    join(slot_of(step.sources[i]).readers, done);
  }
  if (writes) slot_of(step.destination) = {done, {}};
  if (opcode == Opcode::wait || opcode == Opcode::barrier) join(fence_, done);
  if (opcode == Opcode::barrier) ++barriers_;
  return event;
}

}  // namespace spyre::kernels
