#include "models/data/memory_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/data/tile_fixture.h"

namespace spyre::models {
namespace {

using testing::ElementsAre;

class MemoryCopyTest : public testing::Test {
 protected:
  void write_floats(std::uint64_t address, const std::vector<float>& values) {
    dram.write(address, std::as_bytes(std::span(values)));
  }
  void write_integers(std::uint64_t address, const std::vector<std::int32_t>& values) {
    dram.write(address, std::as_bytes(std::span(values)));
  }
  float read_float(std::uint64_t address) const {
    float value = 0;
    dram.read(address, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  static MemoryTile strided(std::uint64_t base, std::vector<MemoryTile::Dimension> rows,
                            std::uint32_t columns, std::int64_t lane_stride) {
    MemoryTile tile;
    tile.base = base;
    std::copy(rows.begin(), rows.end(), tile.rows.begin());
    tile.row_dimensions = static_cast<std::uint8_t>(rows.size());
    tile.columns = columns;
    tile.lane_stride = lane_stride;
    return tile;
  }

  TileBench bench;
  DramStore dram;
};

TEST_F(MemoryCopyTest, ALoadFollowsTheStridesOfAHostsArray) {
  write_floats(1000, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});  // 3 x 4
  TileOp op;
  op.opcode = Opcode::load;
  op.destination = bench.tile(2, 3, DataType::fp32);
  op.memory = strided(1000 + 5 * 4, {{2, 16}}, 3, 4);
  copy_in(op, dram, bench.lx(), op.destination);
  EXPECT_THAT(bench.values_of(op.destination), ElementsAre(5, 6, 7, 9, 10, 11));

  op.memory = strided(1000, {{2, 4}}, 3, 16);  // the transpose
  copy_in(op, dram, bench.lx(), op.destination);
  EXPECT_THAT(bench.values_of(op.destination), ElementsAre(0, 4, 8, 1, 5, 9));
}

TEST_F(MemoryCopyTest, AStoreWritesTheElementsAndNothingBeside) {
  write_floats(0, std::vector<float>(64, 7));
  TileOp op;
  op.opcode = Opcode::store;
  op.sources[0] = bench.tile_of({1, 2, 3, 4}, 2, 2, DataType::fp32);
  op.memory = strided(4, {{2, 32}}, 2, 4);
  copy_out(op, dram, bench.lx(), op.sources[0]);
  EXPECT_EQ(read_float(0), 7);
  EXPECT_EQ(read_float(4), 1);
  EXPECT_EQ(read_float(8), 2);
  EXPECT_EQ(read_float(12), 7);
  EXPECT_EQ(read_float(36), 3);
  EXPECT_EQ(read_float(44), 7);
}

TEST_F(MemoryCopyTest, ADeviceLayoutHasItsLanesInSticks) {
  // [rows, 40 columns] of fp32 in 32-lane sticks: stick columns lie 10 rows apart.
  MemoryTile tile;
  tile.base = 4096;
  tile.rows[0] = {2, 128};
  tile.row_dimensions = 1;
  tile.columns = 4;
  tile.first_lane = 30;
  tile.lanes_per_stick = 32;
  tile.lane_stride = 4;
  tile.stick_stride = 1280;
  write_floats(4096 + 128 + 30 * 4, {1, 2});
  write_floats(4096 + 128 + 1280, {3, 4});
  TileOp op;
  op.opcode = Opcode::load;
  op.destination = bench.tile(2, 4, DataType::fp32);
  op.memory = tile;
  copy_in(op, dram, bench.lx(), op.destination);
  EXPECT_THAT(bench.values_of(op.destination), ElementsAre(0, 0, 0, 0, 1, 2, 3, 4));
}

TEST_F(MemoryCopyTest, DenseBytesComeBackFromAnyPlace) {
  const MemoryTile tile = strided(77 * 4, {{3, 400}, {2, 40}}, 5, 8);
  std::vector<float> values(30);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) + 1;
  write_dense(tile, DataType::fp32, dram, std::as_bytes(std::span(values)));
  std::vector<float> read(30);
  read_dense(tile, DataType::fp32, dram, std::as_writable_bytes(std::span(read)));
  EXPECT_EQ(read, values);
  EXPECT_EQ(read_float(77 * 4 + 400 + 40 + 8), 17);  // (1, 1, 1)
}

TEST_F(MemoryCopyTest, AGatherReadsItsRowNumbersFromMemory) {
  for (int row = 0; row < 8; ++row) {
    write_floats(4096 + static_cast<std::uint64_t>(row) * 256, {float(row), float(row) + 0.5F});
  }
  write_integers(64, {6, 1, 6});
  TileOp op;
  op.opcode = Opcode::gather;
  op.destination = bench.tile(3, 2, DataType::fp32);
  op.memory = strided(4096, {{3, 0}}, 2, 4);
  IndexTerm term;
  term.table = 64;
  term.row_strides[0] = 4;
  term.scale = 256;
  term.highest = 7;
  op.index_terms.push_back(term);
  copy_in(op, dram, bench.lx(), op.destination);
  EXPECT_THAT(bench.values_of(op.destination), ElementsAre(6, 6.5F, 1, 1.5F, 6, 6.5F));

  std::vector<StickRuns> runs;
  resolve_runs(op, dram, 128, runs);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].base, 4096U + 6 * 256);
  EXPECT_EQ(runs[1].base, 4096U + 256);
  EXPECT_EQ(runs[1].run_bytes, 128U);
}

