#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "kernels/schedule/expression.h"
#include "kernels/schedule/expression_text.h"

namespace spyre::kernels {

using models::InputError;
using models::SourcePosition;

namespace {

constexpr int kMaxNesting = 32;
constexpr std::array<std::string_view, 5> kReservedWords{"and", "or", "not", "min", "max"};

}  // namespace

/// Recursive descent with a nesting limit; writes postfix code and keeps count of the stack it will
/// need.
class ExpressionParser {
 public:
  ExpressionParser(const std::string& text, const SourcePosition& where)
      : text_(text), where_(where) {}

  Expression run() {
    parse_or();
    skip_space();
    if (position_ < text_.size()) fail_at_operator();
    result_.text_ = text_;
    result_.where_ = where_;
    return std::move(result_);
  }

 private:
  using Code = Expression::Code;

  void parse_or() {
    const Nesting nesting(*this);
    parse_and();
    while (accept_word("or")) {
      parse_and();
      binary(Code::logical_or);
    }
  }

  void parse_and() {
    parse_not();
    while (accept_word("and")) {
      parse_not();
      binary(Code::logical_and);
    }
  }

  void parse_not() {
    if (!accept_word("not")) return parse_comparison();
    const Nesting nesting(*this);
    parse_not();
    unary(Code::logical_not);
  }

  void parse_comparison() {
    parse_sum();
    const std::optional<Code> first = accept_comparison();
    if (!first) return;
    parse_sum();
    binary(*first);
    const std::size_t second = position_;
    if (accept_comparison()) {
      fail(skipped(second), "comparisons do not chain: write 'a < b and b < c'");
    }
  }

  void parse_sum() {
    parse_product();
    while (true) {
      if (accept("+")) {
        parse_product();
        binary(Code::add);
      } else if (accept("-")) {
        parse_product();
        binary(Code::subtract);
      } else {
        return;
      }
    }
  }

  void parse_product() {
    parse_unary();
    while (true) {
      if (accept("*")) {
        parse_unary();
        binary(Code::multiply);
      } else if (accept("//")) {
        parse_unary();
        binary(Code::floor_divide);
      } else if (accept("%")) {
        parse_unary();
        binary(Code::modulo);
      } else {
        return;
      }
    }
  }

  void parse_unary() {
    if (!accept("-")) return parse_primary();
    skip_space();
    if (position_ < text_.size() && is_digit(text_[position_])) return parse_number(true);
    const Nesting nesting(*this);
    parse_unary();
    unary(Code::negate);
  }

  void parse_primary() {
    skip_space();
    if (position_ >= text_.size()) {
      fail(position_, text_.empty() ? "an expression is missing" : "the expression ends too early");
    }
    const char c = text_[position_];
    if (is_digit(c)) return parse_number(false);
    if (is_name_start(c)) return parse_name();
    if (accept("(")) {
      parse_or();
      return expect(")");
    }
    fail_at_operand(c);
  }

  void parse_number(bool negative) {
    const std::size_t start = position_;
    const std::uint64_t limit =
        std::uint64_t{std::numeric_limits<std::int64_t>::max()} + (negative ? 1U : 0U);
    std::uint64_t value = 0;
    for (; position_ < text_.size() && is_digit(text_[position_]); ++position_) {
      const auto digit = static_cast<std::uint64_t>(text_[position_] - '0');
      if (value > (limit - digit) / 10) fail(start, "this number does not fit in 64 bits");
      value = 10 * value + digit;
    }
    if (position_ < text_.size() && (is_name_part(text_[position_]) || text_[position_] == '.')) {
      fail(start, "numbers are decimal integers, and a product needs its '*'");
    }
    if (position_ - start > 1 && text_[start] == '0') fail(start, "a number has no leading zeros");
    push(Code::constant, static_cast<std::int64_t>(negative ? 0 - value : value));
  }

