// What a launch's counts say once every core has been walked to its end.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "kernels/schedule/launch_check.h"

namespace spyre::kernels {

using models::Opcode;

bool LaunchCheck::report_counts() {
  bool match = true;
  for (std::uint32_t core = 0; core < kernel_->cores; ++core) {
    const Core& state = cores_[core];
    const std::string place = place_of(core).text();
    for (std::size_t i = 0; i < state.inboxes.size(); ++i) {
      const Inbox& inbox = state.inboxes[i];
      if (inbox.sent == inbox.received) continue;
      match = false;
      const SourcePosition& where =
          inbox.receive != nullptr ? *inbox.receive : *inbox.waiting.back().where;
      if (!findings_.is_new("receive-count", where)) continue;
      findings_.error("receive-count", where,
                      fmt::format("{} tiles are sent into '{}' and {} are received{}", inbox.sent,
                                  kernel_->buffers[i].buffer->name, inbox.received, place));
    }
    for (std::size_t i = 0; i < state.semaphores.size(); ++i) {
      const Semaphore& semaphore = state.semaphores[i];
      if (semaphore.signals == semaphore.waits) continue;
      const bool starved = semaphore.signals < semaphore.waits;
      match = match && !starved;
      const SourcePosition& where = starved ? *semaphore.wait : *semaphore.signal;
      if (!findings_.is_new("semaphore-count", where)) continue;
      const std::string message =
          fmt::format("semaphore '{}' is signalled {} times and waited for {} times{}",
                      kernel_->semaphores[i], semaphore.signals, semaphore.waits, place);
      if (starved) {
        findings_.error("semaphore-count", where, message);
      } else {
        findings_.warning("semaphore-count", where, message);
      }
    }
    const Core& first = cores_[0];
    if (state.barriers != first.barriers) {
      match = false;
      const SourcePosition& where =
          state.barriers > first.barriers ? *state.barrier : *first.barrier;
      if (findings_.is_new("barrier-count", where)) {
        findings_.error("barrier-count", where,
                        fmt::format("core {} comes to {} barriers, core 0 to {}; every core of the "
                                    "launch must come to each{}",
                                    core, state.barriers, first.barriers, place));
      }
    }
    for (std::size_t group = 0; group < state.reductions.size(); ++group) {
      const models::CoreSet set = kernel_->groups[group].of_core[core];
      if (set == 0) continue;  // in none of these groups
      const auto leader = static_cast<std::uint32_t>(std::countr_zero(set));
      const std::size_t expected = cores_[leader].reductions[group].size();
      if (state.reductions[group].size() == expected) continue;
      match = false;
      const auto code = std::find_if(
          kernel_->code.begin(), kernel_->code.end(), [&](const Instruction& instruction) {
            return instruction.kind == Instruction::Kind::operation &&
                   instruction.opcode == Opcode::reduce && instruction.group == group + 1;
          });
      const SourcePosition& where = *kernel_->positions[code->statement];
      if (!findings_.is_new("reduce-mismatch", where)) continue;
      findings_.error(
          "reduce-mismatch", where,
          fmt::format("core {} takes part in {} reductions of its group, core {} in {}{}", core,
                      state.reductions[group].size(), leader, expected, place));
    }
  }
  return match;
}

void LaunchCheck::report_deadlock(const std::vector<std::uint32_t>& blocked) {
  const Step& first = cores_[blocked.front()].step;
  std::string others;
  for (std::size_t i = 1; i < std::min<std::size_t>(blocked.size(), 4); ++i) {
    const Step& step = cores_[blocked[i]].step;
    others += fmt::format("{}core {} in the {} of line {}", i == 1 ? "; so do " : ", ", blocked[i],
                          models::to_string(step.instruction->opcode), position(step).line);
  }
  if (blocked.size() > 4) others += fmt::format(" and {} more", blocked.size() - 4);
  findings_.error("deadlock", position(first),
                  fmt::format("core {} waits here for ever in launch '{}'{}: each waits for what "
                              "another would only do later",
                              blocked.front(), launch_name_, others));
}

/// All cores of a group must make the same shared loads in the same order.
void LaunchCheck::report_shares() {
  for (std::uint32_t core = 0; core < kernel_->cores; ++core) {
    for (std::size_t group = 0; group < kernel_->groups.size(); ++group) {
      const models::CoreSet set = kernel_->groups[group].of_core[core];
      if (set == 0) continue;
      const auto leader = static_cast<std::uint32_t>(std::countr_zero(set));
      if (leader == core) continue;
      const std::vector<SharedLoad>& mine = cores_[core].shared_loads[group];
      const std::vector<SharedLoad>& theirs = cores_[leader].shared_loads[group];
      const std::size_t common = std::min(mine.size(), theirs.size());
      std::size_t i = 0;
      while (i < common && mine[i].statement == theirs[i].statement &&
             mine[i].remote.offset == theirs[i].remote.offset &&
             mine[i].offset == theirs[i].offset && mine[i].remote.size == theirs[i].remote.size) {
        ++i;
      }
      if (i == mine.size() && i == theirs.size()) continue;
      const SourcePosition& where = i < mine.size() ? *mine[i].where : *theirs[i].where;
      if (!findings_.is_new("share-mismatch", where)) continue;
      findings_.error("share-mismatch", where,
                      fmt::format("shared load {} of core {} is not that of core {}: cores that "
                                  "share a read must load the same tiles in the same order{}",
                                  i, core, leader, place_of(core).text()));
    }
  }
}

void LaunchCheck::report_idle() {
  for (const Instruction& instruction : kernel_->code) {
    const bool transfers =
        instruction.kind == Instruction::Kind::operation &&
        (instruction.opcode == Opcode::load || instruction.opcode == Opcode::store ||
         instruction.opcode == Opcode::gather || instruction.opcode == Opcode::scatter);
    if (!transfers || activity_[instruction.statement] != kSkipped) continue;
    const SourcePosition& where = *kernel_->positions[instruction.statement];
    if (findings_.has_at(where)) continue;  // then its fault may be why
    findings_.warning("never-runs", where,
                      fmt::format("no core has a tile for this {} in launch '{}': its offsets lie "
                                  "outside the tensor, or its source is empty",
                                  models::to_string(instruction.opcode), launch_name_));
  }
}

}  // namespace spyre::kernels
