// From a schedule's text to its result: parse, place, check, simulate, collect. Every command that
// runs something comes through here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/planner/planner.h"
#include "kernels/schedule/schedule.h"
#include "kernels/workload/graph.h"
#include "models/data/data_plane.h"
#include "models/diagnostics/diagnostics.h"
#include "models/events/observer.h"
#include "models/machine/machine_reader.h"
#include "runtime/simulation.h"
#include "traces/run_result.h"

namespace spyre::runtime {

/// A launch of the schedule, known before anything runs.
struct PlannedLaunch {
  std::string name;         ///< "l12.qkv"
  std::int32_t layer = -1;  ///< -1: none
};

struct RunOptions {
  bool check = true;  ///< judge the schedule first and refuse to run a broken one
  SimulationOptions simulation;
  models::DataPlane* data = nullptr;  ///< the bytes of the run; none: values off, memory empty
  /// Called before the first launch, with all of them; what it throws, the run throws. May be
  /// empty.
  std::function<void(const std::vector<PlannedLaunch>& launches)> on_start;
  std::vector<models::Observer*> observers;  ///< besides the ledgers
};

/// A schedule that must not run, or that never ends. Exit code 1.
class PlanError : public models::InputError {
 public:
  using models::InputError::InputError;
};

/// The plan of one step as schedule text.
[[nodiscard]] std::string plan_text(const kernels::ModelConfig& model,
                                    const kernels::StepOptions& step,
                                    const models::Machine& machine,
                                    const kernels::PlanOptions& options);

/// Every finding of the checker, errors and warnings. Throws InputError when the text is no
/// schedule.
[[nodiscard]] std::vector<models::Diagnostic> check_text(const std::string& text,
                                                         const std::string& file,
                                                         const models::Machine& machine);

/// Runs a schedule that has been read or made. Throws PlanError (fails its check, or deadlocks).
[[nodiscard]] traces::RunResult run_schedule(const kernels::Schedule& schedule,
                                             const models::MachineDescription& machine,
                                             const RunOptions& options);

/// Reads and runs a schedule. `file` names it in messages. Throws InputError (no schedule),
/// PlanError (fails its check, or deadlocks).
[[nodiscard]] traces::RunResult run_text(const std::string& text, const std::string& file,
                                         const models::MachineDescription& machine,
                                         const RunOptions& options);

}  // namespace spyre::runtime
