// Reductions of a matrix along its rows or down its columns.
//
// Along rows the result is one element per row, which takes a stick of its own in DRAM, as on the
// card. Down columns each core has some sticks of columns; with a split of rows the cores' sums
// meet over the ring. Partial results are fp32.
#pragma once

#include "kernels/ops/op_options.h"

namespace spyre::kernels {

enum class ReduceKind { sum, max, min, mean };

struct ReduceShape {
  ReduceKind kind = ReduceKind::sum;
  bool along_rows = true;  ///< y [rows, 1]; else down the columns, y [1, columns]
  std::int64_t rows = 1, columns = 1;
};

[[nodiscard]] Schedule plan_reduce(const ReduceShape& shape, const OpOptions& options,
                                   const models::Machine& machine);

}  // namespace spyre::kernels
