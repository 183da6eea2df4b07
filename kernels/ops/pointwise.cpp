#include "kernels/ops/pointwise.h"

#include <algorithm>

#include "kernels/ops/tile_loops.h"

namespace spyre::kernels {
namespace {

/// Per operand: long enough to hide a request's latency, short enough that the ends of a kernel,
/// where only one unit works, stay small.
constexpr std::int64_t kTileBytes = 64 << 10;
constexpr std::int64_t kTileRows = 512;

class PointwiseKernel {
 public:
  PointwiseKernel(const OpPlan& plan, const PointwiseShape& shape, std::string name)
      : plan_(plan), shape_(shape), name_(std::move(name)) {
    cut_.rows = shape.rows;
    cut_.columns = shape.columns;
    cut_.column_unit = plan.per_stick();
    divide_over_cores(cut_, plan.options());
    choose_tile();
  }

  Kernel build() {
    TileLoops loops(cut_);
    KernelBuilder kernel(name_, loops.grid(), {});
    add_buffers(kernel, cut_.tile_rows, cut_.tile_columns);
    const bool shares_rows = loops.column_steps_agree() && loops.row_steps_agree();
    loops.for_columns(kernel, [&] {
      for (const PointwiseInput& input : shape_.inputs) {
        if (input.shape != OperandShape::row) continue;
        kernel.load(input.name, {input.name, {0, loops.column}, {1, loops.width}}, {"m"});
      }
      loops.for_rows(kernel, [&] { add_tile(kernel, loops, shares_rows); });
    });
    return kernel.take();
  }

 private:
  [[nodiscard]] bool stored(const std::string& name) const {
    return std::find(shape_.outputs.begin(), shape_.outputs.end(), name) != shape_.outputs.end();
  }

  void add_buffers(KernelBuilder& kernel, std::int64_t rows, std::int64_t columns) const {
    const DataType type = plan_.options().type;
    for (const PointwiseInput& input : shape_.inputs) {
      kernel.buffer(input.name, type, input.shape == OperandShape::row ? 1 : rows,
                    input.shape == OperandShape::column ? 1 : columns, 2);
    }
    for (const PointwiseStep& step : shape_.steps) {
      kernel.buffer(step.into, type, rows, columns, stored(step.into) ? 2 : 1);
    }
  }

  [[nodiscard]] std::int64_t bytes(std::int64_t rows, std::int64_t columns) const {
    KernelBuilder kernel(name_, {}, {});
    add_buffers(kernel, rows, columns);
    return lx_bytes(plan_.machine(), kernel.kernel());
  }

  void choose_tile() {
    const OpOptions& options = plan_.options();
    const std::int64_t stick = plan_.machine().limits.stick_bytes;
    cut_.tile_rows =
        std::min(cut_.core_rows(), options.tile_rows != 0 ? options.tile_rows : kTileRows);
    const std::int64_t sticks =
        options.tile_columns != 0
            ? ceil_divide(options.tile_columns, cut_.column_unit)
            : std::max<std::int64_t>(kTileBytes / (cut_.tile_rows * stick), 1);
    cut_.tile_columns = std::min(cut_.core_columns(), sticks * cut_.column_unit);
    const std::int64_t columns = cut_.tile_columns;
    cut_.tile_rows = fit_tile(
        plan_, name_, cut_.tile_rows, 1, [&](std::int64_t rows) { return bytes(rows, columns); },
        "use narrower tiles or fewer steps in one kernel");
  }

  void add_tile(KernelBuilder& kernel, const TileLoops& loops, bool shares_rows) const {
    for (const PointwiseInput& input : shape_.inputs) {
      if (input.shape == OperandShape::full) {
        kernel.load(input.name,
                    {input.name, {loops.row, loops.column}, {loops.height, loops.width}});
      } else if (input.shape == OperandShape::column) {
        kernel.load(input.name, {input.name, {loops.row, 0}, {loops.height, 1}},
                    shares_rows ? std::vector<std::string>{"n"} : std::vector<std::string>{});
      }
    }
    for (const PointwiseStep& step : shape_.steps) {
      kernel.vector(step.function, step.into, {step.from.begin(), step.from.end()});
      if (stored(step.into)) {
        kernel.store(step.into,
                     {step.into, {loops.row, loops.column}, {loops.height, loops.width}});
      }
    }
  }

