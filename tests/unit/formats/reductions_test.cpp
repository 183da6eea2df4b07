#include "models/formats/reductions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/unit/formats/reference_values.h"

namespace spyre::models {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(RowReductions, AreTheSumsOfEveryRowForEveryLength) {
  RandomBits random(43);
  for (std::size_t columns = 0; columns < 200; ++columns) {
    // Integers: every order of additions gives the exact sum.
    std::vector<float> x(3 * columns), sums(3), squares(3), tops(3), bottoms(3);
    for (float& value : x) value = static_cast<float>(static_cast<int>(random.next() % 201) - 100);
    reduce_rows(Reduction::sum, Format::fp32, columns, x, sums);
    reduce_rows(Reduction::sum_of_squares, Format::fp32, columns, x, squares);
    reduce_rows(Reduction::max, Format::fp32, columns, x, tops);
    reduce_rows(Reduction::min, Format::fp32, columns, x, bottoms);
    for (std::size_t r = 0; r < 3; ++r) {
      float sum = 0.0F, square = 0.0F, top = -kInf, bottom = kInf;
      for (std::size_t i = 0; i < columns; ++i) {
        const float value = x[r * columns + i];
        sum += value;
        square += value * value;
        top = std::max(top, value);
        bottom = std::min(bottom, value);
      }
      ASSERT_EQ(sums[r], sum);
      ASSERT_EQ(squares[r], square);
      ASSERT_EQ(tops[r], top);
      ASSERT_EQ(bottoms[r], bottom);
    }
  }
}

TEST(RowReductions, AddInTheStatedOrder) {
  // 2^24 and 1: a sum from left to right loses every 1; the lanes do not, because 2^24 stands in
  // lane 0 only.
  std::vector<float> x(128, 1.0F), sum(1);
  x[0] = 16777216.0F;
  reduce_rows(Reduction::sum, Format::fp32, x.size(), x, sum);
  // Lane 0 holds 2^24 + 1 = 2^24; the others 2 each, folded pairwise: 64, 32 ... to lane 0.
  EXPECT_EQ(sum[0], 16777216.0F + 126.0F);
}

TEST(RowReductions, KeepNanAndRoundOnce) {
  std::vector<float> x(100, 1.0F), y(1);
  x[70] = kNan;
  for (const Reduction op :
       {Reduction::sum, Reduction::sum_of_squares, Reduction::max, Reduction::min}) {
    reduce_rows(op, Format::fp16, x.size(), x, y);
    EXPECT_TRUE(std::isnan(y[0]));
  }
  const std::vector<float> many(4099, 1.0F);
  reduce_rows(Reduction::sum, Format::fp16, many.size(), many, y);
  EXPECT_EQ(y[0], 4100.0F);  // steps of 4 there, ties to even
}

}  // namespace
}  // namespace spyre::models
