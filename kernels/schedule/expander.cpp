#include "kernels/schedule/expander.h"

#include <algorithm>

#include "kernels/schedule/compiled_kernel.h"
#include "kernels/schedule/core_walk.h"
#include "kernels/schedule/launch_walk.h"

namespace spyre::kernels {
namespace {

using models::LxOperand;
using models::Opcode;
using models::TileOp;

/// The bytes of a rectangle of a slot: whole sticks, rows of a stick column next to each other.
LxOperand lx_operand(const BufferInfo& buffer, const TileView& view, std::int64_t stick_bytes) {
  LxOperand operand;
  operand.slot = static_cast<models::SlotId>(buffer.scoreboard_slot + view.slot_in_buffer);
  const std::int64_t first = view.column / buffer.elements_per_stick;
  const std::int64_t sticks =
      (view.column + view.columns + buffer.elements_per_stick - 1) / buffer.elements_per_stick -
      first;
  operand.address = static_cast<std::uint32_t>(
      buffer.address + std::uint64_t{view.slot_in_buffer} * buffer.slot_bytes +
      static_cast<std::uint64_t>((first * buffer.rows + view.row) * stick_bytes));
  operand.bytes = view.empty() ? 0 : static_cast<std::uint32_t>(view.rows * sticks * stick_bytes);
  operand.rows = view.empty() ? 0 : static_cast<std::uint32_t>(view.rows);
  operand.columns = view.empty() ? 0 : static_cast<std::uint32_t>(view.columns);
  operand.pitch_rows = static_cast<std::uint32_t>(buffer.rows);
  operand.first_lane = static_cast<std::uint16_t>(view.column % buffer.elements_per_stick);
  operand.type = buffer.type;
  return operand;
}

bool reads_or_writes_dram(Opcode opcode) {
  return opcode == Opcode::load || opcode == Opcode::store || opcode == Opcode::gather ||
         opcode == Opcode::scatter;
}

}  // namespace

class Expander::Implementation {
 public:
  Implementation(const Schedule& schedule, const Placement& placement,
                 const models::Machine& machine)
      : schedule_(schedule),
        placement_(placement),
        stick_bytes_(machine.limits.stick_bytes),
        launches_(schedule) {
    context_.schedule = &schedule;
    for (const Tensor& tensor : schedule.tensors) {
      context_.tensors.push_back(geometry_of(tensor, machine));
    }
    for (std::size_t i = 0; i < schedule.kernels.size(); ++i) {
      kernels_.push_back(compile_kernel(schedule, i, placement, machine));
      cores_.resize(std::max<std::size_t>(cores_.size(), kernels_.back().cores));
    }
  }

  bool next_launch(models::Launch& launch) {
    if (!launches_.next(launch_)) return false;
    kernel_ = &kernels_[launch_.kernel];
    launch.index = launch_.index;
    launch.name = launch_.name;
    launch.kernel = kernel_->kernel->name;
    launch.layer = launch_.layer;
    launch.cores = kernel_->core_set();
    launch.slots = kernel_->slots;
    launch.semaphores = static_cast<std::uint32_t>(kernel_->semaphores.size());
    for (std::uint32_t core = 0; core < kernel_->cores; ++core) {
      cores_[core].start(context_, *kernel_, core, launch_.arguments);
    }
    return true;
  }

  bool next_op(unsigned core, TileOp& op) {
    if (kernel_ == nullptr || core >= kernel_->cores) return false;
    do {
      if (!cores_[core].next(step_)) return false;
    } while (step_.skipped);
    fill(op);
    return true;
  }

  [[nodiscard]] const SourcePosition& position_of(std::uint32_t statement) const {
    return *kernel_->positions.at(statement);
  }

