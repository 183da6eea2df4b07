// What each slot of one core holds as its program goes on: nothing yet, a tile, a partial sum, a
// tile nobody has used.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/schedule/tile_rules.h"

namespace spyre::kernels {

/// Rules read-before-write, reduce-read and unused-tile, for one core.
class SlotRules {
 public:
  /// Keeps what the resident buffers hold.
  void start(const CompiledKernel& kernel);
  void step(const StepPlace& place, const Step& step, Findings& findings);
  void finish(const StepPlace& place, Findings& findings);

 private:
  struct Note {
    bool written = false;
    std::uint16_t buffer = 0;  // whose tile it is: of those that share a region
    bool partial_sum = false;  // a reduction's result on a core that is not the last of its group
    const SourcePosition* unused = nullptr;  // the load whose tile nothing has read
  };
  /// Buffers of a region have the notes of its first one in common.
  Note& note(const StepPlace& place, const TileView& view) {
    return notes_[place.kernel->buffers[view.buffer].scoreboard_slot + view.slot_in_buffer];
  }
  static std::string missing_writer(const StepPlace& place, const Note& slot, const TileView& view);
  void read(const StepPlace& place, const Step& step, const TileView& view, Findings& findings);
  void write(const StepPlace& place, const Step& step, Findings& findings);
  static void report_unused(const StepPlace& place, const Note& note, const std::string& buffer,
                            Findings& findings);

  std::vector<Note> notes_;
};

}  // namespace spyre::kernels
