#include "kernels/ops/reduce.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/ops/tile_loops.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {
namespace {

using models::VectorFunction;

constexpr std::int64_t kTileBytes = 64 << 10;
constexpr std::int64_t kTileRows = 512;

std::string_view name_of(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::sum:
      return "sum";
    case ReduceKind::max:
      return "max";
    case ReduceKind::min:
      return "min";
    case ReduceKind::mean:
      return "mean";
  }
  return "sum";
}

class ReduceKernel {
 public:
  ReduceKernel(const OpPlan& plan, const ReduceShape& shape) : plan_(plan), shape_(shape) {
    const OpOptions& options = plan.options();
    cut_.rows = shape.rows;
    cut_.columns = shape.columns;
    cut_.column_unit = plan.per_stick();
    OpOptions division = options;
    if (shape.along_rows) {
      division.n_cores = 1;
    } else {
      division.m_cores = options.k_split;
    }
    divide_over_cores(cut_, division);
    const std::int64_t stick = plan.machine().limits.stick_bytes;
    cut_.tile_rows =
        std::min(cut_.core_rows(), options.tile_rows != 0 ? options.tile_rows : kTileRows);
    const std::int64_t sticks =
        options.tile_columns != 0
            ? ceil_divide(options.tile_columns, cut_.column_unit)
            : std::max<std::int64_t>(kTileBytes / (cut_.tile_rows * stick), 1);
    cut_.tile_columns = std::min(cut_.core_columns(), sticks * cut_.column_unit);
    cut_.tile_rows = fit_tile(
        plan, "reduce", cut_.tile_rows, 1, [&](std::int64_t rows) { return bytes(rows); },
        "use narrower tiles");
  }

  Kernel build() {
    TileLoops loops(cut_);
    KernelBuilder kernel("reduce", loops.grid(), {});
    add_buffers(kernel, cut_.tile_rows);
    if (shape_.along_rows) {
      loops.for_rows(kernel, [&] {
        loops.for_columns(kernel, [&] {
          add_tile(kernel, loops, loops.one_column_tile(), loops.first_column_tile);
        });
        add_result(kernel, "acc", shape_.columns);
        kernel.store("y", {"y", {loops.row, 0}, {loops.height, 1}});
      });
      return kernel.take();
    }
    loops.for_columns(kernel, [&] {
      loops.for_rows(kernel,
                     [&] { add_tile(kernel, loops, loops.one_row_tile(), loops.first_row_tile); });
      const bool splits = cut_.m_cores > 1;
      if (splits) kernel.reduce("acc", "total", {"m"});
      kernel.when(splits ? equal("m", cut_.m_cores - 1) : Index(1), [&] {
        add_result(kernel, splits ? "total" : "acc", shape_.rows);
        kernel.store("y", {"y", {0, loops.column}, {1, loops.width}});
      });
    });
    return kernel.take();
  }

 private:
  void add_buffers(KernelBuilder& kernel, std::int64_t rows) const {
    const DataType type = plan_.options().type;
    const std::int64_t result_rows = shape_.along_rows ? rows : 1;
    const std::int64_t result_columns = shape_.along_rows ? 1 : cut_.tile_columns;
    kernel.buffer("x", type, rows, cut_.tile_columns, 2);
    const bool several =
        shape_.along_rows ? cut_.core_columns() > cut_.tile_columns : cut_.core_rows() > rows;
    if (several) kernel.buffer("part", DataType::fp32, result_rows, result_columns);
    kernel.buffer("acc", DataType::fp32, result_rows, result_columns);
    if (!shape_.along_rows && cut_.m_cores > 1) {
      kernel.buffer("total", DataType::fp32, 1, result_columns);
    }
    kernel.buffer("y", type, result_rows, result_columns, 2);
  }

  [[nodiscard]] std::int64_t bytes(std::int64_t rows) const {
    KernelBuilder kernel("reduce", {}, {});
    add_buffers(kernel, rows);
    return lx_bytes(plan_.machine(), kernel.kernel());
  }

  [[nodiscard]] VectorFunction function() const {
    if (shape_.kind == ReduceKind::max) return VectorFunction::reduce_max;
    return shape_.kind == ReduceKind::min ? VectorFunction::reduce_min : VectorFunction::reduce_sum;
  }
  [[nodiscard]] VectorFunction combination() const {
    if (shape_.kind == ReduceKind::max) return VectorFunction::max;
    return shape_.kind == ReduceKind::min ? VectorFunction::min : VectorFunction::add;
  }

  void add_tile(KernelBuilder& kernel, const TileLoops& loops, bool only,
                const Index& first) const {
    kernel.load("x", {"x", {loops.row, loops.column}, {loops.height, loops.width}});
    const VectorDetail detail{shape_.along_rows ? 1 : 0};
    if (only) return kernel.vector(function(), "acc", {"x"}, detail);
    kernel.vector(function(), "part", {"x"}, detail);
    kernel.when(first, [&] { kernel.vector(VectorFunction::copy, "acc", {"part"}); });
    kernel.when(equal(first, 0), [&] { kernel.vector(combination(), "acc", {"acc", "part"}); });
  }

  void add_result(KernelBuilder& kernel, const char* from, std::int64_t count) const {
    if (shape_.kind != ReduceKind::mean) return kernel.vector(VectorFunction::copy, "y", {from});
    kernel.vector(VectorFunction::mul, "y", {from, Number(1.0 / static_cast<double>(count))});
  }

  const OpPlan& plan_;
  const ReduceShape& shape_;
  TileCut cut_;
};

}  // namespace

Schedule plan_reduce(const ReduceShape& shape, const OpOptions& options,
                     const models::Machine& machine) {
  check_size("ROWS", shape.rows);
  check_size("COLS", shape.columns);
  const bool adds = shape.kind == ReduceKind::sum || shape.kind == ReduceKind::mean;
  if (options.k_split > 1 && (shape.along_rows || !adds)) {
    throw models::InputError(
        fmt::format("k_split is {}; only sums and means down columns can be split: cores add up "
                    "their parts over the ring",
                    options.k_split));
  }
  OpPlan plan(fmt::format("reduce {} {} {} x {}", name_of(shape.kind),
                          shape.along_rows ? "rows" : "columns", shape.rows, shape.columns),
              options, machine);
  plan.tensor("x", options.type, TensorKind::activation, {shape.rows, shape.columns});
  plan.tensor("y", options.type, TensorKind::activation,
              {shape.along_rows ? shape.rows : 1, shape.along_rows ? 1 : shape.columns});
  plan.kernel(ReduceKernel(plan, shape).build());
  return plan.take();
}

}  // namespace spyre::kernels
