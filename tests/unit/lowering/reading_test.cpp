#include "kernels/lowering/reading.h"

#include <gtest/gtest.h>

namespace spyre::kernels::lowering {
namespace {

Reading reading(Shape strides, Integer offset = 0) {
  return {0, std::move(strides), std::move(offset)};
}

TEST(LoweringReading, DimensionsThatRunOnAreJoined) {
  EXPECT_EQ(joined({2, 1, 3, 4}, {12, 99, 4, 1}), (std::vector<Stride>{{24, 1}}));
  EXPECT_EQ(joined({4, 8}, {1, 4}), (std::vector<Stride>{{4, 1}, {8, 4}}));
}

TEST(LoweringReading, WholeBuffersAndPartsAreUsedAsTheyAre) {
  const auto whole = rectangle_of({2, 4, 64}, reading({256, 64, 1}), {8, 64}, {8, 64}, false);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->rows, 8);
  const auto rows = rectangle_of({2, 64}, reading({64, 1}, 192), {8, 64}, {2, 64}, false);
  ASSERT_TRUE(rows);
  EXPECT_TRUE(rows->row.is(3));
  const auto columns = rectangle_of({8, 16}, reading({64, 1}, 32), {8, 64}, {8, 16}, false);
  ASSERT_TRUE(columns);
  EXPECT_TRUE(columns->column.is(32));
  EXPECT_FALSE(rectangle_of({64, 8}, reading({1, 64}), {8, 64}, {64, 8}, false));
}

TEST(LoweringReading, PlacesMayBeFormulas) {
  const Integer x = Integer::variable("x", {0, 3});
  const auto rows = rectangle_of({2, 64}, reading({64, 1}, x * 128), {8, 64}, {2, 64}, false);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->row.text(), "2*x");
  // Somewhere in the middle of rows: no rectangle.
  EXPECT_FALSE(rectangle_of({1, 64}, reading({64, 1}, x * 32), {8, 64}, {1, 64}, false));
}

TEST(LoweringReading, RowsColumnsAndElementsMayStandForMany) {
  const auto column = rectangle_of({8, 16}, reading({1, 0}), {8, 1}, {8, 16}, true);
  ASSERT_TRUE(column);
  EXPECT_EQ(column->rows, 8);
  EXPECT_EQ(column->columns, 1);
  const auto row = rectangle_of({8, 16}, reading({0, 1}), {1, 16}, {8, 16}, true);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->rows, 1);
  EXPECT_FALSE(rectangle_of({8, 16}, reading({0, 1}), {1, 16}, {8, 16}, false));
  // A row used as a column has to be moved.
  EXPECT_FALSE(rectangle_of({8, 16}, reading({1, 0}), {1, 8}, {8, 16}, true));
}

TEST(LoweringReading, ReshapesKeepTheOrderOfElements) {
  EXPECT_EQ(reshaped_strides({8, 64}, {64, 1}, {2, 4, 64}), (Shape{256, 64, 1}));
  EXPECT_EQ(reshaped_strides({64}, {0}, {8, 8}), (Shape{0, 0}));
  EXPECT_EQ(reshaped_strides({4, 8}, {1, 4}, {32}), std::nullopt);
}

}  // namespace
}  // namespace spyre::kernels::lowering
