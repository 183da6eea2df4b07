// Orders the tile operations of one core by the buffer slots they touch.
//
// An operation that reads a slot waits for the slot's last writer; one that writes it waits for the
// last writer and for everything that has read it since. A signal or barrier waits for everything
// before it, and nothing after a wait or barrier goes before it: what one core does before it
// signals is done when another has waited. Operations enter in program order. Plain object, no
// time.
#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/tile_op.h"

namespace spyre::models {

class Scoreboard {
 public:
  using OpId = std::uint32_t;
  static constexpr OpId kNone = 0xffffffff;

  /// Forgets everything; slot numbers run from 0 to slots - 1.
  void reset(std::uint32_t slots);

  /// Enters operation `id` (a small number that is free at the moment) and notes what it waits for.
  void enter(OpId id, const TileOp& op);
  [[nodiscard]] bool ready(OpId id) const { return nodes_[id].blockers == 0; }
  /// The first operation that `id` waits for, kNone if it waits for nothing.
  [[nodiscard]] OpId blocker_of(OpId id) const;
  /// Operation `id` has taken effect: what waited for it alone becomes ready.
  void complete(OpId id, const TileOp& op);

 private:
  struct Slot {
    OpId writer = kNone;
    std::vector<OpId> readers;  // since the last write entered
  };
  struct Node {
    bool live = false;
    std::uint32_t blockers = 0;
    std::vector<OpId> waiting;    // operations that wait for this one
    std::vector<OpId> waits_for;  // what this one has waited for, completed ones included
  };
  void depend(OpId id, OpId on);
  void enter_write(OpId id, SlotId slot);

  std::vector<Slot> slots_;
  std::vector<Node> nodes_;
  OpId last_fence_ = kNone;  // the last wait or barrier entered
};

}  // namespace spyre::models
