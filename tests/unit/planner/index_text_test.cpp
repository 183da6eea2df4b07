#include "kernels/planner/index_text.h"

#include <gtest/gtest.h>

#include "kernels/schedule/expression.h"

namespace spyre::kernels {
namespace {

std::int64_t value(const Index& index, std::int64_t a, std::int64_t b) {
  Expression expression = Expression::parse(index.text(), {});
  SymbolTable symbols;
  symbols.add("a");
  symbols.add("b");
  expression.bind(symbols);
  const std::int64_t values[] = {a, b};
  return expression.evaluate(values);
}

TEST(IndexText, FoldsNumbersAndDropsWhatDoesNothing) {
  EXPECT_EQ((Index(3) + 4).text(), "7");
  EXPECT_EQ((Index("a") + 0).text(), "a");
  EXPECT_EQ((Index(1) * Index("a")).text(), "a");
  EXPECT_EQ((Index(0) * Index("a")).text(), "0");
  EXPECT_EQ((Index("a") - Index("a")).text(), "0");
  EXPECT_EQ(floor_divide("a", 1).text(), "a");
  EXPECT_EQ(minimum(3, 5).text(), "3");
}

TEST(IndexText, PutsParenthesesWherePrecedenceNeedsThem) {
  EXPECT_EQ((Index(64) * (Index("a") + 1)).text(), "64*(a + 1)");
  EXPECT_EQ((Index("a") - (Index("b") - 1)).text(), "a - (b - 1)");
  EXPECT_EQ((Index(64) * floor_divide("a", 3)).text(), "64*(a//3)");
  EXPECT_EQ(floor_divide(Index(200) * Index("a"), 32).text(), "200*a//32");
  EXPECT_EQ(both(less("a", 1), equal("b", 2)).text(), "a < 1 and b == 2");
}

TEST(IndexText, MeansWhatTheOperatorsMean) {
  const Index a = "a";
  const Index b = "b";
  for (std::int64_t x = 0; x < 12; ++x) {
    for (std::int64_t y = 0; y < 12; ++y) {
      EXPECT_EQ(value(Index(5) * (a - b) + floor_divide(a, b + 1) * 7, x, y),
                5 * (x - y) + x / (y + 1) * 7);
      EXPECT_EQ(value(Index(64) * modulo(a + b, 7) - minimum(a, b) * maximum(b, 3), x, y),
                64 * ((x + y) % 7) - std::min(x, y) * std::max<std::int64_t>(y, 3));
      EXPECT_EQ(value(both(less(a, b), equal(a + 1, b)), x, y), x < y && x + 1 == y ? 1 : 0);
    }
  }
}

TEST(IndexText, AConditionThatIsKnownDisappears) {
  EXPECT_EQ(both(1, less("a", 2)).text(), "a < 2");
  EXPECT_EQ(both(less("a", 2), 0).text(), "0");
}

}  // namespace
}  // namespace spyre::kernels
