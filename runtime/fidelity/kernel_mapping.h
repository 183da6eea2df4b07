// Which op of our own, with which sizes and options, is the kernel of a row.
//
// Only the same operation on the same device bytes counts. What a row does not record and the
// device decides (an automatic split, the tiles of a matmul in LX) is left to our planner. A row
// whose operation or layout is unknown, or that no op of ours expresses, is not mapped, with a
// reason.
#pragma once

#include <optional>
#include <string>

#include "runtime/fidelity/kernel_table.h"
#include "runtime/ops/op_run.h"

namespace spyre::runtime {

struct KernelMapping {
  std::optional<OpRequest> request;  ///< values off
  std::string reason;                ///< why there is none
  bool planned_split =
      false;  ///< a matmul whose division over cores is not recorded: ours is taken
  /// Kernels that the measured time is the sum of; the fitted model's column counts one.
  std::int64_t kernels = 1;
};

[[nodiscard]] KernelMapping map_kernel(const MeasuredKernel& kernel);

}  // namespace spyre::runtime
