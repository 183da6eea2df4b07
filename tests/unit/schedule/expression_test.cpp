#include "kernels/schedule/expression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <random>
#include <string>

namespace spyre::kernels {
namespace {

using models::InputError;
using models::SourcePosition;

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

std::int64_t value_of(const std::string& text) {
  return Expression::parse(text, {}).evaluate({});
}

/// The column of the fault in `text`, which starts in column 10, and its message.
std::pair<int, std::string> fault_of(const std::string& text) {
  try {
    (void)Expression::parse(text, SourcePosition{"f", 3, 10});
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().size(), 1U);
    EXPECT_EQ(error.diagnostics()[0].where.line, 3);
    return {error.diagnostics()[0].where.column - 10, error.diagnostics()[0].message};
  }
  return {-1, ""};
}

TEST(Expression, ValuesAreThoseOfPython) {
  EXPECT_EQ(value_of("2 + 3*4"), 14);
  EXPECT_EQ(value_of("(2 + 3)*4"), 20);
  EXPECT_EQ(value_of("10 - 4 - 3"), 3);
  EXPECT_EQ(value_of("-7 // 2"), -4);
  EXPECT_EQ(value_of("7 // -2"), -4);
  EXPECT_EQ(value_of("-7 // -2"), 3);
  EXPECT_EQ(value_of("-7 % 3"), 2);
  EXPECT_EQ(value_of("7 % -3"), -2);
  EXPECT_EQ(value_of("100 // 7 * 7 + 100 % 7"), 100);
  EXPECT_EQ(value_of("--3"), 3);
  EXPECT_EQ(value_of("2 - -3"), 5);
  EXPECT_EQ(value_of("min(3, max(1, 2))"), 2);
  EXPECT_EQ(value_of("not 1 == 2"), 1);
  EXPECT_EQ(value_of("not 0 and 0"), 0);
  EXPECT_EQ(value_of("1 or 0 and 0"), 1);
  EXPECT_EQ(value_of("5 and 7"), 1);
  EXPECT_EQ(value_of("1 + 1 == 2"), 1);
  EXPECT_EQ(value_of("not not 5"), 1);
}

TEST(Expression, DivisionByZeroGivesZero) {
  EXPECT_EQ(value_of("5 // 0"), 0);
  EXPECT_EQ(value_of("5 % 0"), 0);
}

TEST(Expression, ArithmeticAtTheEndsOfTheRangeWrapsWithoutTrapping) {
  EXPECT_EQ(value_of("9223372036854775807"), kHighest);
  EXPECT_EQ(value_of("-9223372036854775808"), kLowest);
  EXPECT_EQ(value_of("9223372036854775807 + 1"), kLowest);
  EXPECT_EQ(value_of("-9223372036854775808 // -1"), kLowest);
  EXPECT_EQ(value_of("-9223372036854775808 % -1"), 0);
  EXPECT_EQ(value_of("-(-9223372036854775808)"), kLowest);
  EXPECT_EQ(value_of("9223372036854775807 * 2"), -2);
}

TEST(Expression, ConstantsReadBackFromTheirText) {
  for (const std::int64_t value : {kLowest, std::int64_t{-1}, std::int64_t{0}, kHighest}) {
    const Expression constant(value);
    EXPECT_EQ(constant.evaluate({}), value);
    EXPECT_EQ(value_of(constant.text()), value);
    EXPECT_TRUE(constant.is_constant());
  }
  EXPECT_EQ(Expression().evaluate({}), 0);
  EXPECT_EQ(Expression().text(), "0");
}

TEST(Expression, FaultsNameTheirColumn) {
  const auto expect = [](const std::string& text, int column, const std::string& part) {
    const auto [where, message] = fault_of(text);
    EXPECT_EQ(where, column) << text << ": " << message;
    EXPECT_NE(message.find(part), std::string::npos) << text << ": " << message;
  };
  expect("", 0, "missing");
  expect("  ", 2, "too early");
  expect("1 +", 3, "too early");
  expect("1 + * 2", 4, "'*' cannot stand here");
  expect("(1 + 2", 6, "')' is missing");
  expect("1 2", 2, "'2' cannot stand here");
  expect("a / b", 2, "'//' divides");
  expect("a = b", 2, "'==' compares");
  expect("a && b", 2, "'and'");
  expect("a || b", 2, "'or'");
  expect("!a", 0, "'not'");
  expect("a < b < c", 6, "do not chain");
  expect("a == b != c", 7, "do not chain");
  expect("3k", 0, "product needs its '*'");
  expect("1.5", 0, "decimal integers");
  expect("0x10", 0, "decimal integers");
  expect("1e3", 0, "decimal integers");
  expect("k + 010", 4, "leading zeros");
  expect("2*9223372036854775808", 2, "64 bits");
  expect("-9223372036854775809", 1, "64 bits");
  expect("99999999999999999999999999", 0, "64 bits");
  expect("min(1)", 5, "',' is missing");
  expect("min(1, 2, 3)", 8, "')' is missing");
  expect("max 1", 4, "'(' is missing");
  expect("and 1", 0, "'and' cannot stand here");
  expect("f(1)", 1, "'(' cannot stand here");
  expect("1 + \x01", 4, "\\x01");
}

TEST(Expression, NestingHasALimitOnBothSidesOfIt) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '(') + "1" +
           std::string(static_cast<std::size_t>(depth), ')');
  };
  EXPECT_EQ(value_of(nested(31)), 1);
  EXPECT_NE(fault_of(nested(32)).second.find("nested deeper"), std::string::npos);
  EXPECT_NE(fault_of(std::string(1'000'000, '(')).second.find("nested deeper"), std::string::npos);
  EXPECT_NE(fault_of(std::string(1'000'000, '-') + "k").second.find("nested deeper"),
            std::string::npos);
  std::string nots;
  for (int i = 0; i < 100'000; ++i) nots += "not ";
  EXPECT_NE(fault_of(nots + "1").second.find("nested deeper"), std::string::npos);
}