  void parse_name() {
    const std::size_t start = position_;
    const std::string name(read_word());
    if (name == "min" || name == "max") {
      expect("(");
      parse_or();
      expect(",");
      parse_or();
      expect(")");
      return binary(name == "min" ? Code::minimum : Code::maximum);
    }
    if (std::find(kReservedWords.begin(), kReservedWords.end(), name) != kReservedWords.end()) {
      fail(start, fmt::format("'{}' cannot stand here: a value is missing before it", name));
    }
    std::vector<std::string>& names = result_.names_;
    const auto found = std::find(names.begin(), names.end(), name);
    const std::ptrdiff_t index = found - names.begin();
    if (found == names.end()) names.push_back(name);
    push(Code::variable, index);
  }

  void push(Code code, std::int64_t operand) {
    if (++stack_ > kMaxExpressionValues) {
      fail(position_,
           fmt::format("this expression holds more than {} values at a time: simplify it",
                       kMaxExpressionValues));
    }
    result_.program_.push_back({code, operand});
  }
  void unary(Code code) { result_.program_.push_back({code, 0}); }
  void binary(Code code) {
    --stack_;
    result_.program_.push_back({code, 0});
  }

  std::optional<Code> accept_comparison() {
    if (accept("<=")) return Code::less_equal;
    if (accept(">=")) return Code::greater_equal;
    if (accept("==")) return Code::equal;
    if (accept("!=")) return Code::not_equal;
    if (accept("<")) return Code::less;
    if (accept(">")) return Code::greater;
    return std::nullopt;
  }

  void skip_space() { position_ = skipped(position_); }
  std::size_t skipped(std::size_t at) const {
    while (at < text_.size() && std::isspace(static_cast<unsigned char>(text_[at])) != 0) ++at;
    return at;
  }

  bool accept(std::string_view token) {
    skip_space();
    if (!std::string_view(text_).substr(position_).starts_with(token)) return false;
    position_ += token.size();
    return true;
  }

  std::string_view read_word() {
    const std::size_t start = position_;
    while (position_ < text_.size() && is_name_part(text_[position_])) ++position_;
    return std::string_view(text_).substr(start, position_ - start);
  }

  bool accept_word(std::string_view word) {
    skip_space();
    const std::size_t start = position_;
    if (read_word() == word) return true;
    position_ = start;
    return false;
  }

  void expect(std::string_view token) {
    if (accept(token)) return;
    fail(position_, fmt::format("'{}' is missing here", token));
  }

  [[noreturn]] void fail_at_operator() const {
    const std::string_view rest = std::string_view(text_).substr(position_);
    if (rest.starts_with('/'))
      fail(position_, "'/' is not an operator: '//' divides and rounds down");
    if (rest.starts_with('=')) fail(position_, "'=' is not an operator: '==' compares");
    if (rest.starts_with('&')) fail(position_, "'&' is not an operator: write 'and'");
    if (rest.starts_with('|')) fail(position_, "'|' is not an operator: write 'or'");
    fail(position_, fmt::format("'{}' cannot stand here: an operator or the end is expected",
                                printable(rest.front())));
  }

  [[noreturn]] void fail_at_operand(char c) const {
    if (c == '!') fail(position_, "'!' is not an operator: write 'not'");
    fail(position_,
         fmt::format("'{}' cannot stand here: a number, a name or '(' is expected", printable(c)));
  }

  static std::string printable(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }

  [[noreturn]] void fail(std::size_t offset, const std::string& message) const {
    throw InputError(message, shifted(where_, offset));
  }

  struct Nesting {
    explicit Nesting(ExpressionParser& owner) : parser(owner) {
      if (++parser.nesting_ > kMaxNesting) {
        parser.fail(parser.position_,
                    fmt::format("this expression is nested deeper than {}", kMaxNesting));
      }
    }
    ~Nesting() { --parser.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ExpressionParser& parser;
  };

  const std::string& text_;
  const SourcePosition& where_;
  std::size_t position_ = 0;
  std::size_t stack_ = 0;
  int nesting_ = 0;
  Expression result_;
};

Expression Expression::parse(const std::string& text, const SourcePosition& where) {
  return ExpressionParser(text, where).run();
}

}  // namespace spyre::kernels
