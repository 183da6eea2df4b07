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
  operand.slot = static_cast<models::SlotId>(buffer.first_slot + view.slot_in_buffer);
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
    op.semaphore = instruction.semaphore;
    const bool counts = instruction.opcode == Opcode::receive || instruction.opcode == Opcode::wait;
    op.count = counts ? static_cast<std::uint32_t>(step_.count) : 0;
  }

  void fill_transfer(TileOp& op) {
    const Instruction& instruction = *step_.instruction;
    op.runs.clear();
    op.index_runs.clear();
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
    if (op.opcode == Opcode::load) {
      op.sharers = step_.cores;
      op.share_tag = step_.cores == 0 ? 0 : step_.share_tag;
    }
    if (op.opcode == Opcode::load || op.opcode == Opcode::store) {
      append_runs(context_.tensors[op.tensor], placement_.tensor_address[op.tensor], step_.remote,
                  op.runs);
    } else {
      fill_indexed(op);
    }
  }

  /// gather, scatter: the runs of one index after the other.
  void fill_indexed(TileOp& op) {
    const Instruction& instruction = *step_.instruction;
    op.index_tensor = instruction.index.tensor;
    append_runs(context_.tensors[op.index_tensor], placement_.tensor_address[op.index_tensor],
                step_.index, op.index_runs);
    const TensorGeometry& geometry = context_.tensors[op.tensor];
    Rectangle row = step_.remote;
    for (std::int64_t i = 0; i < step_.indices; ++i) {
      row.offset[0] = indexed_row(schedule_.tensors[op.index_tensor],
                                  context_.tensors[op.index_tensor], step_, i);
      if (row.offset[0] < 0 || row.offset[0] >= geometry.shape[0]) continue;
      append_runs(geometry, placement_.tensor_address[op.tensor], row, op.runs);
    }
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
