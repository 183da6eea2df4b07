// Every op computes what its reference says, on shapes that fit nothing, in both numerics and in
// all types that it takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/ops/op_run.h"
#include "tests/unit/ops/op_shapes.h"
#include "traces/summary.h"

namespace spyre::runtime {
namespace {

using kernels::OpSizes;

const models::MachineDescription& card() {
  static const models::MachineDescription machine = models::read_machine("spyre");
  return machine;
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const kernels::Op& op : kernels::all_ops()) names.push_back(op.name);
  return names;
}

OpOutcome run(const std::string& name, const OpSizes& sizes, const kernels::OpOptions& options,
              models::Numerics numerics = models::Numerics::ieee) {
  OpRequest request;
  request.op = &kernels::op_named(name);
  request.sizes = sizes;
  request.options = options;
  request.numerics = numerics;
  OpOutcome outcome = run_op(request, card(), {});
  EXPECT_TRUE(outcome.values->right())
      << name << " " << kernels::text_of(sizes) << ": error " << outcome.values->max_relative
      << " > " << outcome.values->bound << ", " << outcome.values->worst;
  return outcome;
}

class OpValuesOf : public testing::TestWithParam<std::string> {};

TEST_P(OpValuesOf, OddShapes) {
  for (const OpSizes& sizes : kernels::odd_shapes(kernels::op_named(GetParam()))) {
    kernels::OpOptions options;
    run(GetParam(), sizes, options);
    options.cores = 5;
    run(GetParam(), sizes, options, models::Numerics::spyre);
  }
}

TEST_P(OpValuesOf, TypesAndSmallTiles) {
  const kernels::Op& op = kernels::op_named(GetParam());
  const OpSizes sizes = kernels::odd_shapes(op)[1];
  for (const models::DataType type : op.choices.types()) {
    SCOPED_TRACE(std::string(models::to_string(type)));
    kernels::OpOptions options;
    options.cores = 3;
    options.type = type;
    options.tile_rows = 24;
    options.tile_columns = options.tile_depth = 64;
    run(GetParam(), sizes, options);
  }
}

INSTANTIATE_TEST_SUITE_P(All, OpValuesOf, testing::ValuesIn(op_names()),
                         [](const auto& shape) { return kernels::test_name(shape.param); });

TEST(OpValues, SplitsAndLayouts) {
  kernels::OpOptions options;
  options.k_split = 4;
  run("matmul", {{"M", 130}, {"N", 70}, {"K", 509}}, options);
  run("sum-columns", {{"ROWS", 515}, {"COLS", 70}}, options);
  options.a = options.c = kernels::BatchLayout::row_outer;
  run("bmm", {{"B", 3}, {"M", 70}, {"N", 131}, {"K", 509}}, options);
  run("bmm-shared", {{"B", 5}, {"M", 70}, {"N", 131}, {"K", 509}}, options);
}

// T5: the padding of tiles that do not divide is neither computed nor paid for as if it were work.
TEST(OpValues, MatmulOfRaggedTilesUsesTheArrayOnRealElementsOnly) {
  kernels::OpOptions options;
  options.cores = 1;
  options.tile_rows = options.tile_columns = options.tile_depth = 64;
  const OpOutcome outcome = run("matmul", {{"M", 130}, {"N", 70}, {"K", 200}}, options);
  const traces::Summary summary = traces::summarise(outcome.result);
  EXPECT_EQ(summary.flops, 2U * 1'820'000);
  EXPECT_LE(summary.mfu, 1'820'000.0 / 6'291'456);
  EXPECT_EQ(outcome.values->elements, 130 * 70);
}

TEST(OpValues, FlashAttentionEqualsNaiveAndMovesFewerBytes) {
  const auto pairs = {
      std::tuple{"flash-attention", "naive-attention",
                 kernels::prefill_sizes(8, 2, 64, 256, 384, 1)},
      std::tuple{"flash-attention", "naive-attention",
                 kernels::prefill_sizes(4, 4, 40, 131, 131, 0)},
      std::tuple{"flash-decode", "naive-decode", kernels::decode_sizes(8, 2, 64, 3, 1000, 16)}};
  for (const auto& [flash_name, naive_name, sizes] : pairs) {
    const OpOutcome flash = run(flash_name, sizes, {});
    const OpOutcome naive = run(naive_name, sizes, {});
    const OpValues difference =
        compare_outputs(flash, naive, flash.values->bound + naive.values->bound);
    EXPECT_TRUE(difference.right()) << flash_name << ": " << difference.worst;
    EXPECT_LT(flash.result.bytes.total(), naive.result.bytes.total()) << flash_name;
    EXPECT_LT(flash.result.bytes.written, naive.result.bytes.written) << flash_name;
    EXPECT_LT(flash.result.cycles, naive.result.cycles) << flash_name;
  }
}

TEST(OpValues, TheSameCyclesWithAndWithoutValues) {
  for (const char* name : {"softmax", "flash-decode", "embedding"}) {
    OpRequest request;
    request.op = &kernels::op_named(name);
    const OpOutcome with = run_op(request, card(), {});
    request.data = false;
    const OpOutcome without = run_op(request, card(), {});
    EXPECT_EQ(with.result.cycles, without.result.cycles) << name;
    EXPECT_FALSE(without.values.has_value());
  }
}

}  // namespace
}  // namespace spyre::runtime
