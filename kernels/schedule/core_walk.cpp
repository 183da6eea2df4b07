#include "kernels/schedule/core_walk.h"

#include <algorithm>

namespace spyre::kernels {
namespace {

std::int64_t iterations(std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (step > 0) return stop > start ? (stop - start + step - 1) / step : 0;
  if (step < 0) return stop < start ? (start - stop - step - 1) / -step : 0;
  return 0;
}

}  // namespace

std::int64_t indexed_row(const Tensor& index, const TensorGeometry& geometry, const Step& step,
                         std::int64_t i) {
  // Position i of the index tile, in the order of the tensor's dimensions, as a place in `values`.
  std::int64_t rest = i;
  std::int64_t place = 0;
  std::int64_t weight = 1;
  for (std::size_t dim = geometry.rank; dim-- > 0;) {
    place += (step.index.offset[dim] + rest % step.index.size[dim]) * weight;
    rest /= step.index.size[dim];
    weight *= geometry.shape[dim];
  }
  const bool known = place < static_cast<std::int64_t>(index.values.size());
  return step.remote.offset[0] + (known ? index.values[static_cast<std::size_t>(place)] : i);
}

void CoreWalk::start(const WalkContext& context, const CompiledKernel& kernel, std::uint32_t core,
                     std::span<const std::int64_t> arguments) {
  context_ = &context;
  kernel_ = &kernel;
  core_ = core;
  next_instruction_ = 0;
  depth_ = 0;
  loops_.resize(std::max(loops_.size(), kernel.loop_depth));

  values_.assign(kernel.values, 0);
  std::int64_t rest = core;
  std::size_t value = 0;
  for (const auto& [name, size] : kernel.kernel->grid) {
    const std::int64_t extent = std::max<std::int64_t>(size, 1);
    values_[value++] = rest % extent;
    rest /= extent;
  }
  values_[value++] = core;
  values_[value++] = kernel.cores;
  for (std::size_t i = 0; i < std::min(arguments.size(), kernel.params.size()); ++i) {
    values_[kernel.params[i]] = arguments[i];
  }

  const std::size_t resident = kernel.resident_buffers;
  cursors_.resize(std::max(resident, kernel.buffers.size()));
  std::fill(cursors_.begin() + static_cast<std::ptrdiff_t>(resident), cursors_.end(), Cursor{});
  const std::size_t resident_slots =
      resident < kernel.buffers.size() ? kernel.buffers[resident].first_slot : kernel.slots;
  slots_.resize(kernel.slots);
  std::fill(slots_.begin() + static_cast<std::ptrdiff_t>(resident_slots), slots_.end(), Slot{});
  // Counts of one launch have nothing to do with those of the next.
  for (Cursor& cursor : cursors_) cursor.sent = 0;
  share_tags_.clear();
}

std::uint64_t CoreWalk::resident_state() const {
  std::uint64_t state = 0xcbf29ce484222325;
  const auto mix = [&state](std::uint64_t value) { state = (state ^ value) * 0x100000001b3; };
  for (std::size_t i = 0; i < kernel_->resident_buffers; ++i) {
    const BufferInfo& buffer = kernel_->buffers[i];
    mix(cursors_[i].current * std::uint64_t{2} + (cursors_[i].started ? 1 : 0));
    for (std::int64_t slot = 0; slot < buffer.slots; ++slot) {
      const Slot& held = slots_[buffer.first_slot + static_cast<std::size_t>(slot)];
      mix(static_cast<std::uint64_t>(held.rows));
      mix(static_cast<std::uint64_t>(held.columns) * 2 + (held.exact ? 1 : 0));
    }
  }
  return state;
}

bool CoreWalk::next(Step& step) {
  const Instruction* instruction = advance(step);
  if (instruction == nullptr) return false;
  if (instruction->kind == Instruction::Kind::operation) resolve(*instruction, step);
  return true;
}

const Instruction* CoreWalk::advance(Step& step) {
  step.skipped = false;
  step.accumulates = false;
  step.loop_too_long = false;
  step.cores = 0;
  const std::vector<Instruction>& code = kernel_->code;
  while (next_instruction_ < code.size()) {
    const Instruction& instruction = code[next_instruction_];
    step.instruction = &instruction;
    if (instruction.kind == Instruction::Kind::end_of_loop) {
      Loop& loop = loops_[depth_ - 1];
      if (--loop.left > 0) {
        values_[instruction.variable] += loop.step;
        next_instruction_ = instruction.jump;
      } else {
        --depth_;
        ++next_instruction_;
      }
      continue;
    }
    const bool holds = !instruction.has_when || instruction.when(values_) != 0;
    if (instruction.kind == Instruction::Kind::loop) {
      if (!holds) {
        next_instruction_ = instruction.jump;
      } else if (enter_loop(instruction, step)) {
        return &instruction;
      }
      continue;
    }
    ++next_instruction_;
    if (holds) return &instruction;
  }
  return nullptr;
}

/// True if the loop is longer than the machine can count.
bool CoreWalk::enter_loop(const Instruction& loop, Step& step) {
  const std::int64_t start = loop.start(values_);
  const std::int64_t by = loop.step(values_);
  std::int64_t count = iterations(start, loop.stop(values_), by);
  if (count == 0) {
    next_instruction_ = loop.jump;
    return false;
  }
  if (context_->loop_limit > 0 && count > context_->loop_limit) {
    step.loop_too_long = true;
    step.skipped = true;
    step.count = count;
    count = 1;
  }
  values_[loop.variable] = start;
  loops_[depth_++] = {count, by};
  ++next_instruction_;
  return step.loop_too_long;
}

std::uint16_t CoreWalk::next_slot(std::uint16_t buffer) const {
  const Cursor& cursor = cursors_[buffer];
  if (!cursor.started) return 0;
  return static_cast<std::uint16_t>((cursor.current + 1) % kernel_->buffers[buffer].slots);
}

TileView CoreWalk::source(const LocalTile& tile) {
  TileView view;
  view.buffer = tile.buffer;
  view.slot_in_buffer = cursors_[tile.buffer].current;
  const Slot& slot = slot_of(view);
  view.exact = slot.exact;
  if (!tile.is_part && !tile.has_size) {
    view.rows = slot.rows;
    view.columns = slot.columns;
    return view;
  }
  view.row = tile.at[0](values_);
  view.column = tile.at[1](values_);
  if (view.row < 0 || view.column < 0) return view;
  view.rows = std::max<std::int64_t>(slot.rows - view.row, 0);
  view.columns = std::max<std::int64_t>(slot.columns - view.column, 0);
  if (tile.has_size) {
    view.rows = std::min(view.rows, tile.size[0](values_));
    view.columns = std::min(view.columns, tile.size[1](values_));
  }
  return view;
}

void CoreWalk::set_sources(const Instruction& instruction, Step& step) {
  for (std::size_t i = 0; i < instruction.source_count; ++i) {
    step.sources[i] = source(instruction.sources[i]);
  }
}

void CoreWalk::set_group(const Instruction& instruction, Step& step) const {
  step.cores = instruction.group == 0 ? 0 : kernel_->groups[instruction.group - 1].of_core[core_];
}

/// Puts a tile of rows x columns into the destination: chooses the slot and notes what it holds
/// afterwards.
void CoreWalk::produce(const Instruction& instruction, std::int64_t rows, std::int64_t columns,
                       bool exact, Step& step) {
  const LocalTile& tile = instruction.destination;
  TileView& view = step.destination;
  view = {};
  view.buffer = tile.buffer;
  Cursor& cursor = cursors_[tile.buffer];
  const bool stays = tile.is_part || step.accumulates || instruction.destination_is_source;
  if (!stays) cursor.current = next_slot(tile.buffer);
  cursor.started = true;
  view.slot_in_buffer = cursor.current;
  view.rows = rows;
  view.columns = columns;
  view.exact = exact;
  if (tile.is_part) {
    view.row = tile.at[0](values_);
    view.column = tile.at[1](values_);
  }

  Slot& slot = slot_of(view);
  step.accumulator = {};
  step.accumulator.rows = slot.rows;
  step.accumulator.columns = slot.columns;
  step.accumulator.exact = slot.exact;
  if (step.skipped) {
    if (!tile.is_part && !step.accumulates) slot = {0, 0, true};
    return;
  }
  end_region_mates(view);
  const bool anew = !step.accumulates && (!tile.is_part || (view.row == 0 && view.column == 0));
  if (anew) {
    slot = {rows, columns, exact};
  } else {
    slot.rows = std::max(slot.rows, view.row + rows);
    slot.columns = std::max(slot.columns, view.column + columns);
    slot.exact = slot.exact && exact;
  }
}

void CoreWalk::end_region_mates(const TileView& view) {
  for (const std::uint16_t mate : kernel_->region_mates[view.buffer]) {
    const BufferInfo& buffer = kernel_->buffers[mate];
    if (view.slot_in_buffer >= buffer.slots) continue;
    slots_[buffer.first_slot + view.slot_in_buffer] = {0, 0, true};
  }
}

}  // namespace spyre::kernels
