// Carries out one launch without time: every core runs until it has to wait, and the counts of what
// the cores send each other are compared.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "kernels/schedule/coverage.h"
#include "kernels/schedule/launch_walk.h"
#include "kernels/schedule/races.h"
#include "kernels/schedule/slot_rules.h"
#include "kernels/schedule/span_rule.h"

namespace spyre::kernels {

/// Rules receive-count, receive-slot, semaphore-count, barrier-count, reduce-mismatch,
/// share-mismatch, deadlock and never-runs; applies the rules of tiles, slots, spans and coverage
/// to every step on the way, and has the launch searched for races.
class LaunchCheck {
 public:
  LaunchCheck(const WalkContext& context, const Placement& placement,
              std::vector<MemoryAround> memory, const models::Machine& machine, Findings& findings);
  void run(const CompiledKernel& kernel, const LaunchStep& launch);
  void end_program() { coverage_.end_program(); }

 private:
  /// What a statement did in the launch, as bits.
  static constexpr std::uint8_t kRan = 1;
  static constexpr std::uint8_t kSkipped = 2;

  struct Arrival {
    std::uint16_t slot = 0;
    const SourcePosition* where = nullptr;
  };
  struct Inbox {  // of one buffer of one core
    std::deque<Arrival> waiting;
    std::int64_t sent = 0, received = 0;
    const SourcePosition* receive = nullptr;
  };
  struct Semaphore {
    std::int64_t value = 0;
    std::int64_t signals = 0, waits = 0;
    const SourcePosition* signal = nullptr;
    const SourcePosition* wait = nullptr;
  };
  struct Shape {
    std::int64_t rows = 0, columns = 0;
    bool exact = true;
  };
  struct SharedLoad {
    std::uint32_t statement = 0;
    Rectangle remote;
    std::int64_t offset = 0;
    const SourcePosition* where = nullptr;
  };
  struct Core {
    CoreWalk walk;
    SlotRules slots;
    Step step;
    bool blocked = false;
    bool done = false;
    std::vector<Inbox> inboxes;  // by buffer
    std::vector<Semaphore> semaphores;
    std::vector<std::vector<Shape>> reductions;         // by group: what it has brought to each
    std::vector<std::vector<SharedLoad>> shared_loads;  // by group
    std::int64_t barriers = 0;
    const SourcePosition* barrier = nullptr;
  };

  void start(std::uint32_t core, const LaunchStep& launch);
  void start_races(const LaunchStep& launch);
  /// Runs the core until it waits or ends; true if it has got on at all. `free` waits for nothing.
  bool proceed(std::uint32_t core, bool free);
  [[nodiscard]] bool must_wait(std::uint32_t core) const;
  void take_effect(std::uint32_t core);
  void judge(std::uint32_t core);
  void judge_transfer(std::uint32_t core, const StepPlace& place);
  void send(std::uint32_t core);
  void receive(std::uint32_t core);
  void reduce(std::uint32_t core);
  /// False if something is waited for that never comes.
  bool report_counts();
  void report_deadlock(const std::vector<std::uint32_t>& blocked);
  void report_shares();
  void report_idle();
  [[nodiscard]] const SourcePosition& position(const Step& step) const {
    return *kernel_->positions[step.instruction->statement];
  }
  [[nodiscard]] StepPlace place_of(std::uint32_t core) const {
    return {&context_, &memory_, kernel_, &launch_name_, core};
  }

  const WalkContext& context_;
  std::vector<MemoryAround> memory_;  // by tensor
  Findings& findings_;
  SpanRule spans_;
  Coverage coverage_;
  Races races_;
  bool tells_races_ = false;  // of the steps of this launch
  std::vector<Core> cores_;
  const CompiledKernel* kernel_ = nullptr;
  std::string launch_name_;
  std::vector<std::uint8_t>
      activity_;  // by statement: bit 0 = ran somewhere, bit 1 = skipped somewhere
};

}  // namespace spyre::kernels
