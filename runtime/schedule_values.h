// Running a tile schedule with values: tensors from arrays of the host, and back.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/argument_spec.h"
#include "runtime/kernel_pipeline.h"

namespace spyre::runtime {

struct ScheduleRequest {
  std::string text;
  std::string file;
  std::vector<NamedSpec> tensors;      ///< what they hold before the run
  std::vector<std::string> read_back;  ///< tensors whose contents are wanted after it
};

/// Throws InputError (no schedule, unknown tensors, arrays that do not fit), PlanError.
[[nodiscard]] KernelOutcome run_schedule_with_values(const ScheduleRequest& request,
                                                     const models::MachineDescription& machine,
                                                     const KernelOptions& options);

/// The host's type for elements of a tensor.
[[nodiscard]] kernels::ktir::ScalarType host_type(models::DataType type);

}  // namespace spyre::runtime
