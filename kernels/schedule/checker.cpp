#include "kernels/schedule/checker.h"

#include <fmt/format.h>

#include "kernels/schedule/checker_static.h"
#include "kernels/schedule/launch_check.h"
#include "kernels/schedule/strided_rules.h"

namespace spyre::kernels {
namespace {

/// Slots are numbered with 16 bits, one value meaning none; a kernel beyond that has broken
/// lx-capacity many times over.
bool can_be_walked(const CompiledKernel& kernel) {
  return kernel.slots < models::kNoSlot;
}

/// The lines that the statements of a body were compiled from, for what is found there.
void add_origins(const std::vector<Statement>& body, const std::string& source,
                 Findings& findings) {
  for (const Statement& statement : body) {
    // A position in the source itself says it already.
    if (statement.line != 0 && statement.position.file != source) {
      findings.add_origin(statement.position, fmt::format("({}:{})", source, statement.line));
    }
    if (const auto* loop = std::get_if<ForStatement>(&statement.action)) {
      add_origins(loop->body, source, findings);
    }
  }
}

}  // namespace

std::vector<models::Diagnostic> check_schedule(const Schedule& schedule, const Placement& placement,
                                               const models::Machine& machine) {
  Findings findings;
  if (const auto source = schedule.meta.find("source"); source != schedule.meta.end()) {
    for (const Kernel& kernel : schedule.kernels) {
      add_origins(kernel.body, source->second, findings);
    }
  }
  check_placement(schedule, placement, machine, findings);

  WalkContext context;
  context.schedule = &schedule;
  context.loop_limit = machine.limits.loop_iterations;
  for (const Tensor& tensor : schedule.tensors) {
    context.tensors.push_back(geometry_of(tensor, machine));
  }
  std::vector<CompiledKernel> kernels;
  for (std::size_t i = 0; i < schedule.kernels.size(); ++i) {
    kernels.push_back(compile_kernel(schedule, i, placement, machine));
  }
  // Without a grid that exists there is nothing to walk, and a tensor beyond DRAM is too large for
  // its bitmap.
  if (findings.has("grid") || findings.has("dram-capacity")) return findings.sorted();
  LaunchCheck check(context, placement, memory_around(schedule, placement, machine), machine,
                    findings);
  LaunchWalk launches(schedule);
  LaunchStep launch;
  while (launches.next(launch)) {
    if (can_be_walked(kernels[launch.kernel])) check.run(kernels[launch.kernel], launch);
  }
  check.end_program();
  return findings.sorted();
}

}  // namespace spyre::kernels
