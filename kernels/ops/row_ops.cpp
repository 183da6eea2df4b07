#include "kernels/ops/row_ops.h"

#include <fmt/format.h>

#include "kernels/ops/row_kernel.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {
namespace {

using models::VectorFunction;

Schedule plan_rows(const std::string& title, const RowKernel& rows, const OpOptions& options,
                   const models::Machine& machine) {
  check_size("ROWS", rows.rows);
  check_size("COLS", rows.output.columns);
  OpPlan plan(title, options, machine);
  for (const RowStream& input : rows.inputs) {
    plan.tensor(input.name, options.type, TensorKind::activation, {rows.rows, input.columns});
  }
  for (const RowStream& table : rows.tables) {
    plan.tensor(table.name, options.type, TensorKind::weight, {1, table.columns});
  }
  plan.tensor(rows.output.name, options.type, TensorKind::activation,
              {rows.rows, rows.output.columns});
  plan.kernel(build_row_kernel(plan, rows));
  return plan.take();
}

std::string title(const char* name, const RowShape& shape) {
  return fmt::format("{} {} x {}", name, shape.rows, shape.columns);
}

}  // namespace

Schedule plan_softmax(const RowShape& shape, const OpOptions& options,
                      const models::Machine& machine) {
  RowKernel rows{"softmax", shape.rows, {{"x", shape.columns}}, {}, {}, {"y", shape.columns}, {}};
  rows.scratch = row_softmax_scratch(shape.columns);
  rows.compute = [](KernelBuilder& kernel, const TileLoops&) { add_row_softmax(kernel, "x", "y"); };
  return plan_rows(title("softmax", shape), rows, options, machine);
}

Schedule plan_layernorm(const RowShape& shape, const OpOptions& options,
                        const models::Machine& machine) {
  RowKernel rows{"layernorm",
                 shape.rows,
                 {{"x", shape.columns}},
                 {{"weight", shape.columns}, {"bias", shape.columns}},
                 {},
                 {"y", shape.columns},
                 {}};
  rows.compute = [](KernelBuilder& kernel, const TileLoops&) {
    kernel.vector(VectorFunction::layernorm, "y", {"x", "weight", "bias", Number(kOpEpsilon)});
  };
  return plan_rows(title("layernorm", shape), rows, options, machine);
}

Schedule plan_rmsnorm(const RowShape& shape, const OpOptions& options,
                      const models::Machine& machine) {
  RowKernel rows{"rmsnorm",
                 shape.rows,
                 {{"x", shape.columns}},
                 {{"weight", shape.columns}},
                 {},
                 {"y", shape.columns},
                 {}};
  rows.compute = [](KernelBuilder& kernel, const TileLoops&) {
    kernel.vector(VectorFunction::rmsnorm, "y", {"x", "weight", Number(kOpEpsilon)});
  };
  return plan_rows(title("rmsnorm", shape), rows, options, machine);
}

Schedule plan_rope(const RopeShape& shape, const OpOptions& options,
                   const models::Machine& machine) {
  check_size("HEADS", shape.heads);
  check_size("HEAD_DIM", shape.head_dim, 2);
  if (shape.head_dim % 2 != 0) {
    throw models::InputError(
        fmt::format("HEAD_DIM is {}; rope rotates the two halves of a head: give an even number",
                    shape.head_dim));
  }
  const std::int64_t columns = shape.heads * shape.head_dim;
  RowKernel rows{"rope",         shape.rows, {{"x", columns}, {"angles", shape.head_dim}}, {}, {},
                 {"y", columns}, {}};
  rows.compute = [](KernelBuilder& kernel, const TileLoops&) {
    kernel.vector(VectorFunction::rope, "y", {"x", "angles"});
  };
  return plan_rows(fmt::format("rope {} x {} heads of {}", shape.rows, shape.heads, shape.head_dim),
                   rows, options, machine);
}

}  // namespace spyre::kernels