TEST(Expression, MoreValuesAtATimeThanTheStackHoldsAreRefused) {
  std::string text = "1";
  for (int i = 0; i < 7; ++i)
    text = "k or k and k < k + k*(" + text + ")";  // five values more each time
  EXPECT_NE(fault_of(text).second.find("32 values"), std::string::npos);
}

TEST(Expression, LongSumsNeedNoDepth) {
  std::string sum = "1";
  for (int i = 0; i < 10'000; ++i) sum += " + 1";
  EXPECT_EQ(value_of(sum), 10'001);
}

TEST(Expression, BindingIsByNameAndMayBeRepeated) {
  SymbolTable first;
  first.add("a");
  first.add("b");
  SymbolTable second;
  second.add("b");
  second.add("spare");
  second.add("a");
  Expression expression = Expression::parse("b - a + b", {});
  EXPECT_FALSE(expression.is_constant());
  expression.bind(first);
  EXPECT_EQ(expression.evaluate(std::array<std::int64_t, 2>{1, 10}), 19);
  expression.bind(second);
  EXPECT_EQ(expression.evaluate(std::array<std::int64_t, 3>{10, 500, 1}), 19);
  Expression copy = expression;
  copy.bind(first);
  EXPECT_EQ(copy.evaluate(std::array<std::int64_t, 2>{1, 10}), 19);
  EXPECT_EQ(expression.evaluate(std::array<std::int64_t, 3>{10, 500, 1}), 19);
}

TEST(Expression, AnUnknownVariableIsNamedWithTheNearestKnown) {
  SymbolTable symbols;
  symbols.add("core");
  symbols.add("k");
  Expression expression = Expression::parse("k*4 + cores_ + coer", SourcePosition{"f", 2, 5});
  symbols.add("cores_");
  try {
    expression.bind(symbols);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics()[0].where.column, 5 + 15);
    EXPECT_EQ(error.diagnostics()[0].message, "unknown variable 'coer': did you mean 'core'?");
  }
}

TEST(SymbolTable, NamesKeepTheirFirstIndex) {
  SymbolTable symbols;
  EXPECT_EQ(symbols.add("a"), 0U);
  EXPECT_EQ(symbols.add("b"), 1U);
  EXPECT_EQ(symbols.add("a"), 0U);
  EXPECT_EQ(symbols.find("b"), 1);
  EXPECT_EQ(symbols.find("c"), -1);
}

/// A random tree with its text and its value, computed on the tree with rules of its own.
class RandomTree {
 public:
  RandomTree(std::mt19937& random, std::span<const std::int64_t> values, int depth)
      : random_(random), values_(values), depth_(depth) {}

  struct Result {
    std::string text;
    std::int64_t value;
  };

  Result make() { return node(depth_); }

 private:
  int choose(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  std::string space() { return std::string(static_cast<std::size_t>(choose(3)), ' '); }

  static std::int64_t wrapped(std::int64_t a, std::int64_t b, char op) {
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    return static_cast<std::int64_t>(op == '+' ? x + y : op == '-' ? x - y : x * y);
  }

  static std::int64_t modulo(std::int64_t a, std::int64_t b) {
    if (b == 0 || b == -1) return 0;
    const std::int64_t r = a % b;
    return r == 0 || (r > 0) == (b > 0) ? r : r + b;
  }

  static std::int64_t divided(std::int64_t a, std::int64_t b) {
    if (b == 0) return 0;
    if (b == -1) return wrapped(0, a, '-');
    // a - a mod b is a multiple of b; it may lie below the range only where a itself is at its end
    std::int64_t quotient = a / b;
    const std::int64_t back = quotient * b;
    if (back != a && ((a > back) != (b > 0))) --quotient;
    return quotient;
  }

  Result leaf() {
    static constexpr std::array<const char*, 3> kNames{"k", "core", "l"};
    if (choose(2) == 0) {
      const auto index = static_cast<std::size_t>(choose(3));
      return {kNames[index], values_[index]};
    }
    static constexpr std::array<std::int64_t, 7> kNumbers{0, 1, 2, 7, 64, 4096, kHighest};
    const std::int64_t number = kNumbers[static_cast<std::size_t>(choose(7))];
    return {std::to_string(number), number};
  }

  /// Every operand in brackets, so the tree's shape does not rest on precedence.
  std::string bracketed(const Result& result) { return "(" + space() + result.text + ")"; }

  Result node(int depth) {
    if (depth == 0) return leaf();
    const Result a = node(depth - 1);
    switch (choose(17)) {
      case 0:
        return {"-" + space() + bracketed(a), wrapped(0, a.value, '-')};
      case 1:
        return {"not" + space() + bracketed(a), a.value == 0};
      default:
        break;
    }
    const Result b = node(depth - 1);
    const std::string left = bracketed(a) + space();
    const std::string right = space() + bracketed(b);
    switch (choose(15)) {
      case 0:
        return {left + "+" + right, wrapped(a.value, b.value, '+')};
      case 1:
        return {left + "-" + right, wrapped(a.value, b.value, '-')};
      case 2:
        return {left + "*" + right, wrapped(a.value, b.value, '*')};
      case 3:
        return {left + "//" + right, divided(a.value, b.value)};
      case 4:
        return {left + "%" + right, modulo(a.value, b.value)};
      case 5:
        return {left + "<" + right, a.value < b.value};
      case 6:
        return {left + "<=" + right, a.value <= b.value};
      case 7:
        return {left + ">" + right, a.value > b.value};
      case 8:
        return {left + ">=" + right, a.value >= b.value};
      case 9:
        return {left + "==" + right, a.value == b.value};
      case 10:
        return {left + "!=" + right, a.value != b.value};
      case 11:
        return {left + "and" + right, a.value != 0 && b.value != 0};
      case 12:
        return {left + "or" + right, a.value != 0 || b.value != 0};
      case 13:
        return {"min(" + a.text + "," + b.text + ")", std::min(a.value, b.value)};
      default:
        return {"max(" + a.text + " , " + b.text + ")", std::max(a.value, b.value)};
    }
  }

  std::mt19937& random_;
  std::span<const std::int64_t> values_;
  int depth_;
};

TEST(Expression, RandomTreesEvaluateAsTheTreeSays) {
  std::mt19937 random(7);
  SymbolTable symbols;
  for (const char* name : {"k", "core", "l"}) symbols.add(name);
  for (int i = 0; i < 20'000; ++i) {
    std::uniform_int_distribution<std::int64_t> value(-100, 100);
    const std::array<std::int64_t, 3> values{value(random), value(random), value(random)};
    const RandomTree::Result tree = RandomTree(random, values, 1 + i % 5).make();
    Expression expression = Expression::parse(tree.text, {});
    expression.bind(symbols);
    ASSERT_EQ(expression.evaluate(values), tree.value) << tree.text;
  }
}

/// Precedence by the slow way: split at the last operator of the loosest level, outermost brackets
/// aside.
std::int64_t by_splitting(const std::vector<std::string>& words, std::size_t begin,
                          std::size_t end) {
  static const std::vector<std::vector<std::string>> kLevels{
      {"or"}, {"and"}, {"<", "=="}, {"+", "-"}, {"*", "//", "%"}};
  for (const std::vector<std::string>& level : kLevels) {
    for (std::size_t at = end; at-- > begin;) {
      if (std::find(level.begin(), level.end(), words[at]) == level.end()) continue;
      const std::int64_t a = by_splitting(words, begin, at);
      const std::int64_t b = by_splitting(words, at + 1, end);
      const std::string& op = words[at];
      if (op == "or") return a != 0 || b != 0;
      if (op == "and") return a != 0 && b != 0;
      if (op == "<") return a < b;
      if (op == "==") return a == b;
      if (op == "+") return a + b;
      if (op == "-") return a - b;
      if (op == "*") return a * b;
      if (b == 0) return 0;
      return op == "//" ? a / b : a % b;  // operands are not negative here
    }
  }
  return std::stoll(words[begin]);
}

TEST(Expression, PrecedenceFollowsTheLevels) {
  std::mt19937 random(11);
  const auto choose = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  // Terms without '-' before '//' and '%' keep operands from being negative; one comparison between
  // 'and' and 'or'.
  static const std::array<std::string, 4> kTight{"+", "*", "//", "%"};
  for (int i = 0; i < 5'000; ++i) {
    std::vector<std::string> words{std::to_string(choose(20))};
    bool compared = false;
    for (std::size_t term = 0; term < 1 + choose(8); ++term) {
      std::string op = kTight[choose(4)];
      if (choose(3) == 0) {
        const std::size_t loose = choose(4);
        if (loose >= 2 && !compared) {
          op = loose == 2 ? "<" : "==";
          compared = true;
        } else if (loose < 2) {
          op = loose == 0 ? "or" : "and";
          compared = false;
        }
      }
      words.push_back(op);
      words.push_back(std::to_string(choose(20)));
    }
    std::string text;
    for (const std::string& word : words) text += word + " ";
    ASSERT_EQ(value_of(text), by_splitting(words, 0, words.size())) << text;
  }
}

}  // namespace
}  // namespace spyre::kernels
