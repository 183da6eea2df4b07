// Sets and maps against plain arithmetic and against counting points one by one.
#include "kernels/ktir/affine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

#include "kernels/ktir/parser.h"

namespace spyre::kernels::ktir {
namespace {

template <class Pointer>
Pointer alias_value(const std::string& text) {
  const std::string source = "module attributes {a = " + text + "} {}";
  const ParsedModule parsed = parse_module(source, "test");
  return *value_of<Pointer>(find_attribute(parsed.module.attributes, "a"));
}

AffineMapPtr map_of(const std::string& text) {
  return alias_value<AffineMapPtr>("affine_map<" + text + ">");
}
IntegerSetPtr set_of(const std::string& text) {
  return alias_value<IntegerSetPtr>("affine_set<" + text + ">");
}

TEST(KtirAffine, DividesTowardsMinusInfinityAndGivesRemaindersFromZeroUp) {
  for (std::int64_t value = -20; value <= 20; ++value) {
    for (std::int64_t divisor = 1; divisor <= 7; ++divisor) {
      const std::int64_t quotient = floor_divide(value, divisor);
      EXPECT_LE(quotient * divisor, value);
      EXPECT_GT((quotient + 1) * divisor, value);
      EXPECT_EQ(modulo(value, divisor), value - quotient * divisor);
      EXPECT_EQ(ceil_divide(value, divisor), -floor_divide(-value, divisor));
    }
  }
}

TEST(KtirAffine, EvaluatesWithTheUsualPrecedence) {
  const AffineMapPtr map =
      map_of("(i, j)[s] -> (-i + 2 * (j - s) - 3, i floordiv 4 mod 3, -(i+1)*s, s-1)");
  const std::vector<std::int64_t> point{17, 5};
  const std::vector<std::int64_t> symbols{2};
  EXPECT_EQ(map->results[0].evaluate(point, symbols), -17 + 2 * 3 - 3);
  EXPECT_EQ(map->results[1].evaluate(point, symbols), 17 / 4 % 3);
  EXPECT_EQ(map->results[2].evaluate(point, symbols), -36);
  EXPECT_EQ(map->results[3].evaluate(point, symbols), 1);
}

TEST(KtirAffine, HasNoValueOnOverflowMissingIndicesAndDivisionByAZeroSymbol) {
  const std::int64_t far = std::numeric_limits<std::int64_t>::max();
  const AffineMapPtr map = map_of("(i)[s] -> (i + 1, i * 2, i floordiv s, s)");
  const std::vector<std::int64_t> point{far};
  const std::vector<std::int64_t> zero{0};
  EXPECT_FALSE(map->results[0].evaluate(point, zero));
  EXPECT_FALSE(map->results[1].evaluate(point, zero));
  EXPECT_FALSE(map->results[2].evaluate(point, zero));
  EXPECT_FALSE(map->results[3].evaluate(point, {}));
}

TEST(KtirAffine, ReadsRightSidesThatAreNotZero) {
  const IntegerSetPtr set = set_of("(i)[g] : (i >= 4 * g, 4*g + 3 >= i, 0 <= i, i mod 2 == g - 1)");
  for (std::int64_t group = 1; group <= 2; ++group) {
    for (std::int64_t i = -2; i < 14; ++i) {
      const bool inside = i >= 4 * group && i <= 4 * group + 3 && i % 2 == group - 1;
      EXPECT_EQ(set->contains(std::vector{i}, std::vector{group}), inside) << i << " " << group;
    }
  }
}

TEST(KtirAffine, FindsTheBoxOfASetThatIsOne) {
  const IntegerSetPtr set =
      set_of("(a, b)[n] : (a >= 0, -a + n - 1 >= 0, 2 * b - 3 >= 0, -b + 7 >= 0, 10 - a >= 0)");
  const auto box = set->box(std::vector<std::int64_t>{6});
  ASSERT_TRUE(box);
  EXPECT_EQ(box->low, (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(box->high, (std::vector<std::int64_t>{5, 7}));
  EXPECT_EQ(box->extents(), (std::vector<std::int64_t>{6, 6}));
}

TEST(KtirAffine, GivesNoBoxForTrianglesHalfOpenRangesAndUnknownSymbols) {
  EXPECT_FALSE(set_of("(a, b) : (a >= 0, a <= 3, b >= 0, a - b >= 0)")->box({}));
  EXPECT_FALSE(set_of("(a) : (a >= 0)")->box({}));
  EXPECT_FALSE(set_of("(a) : (a >= 0, a <= 9, a mod 2 == 0)")->box({}));
  EXPECT_FALSE(set_of("(a)[n] : (a >= 0, a <= n)")->box({}));
  EXPECT_EQ(set_of("() : ()")->box({})->extents().size(), 0U);
}

/// A random expression over d0, d1 and s0 whose divisors are positive constants.
std::string random_expression(std::mt19937& random, int depth) {
  const auto pick = [&](int count) {
    return static_cast<int>(random() % static_cast<unsigned>(count));
  };
  if (depth == 0 || pick(4) == 0) {
    const char* leaves[] = {"d0", "d1", "s0"};
    return pick(2) == 0 ? leaves[pick(3)] : fmt::format("{}", pick(9) - 4);
  }
  const std::string left = random_expression(random, depth - 1);
  switch (pick(6)) {
    case 0:
      return fmt::format("({} + {})", left, random_expression(random, depth - 1));
    case 1:
      return fmt::format("({} - {})", left, random_expression(random, depth - 1));
    case 2:
      return fmt::format("({}) * {}", left, pick(9) - 4);
    case 3:
      return fmt::format("({}) floordiv {}", left, 1 + pick(5));
    case 4:
      return fmt::format("({}) mod {}", left, 1 + pick(5));
    default:
      return fmt::format("-({})", left);
  }
}

TEST(KtirAffine, PrintsWhatReadsBackEqualAndEvaluatesEqual) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const std::string text = "(d0, d1)[s0] -> (" + random_expression(random, 5) + ")";
    const AffineMapPtr map = map_of(text);
    const AffineMapPtr again = alias_value<AffineMapPtr>(to_string(*map));
    EXPECT_EQ(*map, *again) << text << " printed as " << to_string(*map);
  }
}

TEST(KtirAffine, LinearFormsAgreeWithEvaluation) {
  std::mt19937 random(11);
  int linear = 0;
  for (int round = 0; round < 2000; ++round) {
    const AffineMapPtr map = map_of("(d0, d1)[s0] -> (" + random_expression(random, 4) + ")");
    const std::vector<std::int64_t> symbols{3};
    const auto form = map->results[0].linear_form(2, symbols);
    if (!form) continue;
    ++linear;
    for (std::int64_t a = -3; a <= 3; ++a) {
      for (std::int64_t b = -3; b <= 3; ++b) {
        EXPECT_EQ(map->results[0].evaluate(std::vector{a, b}, symbols),
                  form->constant + form->coefficients[0] * a + form->coefficients[1] * b);
      }
    }
  }
  EXPECT_GT(linear, 500);
}

TEST(KtirAffine, ABoxHoldsExactlyThePointsOfItsSet) {
  std::mt19937 random(13);
  int boxes = 0;
  for (int round = 0; round < 500; ++round) {
    const auto number = [&](int span) {
      return static_cast<int>(random() % static_cast<unsigned>(span));
    };
    const IntegerSetPtr set =
        set_of(fmt::format("(d0, d1) : ({} * d0 + {} >= 0, -{} * d0 + {} >= 0, d1 {} {}, d1 <= {})",
                           1 + number(3), number(7) - 3, 1 + number(3), number(9),
                           number(4) == 0 ? "==" : ">=", number(5) - 2, number(6)));
    const auto box = set->box({});
    ASSERT_TRUE(box);
    ++boxes;
    for (std::int64_t a = -12; a <= 12; ++a) {
      for (std::int64_t b = -12; b <= 12; ++b) {
        const bool inside =
            a >= box->low[0] && a <= box->high[0] && b >= box->low[1] && b <= box->high[1];
        EXPECT_EQ(inside, set->contains(std::vector{a, b}, {})) << to_string(*set) << a << "," << b;
      }
    }
  }
  EXPECT_EQ(boxes, 500);
}

TEST(KtirAffine, TellsPermutations) {
  EXPECT_EQ(map_of("(a, b, c) -> (c, a, b)")->as_permutation(),
            (std::vector<std::size_t>{2, 0, 1}));
  EXPECT_EQ(AffineMap::identity(2).as_permutation(), (std::vector<std::size_t>{0, 1}));
  EXPECT_FALSE(map_of("(a, b) -> (a, a)")->as_permutation());
  EXPECT_FALSE(map_of("(a, b) -> (b)")->as_permutation());
  EXPECT_FALSE(map_of("(a, b) -> (a, b + 0)")->as_permutation());
}

}  // namespace
}  // namespace spyre::kernels::ktir
