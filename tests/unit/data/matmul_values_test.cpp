#include "models/data/matmul_values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/data/tile_fixture.h"

namespace spyre::models {
namespace {

class MatmulValuesTest : public testing::Test {
 protected:
  void run(const LxOperand& a, const LxOperand& b, const LxOperand& c, bool accumulate = false) {
    TileOp op;
    op.opcode = Opcode::matmul;
    op.sources[0] = a;
    op.sources[1] = b;
    op.destination = c;
    op.m = a.rows;
    op.k = a.columns;
    op.n = b.columns;
    op.accumulate = accumulate;
    execute_matmul(op, bench.lx(), scratch);
  }
  TileBench bench;
  MatmulScratch scratch;
};

TEST_F(MatmulValuesTest, IsTheProductRoundedOnce) {
  const std::vector<float> a = bench.random_values(5 * 70);
  const std::vector<float> b = bench.random_values(70 * 130);
  const LxOperand ta = bench.tile_of(a, 5, 70);
  const LxOperand tb = bench.tile_of(b, 70, 130);
  const LxOperand tc = bench.tile(5, 130);
  run(ta, tb, tc);
  const auto ra = bench.values_of(ta);
  const auto rb = bench.values_of(tb);
  const auto c = bench.values_of(tc);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 130; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 70; ++k) sum += double{ra[i * 70 + k]} * rb[k * 130 + j];
      EXPECT_NEAR(c[i * 130 + j], sum, std::fabs(sum) / 2048 + 1e-4);
    }
  }
}

TEST_F(MatmulValuesTest, AccumulatesIntoWhatIsThere) {
  const LxOperand a = bench.tile_of({1, 2}, 1, 2);
  const LxOperand b = bench.tile_of({3, 4, 5, 6}, 2, 2);
  const LxOperand c = bench.tile_of({100, 200}, 1, 2, DataType::fp32);
  run(a, b, c, true);
  EXPECT_EQ(bench.values_of(c), (std::vector<float>{113, 216}));
  run(a, b, c, false);
  EXPECT_EQ(bench.values_of(c), (std::vector<float>{13, 16}));
}

TEST_F(MatmulValuesTest, IntegersAreMultipliedExactly) {
  const LxOperand a = bench.tile_of(std::vector<float>(3000, 127), 1, 3000, DataType::int8);
  const LxOperand b = bench.tile_of(std::vector<float>(3000, 127), 3000, 1, DataType::int8);
  const LxOperand c = bench.tile(1, 1, DataType::int32);
  run(a, b, c);
  std::vector<std::int32_t> sum;
  read_tile(bench.lx(), c, sum);
  EXPECT_EQ(sum[0], 3000 * 127 * 127);  // beyond 2^24: a float would have rounded it
}

}  // namespace
}  // namespace spyre::models