TEST_F(MemoryCopyTest, AnIndexPerElementTouchesAStickPerElement) {
  write_floats(0, {10, 11, 12, 13});
  write_floats(128, {20, 21, 22, 23});
  write_integers(1024, {0, 1});  // rows
  write_integers(2048, {3, 2});  // columns
  TileOp op;
  op.opcode = Opcode::gather;
  op.destination = bench.tile(1, 2, DataType::fp32);
  op.memory = strided(0, {}, 2, 0);
  IndexTerm rows;
  rows.table = 1024;
  rows.column_stride = 4;
  rows.scale = 128;
  rows.highest = 1;
  IndexTerm columns = rows;
  columns.table = 2048;
  columns.scale = 4;
  columns.highest = 3;
  op.index_terms = {rows, columns};
  copy_in(op, dram, bench.lx(), op.destination);
  EXPECT_THAT(bench.values_of(op.destination), ElementsAre(13, 22));
  std::vector<StickRuns> runs;
  resolve_runs(op, dram, 128, runs);
  EXPECT_EQ(runs.size(), 1U);  // neighbours: one run of two sticks
  EXPECT_EQ(runs[0].run_bytes, 256U);
}

TEST_F(MemoryCopyTest, AnIndexBeyondTheTensorIsTold) {
  write_integers(64, {8});
  TileOp op;
  op.opcode = Opcode::gather;
  op.destination = bench.tile(1, 2, DataType::fp32);
  op.memory = strided(4096, {{1, 0}}, 2, 4);
  IndexTerm term;
  term.table = 64;
  term.scale = 256;
  term.highest = 7;
  op.index_terms.push_back(term);
  std::vector<StickRuns> runs;
  EXPECT_THROW(resolve_runs(op, dram, 128, runs), IndexError);
  try {
    copy_in(op, dram, bench.lx(), op.destination);
    FAIL();
  } catch (const IndexError& error) {
    EXPECT_STREQ(error.what(), "the index at DRAM address 64 is 8: it must be 0 to 7");
  }
}

TEST_F(MemoryCopyTest, AScatterWritesItsRows) {
  write_integers(64, {2, 0});
  TileOp op;
  op.opcode = Opcode::scatter;
  op.sources[0] = bench.tile_of({1, 2, 3, 4}, 2, 2, DataType::fp32);
  op.memory = strided(4096, {{2, 0}}, 2, 4);
  IndexTerm term;
  term.table = 64;
  term.row_strides[0] = 4;
  term.scale = 8;
  term.highest = 2;
  op.index_terms.push_back(term);
  copy_out(op, dram, bench.lx(), op.sources[0]);
  EXPECT_EQ(read_float(4096), 3);
  EXPECT_EQ(read_float(4096 + 16), 1);
  EXPECT_EQ(read_float(4096 + 20), 2);
}

}  // namespace
}  // namespace spyre::models
