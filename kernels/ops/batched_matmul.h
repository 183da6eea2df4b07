// C[b] = A[b] B[b] for every b of a batch, or A[b] W with one matrix W for all.
//
// Grid k x m x n x b. Each operand's batch may be outermost in its device layout or innermost.
// Cores with the same rows share the reads of A, those with the same columns the reads of B; a K
// split adds up over the ring. Tiles of A and B stream side by side; sums are fp32, in LX.
#pragma once

#include "kernels/ops/op_options.h"

namespace spyre::kernels {

struct BatchedMatmulShape {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  bool one_matrix = false;  ///< B is [k, n], the same for the whole batch
};

[[nodiscard]] Schedule plan_batched_matmul(const BatchedMatmulShape& shape,
                                           const OpOptions& options,
                                           const models::Machine& machine);

}  // namespace spyre::kernels
