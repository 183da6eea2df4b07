#include "kernels/planner/work_division.h"

#include <gtest/gtest.h>

#include "kernels/planner/linear_division.h"
#include "kernels/schedule/expression.h"
#include "tests/support/test_machine.h"

namespace spyre::kernels {
namespace {

std::int64_t value(const Index& index, std::int64_t coordinate) {
  Expression expression = Expression::parse(index.text(), {});
  SymbolTable symbols;
  symbols.add("n");
  expression.bind(symbols);
  const std::int64_t values[] = {coordinate};
  return expression.evaluate(values);
}

TEST(Slices, TileTheUnitsWithoutGapsAndDifferByOneAtMost) {
  for (const std::int64_t units : {1, 7, 12, 64, 200, 769}) {
    for (const std::int64_t parts : {1, 2, 3, 5, 16, 31, 32}) {
      const Slices slices{units, parts, "n"};
      std::int64_t next = 0;
      for (std::int64_t part = 0; part < parts; ++part) {
        EXPECT_EQ(value(slices.begin(), part), next);
        EXPECT_EQ(value(slices.begin(), part), slices.first(part));
        next = value(slices.end(), part);
        const std::int64_t length = value(slices.length(), part);
        EXPECT_EQ(length, next - slices.first(part));
        EXPECT_LE(length, slices.longest());
        EXPECT_GE(length, slices.shortest());
      }
      EXPECT_EQ(next, units);
      EXPECT_LE(slices.longest() - slices.shortest(), 1);
    }
  }
}

TEST(TileDepth, DividesKWhereItCanAndIsAWholeNumberOfSteps) {
  EXPECT_EQ(tile_depth(4096, 64, 512), 512);
  EXPECT_EQ(tile_depth(12800, 64, 1000), 640);
  EXPECT_EQ(tile_depth(13824, 64, 300), 256);
  EXPECT_EQ(tile_depth(100, 64, 128), 100);
  EXPECT_EQ(tile_depth(509, 64, 130), 128);
  EXPECT_EQ(tile_depth(509, 64, 63), 0);
}

TEST(StreamTile, IsTheDeepestThatFitsAndNothingWhenNoneDoes) {
  const models::Machine machine = models::make_test_machine();
  StreamNeed need;
  need.sticks = 7;
  need.k = 4096;
  need.k_step = 64;
  need.bytes_per_stick = 256;
  need.bytes_left = 2 * 7 * 64 * 128 + 7 * 256;
  const StreamTile tile = choose_stream_tile(machine, need);
  EXPECT_EQ(tile.sticks, 7);
  EXPECT_EQ(tile.rows, 64);
  --need.bytes_left;
  EXPECT_EQ(choose_stream_tile(machine, need).sticks, 4);
  need.bytes_left = 2 * 64 * 128 + 256;
  EXPECT_EQ(choose_stream_tile(machine, need).sticks, 1);
  --need.bytes_left;
  EXPECT_EQ(choose_stream_tile(machine, need).rows, 0);
}

TEST(AttentionSplit, GivesEveryCoreTheSameBlocksWhereThatIsPossible) {
  const AttentionSplit one = split_attention(32, 1, 8, 64);
  EXPECT_EQ(one.heads, 8);
  EXPECT_EQ(one.ranges, 4);
  const AttentionSplit batch = split_attention(32, 32, 8, 64);
  EXPECT_EQ(batch.sequences, 32);
  EXPECT_EQ(batch.ranges, 1);
}

TEST(AttentionSplit, IsNeverWorseThanHeadsAloneAndNeverUsesTooManyCores) {
  for (const std::int64_t cores : {1, 2, 3, 5, 7, 16, 31, 32}) {
    for (const std::int64_t batch : {1, 3, 32}) {
      for (const std::int64_t heads : {1, 8, 12, 40}) {
        for (const std::int64_t blocks : {0, 1, 15, 64, 1000}) {
          const AttentionSplit split = split_attention(cores, batch, heads, blocks);
          EXPECT_LE(split.cores(), cores);
          EXPECT_LE(split.ranges, std::max<std::int64_t>(blocks, 1));
          const std::int64_t busiest = ceil_divide(batch, split.sequences) *
                                       ceil_divide(heads, split.heads) *
                                       ceil_divide(blocks, split.ranges);
          EXPECT_LE(busiest, batch * ceil_divide(heads, std::min(cores, heads)) * blocks);
        }
      }
    }
  }
}

TEST(LinearDivision, ReadsWeightsOnceWhenABatchOfRowsFitsLx) {
  const models::Machine machine = models::make_test_machine();
  LinearShape shape;
  shape.m = 512;
  shape.k = 4096;
  shape.pieces = {{4096, 1}};
  const auto tiling = divide_linear(machine, shape, 32);
  ASSERT_TRUE(tiling);
  EXPECT_EQ(tiling->m_cores * tiling->n_cores, 32);
  EXPECT_GE(tiling->rows * tiling->m_cores, 512);
}

TEST(LinearDivision, PrefersCohortsThatOneMulticastStreamServes) {
  const models::Machine machine = models::make_test_machine();
  LinearShape shape;
  shape.m = 2048;
  shape.k = 4096;
  shape.pieces = {{4096, 1}};
  const auto tiling = divide_linear(machine, shape, 32);
  ASSERT_TRUE(tiling);
  EXPECT_LE(tiling->m_cores, 8);
  EXPECT_LE(tiling->n_cores, 8);
}

TEST(LinearDivision, FindsNothingJustBelowTheSmallestTileAndSomethingAtIt) {
  models::Machine machine = models::make_test_machine();
  LinearShape shape;
  shape.m = 512;
  shape.k = 4096;
  shape.pieces = {{4096, 1}};
  const std::int64_t needed = smallest_linear_bytes(machine, shape);
  machine.lx.bytes = needed + machine.lx.program_reserve_bytes + machine.lx.backend_reserve_bytes;
  EXPECT_TRUE(divide_linear(machine, shape, 32));
  --machine.lx.bytes;
  EXPECT_FALSE(divide_linear(machine, shape, 32));
}

}  // namespace
}  // namespace spyre::kernels
