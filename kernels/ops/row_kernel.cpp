#include "kernels/ops/row_kernel.h"

#include <algorithm>

namespace spyre::kernels {
namespace {

using models::VectorFunction;

constexpr std::int64_t kTileBytes = 64 << 10;  // of the first input

void add_buffers(const OpPlan& plan, const RowKernel& rows, std::int64_t tile,
                 KernelBuilder& kernel) {
  const DataType type = plan.options().type;
  for (const RowStream& input : rows.inputs)
    kernel.buffer(input.name, type, tile, input.columns, 2);
  for (const RowStream& table : rows.tables) kernel.buffer(table.name, type, 1, table.columns);
  for (const RowScratch& scratch : rows.scratch) {
    kernel.buffer(scratch.name, scratch.type, tile, scratch.columns);
  }
  kernel.buffer(rows.output.name, type, tile, rows.output.columns, 2);
}

}  // namespace

Kernel build_row_kernel(const OpPlan& plan, const RowKernel& rows) {
  TileCut cut;
  cut.rows = rows.rows;
  cut.columns = 1;
  divide_over_cores(cut, plan.options());
  const std::int64_t row_bytes =
      lx_bytes(plan.machine(), plan.options().type, 1, rows.inputs.front().columns);
  const std::int64_t wanted = plan.options().tile_rows != 0
                                  ? plan.options().tile_rows
                                  : std::max<std::int64_t>(kTileBytes / row_bytes, 1);
  cut.tile_rows = fit_tile(
      plan, rows.name, std::min(wanted, cut.core_rows()), 1,
      [&](std::int64_t tile) {
        KernelBuilder trial(rows.name, {}, {});
        add_buffers(plan, rows, tile, trial);
        return lx_bytes(plan.machine(), trial.kernel());
      },
      "a whole row must fit: use shorter rows");
  TileLoops loops(cut);
  KernelBuilder kernel(rows.name, loops.grid(), {});
  add_buffers(plan, rows, cut.tile_rows, kernel);
  for (const RowStream& table : rows.tables) {
    kernel.load(table.name, {table.name, {0, 0}, {1, table.columns}}, {"m"});
  }
  loops.for_rows(kernel, [&] {
    for (const RowStream& input : rows.inputs) {
      kernel.load(input.name, {input.name, {loops.row, 0}, {loops.height, input.columns}});
    }
    rows.compute(kernel, loops);
    kernel.store(rows.output.name,
                 {rows.output.name, {loops.row, 0}, {loops.height, rows.output.columns}});
  });
  return kernel.take();
}

std::vector<RowScratch> row_softmax_scratch(std::int64_t columns) {
  return {{"work", DataType::fp32, columns},
          {"row_max", DataType::fp32, 1},
          {"row_sum", DataType::fp32, 1}};
}

void add_row_softmax(KernelBuilder& kernel, const std::string& from, const std::string& into) {
  kernel.vector(VectorFunction::reduce_max, "row_max", {from});
  kernel.vector(VectorFunction::sub, "work", {from, "row_max"});
  kernel.vector(VectorFunction::exp, "work", {"work"});
  kernel.vector(VectorFunction::reduce_sum, "row_sum", {"work"});
  kernel.vector(VectorFunction::div, into, {"work", "row_sum"});
}

}  // namespace spyre::kernels