 private:
  void fill(TileOp& op) {
    const Instruction& instruction = *step_.instruction;
    op.opcode = instruction.opcode;
    op.statement = instruction.statement;
    op.destination = instruction.has_destination
                         ? lx_operand(kernel_->buffers[step_.destination.buffer], step_.destination,
                                      stick_bytes_)
                         : LxOperand{};
    op.source_count = instruction.source_count;
    for (std::size_t i = 0; i < op.sources.size(); ++i) {
      op.sources[i] = i < op.source_count ? lx_operand(kernel_->buffers[step_.sources[i].buffer],
                                                       step_.sources[i], stick_bytes_)
                                          : LxOperand{};
    }
    op.accumulate = step_.accumulates;
    fill_transfer(op);

    const bool computes =
        instruction.opcode == Opcode::matmul || instruction.opcode == Opcode::vector;
    op.m = computes ? static_cast<std::uint32_t>(step_.m) : 0;
    op.n = computes ? static_cast<std::uint32_t>(step_.n) : 0;
    op.k = instruction.opcode == Opcode::matmul ? static_cast<std::uint32_t>(step_.k) : 0;
    op.type = instruction.type;
    op.corelets = instruction.corelets;
    op.function = instruction.function;
    op.number = step_.number;
    op.number_place = instruction.number_place;
    op.axis = instruction.axis;
    op.pattern = instruction.pattern;
    op.pattern.offset = step_.pattern_offset;
    op.semaphore = instruction.semaphore;
    const bool counts = instruction.opcode == Opcode::receive || instruction.opcode == Opcode::wait;
    op.count = counts ? static_cast<std::uint32_t>(step_.count) : 0;
  }

  void fill_transfer(TileOp& op) {
    const Instruction& instruction = *step_.instruction;
    op.runs.clear();
    op.index_runs.clear();
    op.index_terms.clear();
    op.lx_core = -1;
    op.index_tensor = models::kNoTensor;
    op.tensor = models::kNoTensor;
    op.sharers = 0;
    op.share_tag = 0;
    op.peers = 0;
    if (!reads_or_writes_dram(op.opcode)) {
      op.peers = step_.cores;
      return;
    }
    op.tensor = instruction.remote.tensor;
    if (instruction.indexed != 0) return fill_indexed_dims(op);
    if (op.opcode == Opcode::load) {
      op.sharers = step_.cores;
      op.share_tag = step_.cores == 0 ? 0 : step_.share_tag;
    }
    if (op.opcode == Opcode::load || op.opcode == Opcode::store) {
      const TensorGeometry& geometry = context_.tensors[op.tensor];
      const std::uint64_t base = moved_base(op.tensor);
      op.memory = memory_tile(geometry, base, step_.remote);
      if (const auto& core = schedule_.tensors[op.tensor].lx_core) {
        op.lx_core = static_cast<std::int16_t>(*core);
      } else {
        append_runs(geometry, base, step_.remote, op.runs);
      }
    } else {
      fill_indexed(op);
    }
  }

  /// The tensor's address, moved by the statement's `offset`.
  [[nodiscard]] std::uint64_t moved_base(std::size_t tensor) const {
    const std::int64_t bytes = step_.offset * context_.tensors[tensor].element_bits / 8;
    return placement_.tensor_address[tensor] + static_cast<std::uint64_t>(bytes);
  }

  /// gather, scatter with indexed dims: where rows lie is known when the tables have been read.
  void fill_indexed_dims(TileOp& op) {
    const IndexedTransfer& indexed = kernel_->indexed[step_.instruction->indexed - 1];
    const TensorGeometry& geometry = context_.tensors[op.tensor];
    const std::int64_t element = geometry.element_bits / 8;
    op.memory = {};
    std::int64_t start = 0;
    for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
      start += step_.remote.offset[dim] * geometry.stride[dim];
    }
    op.memory.base = moved_base(op.tensor) + static_cast<std::uint64_t>(start);
    const std::size_t rank = indexed.tile_dims.size();
    for (std::size_t i = 0; i + 1 < rank; ++i) {
      op.memory.rows[op.memory.row_dimensions++] = {
          static_cast<std::uint32_t>(indexed.tile_dims[i]), indexed.tile_strides[i] * element};
    }
    op.memory.columns = static_cast<std::uint32_t>(indexed.columns());
    op.memory.lane_stride = indexed.tile_strides.back() * element;
    for (std::size_t i = 0; i < indexed.dims.size(); ++i) add_table(indexed, i, op);
  }

  void add_table(const IndexedTransfer& indexed, std::size_t which, TileOp& op) {
    const IndexedTransfer::Dim& dim = indexed.dims[which];
    const TensorGeometry& table = context_.tensors[dim.table];
    const std::int64_t entry = table.element_bits / 8;
    models::IndexTerm term;
    term.type = schedule_.tensors[dim.table].type;
    std::int64_t start = 0;
    for (std::size_t d = 0; d < table.rank; ++d) start += step_.tables[which][d] * table.stride[d];
    term.table = placement_.tensor_address[dim.table] + static_cast<std::uint64_t>(start);
    term.scale = context_.tensors[op.tensor].stride[dim.dim];
    term.lowest = -step_.remote.offset[dim.dim];
    term.highest = context_.tensors[op.tensor].shape[dim.dim] - 1 - step_.remote.offset[dim.dim];
    std::vector<StridedDimension> read;
    for (std::size_t i = 0; i < indexed.tile_dims.size(); ++i) {
      const std::int64_t stride = dim.along[i] * entry;
      if (i + 1 < indexed.tile_dims.size()) {
        term.row_strides[i] = stride;
      } else {
        term.column_stride = stride;
      }
      if (stride != 0) read.push_back({indexed.tile_dims[i], stride});
    }
    append_strided_runs(term.table, std::move(read), entry, stick_bytes_, op.index_runs);
    op.index_terms.push_back(term);
    op.index_tensor = dim.table;
  }

