#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "models/diagnostics/diagnostics.h"
#include "tests/unit/planner/plan_walk.h"

namespace spyre::kernels {
namespace {

PlanWalk walk_matmul(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t cores,
                     models::DataType type = models::DataType::fp16, std::int64_t k_split = 1) {
  const models::Machine machine = models::make_test_machine();
  return walk_plan(plan_matmul(m, n, k, type, machine, {.cores = cores, .k_split = k_split}),
                   machine, cores);
}

/// Every output stick is written once, every stick of both operands is read.
void expect_complete(const PlanWalk& walk, std::int64_t m, std::int64_t n, std::int64_t k) {
  EXPECT_EQ(walk.first_error(), "");
  EXPECT_EQ(walk.macs.at("matmul"), static_cast<std::uint64_t>(m * n * k));
  const TensorTraffic& c = walk.tensors.at("c");
  EXPECT_TRUE(c.writes_each_stick_once());
  EXPECT_EQ(c.write_bytes, walk.placement.tensor_bytes[2]);
  EXPECT_GE(walk.tensors.at("a").read_bytes, walk.placement.tensor_bytes[0]);
  EXPECT_GE(walk.tensors.at("b").read_bytes, walk.placement.tensor_bytes[1]);
}

TEST(MatmulPlan, TheSameWeightsAreReadForOneRowAndForMany) {
  const PlanWalk many = walk_matmul(256, 256, 768, 32);
  const PlanWalk one = walk_matmul(1, 256, 768, 32);
  EXPECT_EQ(many.macs.at("matmul"), 50'331'648U);
  EXPECT_EQ(one.macs.at("matmul"), 196'608U);
  EXPECT_EQ(many.tensors.at("b").read_bytes, 393'216U);
  EXPECT_EQ(one.tensors.at("b").read_bytes, 393'216U);
}

class MatmulPlanOn : public testing::TestWithParam<std::int64_t> {};

TEST_P(MatmulPlanOn, ComputesTheSameOnAnyNumberOfCores) {
  expect_complete(walk_matmul(2048, 4096, 4096, GetParam()), 2048, 4096, 4096);
}

TEST_P(MatmulPlanOn, TakesShapesThatFitNothing) {
  for (const auto& [m, n, k] :
       {std::tuple{130, 70, 200}, std::tuple{1, 1, 1}, std::tuple{127, 131, 509},
        std::tuple{509, 127, 131}, std::tuple{131, 509, 127}, std::tuple{8, 4096, 1},
        std::tuple{1, 1, 4097}}) {
    expect_complete(walk_matmul(m, n, k, GetParam()), m, n, k);
  }
}

INSTANTIATE_TEST_SUITE_P(Cores, MatmulPlanOn, testing::Values(1, 2, 3, 5, 16, 31, 32));

TEST(MatmulPlan, ReadsEachOperandOnceWhereItStreamsPastOneTile) {
  for (const auto& [m, n, k] :
       {std::tuple{512, 512, 512}, std::tuple{1, 4096, 4096}, std::tuple{128, 4096, 4096}}) {
    const PlanWalk walk = walk_matmul(m, n, k, 32);
    expect_complete(walk, m, n, k);
    EXPECT_EQ(walk.tensors.at("a").read_bytes, walk.placement.tensor_bytes[0]);
    EXPECT_EQ(walk.tensors.at("b").read_bytes, walk.placement.tensor_bytes[1]);
  }
}

TEST(MatmulPlan, UsesAllCoresForLargeShapes) {
  const PlanWalk walk = walk_matmul(2048, 4096, 4096, 32);
  std::int64_t cores = 1;
  for (const auto& dim : walk.schedule.kernels[0].grid) cores *= dim.second;
  EXPECT_EQ(cores, 32);
}

TEST(MatmulPlan, RandomShapesAreComplete) {
  std::mt19937 random(20240607);
  const auto draw = [&](int least, int most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  constexpr models::DataType kTypes[] = {models::DataType::fp16, models::DataType::fp8,
                                         models::DataType::int8, models::DataType::int4};
  for (int i = 0; i < 60; ++i) {
    const std::int64_t m = draw(1, 700);
    const std::int64_t n = draw(1, 1500);
    const std::int64_t k = draw(1, 1500);
    const std::int64_t cores = draw(1, 32);
    SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << " on " << cores);
    expect_complete(walk_matmul(m, n, k, cores, kTypes[i % 4]), m, n, k);
  }
}

TEST(MatmulPlan, SplitsKOnlyWhenAskedAndStoresTheSumOnce) {
  for (const std::int64_t split : {2, 3, 4}) {
    expect_complete(walk_matmul(256, 512, 1000, 32, models::DataType::fp16, split), 256, 512, 1000);
  }
}

TEST(MatmulPlan, ASplitKHoldsNoWholeRowsOfA) {
  expect_complete(walk_matmul(2048, 4096, 4096, 32, models::DataType::fp16, 4), 2048, 4096, 4096);
}

TEST(MatmulPlan, RefusesWhatCannotBe) {
  const models::Machine machine = models::make_test_machine();
  const auto plan = [&](std::int64_t m, PlanOptions options) {
    (void)plan_matmul(m, 64, 64, models::DataType::fp16, machine, options);
  };
  EXPECT_THROW(plan(0, {}), models::InputError);
  EXPECT_THROW(plan(64, {.cores = 33}), models::InputError);
  EXPECT_THROW(plan(64, {.cores = 32, .k_split = 2}), models::InputError);  // K is one stick
  EXPECT_THROW(plan(64, {.cores = 32, .k_split = 0}), models::InputError);
}

TEST(MatmulPlan, TellsThatOperandsExceedDram) {
  const models::Machine machine = models::make_test_machine();
  EXPECT_THROW((void)plan_matmul(1, 1 << 20, 1 << 20, models::DataType::fp16, machine, {}),
               models::InputError);
}

}  // namespace
}  // namespace spyre::kernels
