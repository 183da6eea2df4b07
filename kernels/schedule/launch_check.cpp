#include "kernels/schedule/launch_check.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

namespace spyre::kernels {

using models::Opcode;

LaunchCheck::LaunchCheck(const WalkContext& context, const Placement& placement,
                         std::vector<MemoryAround> memory, const models::Machine& machine,
                         Findings& findings)
    : context_(context),
      memory_(std::move(memory)),
      findings_(findings),
      spans_(context, machine),
      coverage_(context, findings),
      races_(context, placement, machine, findings),
      cores_(models::kMaxCores) {}

void LaunchCheck::run(const CompiledKernel& kernel, const LaunchStep& launch) {
  kernel_ = &kernel;
  launch_name_ = launch.name;
  activity_.assign(kernel.positions.size(), 0);
  spans_.start_launch();
  coverage_.begin_launch(launch.index, launch.name);
  for (std::uint32_t core = 0; core < kernel.cores; ++core) start(core, launch);
  start_races(launch);

  bool moved = true;
  while (moved) {
    moved = false;
    for (std::uint32_t core = 0; core < kernel.cores; ++core) moved |= proceed(core, false);
  }
  std::vector<std::uint32_t> blocked;
  for (std::uint32_t core = 0; core < kernel.cores; ++core) {
    if (cores_[core].blocked) blocked.push_back(core);
  }
  if (!blocked.empty()) tells_races_ = false;  // nothing is known of the order of what follows
  if (tells_races_) races_.end();
  std::vector<Step> blocked_at;
  // The rest is walked as if nothing waited, so that the counts below are those of the whole
  // launch.
  for (const std::uint32_t core : blocked) blocked_at.push_back(cores_[core].step);
  for (const std::uint32_t core : blocked) proceed(core, true);
  // Where counts do not match, that is the fault; a deadlock is something else.
  if (report_counts() && !blocked.empty()) {
    for (std::size_t i = 0; i < blocked.size(); ++i) cores_[blocked[i]].step = blocked_at[i];
    report_deadlock(blocked);
  }
  report_shares();
  report_idle();
  for (std::uint32_t core = 0; core < kernel.cores; ++core) {
    cores_[core].slots.finish(place_of(core), findings_);
  }
  spans_.finish_launch(kernel, launch_name_, findings_);
  coverage_.end_launch();
}

void LaunchCheck::start(std::uint32_t core, const LaunchStep& launch) {
  Core& state = cores_[core];
  state.walk.start(context_, *kernel_, core, launch.arguments);
  state.slots.start(*kernel_);
  state.blocked = false;
  state.done = false;
  state.inboxes.resize(kernel_->buffers.size());
  for (Inbox& inbox : state.inboxes) {
    inbox.waiting.clear();
    inbox.sent = inbox.received = 0;
    inbox.receive = nullptr;
  }
  state.semaphores.assign(kernel_->semaphores.size(), {});
  state.reductions.resize(kernel_->groups.size());
  for (auto& shapes : state.reductions) shapes.clear();
  state.shared_loads.resize(kernel_->groups.size());
  for (auto& loads : state.shared_loads) loads.clear();
  state.barriers = 0;
  state.barrier = nullptr;
}

void LaunchCheck::start_races(const LaunchStep& launch) {
  // Buffers that do not fit have no place that could be compared.
  tells_races_ = !findings_.has("lx-capacity") && races_.concern(*kernel_);
  if (!tells_races_) return;
  std::uint64_t state = 0;
  for (std::uint32_t core = 0; core < kernel_->cores; ++core) {
    state = state * 0x9e3779b97f4a7c15 + cores_[core].walk.resident_state();
  }
  tells_races_ = races_.begin(*kernel_, launch, state);
}

bool LaunchCheck::proceed(std::uint32_t core, bool free) {
  Core& state = cores_[core];
  bool moved = false;
  while (!state.done) {
    if (!state.blocked) {
      if (!state.walk.next(state.step)) {
        state.done = true;
        return true;
      }
      if (state.step.instruction->opcode == Opcode::barrier && !state.step.loop_too_long) {
        ++state.barriers;  // arriving counts, also for a core that then waits
        state.barrier = &position(state.step);
      }
    }
    state.blocked = !free && must_wait(core);
    if (state.blocked) return moved;
    take_effect(core);
    moved = true;
  }
  return moved;
}

bool LaunchCheck::must_wait(std::uint32_t core) const {
  const Core& state = cores_[core];
  const Step& step = state.step;
  if (step.skipped || step.loop_too_long) return false;
  switch (step.instruction->opcode) {
    case Opcode::wait:
      return state.semaphores[step.instruction->semaphore].value < step.count;
    case Opcode::receive:
      return static_cast<std::int64_t>(state.inboxes[step.destination.buffer].waiting.size()) <
             step.count;
    case Opcode::barrier:
      return std::any_of(cores_.begin(), cores_.begin() + kernel_->cores,
                         [&](const Core& other) { return other.barriers < state.barriers; });
    case Opcode::reduce: {
      // Partial sums come along the group from its first core.
      const models::CoreSet before = step.cores & ((models::CoreSet{1} << core) - 1);
      if (before == 0) return false;
      const auto previous = static_cast<std::size_t>(std::bit_width(before) - 1);
      const std::size_t group = step.instruction->group - 1;
      return cores_[previous].reductions[group].size() <= state.reductions[group].size();
    }
    default:
      return false;
  }
}

void LaunchCheck::take_effect(std::uint32_t core) {
  Core& state = cores_[core];
  const Step& step = state.step;
  judge(core);
  if (step.loop_too_long) return;
  activity_[step.instruction->statement] |= step.skipped ? kSkipped : kRan;
  if (step.skipped) return;
  if (tells_races_) races_.step(core, step);
  switch (step.instruction->opcode) {
    case Opcode::send:
    case Opcode::multicast:
      return send(core);
    case Opcode::receive:
      return receive(core);
    case Opcode::reduce:
      return reduce(core);
    case Opcode::signal:
      for (models::CoreSet peers = step.cores; peers != 0; peers &= peers - 1) {
        Semaphore& semaphore = cores_[static_cast<std::size_t>(std::countr_zero(peers))]
                                   .semaphores[step.instruction->semaphore];
        ++semaphore.value;
        ++semaphore.signals;
        semaphore.signal = &position(step);
      }
      return;
    case Opcode::wait: {
      Semaphore& semaphore = state.semaphores[step.instruction->semaphore];
      semaphore.value -= step.count;
      semaphore.waits += step.count;
      semaphore.wait = &position(step);
      return;
    }
    default:
      return;
  }
}

void LaunchCheck::judge(std::uint32_t core) {
  Core& state = cores_[core];
  const StepPlace place = place_of(core);
  check_tiles(place, state.step, findings_);
  if (state.step.loop_too_long) return;
  state.slots.step(place, state.step, findings_);
  if (!state.step.skipped) judge_transfer(core, place);
}

void LaunchCheck::judge_transfer(std::uint32_t core, const StepPlace& place) {
  const Step& step = cores_[core].step;
  const Instruction& instruction = *step.instruction;
  const Opcode opcode = instruction.opcode;
  const SourcePosition& where = place.position(step);
  const std::size_t tensor = instruction.remote.tensor;
  // Tensors with strides are views: neither their spans nor what is written through them counts.
  const bool counts = !context_.tensors[tensor].strided;
  if (opcode == Opcode::load || opcode == Opcode::store) {
    if (counts) spans_.touch(core, tensor, step.remote, where);
    if (opcode == Opcode::store) {
      if (counts) coverage_.store(tensor, step.remote, core, where);
      return;
    }
    coverage_.read(tensor);
    if (step.cores != 0) {
      Rectangle remote;
      const std::size_t rank = context_.tensors[tensor].rank;
      std::copy_n(step.remote.offset.begin(), rank, remote.offset.begin());
      std::copy_n(step.remote.size.begin(), rank, remote.size.begin());
      cores_[core].shared_loads[instruction.group - 1].push_back(
          {instruction.statement, remote, step.offset, &where});
    }
    return;
  }
  const bool by_index = opcode == Opcode::gather || opcode == Opcode::scatter;
  if (!by_index || instruction.indexed != 0) return;
  const Tensor& index = context_.schedule->tensors[instruction.index.tensor];
  const TensorGeometry& geometry = context_.tensors[tensor];
  coverage_.read(instruction.index.tensor);
  if (opcode == Opcode::gather) coverage_.read(tensor);
  Rectangle row = step.remote;
  for (std::int64_t i = 0; i < step.indices; ++i) {
    row.offset[0] = indexed_row(index, context_.tensors[instruction.index.tensor], step, i);
    if (row.offset[0] < 0 || row.offset[0] >= geometry.shape[0]) continue;
    spans_.touch(core, tensor, row, where);
    // Rows that are not known cannot overlap for certain.
    if (opcode == Opcode::scatter && !index.values.empty()) {
      coverage_.store(tensor, row, core, where);
    }
  }
}

void LaunchCheck::send(std::uint32_t core) {
  const Step& step = cores_[core].step;
  for (models::CoreSet peers = step.cores; peers != 0; peers &= peers - 1) {
    Inbox& inbox =
        cores_[static_cast<std::size_t>(std::countr_zero(peers))].inboxes[step.destination.buffer];
    inbox.waiting.push_back({step.destination.slot_in_buffer, &position(step)});
    ++inbox.sent;
  }
}

void LaunchCheck::receive(std::uint32_t core) {
  Core& state = cores_[core];
  const Step& step = state.step;
  Inbox& inbox = state.inboxes[step.destination.buffer];
  inbox.received += step.count;
  inbox.receive = &position(step);
  for (std::int64_t i = 0; i < step.count && !inbox.waiting.empty(); ++i) {
    const Arrival arrival = inbox.waiting.front();
    inbox.waiting.pop_front();
    if (arrival.slot == step.destination.slot_in_buffer) continue;
    if (!findings_.is_new("receive-slot", *arrival.where)) continue;
    const StepPlace place = place_of(core);
    findings_.error(
        "receive-slot", *arrival.where,
        fmt::format("a tile is sent into slot {} of '{}', but is received as slot {}: "
                    "send as many tiles for each receive as it counts, or use slots: 1{}",
                    arrival.slot, place.buffer_name(step.destination),
                    step.destination.slot_in_buffer, place.text()));
  }
}

void LaunchCheck::reduce(std::uint32_t core) {
  Core& state = cores_[core];
  const Step& step = state.step;
  if (step.cores == 0) return;  // in no group: reported
  const std::size_t group = step.instruction->group - 1;
  std::vector<Shape>& mine = state.reductions[group];
  const TileView& from = step.sources[0];
  const Shape shape{from.rows, from.columns, from.exact};
  const auto first = static_cast<std::size_t>(std::countr_zero(step.cores));
  const std::vector<Shape>& firsts = cores_[first].reductions[group];
  if (first != core && mine.size() < firsts.size()) {
    const Shape& other = firsts[mine.size()];
    const bool differs = other.rows != shape.rows || other.columns != shape.columns;
    if (differs && other.exact && shape.exact &&
        findings_.is_new("reduce-mismatch", position(step))) {
      const StepPlace place = place_of(core);
      findings_.error(
          "reduce-mismatch", position(step),
          fmt::format("core {} brings {} x {} elements to a reduction, core {} brings "
                      "{} x {}: use as many cores along the reduced dimension as it has "
                      "parts{}",
                      core, shape.rows, shape.columns, first, other.rows, other.columns,
                      place.text()));
    }
  }
  mine.push_back(shape);
}

}  // namespace spyre::kernels
