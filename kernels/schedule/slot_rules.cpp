#include "kernels/schedule/slot_rules.h"

#include <fmt/format.h>

namespace spyre::kernels {

using models::Opcode;
using models::VectorFunction;

void SlotRules::start(const CompiledKernel& kernel) {
  const std::size_t resident = kernel.resident_buffers < kernel.buffers.size()
                                   ? kernel.buffers[kernel.resident_buffers].first_slot
                                   : kernel.slots;
  notes_.resize(resident);
  notes_.resize(kernel.slots);
}

void SlotRules::step(const StepPlace& place, const Step& step, Findings& findings) {
  const Instruction& instruction = *step.instruction;
  if (instruction.kind != Instruction::Kind::operation) return;
  for (std::size_t i = 0; i < instruction.source_count; ++i) {
    // The first softmax_step makes its running state; the walk gives it its size.
    if (instruction.function == VectorFunction::softmax_step && i == 1) {
      Note& state = note(place, step.sources[i]);
      state.written = true;
      state.buffer = step.sources[i].buffer;
      continue;
    }
    read(place, step, step.sources[i], findings);
  }
  const bool elsewhere =
      instruction.opcode == Opcode::send || instruction.opcode == Opcode::multicast;
  if (instruction.has_destination && !elsewhere) write(place, step, findings);
}

void SlotRules::read(const StepPlace& place, const Step& step, const TileView& view,
                     Findings& findings) {
  Note& slot = note(place, view);
  const bool holds_it = slot.written && slot.buffer == view.buffer;
  if (holds_it) slot.unused = nullptr;
  const SourcePosition& where = place.position(step);
  if (!holds_it && findings.is_new("read-before-write", where)) {
    findings.error("read-before-write", where, missing_writer(place, slot, view));
  }
  const std::string_view rule = "reduce-read";
  if (slot.partial_sum && findings.is_new(rule, where)) {
    findings.error(rule, where,
                   fmt::format("'{}' is read on a core where the reduction has left a partial sum; "
                               "the result is on the last core of the group only: add `when`{}",
                               place.buffer_name(view), place.text()));
  }
}

std::string SlotRules::missing_writer(const StepPlace& place, const Note& slot,
                                      const TileView& view) {
  if (slot.written) {
    return fmt::format(
        "'{}' is read, but nothing has written it since '{}' of the same region "
        "was{}",
        place.buffer_name(view), place.kernel->buffers[slot.buffer].buffer->name, place.text());
  }
  const bool resident = place.kernel->buffers[view.buffer].resident;
  return fmt::format("'{}' is read, but nothing has written it {}{}", place.buffer_name(view),
                     resident ? "in this or an earlier launch" : "in this kernel", place.text());
}

void SlotRules::write(const StepPlace& place, const Step& step, Findings& findings) {
  const Instruction& instruction = *step.instruction;
  if (instruction.opcode == Opcode::receive && step.skipped) return;
  const TileView& view = step.destination;
  if (step.accumulates) {
    TileView whole = view;
    read(place, step, whole, findings);
  }
  Note& slot = note(place, view);
  const bool starts_tile =
      !instruction.destination.is_part && !step.accumulates && !instruction.destination_is_source;
  if (starts_tile && slot.unused != nullptr) {
    report_unused(place, slot, place.kernel->buffers[slot.buffer].buffer->name, findings);
  }
  slot.written = true;
  slot.buffer = view.buffer;
  const bool loads = instruction.opcode == Opcode::load || instruction.opcode == Opcode::gather;
  // A shared load may serve the other cores of its group alone.
  slot.unused = loads && !step.skipped && step.cores == 0 ? &place.position(step) : nullptr;
  const bool reduces = instruction.opcode == Opcode::reduce;
  const bool is_last = step.cores == 0 || step.cores >> place.core == 1;
  slot.partial_sum = reduces && !is_last;
}

void SlotRules::finish(const StepPlace& place, Findings& findings) {
  for (const BufferInfo& buffer : place.kernel->buffers) {
    if (buffer.resident) continue;  // a later launch may read it
    for (std::int64_t slot = 0; slot < buffer.slots; ++slot) {
      const Note& note = notes_[buffer.first_slot + static_cast<std::size_t>(slot)];
      if (note.unused == nullptr) continue;
      report_unused(place, note, place.kernel->buffers[note.buffer].buffer->name, findings);
    }
  }
}

void SlotRules::report_unused(const StepPlace& place, const Note& note, const std::string& buffer,
                              Findings& findings) {
  if (!findings.is_new("unused-tile", *note.unused)) return;
  findings.warning(
      "unused-tile", *note.unused,
      fmt::format("a tile is loaded into '{}' and never used{}", buffer, place.text()));
}

}  // namespace spyre::kernels
