#include "kernels/lowering/integer.h"

#include <gtest/gtest.h>

#include "kernels/lowering/core_sets.h"

namespace spyre::kernels::lowering {
namespace {

Integer x() {
  return Integer::variable("x", {0, 7});
}
Integer row() {
  return Integer::variable("row", {0, 448}, 64);
}

TEST(LoweringInteger, SumsCollectTheirTerms) {
  EXPECT_EQ((x() * 4 + 3 + x() - 1).text(), "5*x + 2");
  EXPECT_EQ((x() * 2 - x() * 2 + 7).text(), "7");
  EXPECT_EQ((Integer(0) - x()).text(), "-x");
  EXPECT_TRUE((x() - x()).is(0));
}

TEST(LoweringInteger, QuotientsAndRemaindersTakeWholeMultiplesOut) {
  EXPECT_EQ(floor_divide(x() * 128 + 5, 128).text(), "x");
  EXPECT_EQ(modulo(x() * 128 + 5, 128).text(), "5");
  EXPECT_EQ(floor_divide(x() * 4 + 2, 8).text(), "x//2");
  EXPECT_EQ(modulo(row() + 3, 64).text(), "3");
  EXPECT_EQ(floor_divide(x(), 8).text(), "0");
  EXPECT_EQ((floor_divide(x(), 4) * 3).text(), "3*(x//4)");
  EXPECT_EQ((Integer(0) - floor_divide(x(), 4)).text(), "-(x//4)");
}

TEST(LoweringInteger, ComparisonsAreDecidedByRanges) {
  EXPECT_TRUE(less(x(), 8).is(1));
  EXPECT_TRUE(less(x(), 0).is(0));
  EXPECT_EQ(less(x() * 256, 512).text(), "x < 2");
  EXPECT_EQ(less(512, x() * 256 + 256).text(), "1 < x");
  EXPECT_TRUE(equal(x() * 2, 3).is(0));
  EXPECT_EQ(equal(x(), 3).text(), "x == 3");
  EXPECT_EQ((less(x(), 3) * 2 + 1).text(), "2*(x < 3) + 1");
  EXPECT_EQ(equal(less(x(), 3), 1).text(), "(x < 3) == 1");
  EXPECT_EQ(both(less(x(), 3), either(equal(x(), 0), equal(x(), 2))).text(),
            "x < 3 and (x == 0 or x == 2)");
  EXPECT_TRUE(minimum(x(), 7) == x());
  EXPECT_EQ(maximum(x(), 3).text(), "max(x, 3)");
}

TEST(LoweringInteger, TextsMeanWhatTheFormulasDo) {
  SymbolTable symbols;
  symbols.add("x");
  for (std::int64_t value = 0; value < 8; ++value) {
    const std::vector<std::int64_t> values{value};
    const auto check = [&](const Integer& formula, std::int64_t wanted) {
      Expression expression = formula.expression();
      expression.bind(symbols);
      EXPECT_EQ(expression.evaluate(values), wanted) << formula.text() << " at " << value;
      EXPECT_TRUE(formula.range().within(formula.range().low, wanted + kFarthest));
      EXPECT_LE(formula.range().low, wanted) << formula.text();
      EXPECT_GE(formula.range().high, wanted) << formula.text();
    };
    check(floor_divide(x() * 6 + 5, 4), (value * 6 + 5) / 4);
    check(modulo(x() * 6 + 5, 4), (value * 6 + 5) % 4);
    check(modulo(x() * 10, 4), value * 10 % 4);
    check(Integer(3) - floor_divide(x(), 2) * 5, 3 - value / 2 * 5);
    check(less(Integer(9) - x() * 2, x()), 9 - value * 2 < value ? 1 : 0);
    check(equal(x() * 3, Integer(12)), value == 4 ? 1 : 0);
    check(maximum(x() - 4, 0) * x(), std::max<std::int64_t>(value - 4, 0) * value);
    check(negation(less(x(), 3)) + 1, value < 3 ? 1 : 2);
  }
}

TEST(LoweringCoreSets, FormulasForRegularGroups) {
  EXPECT_EQ(rank({{0, 1, 2, 3}, {4, 5, 6, 7}}, 8).text(), "core%4");
  EXPECT_EQ(rank({{0, 2, 4}, {1, 3, 5}}, 6).text(), "core//2");
  EXPECT_EQ(rank({{4, 5, 6}}, 8).text(), "core - 4");
  EXPECT_EQ(membership({{0, 1, 2, 3}, {4, 5, 6, 7}}, 8).text(), "1");
  EXPECT_EQ(membership({{2, 3}}, 8).text(), "1 < core and core < 4");
  EXPECT_EQ(membership({{1, 3, 5, 7}}, 8).text(), "core%2 == 1");
  EXPECT_EQ(per_group({{0, 1}, {2, 3}}, {0, 1}, 4).text(), "core//2");
}

TEST(LoweringCoreSets, IrregularGroupsAreListed) {
  const Groups groups{{0, 3, 4}, {1, 2}};
  SymbolTable symbols;
  symbols.add("core");
  Expression expression = rank(groups, 5).expression();
  expression.bind(symbols);
  for (const Cores& group : groups) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::vector<std::int64_t> values{group[i]};
      EXPECT_EQ(expression.evaluate(values), static_cast<std::int64_t>(i));
    }
  }
}

}  // namespace
}  // namespace spyre::kernels::lowering
