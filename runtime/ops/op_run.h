// Runs a kernel of our own with random inputs and compares what it leaves with the reference.
//
// Modelled: inputs are random numbers rounded to the tensors' types, as the device holds them; the
// reference gets the same rounded numbers, so that only what the kernel does to them is judged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kernels/ops/registry.h"
#include "models/machine/machine_reader.h"
#include "runtime/host_array.h"
#include "runtime/step_pipeline.h"

namespace spyre::runtime {

struct OpRequest {
  const kernels::Op* op = nullptr;
  kernels::OpSizes sizes = {};  ///< those that are given
  kernels::OpOptions options = {};
  std::uint64_t seed = 1;
  models::Numerics numerics = models::Numerics::ieee;
  bool data = true;  ///< off: the same cycles without the arithmetic
};

/// How far values are from what they should be (runtime/suite/comparison.h says what the error is).
struct OpValues {
  double max_relative = 0;
  double bound = 0;  ///< the largest error that is right
  std::int64_t elements = 0;
  std::string worst;  ///< "y[3, 5] is 1.5, not 1.25"; empty without error

  [[nodiscard]] bool right() const { return max_relative <= bound; }
};

struct OpOutcome {
  traces::RunResult result;
  std::optional<OpValues> values;  ///< nothing with data off
  std::map<std::string, HostArray> outputs;
};

/// The plan as text. Throws InputError.
[[nodiscard]] std::string op_plan_text(const OpRequest& request, const models::Machine& machine);
/// Throws InputError, PlanError.
[[nodiscard]] OpOutcome run_op(const OpRequest& request, const models::MachineDescription& machine,
                               const RunOptions& options);
/// The outputs of two runs against each other; `b` is what `a` should be.
[[nodiscard]] OpValues compare_outputs(const OpOutcome& a, const OpOutcome& b, double bound);

}  // namespace spyre::runtime
