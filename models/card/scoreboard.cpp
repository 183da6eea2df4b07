#include "models/card/scoreboard.h"

#include <algorithm>

namespace spyre::models {
namespace {

/// A sent tile's destination is another core's slot: there its receive is the writer.
bool writes_own_slot(const TileOp& op) {
  return op.destination.slot != kNoSlot && op.opcode != Opcode::send &&
         op.opcode != Opcode::multicast;
}

/// The running state of an online softmax is an operand that the operation writes as well.
SlotId updated_source(const TileOp& op) {
  const bool updates = op.opcode == Opcode::vector && op.function == VectorFunction::softmax_step &&
                       op.source_count > 1;
  return updates ? op.sources[1].slot : kNoSlot;
}

bool waits_for_all_before(Opcode opcode) {
  return opcode == Opcode::signal || opcode == Opcode::barrier;
}

bool holds_all_after(Opcode opcode) {
  return opcode == Opcode::wait || opcode == Opcode::barrier;
}

}  // namespace

void Scoreboard::reset(std::uint32_t slots) {
  slots_.resize(slots);
  for (Slot& slot : slots_) {
    slot.writer = kNone;
    slot.readers.clear();
  }
  for (Node& node : nodes_) node.live = false;
  last_fence_ = kNone;
}

void Scoreboard::depend(OpId id, OpId on) {
  if (on == kNone || on == id || !nodes_[on].live) return;
  std::vector<OpId>& waits_for = nodes_[id].waits_for;
  if (std::find(waits_for.begin(), waits_for.end(), on) != waits_for.end()) return;
  waits_for.push_back(on);
  nodes_[on].waiting.push_back(id);
  ++nodes_[id].blockers;
}

void Scoreboard::enter(OpId id, const TileOp& op) {
  if (id >= nodes_.size()) nodes_.resize(id + 1);
  Node& node = nodes_[id];
  node.live = true;
  node.blockers = 0;
  node.waiting.clear();
  node.waits_for.clear();

  if (waits_for_all_before(op.opcode)) {
    for (OpId other = 0; other < nodes_.size(); ++other) depend(id, other);
  } else {
    depend(id, last_fence_);
  }
  if (holds_all_after(op.opcode)) last_fence_ = id;
  for (std::size_t i = 0; i < op.source_count; ++i) {
    if (op.sources[i].slot == kNoSlot) continue;
    Slot& slot = slots_[op.sources[i].slot];
    depend(id, slot.writer);
    slot.readers.push_back(id);
  }
  if (writes_own_slot(op)) enter_write(id, op.destination.slot);
  if (updated_source(op) != kNoSlot) enter_write(id, updated_source(op));
}

void Scoreboard::enter_write(OpId id, SlotId which) {
  Slot& slot = slots_[which];
  depend(id, slot.writer);
  for (const OpId reader : slot.readers) depend(id, reader);
  slot.writer = id;
  slot.readers.clear();
}

Scoreboard::OpId Scoreboard::blocker_of(OpId id) const {
  const Node& node = nodes_[id];
  if (node.blockers == 0) return kNone;
  for (const OpId other : node.waits_for) {
    // An id may have been reused since: it blocks only if it still lists this operation.
    const std::vector<OpId>& waiting = nodes_[other].waiting;
    if (nodes_[other].live && std::find(waiting.begin(), waiting.end(), id) != waiting.end()) {
      return other;
    }
  }
  return kNone;
}

void Scoreboard::complete(OpId id, const TileOp& op) {
  Node& node = nodes_[id];
  node.live = false;
  for (const OpId waiting : node.waiting) --nodes_[waiting].blockers;
  node.waiting.clear();
  if (last_fence_ == id) last_fence_ = kNone;
  for (std::size_t i = 0; i < op.source_count; ++i) {
    if (op.sources[i].slot == kNoSlot) continue;
    std::vector<OpId>& readers = slots_[op.sources[i].slot].readers;
    const auto found = std::find(readers.begin(), readers.end(), id);
    if (found != readers.end()) readers.erase(found);
  }
  const auto end_write = [&](SlotId slot) {
    if (slot != kNoSlot && slots_[slot].writer == id) slots_[slot].writer = kNone;
  };
  if (writes_own_slot(op)) end_write(op.destination.slot);
  end_write(updated_source(op));
}

}  // namespace spyre::models
