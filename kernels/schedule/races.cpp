#include "kernels/schedule/races.h"

#include <algorithm>
#include <bit>

namespace spyre::kernels {

using models::Opcode;

namespace {

/// More are not kept; a launch of a model has some thousands.
constexpr std::size_t kMostAccesses = 300'000;

bool is_transfer(Opcode opcode) {
  return models::unit_of(opcode) == models::Unit::load_store;
}

/// What lies elsewhere is another rule's affair.
bool is_inside(const TensorGeometry& geometry, const Coordinates& offset) {
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
    if (offset[dim] < 0 || offset[dim] >= geometry.shape[dim]) return false;
  }
  return true;
}

}  // namespace

Races::Races(const WalkContext& context, const Placement& placement, const models::Machine& machine,
             Findings& findings)
    : context_(context),
      placement_(placement),
      stick_bytes_(machine.limits.stick_bytes),
      findings_(findings) {}

const RaceWatch& Races::watch_of(const CompiledKernel& kernel) {
  std::unique_ptr<RaceWatch>& watch = watches_[&kernel];
  if (watch == nullptr) watch = std::make_unique<RaceWatch>(context_, placement_, kernel);
  return *watch;
}

bool Races::begin(const CompiledKernel& kernel, const LaunchStep& launch,
                  std::uint64_t resident_state) {
  const RaceWatch& watch = watch_of(kernel);
  if (!known_.emplace(&kernel, watch.key(launch.arguments), resident_state).second) return false;
  kernel_ = &kernel;
  launch_ = &launch;
  watch_ = &watch;
  orders_.resize(std::max<std::size_t>(orders_.size(), kernel.cores));
  for (CoreOrder& order : orders_) order.start(kernel.slots);
  ring_.start(kernel.cores);
  steps_ = 0;
  full_ = false;
  accesses_.clear();
  reported_.clear();
  return true;
}

void Races::step(std::uint32_t core, const Step& step) {
  const Opcode opcode = step.instruction->opcode;
  RaceAccess access;
  access.order = steps_++;
  access.statement = step.instruction->statement;
  access.core = core;
  access.event = orders_[core].enter(*kernel_, step);
  if (models::unit_of(opcode) == models::Unit::ring) {
    ring_.enter(core, *kernel_, step, access.event);
  }
  full_ = full_ || accesses_.size() >= kMostAccesses;
  if (full_) return;
  if (is_transfer(opcode)) add_transfer(step, access);
  add_buffers(step, access);
}

void Races::add_transfer(const Step& step, RaceAccess access) {
  const Instruction& instruction = *step.instruction;
  const std::size_t tensor = instruction.remote.tensor;
  access.writes = instruction.opcode == Opcode::store || instruction.opcode == Opcode::scatter;
  if (instruction.opcode == Opcode::gather || instruction.opcode == Opcode::scatter) {
    if (watch_->tensor(tensor)) add_indexed(step, access);
    access.writes = false;
    return add_tables(step, access);
  }
  if (watch_->tensor(tensor)) add_rectangle(tensor, step.remote, step.offset, access);
}

/// Rows that are not known before the run may be any along the indexed dims.
void Races::add_indexed(const Step& step, RaceAccess access) {
  const Instruction& instruction = *step.instruction;
  const std::size_t tensor = instruction.remote.tensor;
  const TensorGeometry& geometry = context_.tensors[tensor];
  Rectangle rectangle = step.remote;
  if (instruction.indexed == 0) {
    const std::size_t index = instruction.index.tensor;
    if (context_.schedule->tensors[index].values.empty()) {
      access.uncertain = true;
      rectangle.size[0] = geometry.shape[0] - rectangle.offset[0];
      return add_rectangle(tensor, rectangle, step.offset, access);
    }
    for (std::int64_t i = 0; i < step.indices; ++i) {
      rectangle.offset[0] =
          indexed_row(context_.schedule->tensors[index], context_.tensors[index], step, i);
      if (rectangle.offset[0] < 0 || rectangle.offset[0] >= geometry.shape[0]) continue;
      add_rectangle(tensor, rectangle, step.offset, access);
    }
    return;
  }
  const IndexedTransfer& indexed = kernel_->indexed[instruction.indexed - 1];
  if (!is_inside(geometry, rectangle.offset)) return;
  access.uncertain = true;
  access.subject = static_cast<std::uint32_t>(tensor);
  MemoryBox& box = access.box;
  const auto address = static_cast<std::int64_t>(placement_.tensor_address[tensor]);
  box.base = address * 8 + step.offset * geometry.element_bits;
  box.run = geometry.element_bits;
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
    const bool moves =
        std::any_of(indexed.dims.begin(), indexed.dims.end(),
                    [dim](const IndexedTransfer::Dim& entry) { return entry.dim == dim; });
    if (moves) {
      box.repeat(geometry.shape[dim], geometry.stride[dim] * 8);
    } else {
      box.base += rectangle.offset[dim] * geometry.stride[dim] * 8;
    }
  }
  for (std::size_t i = 0; i < indexed.tile_dims.size(); ++i) {
    box.repeat(indexed.tile_dims[i], indexed.tile_strides[i] * geometry.element_bits);
  }
  add(access);
}

