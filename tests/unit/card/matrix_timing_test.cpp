#include "models/card/matrix_timing.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/test_machine.h"

namespace spyre::models {
namespace {

class MatrixTiming : public testing::Test {
 protected:
  Machine machine = make_test_machine();
  MatrixCycles cycles(std::int64_t m, std::int64_t n, std::int64_t k,
                      DataType type = DataType::fp16, std::int64_t corelets = 0) const {
    return matrix_cycles(machine, m, n, k, type, corelets);
  }
};

TEST_F(MatrixTiming, NothingToDoTakesNoTime) {
  EXPECT_EQ(cycles(0, 64, 64).total(), 0U);
  EXPECT_EQ(cycles(64, 0, 64).total(), 0U);
  EXPECT_EQ(cycles(64, 64, 0).total(), 0U);
}

TEST_F(MatrixTiming, OneBlockIsOnePassPlusItsOverhead) {
  // 8 rows over one 8 x 64 block on one corelet.
  const MatrixCycles block = cycles(8, 64, 8, DataType::fp16, 1);
  EXPECT_EQ(block.streaming, 8U);
  EXPECT_EQ(block.fill, static_cast<Cycles>(machine.matrix.block_overhead_cycles));
}

TEST_F(MatrixTiming, RowsArePaddedToWholePasses) {
  EXPECT_EQ(cycles(1, 64, 8, DataType::fp16, 1).streaming, 8U);
  EXPECT_EQ(cycles(9, 64, 8, DataType::fp16, 1).streaming, 16U);
}

TEST_F(MatrixTiming, EveryRowTilePaysTheOverheadAgain) {
  const auto overhead = static_cast<Cycles>(machine.matrix.block_overhead_cycles);
  EXPECT_EQ(cycles(64, 64, 8, DataType::fp16, 1).fill, overhead);
  EXPECT_EQ(cycles(65, 64, 8, DataType::fp16, 1).fill, 2 * overhead);
}

TEST_F(MatrixTiming, TwoCoreletsHalveAnEvenNumberOfStrips) {
  EXPECT_EQ(2 * cycles(64, 128, 512).total(), cycles(64, 128, 512, DataType::fp16, 1).total());
}

TEST_F(MatrixTiming, AnOddStripIsSharedByRowsWhenThatIsFaster) {
  EXPECT_EQ(2 * cycles(128, 64, 512).total(), cycles(128, 64, 512, DataType::fp16, 1).total());
  // One pass cannot be shared.
  EXPECT_EQ(cycles(8, 64, 512).total(), cycles(8, 64, 512, DataType::fp16, 1).total());
}

TEST_F(MatrixTiming, OneCoreReachesTheMeasuredRate) {
  // 1073 MAC/ns/core on one core (SWEEP row M=4096: 16015 us); the overhead is a whole number of
  // cycles, so within 1 %.
  const double ns = static_cast<double>(cycles(2048, 2048, 2048).total()) / 1.5;
  EXPECT_NEAR(2048.0 * 2048 * 2048 / ns, 1073.0, 11.0);
}

TEST_F(MatrixTiming, NarrowTypesRaiseTheRate) {
  EXPECT_EQ(
      cycles(64, 128, 1024, DataType::int8).total() * static_cast<Cycles>(machine.matrix.int8_rate),
      cycles(64, 128, 1024).total());
}

TEST_F(MatrixTiming, NeverBeatsThePeakAndNeverShrinksWithMoreWork) {
  std::mt19937 random(7);
  const auto peak = static_cast<double>(machine.macs_per_cycle(DataType::fp16));
  for (int trial = 0; trial < 2000; ++trial) {
    const std::int64_t m = random() % 300 + 1, n = random() % 700 + 1, k = random() % 700 + 1;
    const double macs = static_cast<double>(m * n * k);
    EXPECT_LE(macs, peak * static_cast<double>(cycles(m, n, k).streaming));
    EXPECT_LE(cycles(m, n, k).total(), cycles(m + 8, n, k).total());
    EXPECT_LE(cycles(m, n, k).total(), cycles(m, n, k + 8).total());
    EXPECT_LE(cycles(m, n, k).total(), cycles(m, n, k, DataType::fp16, 1).total());
  }
}

}  // namespace
}  // namespace spyre::models
