#include "models/data/lx_tile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/data/tile_fixture.h"

namespace spyre::models {
namespace {

using testing::ElementsAre;

TEST(LxTile, LiesInStickColumnsOfItsBuffersRows) {
  TileBench bench;
  const LxOperand tile = bench.tile(2, 70, DataType::fp16, 5);
  std::vector<float> values(140);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  write_tile(bench.lx(), tile, values);
  LxOperand second_stick = tile;  // columns 64 to 69 of row 1: one stick column, 5 rows further on
  second_stick.address = tile.address + (5 + 1) * 128;
  second_stick.rows = 1;
  second_stick.columns = 6;
  EXPECT_THAT(bench.values_of(second_stick), ElementsAre(134, 135, 136, 137, 138, 139));
}

TEST(LxTile, APartMayBeginWithinAStick) {
  TileBench bench;
  std::vector<float> values(128);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  LxOperand part = bench.tile_of(values, 1, 128);
  part.first_lane = 62;
  part.columns = 4;
  EXPECT_THAT(bench.values_of(part), ElementsAre(62, 63, 64, 65));
  write_tile(bench.lx(), part, std::vector<float>{-1, -2, -3, -4});
  part.first_lane = 61;
  part.columns = 6;
  EXPECT_THAT(bench.values_of(part), ElementsAre(61, -1, -2, -3, -4, 66));
}

TEST(LxTile, EveryTypeKeepsWhatItCanHold) {
  for (const DataType type :
       {DataType::fp32, DataType::fp16, DataType::bf16, DataType::dl16, DataType::fp8,
        DataType::fp8_e5m2, DataType::int32, DataType::int8, DataType::int4}) {
    TileBench bench;
    const std::vector<float> values{0, 1, -1, 2, -3, 4, 6, -7};
    const LxOperand tile = bench.tile_of(values, 2, 4, type);
    EXPECT_THAT(bench.values_of(tile), testing::ElementsAreArray(values)) << to_string(type);
  }
}

TEST(LxTile, Fp16FollowsTheNumerics) {
  TileBench ieee;
  TileBench device;
  device.numerics = Numerics::spyre;
  const std::vector<float> values{1.0F + 1.0F / 1024};  // 10 fraction bits: DL16 has 9
  EXPECT_THAT(ieee.values_of(ieee.tile_of(values, 1, 1)), ElementsAre(values[0]));
  EXPECT_NE(device.values_of(device.tile_of(values, 1, 1))[0], values[0]);
}

TEST(LxTile, IntegersAreExact) {
  TileBench bench;
  const LxOperand tile = bench.tile(1, 3, DataType::int32);
  const std::vector<std::int32_t> values{(1 << 24) + 1, -2'000'000'001, 0};
  write_tile(bench.lx(), tile, values);
  std::vector<std::int32_t> read;
  read_tile(bench.lx(), tile, read);
  EXPECT_EQ(read, values);
}

TEST(LxTile, BytesOfATileAreDense) {
  TileBench bench;
  const LxOperand from = bench.tile_of({1, 2, 3, 4, 5, 6}, 2, 3);
  const LxOperand to = bench.tile(2, 3, DataType::fp16, 9);
  std::vector<std::byte> bytes;
  read_bytes(bench.lx(), from, bytes);
  EXPECT_EQ(bytes.size(), 12U);
  write_bytes(bench.lx(), to, bytes);
  EXPECT_THAT(bench.values_of(to), ElementsAre(1, 2, 3, 4, 5, 6));
}

}  // namespace
}  // namespace spyre::models
