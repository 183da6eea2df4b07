#include "kernels/schedule/core_walk.h"

#include <algorithm>

namespace spyre::kernels {
namespace {

using models::Opcode;
using models::VectorFunction;

std::int64_t iterations(std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (step > 0) return stop > start ? (stop - start + step - 1) / step : 0;
  if (step < 0) return stop < start ? (start - stop - step - 1) / -step : 0;
  return 0;
}

/// Functions that combine their operands element by element, single rows and columns repeated: the result is as large
/// as the largest of them.
bool is_elementwise(VectorFunction function) {
  switch (function) {
    case VectorFunction::add:
    case VectorFunction::sub:
    case VectorFunction::mul:
    case VectorFunction::max:
    case VectorFunction::silu_mul:
    case VectorFunction::rescale_add:
    case VectorFunction::bias_gelu: return true;
    default: return false;
  }
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
  share_tags_.assign(kernel.groups.size(), 0);
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

/// Puts a tile of rows x columns into the destination: chooses the slot and notes what it holds afterwards.
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
  const bool anew = !step.accumulates && (!tile.is_part || (view.row == 0 && view.column == 0));
  if (anew) {
    slot = {rows, columns, exact};
  } else {
    slot.rows = std::max(slot.rows, view.row + rows);
    slot.columns = std::max(slot.columns, view.column + columns);
    slot.exact = slot.exact && exact;
  }
}

void CoreWalk::resolve(const Instruction& instruction, Step& step) {
  switch (instruction.opcode) {
    case Opcode::load:
    case Opcode::gather: return resolve_load(instruction, step);
    case Opcode::store:
    case Opcode::scatter: return resolve_store(instruction, step);
    case Opcode::matmul: return resolve_matmul(instruction, step);
    case Opcode::vector: return resolve_vector(instruction, step);
    case Opcode::send:
    case Opcode::multicast:
    case Opcode::receive:
    case Opcode::reduce: return resolve_ring(instruction, step);
    case Opcode::signal:
    case Opcode::wait:
    case Opcode::barrier: return resolve_sync(instruction, step);
  }
}

void CoreWalk::set_index(const Instruction& instruction, std::int64_t default_count, Step& step) {
  const TensorGeometry& geometry = context_->tensors[instruction.index.tensor];
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
    step.index.offset[dim] = instruction.index.at[dim](values_);
    step.index.size[dim] = instruction.index.size[dim](values_);
  }
  if (!instruction.index.has_size && geometry.rank > 0) {
    step.index.size[geometry.rank - 1] = default_count;
  }
  cut_at_edges(geometry, step.index);
  step.indices = elements_of(geometry, step.index);
}

/// The tensor's rectangle; rows and columns are the sizes where the statement gives none.
void CoreWalk::set_remote(const Instruction& instruction, std::int64_t rows, std::int64_t columns,
                          Step& step) {
  const TensorGeometry& geometry = context_->tensors[instruction.remote.tensor];
  const bool indexed =
      instruction.opcode == Opcode::gather || instruction.opcode == Opcode::scatter;
  const RemoteTile& tile = instruction.remote;
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
    step.remote.offset[dim] = tile.at[dim](values_);
    step.remote.size[dim] = tile.has_size ? tile.size[dim](values_) : 1;
  }
  if (!tile.has_size && geometry.rank > 0) {
    step.remote.size[geometry.stick_dim] = columns;
    for (std::size_t dim = geometry.rank; dim-- > (indexed ? 1U : 0U);) {
      if (dim == geometry.stick_dim) continue;
      step.remote.size[dim] = indexed ? rows / std::max<std::int64_t>(step.indices, 1) : rows;
      break;
    }
  }
  if (indexed && geometry.rank > 0) step.remote.size[0] = 1;
  cut_at_edges(geometry, step.remote);
}

void CoreWalk::resolve_load(const Instruction& instruction, Step& step) {
  const LocalTile& into = instruction.destination;
  const BufferInfo& buffer = kernel_->buffers[into.buffer];
  const std::int64_t rows =
      into.has_size ? into.size[0](values_) : buffer.rows - into.at[0](values_);
  const std::int64_t columns =
      into.has_size ? into.size[1](values_) : buffer.columns - into.at[1](values_);
  const bool gathers = instruction.opcode == Opcode::gather;
  if (gathers) set_index(instruction, rows, step);
  set_remote(instruction, rows, columns, step);
  const TensorGeometry& geometry = context_->tensors[instruction.remote.tensor];
  const std::int64_t actual_rows =
      rows_of(geometry, step.remote) * (gathers ? step.indices : 1);
  const std::int64_t actual_columns = geometry.rank > 0 ? step.remote.size[geometry.stick_dim] : 1;
  step.skipped = actual_rows == 0 || actual_columns == 0;
  produce(instruction, actual_rows, actual_columns, true, step);
  set_group(instruction, step);
  if ((step.cores & (step.cores - 1)) == 0) step.cores = 0;  // alone: a private load
  if (step.cores != 0 && !step.skipped) step.share_tag = share_tags_[instruction.group - 1]++;
}

