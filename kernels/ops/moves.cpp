#include "kernels/ops/moves.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/ops/tile_loops.h"

namespace spyre::kernels {
namespace {

using models::VectorFunction;

constexpr std::int64_t kTileBytes = 64 << 10;
constexpr std::int64_t kTileRows = 512;

/// Rows and columns of a tile near kTileBytes, rows first: they follow each other in DRAM.
void choose_tile(TileCut& cut, const OpPlan& plan, std::int64_t most_rows) {
  const OpOptions& options = plan.options();
  const std::int64_t rows = options.tile_rows != 0 ? options.tile_rows : most_rows;
  cut.tile_rows = std::min(cut.core_rows(), ceil_divide(rows, cut.row_unit) * cut.row_unit);
  const std::int64_t stick = plan.machine().limits.stick_bytes;
  const std::int64_t columns =
      options.tile_columns != 0 ? ceil_divide(options.tile_columns, cut.column_unit)
                                : std::max<std::int64_t>(kTileBytes / (cut.tile_rows * stick), 1);
  cut.tile_columns = std::min(cut.core_columns(), columns * cut.column_unit);
}

/// Tiles of `from` to `to`, moved down by `first_row` and right by `first_column`.
Kernel copy_kernel(const OpPlan& plan, const std::string& name, const std::string& from,
                   const std::string& to, std::int64_t rows, std::int64_t columns,
                   std::int64_t first_row, std::int64_t first_column) {
  TileCut cut;
  cut.rows = rows;
  cut.columns = columns;
  cut.column_unit = plan.per_stick();
  divide_over_cores(cut, plan.options());
  choose_tile(cut, plan, kTileRows);
  TileLoops loops(cut);
  KernelBuilder kernel(name, loops.grid(), {});
  kernel.buffer("tile", plan.options().type, cut.tile_rows, cut.tile_columns, 2);
  loops.for_columns(kernel, [&] {
    loops.for_rows(kernel, [&] {
      kernel.load("tile", {from, {loops.row, loops.column}, {loops.height, loops.width}});
      kernel.store(
          "tile",
          {to, {loops.row + first_row, loops.column + first_column}, {loops.height, loops.width}});
    });
  });
  return kernel.take();
}

/// Whole rows of all parts side by side, put together transposed.
Kernel interleave_kernel(const OpPlan& plan, const ConcatShape& shape) {
  const std::int64_t all = shape.columns * shape.parts;
  TileCut cut;
  cut.rows = shape.rows;
  cut.columns = 1;
  divide_over_cores(cut, plan.options());
  const DataType type = plan.options().type;
  const auto add_buffers = [&](KernelBuilder& kernel, std::int64_t rows) {
    kernel.buffer("x", type, rows, shape.columns, 2);
    kernel.buffer("turned", type, shape.columns, rows, 2);
    kernel.buffer("wide", type, all, rows);
    kernel.buffer("y", type, rows, all, 2);
  };
  const std::int64_t wanted =
      plan.options().tile_rows != 0 ? plan.options().tile_rows : plan.per_stick();
  cut.tile_rows = fit_tile(
      plan, "concat", std::min(wanted, cut.core_rows()), 1,
      [&](std::int64_t rows) {
        KernelBuilder trial("concat", {}, {});
        add_buffers(trial, rows);
        return lx_bytes(plan.machine(), trial.kernel());
      },
      "a whole row must fit: use fewer columns");
  TileLoops loops(cut);
  KernelBuilder kernel("concat", loops.grid(), {});
  add_buffers(kernel, cut.tile_rows);
  loops.for_rows(kernel, [&] {
    for (std::int64_t part = 0; part < shape.parts; ++part) {
      kernel.load("x", {"x" + std::to_string(part), {loops.row, 0}, {loops.height, shape.columns}});
      kernel.vector(VectorFunction::transpose, "turned", {"x"});
      kernel.vector(VectorFunction::copy, Local("wide", {part * shape.columns, 0}), {"turned"});
    }
    kernel.vector(VectorFunction::transpose, "y", {Local("wide", {0, 0}, {all, loops.height})});
    kernel.store("y", {"y", {loops.row, 0}, {loops.height, all}});
  });
  return kernel.take();
}

}  // namespace

Schedule plan_transpose(const TransposeShape& shape, const OpOptions& options,
                        const models::Machine& machine) {
  check_size("ROWS", shape.rows);
  check_size("COLS", shape.columns);
  OpPlan plan(fmt::format("transpose {} x {}", shape.rows, shape.columns), options, machine);
  plan.tensor("x", options.type, TensorKind::activation, {shape.rows, shape.columns});
  plan.tensor("y", options.type, TensorKind::activation, {shape.columns, shape.rows});
  TileCut cut;
  cut.rows = shape.rows;
  cut.columns = shape.columns;
  cut.row_unit = cut.column_unit = plan.per_stick();  // rows become the columns of y
  divide_over_cores(cut, options);
  choose_tile(cut, plan, 2 * cut.row_unit);
  TileLoops loops(cut);
  KernelBuilder kernel("transpose", loops.grid(), {});
  kernel.buffer("x", options.type, cut.tile_rows, cut.tile_columns, 2);
  kernel.buffer("y", options.type, cut.tile_columns, cut.tile_rows, 2);
  if (lx_bytes(machine, kernel.kernel()) > plan.lx()) {
    refuse_lx(plan, "transpose", lx_bytes(machine, kernel.kernel()), "use smaller tiles");
  }
  loops.for_columns(kernel, [&] {
    loops.for_rows(kernel, [&] {
      kernel.load("x", {"x", {loops.row, loops.column}, {loops.height, loops.width}});
      kernel.vector(VectorFunction::transpose, "y", {"x"});
      kernel.store("y", {"y", {loops.column, loops.row}, {loops.width, loops.height}});
    });
  });
  plan.kernel(kernel.take());
  return plan.take();
}

Schedule plan_outer_transpose(const OuterTransposeShape& shape, const OpOptions& options,
                              const models::Machine& machine) {
  check_size("ROWS", shape.rows);
  check_size("MIDDLE", shape.middle);
  check_size("COLS", shape.columns);
  OpPlan plan(fmt::format("outer transpose {} x {} x {}", shape.rows, shape.middle, shape.columns),
              options, machine);
  plan.tensor("x", options.type, TensorKind::activation, {shape.rows, shape.middle, shape.columns});
  plan.tensor("y", options.type, TensorKind::activation, {shape.middle, shape.rows, shape.columns});
  // A tile is some of the middle dim of one row.
  TileCut cut;
  cut.rows = shape.rows;
  cut.columns = shape.middle;
  divide_over_cores(cut, options);
  const std::int64_t row_bytes = lx_bytes(machine, options.type, 1, shape.columns);
  const std::int64_t wanted = options.tile_rows != 0
                                  ? options.tile_rows
                                  : std::max<std::int64_t>(kTileBytes / row_bytes, 1);
  cut.tile_columns = fit_tile(
      plan, "outer_transpose", std::min(wanted, cut.core_columns()), 1,
      [&](std::int64_t rows) { return lx_bytes(machine, options.type, rows, shape.columns, 2); },
      "a whole row must fit: use fewer columns");
  TileLoops loops(cut);
  KernelBuilder kernel("outer_transpose", loops.grid(), {});
  kernel.buffer("tile", options.type, cut.tile_columns, shape.columns, 2);
  loops.for_rows(kernel, [&] {
    loops.for_columns(kernel, [&] {
      kernel.load("tile", {"x", {loops.row, loops.column, 0}, {1, loops.width, shape.columns}});
      kernel.store("tile", {"y", {loops.column, loops.row, 0}, {loops.width, 1, shape.columns}});
    });
  });
  plan.kernel(kernel.take());
  return plan.take();
}

Schedule plan_concat(const ConcatShape& shape, const OpOptions& options,
                     const models::Machine& machine) {
  check_size("ROWS", shape.rows);
  check_size("COLS", shape.columns);
  check_size("PARTS", shape.parts, 1, 64);
  check_size("AXIS", shape.axis, 0, 1);
  OpPlan plan(fmt::format("concat {} x [{} x {}], axis {}", shape.parts, shape.rows, shape.columns,
                          shape.axis),
              options, machine);
  for (std::int64_t part = 0; part < shape.parts; ++part) {
    plan.tensor("x" + std::to_string(part), options.type, TensorKind::activation,
                {shape.rows, shape.columns});
  }
  const bool below = shape.axis == 0;
  plan.tensor("y", options.type, TensorKind::activation,
              {below ? shape.parts * shape.rows : shape.rows,
               below ? shape.columns : shape.parts * shape.columns});
  if (!below && shape.columns % plan.per_stick() != 0) {
    plan.kernel(interleave_kernel(plan, shape));
    return plan.take();
  }
  for (std::int64_t part = 0; part < shape.parts; ++part) {
    const std::string number = std::to_string(part);
    plan.kernel(copy_kernel(plan, "concat" + number, "x" + number, "y", shape.rows, shape.columns,
                            below ? part * shape.rows : 0, below ? 0 : part * shape.columns));
  }
  return plan.take();
}

Schedule plan_embedding(const EmbeddingShape& shape, const OpOptions& options,
                        const models::Machine& machine) {
  check_size("TOKENS", shape.tokens);
  check_size("VOCAB", shape.vocabulary);
  check_size("COLS", shape.columns);
  OpPlan plan(fmt::format("embedding {} of {} x {}", shape.tokens, shape.vocabulary, shape.columns),
              options, machine);
  plan.strided("table", options.type, TensorKind::embedding, {shape.vocabulary, shape.columns});
  plan.strided("ids", DataType::int32, TensorKind::index, {shape.tokens});
  plan.tensor("y", options.type, TensorKind::activation, {shape.tokens, shape.columns});
  const std::int64_t row_bytes = lx_bytes(machine, options.type, 1, shape.columns, 2);
  const std::int64_t share = ceil_divide(shape.tokens, options.cores);
  const std::int64_t wanted = options.tile_rows != 0
                                  ? options.tile_rows
                                  : std::max<std::int64_t>(kTileBytes / row_bytes, 1);
  const std::int64_t tile = fit_tile(
      plan, "embedding", std::min(wanted, share), 1,
      [&](std::int64_t rows) { return rows * row_bytes; }, "a whole row must fit");
  // A gather's tile has a fixed size: what is left at the end is one of its own.
  const std::int64_t full = shape.tokens / tile;
  const std::int64_t rest = shape.tokens % tile;
  const std::int64_t units = full + (rest > 0 ? 1 : 0);
  const std::int64_t cores = std::min(options.cores, units);
  KernelBuilder kernel("embedding", {{"m", cores}}, {});
  kernel.buffer("rows", options.type, tile, shape.columns, 2);
  const auto add = [&](const Index& token, std::int64_t rows) {
    kernel.gather("rows", {"table", {0, 0}, {}}, {{rows, shape.columns}, {0, 1}},
                  {{0, "ids", {token}, {1, 0}}});
    kernel.store("rows", {"y", {token, 0}, {rows, shape.columns}});
  };
  const Slices slices{units, cores, "m"};
  kernel.loop("t", slices.begin(), rest > 0 ? minimum(slices.end(), full) : slices.end(), 1,
              [&] { add(Index(tile) * Index("t"), tile); });
  if (rest > 0) {
    kernel.when(equal("m", cores - 1), [&] { add(full * tile, rest); });
  }
  plan.kernel(kernel.take());
  return plan.take();
}

}  // namespace spyre::kernels
