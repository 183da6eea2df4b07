// Every op's plan, on shapes that fit nothing, passes the checker without a word and writes every
// element of its outputs once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/planner/schedule_builder.h"
#include "models/diagnostics/diagnostics.h"
#include "tests/unit/ops/op_shapes.h"
#include "tests/unit/planner/plan_walk.h"

namespace spyre::kernels {
namespace {

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const Op& op : all_ops()) names.push_back(op.name);
  return names;
}

void expect_complete(const PlanWalk& walk, const Op& op) {
  for (const models::Diagnostic& finding : walk.findings) ADD_FAILURE() << to_string(finding);
  for (std::size_t i = 0; i < walk.schedule.tensors.size(); ++i) {
    const Tensor& tensor = walk.schedule.tensors[i];
    if (std::find(op.outputs.begin(), op.outputs.end(), tensor.name) == op.outputs.end()) continue;
    const TensorTraffic& traffic = walk.tensors.at(tensor.name);
    EXPECT_TRUE(traffic.writes_each_stick_once()) << tensor.name;
    EXPECT_EQ(traffic.write_bytes, walk.placement.tensor_bytes[i]) << tensor.name;
  }
}

class OpPlans : public testing::TestWithParam<std::string> {};

TEST_P(OpPlans, AreCleanAndCompleteOnOddShapes) {
  const models::Machine machine = models::make_test_machine();
  const Op& op = op_named(GetParam());
  for (const OpSizes& sizes : odd_shapes(op)) {
    for (const std::int64_t cores : {1, 5, 32}) {
      SCOPED_TRACE(text_of(sizes) + " on " + std::to_string(cores));
      OpOptions options;
      options.cores = cores;
      expect_complete(walk_plan(plan_op(op, sizes, options, machine), machine, cores), op);
    }
  }
}

TEST_P(OpPlans, TakeSmallTiles) {
  const models::Machine machine = models::make_test_machine();
  const Op& op = op_named(GetParam());
  OpOptions options;
  options.cores = 3;
  options.tile_rows = 24;
  options.tile_columns = 64;
  options.tile_depth = 64;
  const OpSizes sizes = odd_shapes(op)[1];
  SCOPED_TRACE(text_of(sizes));
  expect_complete(walk_plan(plan_op(op, sizes, options, machine), machine, 3), op);
}

INSTANTIATE_TEST_SUITE_P(All, OpPlans, testing::ValuesIn(op_names()),
                         [](const auto& shape) { return test_name(shape.param); });

PlanWalk walk_op(const std::string& name, const OpSizes& sizes, const OpOptions& options) {
  const models::Machine machine = models::make_test_machine();
  const PlanWalk walk =
      walk_plan(plan_op(op_named(name), sizes, options, machine), machine, options.cores);
  expect_complete(walk, op_named(name));
  return walk;
}

// T5: tiles that divide nothing. 24 tiles of 64 x 64 x 64 hold 6,291,456 MACs, of which 1,820,000
// are of real elements: nothing else is computed.
TEST(OpPlan, MatmulComputesWhatIsThereAndNoMore) {
  OpOptions options;
  options.cores = 1;
  options.tile_rows = options.tile_columns = options.tile_depth = 64;
  const PlanWalk walk = walk_op("matmul", {{"M", 130}, {"N", 70}, {"K", 200}}, options);
  EXPECT_EQ(walk.all_macs(), 1'820'000U);
  EXPECT_EQ(walk_op("matmul", {{"M", 1}, {"N", 1}, {"K", 1}}, options).all_macs(), 1U);
  EXPECT_EQ(walk_op("matmul", {{"M", 127}, {"N", 131}, {"K", 509}}, options).all_macs(),
            127U * 131 * 509);
}

