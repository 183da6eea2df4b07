// From a run of a suite to the request of a kernel, and to the inputs of its reference.
#pragma once

#include <string>

#include "runtime/kernel_pipeline.h"
#include "runtime/suite/references.h"
#include "runtime/suite/suite.h"

namespace spyre::runtime {

/// `text` is the kernel, `file` names it in messages. Throws models::InputError.
[[nodiscard]] KernelRequest make_request(const SuiteRun& run, std::string text, std::string file);

/// The values before the run, by role. `request` is the run's.
[[nodiscard]] ReferenceInputs reference_inputs(const SuiteRun& run, const KernelRequest& request);

}  // namespace spyre::runtime
