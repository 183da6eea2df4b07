// Turns a workload graph into a tile schedule for a machine.
#pragma once

#include <cstdint>

#include "kernels/planner/linear_division.h"
#include "kernels/schedule/schedule.h"
#include "kernels/workload/graph.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

struct PlanOptions {
  std::int64_t cores = 32;   ///< cores to use, 1 .. machine.cores.count
  std::int64_t k_split = 1;  ///< plan_matmul: cores that share the K of one output tile
  LinearWish wish = {};      ///< plan_matmul
};

/// Plans one decode step or prefill chunk. Throws models::InputError when the step does not fit the
/// machine: DRAM capacity, or an LX too small for any tile (with the bytes needed and available).
[[nodiscard]] Schedule plan_step(const Graph& graph, const models::Machine& machine,
                                 const PlanOptions& options);

/// Plans one matmul C[m,n] = A[m,k] B[k,n], all in DRAM.
[[nodiscard]] Schedule plan_matmul(std::int64_t m, std::int64_t n, std::int64_t k,
                                   models::DataType type, const models::Machine& machine,
                                   const PlanOptions& options);

}  // namespace spyre::kernels
