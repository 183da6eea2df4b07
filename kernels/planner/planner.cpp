#include "kernels/planner/planner.h"

#include <fmt/format.h>

#include "kernels/planner/decode_kernels.h"
#include "kernels/planner/tensors.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {
namespace {

void check_cores(const models::Machine& machine, const PlanOptions& options) {
  if (options.cores >= 1 && options.cores <= machine.cores.count) return;
  throw models::InputError(fmt::format("cores is {}; {} has 1 to {}", options.cores, machine.name,
                                       machine.cores.count));
}

}  // namespace

Schedule plan_step(const Graph& graph, const models::Machine& machine,
                   const PlanOptions& options) {
  check_cores(machine, options);
  PlanContext context{graph, machine, options.cores, {}};
  context.schedule.machine = machine.name;
  add_tensors(context);
  check_capacity(context);
  if (!plan_resident_decode(context)) throw models::InputError("does not fit");
  return std::move(context.schedule);
}

}  // namespace spyre::kernels
