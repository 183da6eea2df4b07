#include "runtime/step_pipeline.h"

#include <algorithm>
#include <bit>
#include <span>

#include "kernels/schedule/checker.h"
#include "kernels/schedule/expander.h"
#include "kernels/schedule/launch_walk.h"
#include "kernels/schedule/placement.h"
#include "kernels/schedule/reader.h"
#include "kernels/schedule/writer.h"
#include "traces/core_ledger.h"
#include "traces/dram_ledger.h"
#include "traces/op_ledger.h"

namespace spyre::runtime {
namespace {

/// Counts the cores that any launch uses.
class UsedCores final : public models::Observer {
 public:
  void on_launch_begin(const models::Launch& launch, std::uint64_t) override {
    used_ |= launch.cores;
  }
  [[nodiscard]] std::int64_t count() const { return std::popcount(used_); }

 private:
  models::CoreSet used_ = 0;
};

std::vector<PlannedLaunch> planned_launches(const kernels::Schedule& schedule) {
  std::vector<PlannedLaunch> launches;
  kernels::LaunchWalk walk(schedule);
  for (kernels::LaunchStep step; walk.next(step);) launches.push_back({step.name, step.layer});
  return launches;
}

/// Addresses that no channel has: the one thing that cannot even be tried.
void refuse_beyond_dram(const kernels::Placement& placement, const models::Machine& machine,
                        const std::string& file) {
  const auto capacity = static_cast<std::uint64_t>(machine.dram.capacity_bytes);
  if (placement.dram_end <= capacity) return;
  throw PlanError("the tensors end at DRAM byte " + std::to_string(placement.dram_end) +
                      ", beyond the " + std::to_string(capacity) + " that the machine '" +
                      machine.name +
                      "' has (dram.capacity_bytes): use smaller tensors or lower addresses",
                  {file, 0, 0});
}

/// Runs a schedule that nobody has judged: what the card objects to is the schedule's fault. After
/// a check it would be the program's own.
SimulationOutcome run_unchecked(const std::function<SimulationOutcome()>& run,
                                const std::string& file) {
  try {
    return run();
  } catch (const std::exception& error) {
    const std::string message = error.what();
    throw PlanError(
        "the card cannot execute this schedule: " + message.substr(0, message.find('\n')) +
            "; run without --no-check to see the line",
        {file, 0, 0});
  }
}

/// Index lists hold what the schedule says before anything runs.
void write_index_values(const kernels::Schedule& schedule, const kernels::Placement& placement,
                        models::DramStore& dram) {
  for (std::size_t t = 0; t < schedule.tensors.size(); ++t) {
    const kernels::Tensor& tensor = schedule.tensors[t];
    if (tensor.values.empty() || tensor.shape.size() != 1) continue;
    const std::vector<std::int32_t> values(tensor.values.begin(), tensor.values.end());
    dram.write(placement.tensor_address[t], std::as_bytes(std::span(values)));
  }
}

void refuse_broken(const std::vector<models::Diagnostic>& findings) {
  std::vector<models::Diagnostic> errors;
  std::copy_if(findings.begin(), findings.end(), std::back_inserter(errors),
               [](const auto& finding) { return finding.severity == models::Severity::error; });
  if (!errors.empty()) throw PlanError(std::move(errors));
}

}  // namespace

std::string plan_text(const kernels::ModelConfig& model, const kernels::StepOptions& step,
                      const models::Machine& machine, const kernels::PlanOptions& options) {
  return kernels::write_schedule(
      kernels::plan_step(kernels::build_graph(model, step), machine, options));
}

std::vector<models::Diagnostic> check_text(const std::string& text, const std::string& file,
                                           const models::Machine& machine) {
  const kernels::Schedule schedule = kernels::parse_schedule(text, file, machine);
  return kernels::check_schedule(schedule, kernels::place(schedule, machine), machine);
}

traces::RunResult run_text(const std::string& text, const std::string& file,
                           const models::MachineDescription& description,
                           const RunOptions& options) {
  return run_schedule(kernels::parse_schedule(text, file, description.machine), description,
                      options);
}

traces::RunResult run_schedule(const kernels::Schedule& schedule,
                               const models::MachineDescription& description,
                               const RunOptions& options) {
  const models::Machine& machine = description.machine;
  const std::string& file = schedule.file;
  const kernels::Placement placement = kernels::place(schedule, machine);
  if (options.check) refuse_broken(kernels::check_schedule(schedule, placement, machine));
  refuse_beyond_dram(placement, machine, file);

  traces::DramLedger dram(schedule, placement, machine);
  traces::CoreLedger cores(machine);
  traces::OpLedger ops(machine);
  UsedCores used;
  std::vector<models::Observer*> observers{&dram, &cores, &ops, &used};
  observers.insert(observers.end(), options.observers.begin(), options.observers.end());

  if (options.on_start) options.on_start(planned_launches(schedule));
  kernels::Expander program(schedule, placement, machine);
  models::DramStore empty;
  models::DataPlane without_values(machine, empty, models::Numerics::ieee,
                                   models::DataPlane::Values::off);
  models::DataPlane& data = options.data != nullptr ? *options.data : without_values;
  write_index_values(schedule, placement, data.dram());
  const auto run = [&] { return simulate(machine, program, data, observers, options.simulation); };
  const SimulationOutcome outcome = options.check ? run() : run_unchecked(run, file);
  if (outcome.end == SimulationOutcome::End::deadlocked) {
    throw PlanError("the schedule never ends: every core waits\n" + outcome.deadlock, {file, 0, 0});
  }

  traces::RunResult result;
  result.meta = schedule.meta;
  result.cores = used.count();
  result.time_ps = outcome.time_ps;
  result.cycles = machine.clock.elapsed(outcome.time_ps);
  result.bytes = dram.totals();
  result.tensors = dram.tensors();
  result.ops = ops.rows(dram);
  result.core_cycles = cores.cores();
  result.channels = outcome.channels;
  result.requests = outcome.requests;
  result.tile_ops = outcome.tile_ops;
  result.interrupted = outcome.end == SimulationOutcome::End::interrupted;
  result.machine = machine;
  result.machine_entries = description.entries;
  return result;
}

}  // namespace spyre::runtime