void CoreWalk::resolve_store(const Instruction& instruction, Step& step) {
  set_sources(instruction, step);
  const TileView& from = step.sources[0];
  const bool scatters = instruction.opcode == Opcode::scatter;
  if (scatters) set_index(instruction, from.rows, step);
  set_remote(instruction, from.rows, from.columns, step);
  const TensorGeometry& geometry = context_->tensors[instruction.remote.tensor];
  step.skipped = from.empty() || elements_of(geometry, step.remote) == 0 ||
                 (scatters && step.indices == 0);
}

void CoreWalk::resolve_matmul(const Instruction& instruction, Step& step) {
  set_sources(instruction, step);
  const TileView& a = step.sources[0];
  const TileView& b = step.sources[1];
  step.accumulates = instruction.has_accumulate && instruction.accumulate(values_) != 0;
  step.m = a.rows;
  step.n = b.columns;
  step.k = std::min(a.columns, b.rows);
  step.skipped = step.m <= 0 || step.n <= 0 || step.k <= 0;
  produce(instruction, step.m, step.n, a.exact && b.exact, step);
}

void CoreWalk::make_running_state(const LocalTile& tile) {
  const BufferInfo& buffer = kernel_->buffers[tile.buffer];
  Slot& slot = slots_[buffer.first_slot + cursors_[tile.buffer].current];
  if (slot.rows == 0) slot = {buffer.rows, buffer.columns, false};
  cursors_[tile.buffer].started = true;
}

void CoreWalk::resolve_vector(const Instruction& instruction, Step& step) {
  const VectorFunction function = instruction.function;
  if (function == VectorFunction::softmax_step && instruction.source_count > 1) {
    make_running_state(instruction.sources[1]);
  }
  set_sources(instruction, step);
  step.accumulates = function == VectorFunction::rescale_add;
  TileView first = step.sources[0];
  if (is_elementwise(function)) {
    for (std::size_t i = 1; i < instruction.source_count; ++i) {
      if (step.sources[i].empty()) first.rows = 0;
      if (first.empty()) break;
      first.rows = std::max(first.rows, step.sources[i].rows);
      first.columns = std::max(first.columns, step.sources[i].columns);
      first.exact = first.exact && step.sources[i].exact;
    }
  }
  step.skipped = first.empty();
  // Passes run over the rows and columns that are read, except where the result is as large.
  step.m = first.rows;
  step.n = first.columns;
  if (function == VectorFunction::transpose) {
    std::swap(step.m, step.n);
    produce(instruction, step.m, step.n, first.exact, step);
  } else if (models::info(function).sources == 1 && models::info(function).row_reductions > 0) {
    produce(instruction, first.rows, 1, first.exact, step);
  } else {
    produce(instruction, first.rows, first.columns, first.exact, step);
  }
}

void CoreWalk::resolve_ring(const Instruction& instruction, Step& step) {
  set_sources(instruction, step);
  step.count = 0;
  set_group(instruction, step);
  const LocalTile& into = instruction.destination;
  const BufferInfo& buffer = kernel_->buffers[into.buffer];
  const TileView& from = step.sources[0];
  if (instruction.opcode == Opcode::receive) {
    step.count = instruction.count(values_);
    const std::int64_t rows = into.has_size ? into.size[0](values_) : buffer.rows;
    const std::int64_t columns = into.has_size ? into.size[1](values_) : buffer.columns;
    step.skipped = step.count <= 0;
    if (!step.skipped) produce(instruction, rows, columns, into.has_size, step);
    return;
  }
  if (instruction.opcode == Opcode::reduce) {
    produce(instruction, from.rows, from.columns, from.exact, step);
    return;
  }
  if (instruction.opcode == Opcode::send) {
    step.to = instruction.to(values_);
    step.skipped = step.to < 0 || step.to >= static_cast<std::int64_t>(kernel_->cores);
    step.cores = step.skipped ? 0 : models::CoreSet{1} << step.to;
  }
  TileView& view = step.destination;
  view = from;
  view.buffer = into.buffer;
  view.row = into.is_part ? into.at[0](values_) : 0;
  view.column = into.is_part ? into.at[1](values_) : 0;
  Cursor& cursor = cursors_[into.buffer];
  view.slot_in_buffer = into.is_part ? next_slot(into.buffer) : cursor.sent;
  if (!into.is_part) cursor.sent = static_cast<std::uint16_t>((cursor.sent + 1) % buffer.slots);
}

void CoreWalk::resolve_sync(const Instruction& instruction, Step& step) {
  set_group(instruction, step);
  step.count = instruction.opcode == Opcode::wait ? instruction.count(values_) : 0;
  if (instruction.opcode == Opcode::signal && instruction.has_to) {
    step.to = instruction.to(values_);
    step.skipped = step.to < 0 || step.to >= static_cast<std::int64_t>(kernel_->cores);
    step.cores = step.skipped ? 0 : models::CoreSet{1} << step.to;
  }
  if (instruction.opcode == Opcode::wait && step.count <= 0) step.skipped = true;
}

}  // namespace spyre::kernels
