// What one operation touches on this core: tiles, slots, groups, counts.
#include <algorithm>

#include "kernels/schedule/core_walk.h"

namespace spyre::kernels {
namespace {

using models::Opcode;
using models::VectorFunction;

/// Functions whose result has the size that `into` or its buffer says, not that of a source.
bool sizes_itself(const Instruction& instruction) {
  switch (instruction.function) {
    case VectorFunction::fill:
    case VectorFunction::iota:
    case VectorFunction::rearrange:
      return true;
    case VectorFunction::transpose:
      return instruction.pattern.rank > 0;
    default:
      return false;
  }
}

/// Functions of which every operand but the first is read along with it, whatever its size.
bool follows_first_operand(VectorFunction function) {
  switch (function) {
    case VectorFunction::rmsnorm:
    case VectorFunction::layernorm:
    case VectorFunction::rope:
    case VectorFunction::softmax_step:
    case VectorFunction::softmax_finish:
    case VectorFunction::transpose:
      return true;
    default:
      return models::is_reduction(function);
  }
}

}  // namespace

void CoreWalk::resolve(const Instruction& instruction, Step& step) {
  switch (instruction.opcode) {
    case Opcode::load:
    case Opcode::gather:
      return resolve_load(instruction, step);
    case Opcode::store:
    case Opcode::scatter:
      return resolve_store(instruction, step);
    case Opcode::matmul:
      return resolve_matmul(instruction, step);
    case Opcode::vector:
      return resolve_vector(instruction, step);
    case Opcode::send:
    case Opcode::multicast:
    case Opcode::receive:
    case Opcode::reduce:
      return resolve_ring(instruction, step);
    case Opcode::signal:
    case Opcode::wait:
    case Opcode::barrier:
      return resolve_sync(instruction, step);
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
  step.offset = tile.offset(values_);
}

/// gather, scatter with indexed dims: where the tile begins, and where each table is read first.
void CoreWalk::resolve_indexed(const Instruction& instruction, Step& step) {
  const IndexedTransfer& indexed = kernel_->indexed[instruction.indexed - 1];
  const TensorGeometry& geometry = context_->tensors[instruction.remote.tensor];
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
    step.remote.offset[dim] = instruction.remote.at[dim](values_);
    step.remote.size[dim] = 1;
  }
  step.offset = instruction.remote.offset(values_);
  for (std::size_t i = 0; i < indexed.dims.size() && i < step.tables.size(); ++i) {
    for (std::size_t dim = 0; dim < kMaxTensorRank; ++dim) {
      step.tables[i][dim] = indexed.dims[i].at[dim](values_);
    }
  }
  step.indices = 0;
  if (instruction.opcode == Opcode::gather) {
    step.skipped = indexed.rows() <= 0 || indexed.columns() <= 0;
    produce(instruction, indexed.rows(), indexed.columns(), true, step);
  } else {
    step.skipped = step.sources[0].empty();
  }
}

void CoreWalk::resolve_load(const Instruction& instruction, Step& step) {
  if (instruction.indexed != 0) return resolve_indexed(instruction, step);
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
  const std::int64_t actual_rows = rows_of(geometry, step.remote) * (gathers ? step.indices : 1);
  const std::int64_t actual_columns = geometry.rank > 0 ? step.remote.size[geometry.stick_dim] : 1;
  step.skipped = actual_rows == 0 || actual_columns == 0;
  produce(instruction, actual_rows, actual_columns, true, step);
  set_group(instruction, step);
  if ((step.cores & (step.cores - 1)) == 0) step.cores = 0;  // alone: a private load
  if (step.cores != 0 && !step.skipped) step.share_tag = next_share_tag(step.cores);
}

std::uint32_t CoreWalk::next_share_tag(models::CoreSet sharers) {
  const auto known =
      std::find_if(share_tags_.begin(), share_tags_.end(),
                   [&](const ShareCount& count) { return count.sharers == sharers; });
  if (known != share_tags_.end()) return known->loads++;
  share_tags_.push_back({sharers, 1});
  return 0;
}

void CoreWalk::resolve_store(const Instruction& instruction, Step& step) {
  set_sources(instruction, step);
  if (instruction.indexed != 0) return resolve_indexed(instruction, step);
  const TileView& from = step.sources[0];
  const bool scatters = instruction.opcode == Opcode::scatter;
  if (scatters) set_index(instruction, from.rows, step);
  set_remote(instruction, from.rows, from.columns, step);
  const TensorGeometry& geometry = context_->tensors[instruction.remote.tensor];
  step.skipped =
      from.empty() || elements_of(geometry, step.remote) == 0 || (scatters && step.indices == 0);
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
  step.number = instruction.number_is_expression
                    ? static_cast<double>(instruction.number_expression(values_))
                    : instruction.number;
  step.pattern_offset = instruction.pattern_offset(values_);

  TileView first = step.sources[0];
  if (sizes_itself(instruction)) {
    const LocalTile& into = instruction.destination;
    const BufferInfo& buffer = kernel_->buffers[into.buffer];
    const bool reads_nothing = instruction.source_count > 0 && first.empty();
    first = {};
    first.rows = into.has_size ? into.size[0](values_) : buffer.rows - into.at[0](values_);
    first.columns = into.has_size ? into.size[1](values_) : buffer.columns - into.at[1](values_);
    if (reads_nothing) first.rows = 0;
  } else if (!follows_first_operand(function)) {
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
  if (function == VectorFunction::transpose && !sizes_itself(instruction)) {
    std::swap(step.m, step.n);
    produce(instruction, step.m, step.n, first.exact, step);
  } else if (models::is_reduction(function)) {
    const bool along_rows = instruction.axis == 1;
    produce(instruction, along_rows ? first.rows : 1, along_rows ? 1 : first.columns, first.exact,
            step);
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