  /// gather, scatter: the runs of one index after the other.
  void fill_indexed(TileOp& op) {
    const Instruction& instruction = *step_.instruction;
    op.index_tensor = instruction.index.tensor;
    append_runs(context_.tensors[op.index_tensor], placement_.tensor_address[op.index_tensor],
                step_.index, op.index_runs);
    const TensorGeometry& geometry = context_.tensors[op.tensor];
    fill_row_indices(op);
    if (schedule_.tensors[op.index_tensor].values.empty()) return;  // read at run time
    Rectangle row = step_.remote;
    for (std::int64_t i = 0; i < step_.indices; ++i) {
      row.offset[0] = indexed_row(schedule_.tensors[op.index_tensor],
                                  context_.tensors[op.index_tensor], step_, i);
      if (row.offset[0] < 0 || row.offset[0] >= geometry.shape[0]) continue;
      append_runs(geometry, placement_.tensor_address[op.tensor], row, op.runs);
    }
  }

  /// The rows that an index tile chooses, as numbers to be read from it: one row of dim 0 each.
  void fill_row_indices(TileOp& op) {
    const TensorGeometry& geometry = context_.tensors[op.tensor];
    const TensorGeometry& index = context_.tensors[op.index_tensor];
    op.memory = memory_tile(geometry, moved_base(op.tensor), step_.remote);
    models::IndexTerm term;
    term.type = schedule_.tensors[op.index_tensor].type;
    const models::MemoryTile entries =
        memory_tile(index, placement_.tensor_address[op.index_tensor], step_.index);
    term.table =
        entries.base + entries.first_lane * static_cast<std::uint64_t>(entries.lane_stride);
    term.scale = geometry.stride[0];
    term.lowest = -step_.remote.offset[0];
    term.highest = geometry.shape[0] - 1 - step_.remote.offset[0];
    // Dim 0 of the tensor, of size 1 here, gives way to the dims of the index.
    models::MemoryTile& memory = op.memory;
    const std::size_t kept = memory.row_dimensions > 0 ? memory.row_dimensions - 1U : 0U;
    const std::size_t added = entries.row_dimensions + 1U;
    std::array<models::MemoryTile::Dimension, models::MemoryTile::kMaxDimensions> rows{};
    if (kept + added > rows.size()) {
      throw models::InputError("an index tile of so many dims is not supported",
                               position_of(op.statement));
    }
    for (std::size_t i = 0; i < entries.row_dimensions; ++i) {
      rows[i] = {entries.rows[i].count, 0};
      term.row_strides[i] = entries.rows[i].stride;
    }
    rows[added - 1] = {entries.columns, 0};
    term.row_strides[added - 1] = entries.lane_stride;
    std::copy_n(memory.rows.begin() + 1, kept, rows.begin() + static_cast<std::ptrdiff_t>(added));
    memory.rows = rows;
    memory.row_dimensions = static_cast<std::uint8_t>(added + kept);
    op.index_terms.push_back(term);
  }

  const Schedule& schedule_;
  const Placement& placement_;
  std::int64_t stick_bytes_;
  LaunchWalk launches_;
  WalkContext context_;
  std::vector<CompiledKernel> kernels_;
  std::vector<CoreWalk> cores_;
  const CompiledKernel* kernel_ = nullptr;
  LaunchStep launch_;
  Step step_;
};

Expander::Expander(const Schedule& schedule, const Placement& placement,
                   const models::Machine& machine)
    : implementation_(std::make_unique<Implementation>(schedule, placement, machine)) {}

Expander::~Expander() = default;

bool Expander::next_launch(models::Launch& launch) {
  return implementation_->next_launch(launch);
}

bool Expander::next_op(unsigned core, models::TileOp& op) {
  return implementation_->next_op(core, op);
}

const SourcePosition& Expander::position_of(std::uint32_t statement) const {
  return implementation_->position_of(statement);
}

}  // namespace spyre::kernels
