// One core's walk through a kernel: loops, conditions, slots and the actual size of every tile. The
// expander makes tile operations of its steps, the checker judges them.
//
// Rules beyond docs/schedule.md that only show at the edges:
// - A producing operation whose tile is empty on a core is skipped there, and its destination holds
// an empty tile
//   afterwards: what reads it is skipped as well. Sends, multicasts and reductions of empty tiles
//   are not skipped; they carry no bytes, so that counts on the other side match.
// - A part (`into` with `at`) makes the tile as large as the part reaches; a part at [0, 0] starts
// the tile anew.
// - A received tile has the buffer's full shape, or the `size` of the receive's `into`.
// - A whole tile that is sent starts a new tile at the receiver: the n-th goes to slot n (round
// robin), counted by the
//   sender. A part is sent to the slot that the sender's own next receive takes.
// - softmax_step updates its second operand, the running state: the first step makes it, as large
// as its buffer.
// - rescale_add reads its destination, so it stays in the slot as an accumulating matmul does.
// - A tile put into a buffer of a region ends what the region's other buffers held in that slot.
// - fill, iota, rearrange and a transpose with a pattern make a tile of the size of `into`, or of
// its buffer.
// - gather and scatter take one row of dimension 0 per index, at offset at[0]; size[0] does not
// count. Without values,
//   index i chooses row i.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/schedule/compiled_kernel.h"
#include "kernels/schedule/tile_geometry.h"
#include "models/isa/tile_op.h"

namespace spyre::kernels {

/// A rectangle of one slot, in elements.
struct TileView {
  std::uint16_t buffer = 0;
  std::uint16_t slot_in_buffer = 0;
  std::int64_t row = 0, column = 0;    ///< as written
  std::int64_t rows = 0, columns = 0;  ///< what is there
  bool exact = true;  ///< false: a received tile of unknown size, at most this large

  [[nodiscard]] bool empty() const { return rows <= 0 || columns <= 0; }
};

/// One statement as one core carries it out, or skips it.
struct Step {
  const Instruction* instruction = nullptr;
  bool skipped = false;  ///< no operation: the tile is empty on this core
  bool accumulates = false;
  bool loop_too_long =
      false;  ///< the instruction is a loop of `count` iterations, beyond the limit; one is walked
  TileView destination;
  TileView accumulator;  ///< the whole destination tile as it was before, where it is also read
  std::array<TileView, 4> sources;
  Rectangle remote;         ///< cut at the tensor's edges; gather, scatter: for index 0
  std::int64_t offset = 0;  ///< tensors with strides: elements that `remote` is moved by
  /// gather, scatter with indexed dims: where each table is read first.
  std::array<Coordinates, 3> tables{};
  double number = 0;                ///< vector
  std::int64_t pattern_offset = 0;  ///< vector
  Rectangle index;
  std::int64_t indices = 0;  ///< gather, scatter: how many rows are chosen
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t to = -1;  ///< send, signal: core id as written
  std::int64_t count = 0;
  models::CoreSet cores = 0;  ///< sharers or peers
  std::uint32_t share_tag = 0;
};

/// gather, scatter: the row of dimension 0 that index `i` of the step chooses; may lie outside the
/// tensor.
[[nodiscard]] std::int64_t indexed_row(const Tensor& index, const TensorGeometry& geometry,
                                       const Step& step, std::int64_t i);

/// What every core of a schedule shares: the tensors' geometry and the machine's limit on loops.
struct WalkContext {
  const Schedule* schedule = nullptr;
  std::vector<TensorGeometry> tensors;
  std::int64_t loop_limit = 0;  ///< 0 = none
};

class CoreWalk {
 public:
  /// Starts a kernel on this core. What the resident buffers hold is kept from the last one.
  void start(const WalkContext& context, const CompiledKernel& kernel, std::uint32_t core,
             std::span<const std::int64_t> arguments);
  /// The next statement whose condition holds; false at the end. `step` is overwritten.
  bool next(Step& step);
  /// A number for what the resident buffers hold: tiles of which size, in which slots.
  [[nodiscard]] std::uint64_t resident_state() const;

 private:
  struct Loop {
    std::int64_t left = 0;
    std::int64_t step = 1;
  };
  struct Slot {
    std::int64_t rows = 0, columns = 0;
    bool exact = true;
  };
  struct Cursor {
    std::uint16_t current = 0;
    std::uint16_t sent = 0;
    bool started = false;
  };

  const Instruction* advance(Step& step);
  bool enter_loop(const Instruction& loop, Step& step);
  void resolve(const Instruction& instruction, Step& step);
  void resolve_load(const Instruction& instruction, Step& step);
  void resolve_store(const Instruction& instruction, Step& step);
  void resolve_indexed(const Instruction& instruction, Step& step);
  void resolve_matmul(const Instruction& instruction, Step& step);
  void resolve_vector(const Instruction& instruction, Step& step);
  void resolve_ring(const Instruction& instruction, Step& step);
  void resolve_sync(const Instruction& instruction, Step& step);

  Slot& slot_of(const TileView& view) {
    return slots_[kernel_->buffers[view.buffer].first_slot + view.slot_in_buffer];
  }
  [[nodiscard]] std::uint16_t next_slot(std::uint16_t buffer) const;
  [[nodiscard]] TileView source(const LocalTile& tile);
  void make_running_state(const LocalTile& tile);
  void set_sources(const Instruction& instruction, Step& step);
  void set_index(const Instruction& instruction, std::int64_t default_count, Step& step);
  void set_remote(const Instruction& instruction, std::int64_t rows, std::int64_t columns,
                  Step& step);
  void produce(const Instruction& instruction, std::int64_t rows, std::int64_t columns, bool exact,
               Step& step);
  void end_region_mates(const TileView& view);
  void set_group(const Instruction& instruction, Step& step) const;
  /// Loads that this launch has shared among exactly these cores: by the set, because two lists of
  /// grid dims may name the same cores.
  std::uint32_t next_share_tag(models::CoreSet sharers);
  struct ShareCount {
    models::CoreSet sharers;
    std::uint32_t loads;
  };

  const WalkContext* context_ = nullptr;
  const CompiledKernel* kernel_ = nullptr;
  std::uint32_t core_ = 0;
  std::size_t next_instruction_ = 0;
  std::vector<std::int64_t> values_;
  std::vector<Loop> loops_;
  std::size_t depth_ = 0;
  std::vector<Slot> slots_;
  std::vector<Cursor> cursors_;
  std::vector<ShareCount> share_tags_;  // a handful of groups: searched, not indexed
};

}  // namespace spyre::kernels