  const OpPlan& plan_;
  const PointwiseShape& shape_;
  std::string name_;
  TileCut cut_;
};

/// One step as a kernel of its own: what it reads is in DRAM, and so is what it leaves.
PointwiseShape alone(const PointwiseShape& shape, const PointwiseStep& step) {
  PointwiseShape result{shape.rows, shape.columns, {}, {step}, {step.into}, true};
  for (const std::string& name : step.from) {
    const auto input = std::find_if(shape.inputs.begin(), shape.inputs.end(),
                                    [&](const PointwiseInput& i) { return i.name == name; });
    result.inputs.push_back(input == shape.inputs.end() ? PointwiseInput{name, {}} : *input);
  }
  return result;
}

}  // namespace

PointwiseShape elementwise_shape(models::VectorFunction function, std::int64_t rows,
                                 std::int64_t columns) {
  PointwiseShape shape{rows, columns, {}, {}, {"y"}, true};
  PointwiseStep step{function, "y", {}};
  for (std::uint8_t i = 0; i < models::info(function).sources; ++i) {
    step.from.emplace_back(1, static_cast<char>('a' + i));
    shape.inputs.push_back({step.from.back(), OperandShape::full});
  }
  shape.steps.push_back(std::move(step));
  return shape;
}

PointwiseShape add_chain_shape(std::int64_t adds, std::int64_t rows, std::int64_t columns) {
  PointwiseShape shape{rows, columns, {{"a0", OperandShape::full}}, {}, {"y"}, true};
  std::string sum = "a0";
  for (std::int64_t i = 1; i <= adds; ++i) {
    const std::string next = "a" + std::to_string(i);
    const std::string into = i == adds ? "y" : "sum" + std::to_string(i);
    shape.inputs.push_back({next, OperandShape::full});
    shape.steps.push_back({models::VectorFunction::add, into, {sum, next}});
    sum = into;
  }
  return shape;
}

PointwiseShape independent_adds_shape(std::int64_t adds, std::int64_t rows, std::int64_t columns) {
  PointwiseShape shape{rows, columns, {}, {}, {}, true};
  for (std::int64_t i = 0; i < adds; ++i) {
    const std::string number = std::to_string(i);
    shape.inputs.push_back({"a" + number, OperandShape::full});
    shape.inputs.push_back({"b" + number, OperandShape::full});
    shape.steps.push_back(
        {models::VectorFunction::add, "y" + number, {"a" + number, "b" + number}});
    shape.outputs.push_back("y" + number);
  }
  return shape;
}

PointwiseShape broadcast_shape(models::VectorFunction function, OperandShape b, std::int64_t rows,
                               std::int64_t columns) {
  return {rows,  columns, {{"a", OperandShape::full}, {"b", b}}, {{function, "y", {"a", "b"}}},
          {"y"}, true};
}

Schedule plan_pointwise(const std::string& title, const PointwiseShape& shape,
                        const OpOptions& options, const models::Machine& machine) {
  check_size("ROWS", shape.rows);
  check_size("COLS", shape.columns);
  OpPlan plan(title, options, machine);
  for (const PointwiseInput& input : shape.inputs) {
    plan.tensor(input.name, options.type, TensorKind::activation,
                {input.shape == OperandShape::row ? 1 : shape.rows,
                 input.shape == OperandShape::column ? 1 : shape.columns});
  }
  for (const PointwiseStep& step : shape.steps) {
    const bool stored =
        std::find(shape.outputs.begin(), shape.outputs.end(), step.into) != shape.outputs.end();
    if (stored || !shape.fused) {
      plan.tensor(step.into, options.type, TensorKind::activation, {shape.rows, shape.columns});
    }
  }
  if (shape.fused) {
    plan.kernel(PointwiseKernel(plan, shape, "pointwise").build());
    return plan.take();
  }
  for (const PointwiseStep& step : shape.steps) {
    const PointwiseShape part = alone(shape, step);
    plan.kernel(PointwiseKernel(plan, part, "pointwise_" + step.into).build());
  }
  return plan.take();
}

}  // namespace spyre::kernels