TEST(OpPlan, SplitsAsItIsAsked) {
  OpOptions options;
  options.m_cores = 4;
  options.n_cores = 2;
  options.k_split = 4;
  const PlanWalk mm = walk_op("matmul", {{"M", 256}, {"N", 256}, {"K", 512}}, options);
  const KernelBuilder::Grid grid{{"k", 4}, {"m", 4}, {"n", 2}};
  EXPECT_EQ(mm.schedule.kernels.front().grid, grid);
  options.b_cores = 2;
  options.m_cores = 2;
  const PlanWalk bmm = walk_op("bmm", {{"B", 3}, {"M", 70}, {"N", 200}, {"K", 300}}, options);
  const KernelBuilder::Grid batch_grid{{"k", 4}, {"m", 2}, {"n", 2}, {"b", 2}};
  EXPECT_EQ(bmm.schedule.kernels.front().grid, batch_grid);
  EXPECT_EQ(bmm.all_macs(), 3U * 70 * 200 * 300);
}

TEST(OpPlan, ColumnSumsMeetOverTheRing) {
  OpOptions options;
  options.k_split = 4;
  walk_op("sum-columns", {{"ROWS", 515}, {"COLS", 70}}, options);
}

TEST(OpPlan, BatchLayoutsReadTheSameBytes) {
  const OpSizes sizes{{"B", 6}, {"M", 64}, {"N", 128}, {"K", 128}};
  OpOptions options;
  const PlanWalk batch_outer = walk_op("bmm", sizes, options);
  options.a = options.b = options.c = BatchLayout::row_outer;
  const PlanWalk row_outer = walk_op("bmm", sizes, options);
  EXPECT_EQ(batch_outer.tensors.at("a").read_bytes, row_outer.tensors.at("a").read_bytes);
  EXPECT_NE(batch_outer.schedule.tensors[0].layout.front().dim,
            row_outer.schedule.tensors[0].layout.front().dim);
}

std::string refusal(const std::string& name, const OpSizes& sizes, const OpOptions& options) {
  try {
    (void)plan_op(op_named(name), sizes, options, models::make_test_machine());
  } catch (const models::InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(OpPlan, SaysWhatDoesNotFitAndWhatToDo) {
  EXPECT_THAT(refusal("softmax", {{"ROWS", 4}, {"COLS", 400'000}}, {}),
              testing::AllOf(testing::HasSubstr("lx: the smallest tile of kernel 'softmax' needs"),
                             testing::HasSubstr("a whole row must fit: use shorter rows")));
  EXPECT_THAT(refusal("softmax", {{"M", 4}}, {}),
              testing::HasSubstr("softmax has no size 'M'; its sizes are ROWS, COLS"));
  EXPECT_THAT(refusal("softmax", {{"ROWS", 0}}, {}), testing::HasSubstr("ROWS is 0; give 1 to"));
  OpOptions options;
  options.cores = 33;
  EXPECT_THAT(refusal("softmax", {}, options), testing::HasSubstr("cores is 33"));
  options.cores = 32;
  options.type = DataType::int8;
  EXPECT_THAT(refusal("softmax", {}, options),
              testing::HasSubstr("softmax does not take int8; it takes fp16, bf16, dl16, fp32"));
  options.type = DataType::fp16;
  options.k_split = 2;
  EXPECT_THAT(refusal("softmax", {}, options), testing::HasSubstr("has no sum that cores could"));
  options.k_split = 1;
  options.m_cores = 8;
  options.n_cores = 8;
  EXPECT_THAT(refusal("add", {}, options), testing::HasSubstr("the split of columns is 8"));
  EXPECT_THAT(refusal("bmm", {}, options), testing::HasSubstr("does not fit"));
  EXPECT_THAT(refusal("matmul", {}, options), testing::HasSubstr("cannot be cut as asked"));
  EXPECT_THAT(refusal("flash-attention", {{"HEADS", 6}, {"KV_HEADS", 4}}, {}),
              testing::HasSubstr("give a divisor of 6"));
  EXPECT_THAT(refusal("rope", {{"HEAD_DIM", 7}}, {}), testing::HasSubstr("give an even number"));
  EXPECT_THROW((void)op_named("sotfmax"), models::InputError);
}

}  // namespace
}  // namespace spyre::kernels
