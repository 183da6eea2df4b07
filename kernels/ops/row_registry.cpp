// Functions of whole rows, and reductions.
#include "kernels/ops/reduce.h"
#include "kernels/ops/registry.h"
#include "kernels/ops/row_ops.h"

namespace spyre::kernels {
namespace {

const std::vector<OpParameter> kMatrix{{"ROWS", 1024, "rows"}, {"COLS", 1024, "columns"}};
const OpInput kX{"x", OpInput::Fill::normal, {}};

using RowPlanner = Schedule (*)(const RowShape&, const OpOptions&, const models::Machine&);

Op row_op(const char* name, const char* summary, std::vector<OpInput> inputs, RowPlanner planner) {
  Op op{name, "rows", summary, kMatrix, {}, std::move(inputs), {"y"}, name, 2, {}, {}};
  op.plan = [planner](const OpSizes& sizes, const OpOptions& options,
                      const models::Machine& machine) {
    return planner({sizes.at("ROWS"), sizes.at("COLS")}, options, machine);
  };
  return op;
}

Op reduce_op(const char* name, const char* summary, ReduceKind kind, bool along_rows) {
  const bool adds = kind == ReduceKind::sum || kind == ReduceKind::mean;
  Op op{name, "rows", summary, kMatrix, {adds && !along_rows, false, false}, {kX}, {"y"},
        name, 2,      {},      {}};
  op.plan = [kind, along_rows](const OpSizes& sizes, const OpOptions& options,
                               const models::Machine& machine) {
    return plan_reduce({kind, along_rows, sizes.at("ROWS"), sizes.at("COLS")}, options, machine);
  };
  return op;
}

}  // namespace

std::vector<Op> row_ops() {
  const OpInput weight{"weight", OpInput::Fill::normal, {}};
  const OpInput bias{"bias", OpInput::Fill::normal, {}};
  Op rope{"rope",
          "rows",
          "each head rotated by its row's angles",
          {{"ROWS", 512, "rows (tokens)"},
           {"HEADS", 8, "heads in a row"},
           {"HEAD_DIM", 128, "columns of a head, even"}},
          {},
          {kX, {"angles", OpInput::Fill::unit, {}}},
          {"y"},
          "rope",
          2,
          {},
          {}};
  rope.plan = [](const OpSizes& sizes, const OpOptions& options, const models::Machine& machine) {
    return plan_rope({sizes.at("ROWS"), sizes.at("HEADS"), sizes.at("HEAD_DIM")}, options, machine);
  };
  return {
      row_op("softmax", "y = exp(x - max) / sum, by row", {kX}, plan_softmax),
      row_op("layernorm", "y = (x - mean) / deviation * weight + bias, by row", {kX, weight, bias},
             plan_layernorm),
      row_op("rmsnorm", "y = x / root mean square * weight, by row", {kX, weight}, plan_rmsnorm),
      rope,
      reduce_op("sum-rows", "y[r] = sum of row r", ReduceKind::sum, true),
      reduce_op("mean-rows", "y[r] = mean of row r", ReduceKind::mean, true),
      reduce_op("max-rows", "y[r] = largest of row r", ReduceKind::max, true),
      reduce_op("sum-columns", "y[c] = sum of column c", ReduceKind::sum, false),
      reduce_op("max-columns", "y[c] = largest of column c", ReduceKind::max, false)};
}

}  // namespace spyre::kernels
