// One row per launch: work, time, roofline, and what bounds it.
#include <gtest/gtest.h>

#include "tests/unit/traces/ledger_fixture.h"
#include "traces/op_ledger.h"

namespace spyre::traces::test {
namespace {

using kernels::TensorKind;
using models::CoreActivity;
using models::StallCause;

class OpLedgerTest : public ::testing::Test {
 protected:
  void matmul(std::uint32_t launch, std::uint32_t m, std::uint32_t n, std::uint32_t k,
              models::DataType type = models::DataType::fp16) {
    models::TileOp op;
    op.opcode = models::Opcode::matmul;
    op.m = m;
    op.n = n;
    op.k = k;
    op.type = type;
    ops.on_op({launch, 0, models::Unit::matrix, op, 0, 1});
  }
  void interval(std::uint32_t launch, CoreActivity activity, StallCause cause, std::uint64_t ps) {
    ops.on_core_interval({launch, 0, activity, cause, 0, ps});
  }
  void run(const models::Launch& launch, std::uint64_t begin, std::uint64_t end) {
    ops.on_launch_begin(launch, begin);
    ops.on_launch_end({launch, begin, begin, end});
  }

  Dram dram{{make_tensor("w", TensorKind::weight, {64, 64 * 1024})}};
  DramLedger bytes{dram.schedule, dram.placement, dram.machine};
  OpLedger ops{dram.machine};
};

TEST_F(OpLedgerTest, FlopsAreTwoPerMultiplicationAndOnlyOfMatmuls) {
  run(make_op_launch(0, "qkv"), 0, 1'000'000);
  matmul(0, 3, 5, 7);
  matmul(0, 1, 1, 1);
  models::TileOp vector;
  vector.opcode = models::Opcode::vector;
  vector.m = vector.n = 1000;
  ops.on_op({0, 0, models::Unit::vector, vector, 0, 1});
  EXPECT_EQ(ops.rows(bytes)[0].flops, 2U * (3 * 5 * 7 + 1));
}

TEST_F(OpLedgerTest, TimeRunsFromTheEndOfTheLaunchBefore) {
  run(make_op_launch(0, "a"), 0, 2'000'000'000);
  run(make_op_launch(1, "b", 0b11, 4), 2'000'000'000, 5'000'000'000);
  const auto rows = ops.rows(bytes);
  EXPECT_DOUBLE_EQ(rows[0].time_ms, 2.0);
  EXPECT_DOUBLE_EQ(rows[1].time_ms, 3.0);
  EXPECT_EQ(rows[0].layer, -1);
  EXPECT_EQ(rows[1].layer, 4);
  EXPECT_EQ(rows[1].name, "b");
}

TEST_F(OpLedgerTest, ALaunchThatDidNotEndHasTakenWhatIsKnownOfIt) {
  ops.on_launch_begin(make_op_launch(0, "a"), 1'000'000);
  EXPECT_DOUBLE_EQ(ops.rows(bytes)[0].time_ms, 0.0);
  ops.on_core_interval({0, 1, CoreActivity::matrix, StallCause::launch, 2'000'000, 6'000'000});
  ops.on_core_interval({0, 0, CoreActivity::matrix, StallCause::launch, 2'000'000, 3'000'000});
  EXPECT_DOUBLE_EQ(ops.rows(bytes)[0].time_ms, 5e-3);
}

TEST_F(OpLedgerTest, TheRooflineIsTheSlowerOfBytesAndFlops) {
  // 16 channels x 32 B / 2.5 ns = 204.8 GB/s; 2 cores x 2 corelets x 512 MACs x 2 x 1.5 GHz = 6.144
  // TFLOP/s.
  run(make_op_launch(0, "memory"), 0, 1'000'000);
  run(make_op_launch(1, "compute"), 1'000'000, 2'000'000);
  for (std::uint64_t stick = 0; stick < 1600; stick += 32)
    bytes.on_request(dram.request(0, false, stick, 32, 0));
  matmul(0, 1, 64, 64);
  matmul(1, 512, 1000, 6);
  const auto rows = ops.rows(bytes);
  EXPECT_EQ(rows[0].bytes, 204'800U);
  EXPECT_DOUBLE_EQ(rows[0].roofline_ms, 1e-3);
  EXPECT_DOUBLE_EQ(rows[0].intensity, 8192.0 / 204'800);
  EXPECT_DOUBLE_EQ(rows[1].roofline_ms, 1e-3);
  EXPECT_DOUBLE_EQ(rows[1].intensity, 0.0);  // no bytes: no intensity, and a number that JSON knows
}

TEST_F(OpLedgerTest, ThePeakIsThatOfTheTypeAndTheCoresOfTheLaunch) {
  run(make_op_launch(0, "two", 0b11), 0, 1);
  run(make_op_launch(1, "four", 0b1111), 1, 2);
  run(make_op_launch(2, "fp8", 0b11), 2, 3);
  run(make_op_launch(3, "mixed", 0b11), 3, 4);
  for (const std::uint32_t launch : {0U, 1U, 3U}) matmul(launch, 64, 64, 64);
  for (const std::uint32_t launch : {2U, 3U}) matmul(launch, 64, 64, 64, models::DataType::fp8);
  const auto rows = ops.rows(bytes);
  EXPECT_DOUBLE_EQ(rows[1].roofline_ms, rows[0].roofline_ms / 2);
  EXPECT_DOUBLE_EQ(rows[2].roofline_ms, rows[0].roofline_ms / 2);
  EXPECT_DOUBLE_EQ(rows[3].roofline_ms, rows[0].roofline_ms + rows[2].roofline_ms);
}

TEST_F(OpLedgerTest, TheRidgeIsWhereTheRooflinesTermsMeet) {
  run(make_op_launch(0, "fp16", 0b11), 0, 1);
  run(make_op_launch(1, "fp8", 0b11), 1, 2);
  run(make_op_launch(2, "nothing", 0b1111), 2, 3);
  matmul(0, 64, 64, 64);
  matmul(1, 64, 64, 64, models::DataType::fp8);
  const auto rows = ops.rows(bytes);
  EXPECT_DOUBLE_EQ(rows[0].ridge, 6144.0 / 204.8);
  EXPECT_DOUBLE_EQ(rows[1].ridge, 2 * 6144.0 / 204.8);
  EXPECT_DOUBLE_EQ(rows[2].ridge, 2 * 6144.0 / 204.8);  // without FLOPs: fp16 on the launch's cores
}

TEST_F(OpLedgerTest, TheBoundIsWhatMostCoreTimeWentTo) {
  struct Case {
    CoreActivity activity;
    StallCause cause;
    std::string bound;
  };
  const std::vector<Case> cases{
      {CoreActivity::matrix, StallCause::launch, "compute"},
      {CoreActivity::vector, StallCause::launch, "compute"},
      {CoreActivity::stalled, StallCause::pipeline_fill, "compute"},
      {CoreActivity::stalled, StallCause::lx_conflict, "compute"},
      {CoreActivity::stalled, StallCause::slot_wait, "compute"},
      {CoreActivity::stalled, StallCause::dram_read, "memory"},
      {CoreActivity::stalled, StallCause::dram_write, "memory"},
      {CoreActivity::stalled, StallCause::multicast_wait, "memory"},
      {CoreActivity::stalled, StallCause::ring, "ring"},
      {CoreActivity::stalled, StallCause::signal_wait, "ring"},
      {CoreActivity::stalled, StallCause::launch, "overhead"},
      {CoreActivity::stalled, StallCause::barrier, "overhead"},
  };
  for (std::uint32_t n = 0; n < cases.size(); ++n) {
    run(make_op_launch(n, cases[n].bound), n, n + 1);
    for (const Case& other : cases) interval(n, other.activity, other.cause, 10);
    interval(n, cases[n].activity, cases[n].cause, 100);
    interval(n, CoreActivity::idle, StallCause::launch,
             1000);  // cores that take no part do not vote
  }
  const auto rows = ops.rows(bytes);
  for (std::size_t n = 0; n < cases.size(); ++n) EXPECT_EQ(rows[n].bound, cases[n].bound) << n;
}

}  // namespace
}  // namespace spyre::traces::test