/// What the indices themselves are read from.
void Races::add_tables(const Step& step, RaceAccess access) {
  const Instruction& instruction = *step.instruction;
  if (instruction.indexed == 0) {
    const std::size_t index = instruction.index.tensor;
    if (watch_->tensor(index)) add_rectangle(index, step.index, 0, access);
    return;
  }
  const IndexedTransfer& indexed = kernel_->indexed[instruction.indexed - 1];
  for (std::size_t i = 0; i < indexed.dims.size(); ++i) {
    const IndexedTransfer::Dim& dim = indexed.dims[i];
    if (!watch_->tensor(dim.table)) continue;
    const TensorGeometry& geometry = context_.tensors[dim.table];
    if (!is_inside(geometry, step.tables[i])) continue;
    access.subject = dim.table;
    access.box = {};
    access.box.base = static_cast<std::int64_t>(placement_.tensor_address[dim.table]) * 8;
    access.box.run = geometry.element_bits;
    for (std::size_t d = 0; d < geometry.rank; ++d) {
      access.box.base += step.tables[i][d] * geometry.stride[d] * 8;
    }
    for (std::size_t d = 0; d < indexed.tile_dims.size(); ++d) {
      access.box.repeat(indexed.tile_dims[d], dim.along[d] * geometry.element_bits);
    }
    add(access);
  }
}

void Races::add_rectangle(std::size_t tensor, const Rectangle& rectangle, std::int64_t offset,
                          RaceAccess access) {
  access.subject = static_cast<std::uint32_t>(tensor);
  access.lx_core =
      static_cast<std::int32_t>(context_.schedule->tensors[tensor].lx_core.value_or(-1));
  boxes_.clear();
  append_boxes(context_.tensors[tensor], placement_.tensor_address[tensor], rectangle, offset,
               boxes_);
  for (const MemoryBox& box : boxes_) {
    access.box = box;
    add(access);
  }
}

void Races::add_buffers(const Step& step, RaceAccess access) {
  const Instruction& instruction = *step.instruction;
  const Opcode opcode = instruction.opcode;
  const bool sends = opcode == Opcode::send || opcode == Opcode::multicast;
  const bool reduces = opcode == Opcode::reduce;
  access.is_buffer = true;
  access.lx_core = static_cast<std::int32_t>(access.core);
  access.at_start = sends || reduces;
  for (std::size_t i = 0; i < instruction.source_count; ++i) {
    // The running state of the softmax is changed in place.
    access.writes = instruction.function == models::VectorFunction::softmax_step && i == 1;
    add_buffer(step.sources[i], access);
  }
  if (!instruction.has_destination || opcode == Opcode::receive) return;
  access.at_start = false;
  access.writes = true;
  if (!sends) {
    // A reduction writes on the last core of its group alone, when all partial sums have come.
    if (reduces && step.cores >> access.core != 1) return;
    if (reduces) access.event.before[kRingChain] = access.event.index;
    return add_buffer(step.destination, access);
  }
  access.is_delivery = true;
  for (models::CoreSet peers = step.cores; peers != 0; peers &= peers - 1) {
    access.lx_core = std::countr_zero(peers);
    add_buffer(step.destination, access);
  }
}

void Races::add_buffer(const TileView& view, RaceAccess access) {
  if (!watch_->buffer(view.buffer)) return;
  const BufferInfo& buffer = kernel_->buffers[view.buffer];
  if (view.row < 0 || view.column < 0 || view.row + view.rows > buffer.rows ||
      view.column + view.columns > buffer.columns) {
    return;  // out-of-range, or tile-too-big
  }
  access.subject = view.buffer;
  boxes_.clear();
  append_boxes(buffer, view, stick_bytes_, boxes_);
  for (const MemoryBox& box : boxes_) {
    access.box = box;
    add(access);
  }
}

void Races::add(RaceAccess& access) {
  access.end = access.box.end();
  accesses_.push_back(access);
}

}  // namespace spyre::kernels
