#include "kernels/lowering/lower.h"

#include <algorithm>

#include "kernels/lowering/delayed_stores.h"
#include "kernels/lowering/lowerer.h"
#include "kernels/lowering/lx_allocation.h"

namespace spyre::kernels::lowering {
namespace {

Schedule lower_once(const ktir::Module& module, const ktir::Function& function,
                    const ktir::BoundArguments& arguments, const models::Machine& machine,
                    const LoweringOptions& options) {
  Program program = Lowerer(module, function, arguments, machine, options).run();
  Kernel kernel = program.take_kernel();
  kernel.position = module.position(function.where);
  std::set<std::string> delayed;
  if (options.delay_stores) delayed = delay_stores(kernel, program);
  allocate_lx(kernel, program, delayed, machine, options.double_buffer);

  Schedule schedule;
  schedule.file = module.file;
  schedule.machine = machine.name;
  schedule.meta = {{"source", module.file}, {"function", function.name}};
  schedule.tensors = program.tensors();
  KernelLaunch launch;
  launch.kernel = kernel.name;
  schedule.launches.push_back({std::move(launch), kernel.position});
  schedule.kernels.push_back(std::move(kernel));
  return schedule;
}

bool is_overflow(const models::InputError& error) {
  return std::ranges::any_of(error.diagnostics(), [](const models::Diagnostic& each) {
    return each.rule == "lx-capacity";
  });
}

}  // namespace

Schedule lower(const ktir::Module& module, const ktir::Function& function,
               const ktir::BoundArguments& arguments, const models::Machine& machine,
               const LoweringOptions& options) {
  // Delayed stores and loads in front of loops take LX: without them if it does not suffice.
  LoweringOptions attempt = options;
  while (true) {
    try {
      return lower_once(module, function, arguments, machine, attempt);
    } catch (const models::InputError& error) {
      if (!is_overflow(error) || (!attempt.delay_stores && !attempt.hoist_loads)) throw;
      if (attempt.delay_stores) {
        attempt.delay_stores = false;
      } else {
        attempt.hoist_loads = false;
      }
    }
  }
}

}  // namespace spyre::kernels::lowering
