// Element by element: one function or a chain of them over matrices, with operands of one row, one
// column or one element that are repeated.
//
// The work is cut over rows and sticks of columns. In one kernel what one step leaves stays in LX
// for the next; as separate kernels it goes through DRAM.
#pragma once

#include <string>
#include <vector>

#include "kernels/ops/op_options.h"

namespace spyre::kernels {

/// How large an operand is beside the result.
enum class OperandShape { full, row, column };

struct PointwiseInput {
  std::string name;
  OperandShape shape = OperandShape::full;
};

struct PointwiseStep {
  models::VectorFunction function = models::VectorFunction::copy;
  std::string into;               ///< a new name
  std::vector<std::string> from;  ///< inputs, or results of steps before
};

struct PointwiseShape {
  std::int64_t rows = 1, columns = 1;
  std::vector<PointwiseInput> inputs;
  std::vector<PointwiseStep> steps;
  std::vector<std::string> outputs;  ///< results that are stored
  bool fused = true;                 ///< false: one kernel per step
};

/// y = function(a, b, ...), all of one shape.
[[nodiscard]] PointwiseShape elementwise_shape(models::VectorFunction function, std::int64_t rows,
                                               std::int64_t columns);
/// y = a0 + a1 + ... of `adds` + 1 matrices; or `adds` sums of two matrices each.
[[nodiscard]] PointwiseShape add_chain_shape(std::int64_t adds, std::int64_t rows,
                                             std::int64_t columns);
[[nodiscard]] PointwiseShape independent_adds_shape(std::int64_t adds, std::int64_t rows,
                                                    std::int64_t columns);
/// y = function(a, b), b one row or one column.
[[nodiscard]] PointwiseShape broadcast_shape(models::VectorFunction function, OperandShape b,
                                             std::int64_t rows, std::int64_t columns);

[[nodiscard]] Schedule plan_pointwise(const std::string& title, const PointwiseShape& shape,
                                      const OpOptions& options, const models::Machine& machine);

}  // namespace spyre::kernels
