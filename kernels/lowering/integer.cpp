#include "kernels/lowering/integer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace spyre::kernels::lowering {
namespace {

__extension__ using Wide = __int128;

std::int64_t clamped(Wide value) {
  return static_cast<std::int64_t>(std::clamp<Wide>(value, -kFarthest, kFarthest));
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

}  // namespace

Range operator+(const Range& a, const Range& b) {
  return {clamped(Wide{a.low} + b.low), clamped(Wide{a.high} + b.high)};
}

Range operator-(const Range& a, const Range& b) {
  return {clamped(Wide{a.low} - b.high), clamped(Wide{a.high} - b.low)};
}

Range operator*(const Range& a, const Range& b) {
  const std::initializer_list<std::int64_t> products{
      clamped(Wide{a.low} * b.low), clamped(Wide{a.low} * b.high), clamped(Wide{a.high} * b.low),
      clamped(Wide{a.high} * b.high)};
  return {std::min(products), std::max(products)};
}

Integer Integer::variable(const std::string& name, Range range, std::int64_t multiple) {
  if (range.low == range.high) return {range.low};
  Integer result;
  result.terms_.push_back({name, Binding::tight, 1, range, multiple, {name}});
  return result;
}

Integer Integer::atom(std::string text, Binding binding, Range range,
                      std::initializer_list<const Integer*> parts, std::int64_t multiple) {
  Term term{std::move(text), binding, 1, range, multiple, {}};
  for (const Integer* part : parts) {
    for (const std::string& name : part->variables()) {
      if (std::ranges::find(term.variables, name) == term.variables.end()) {
        term.variables.push_back(name);
      }
    }
  }
  Integer result;
  result.terms_.push_back(std::move(term));
  return result;
}

void Integer::add(const Term& term, std::int64_t times) {
  const auto known = std::ranges::find(terms_, term.text, &Term::text);
  if (known == terms_.end()) {
    if (times == 0) return;
    terms_.push_back(term);
    terms_.back().factor = term.factor * times;
    return;
  }
  known->factor += term.factor * times;
  if (known->factor == 0) terms_.erase(known);
}

Integer Integer::without_constant() const {
  Integer result = *this;
  result.constant_ = 0;
  return result;
}

Range Integer::range() const {
  Range sum{constant_, constant_};
  for (const Term& term : terms_) sum = sum + term.range * Range{term.factor, term.factor};
  return sum;
}

std::int64_t Integer::divisor() const {
  std::int64_t result = std::abs(constant_);
  for (const Term& term : terms_) result = std::gcd(result, term.factor * term.multiple);
  return result;
}

std::vector<std::string> Integer::variables() const {
  std::vector<std::string> names;
  for (const Term& term : terms_) {
    for (const std::string& name : term.variables) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

bool Integer::uses(const std::string& variable) const {
  const std::vector<std::string> names = variables();
  return std::ranges::find(names, variable) != names.end();
}

std::int64_t Integer::factor(const std::string& variable) const {
  const auto found = std::ranges::find(terms_, variable, &Term::text);
  return found == terms_.end() ? 0 : found->factor;
}

Integer Integer::without(const std::string& variable) const {
  Integer result = *this;
  std::erase_if(result.terms_, [&](const Term& term) { return term.text == variable; });
  return result;
}

std::string Integer::text() const {
  if (terms_.empty()) return std::to_string(constant_);
  if (terms_.size() == 1 && constant_ == 0 && terms_[0].factor == 1) return terms_[0].text;
  std::string text;
  for (const Term& term : terms_) {
    const bool minus = term.factor < 0;
    if (!text.empty()) {
      text += minus ? " - " : " + ";
    } else if (minus) {
      text += "-";
    }
    const std::int64_t size = std::abs(term.factor);
    // A product on the right of * may hold // or %, which do not commute with it.
    const Binding need = size == 1 && !(minus && text == "-") ? Binding::product : Binding::tight;
    if (size != 1) text += std::to_string(size) + "*";
    text += term.binding < need ? "(" + term.text + ")" : term.text;
  }
  if (constant_ > 0) text += fmt::format(" + {}", constant_);
  if (constant_ < 0) text += fmt::format(" - {}", -constant_);
  return text;
}

std::string Integer::as(Binding need) const {
  if (terms_.empty()) {
    return constant_ < 0 && need == Binding::tight ? fmt::format("({})", constant_) : text();
  }
  Binding binding = Binding::sum;
  if (terms_.size() == 1 && constant_ == 0 && terms_[0].factor > 0) {
    binding = terms_[0].factor == 1 ? terms_[0].binding : Binding::product;
  }
  return binding >= need ? text() : "(" + text() + ")";
}

Expression Integer::expression() const {
  if (is_constant()) return Expression(constant_);
  return Expression::parse(text(), {});
}

Integer operator+(const Integer& a, const Integer& b) {
  Integer sum = a;
  sum.constant_ += b.constant_;
  for (const Integer::Term& term : b.terms_) sum.add(term, 1);
  return sum;
}

Integer operator-(const Integer& a, const Integer& b) {
  Integer sum = a;
  sum.constant_ -= b.constant_;
  for (const Integer::Term& term : b.terms_) sum.add(term, -1);
  return sum;
}

Integer operator*(const Integer& a, const Integer& b) {
  if (b.is_constant()) {
    Integer product(a.constant_ * b.constant_);
    for (const Integer::Term& term : a.terms_) product.add(term, b.constant_);
    return product;
  }
  if (a.is_constant()) return b * a;
  return Integer::atom(a.as(Integer::Binding::product) + "*" + b.as(Integer::Binding::tight),
                       Integer::Binding::product, a.range() * b.range(), {&a, &b},
                       std::max<std::int64_t>(1, a.divisor() * b.divisor()));
}

Integer floor_divide(const Integer& a, const Integer& b) {
  if (!b.is_constant() || b.constant_ < 0) {
    return Integer::atom(a.as(Integer::Binding::product) + "//" + b.as(Integer::Binding::tight),
                         Integer::Binding::product, kAnywhere, {&a, &b});
  }
  std::int64_t by = b.constant_;
  if (by == 1) return a;
  Integer whole(floor_quotient(a.constant_, by));
  Integer rest(a.constant_ - whole.constant_ * by);
  for (const Integer::Term& term : a.terms_) {
    if (term.factor % by == 0) {
      whole.add(term, 1);
      whole.terms_.back().factor = term.factor / by;
    } else {
      rest.add(term, 1);
    }
  }
  const Range range = rest.range();
  const std::int64_t low = floor_quotient(range.low, by);
  const std::int64_t high = floor_quotient(range.high, by);
  if (low == high) return whole + low;
  std::int64_t common = by;
  for (const Integer::Term& term : rest.terms_) common = std::gcd(common, term.factor);
  if (common > 1) {  // (g y + r) // (g d) = (y + r // g) // d
    for (Integer::Term& term : rest.terms_) term.factor /= common;
    rest.constant_ = floor_quotient(rest.constant_, common);
    by /= common;
  }
  if (by == 1) return whole + rest;
  return whole + Integer::atom(rest.as(Integer::Binding::product) + "//" + std::to_string(by),
                               Integer::Binding::product, {low, high}, {&rest});
}

Integer modulo(const Integer& a, const Integer& b) {
  if (!b.is_constant() || b.constant_ < 0) {
    return Integer::atom(a.as(Integer::Binding::product) + "%" + b.as(Integer::Binding::tight),
                         Integer::Binding::product, kAnywhere, {&a, &b});
  }
  const std::int64_t by = b.constant_;
  Integer rest(a.constant_ - floor_quotient(a.constant_, by) * by);
  for (const Integer::Term& term : a.terms_) {
    if (term.factor * term.multiple % by != 0) rest.add(term, 1);
  }
  const Range range = rest.range();
  const std::int64_t turns = floor_quotient(range.low, by);
  if (turns == floor_quotient(range.high, by)) return rest - turns * by;
  std::int64_t common = std::gcd(by, rest.constant_);
  for (const Integer::Term& term : rest.terms_) common = std::gcd(common, term.factor);
  rest.constant_ /= common;
  for (Integer::Term& term : rest.terms_) term.factor /= common;
  return Integer::atom(rest.as(Integer::Binding::product) + "%" + std::to_string(by / common),
                       Integer::Binding::product, {0, by / common - 1}, {&rest}) *
         common;
}

Integer minimum(const Integer& a, const Integer& b) {
  const Range difference = (a - b).range();
  if (difference.high <= 0) return a;
  if (difference.low >= 0) return b;
  const Range x = a.range();
  const Range y = b.range();
  return Integer::atom("min(" + a.text() + ", " + b.text() + ")", Integer::Binding::tight,
                       {std::min(x.low, y.low), std::min(x.high, y.high)}, {&a, &b},
                       std::max<std::int64_t>(1, std::gcd(a.divisor(), b.divisor())));
}

Integer maximum(const Integer& a, const Integer& b) {
  const Range difference = (a - b).range();
  if (difference.low >= 0) return a;
  if (difference.high <= 0) return b;
  const Range x = a.range();
  const Range y = b.range();
  return Integer::atom("max(" + a.text() + ", " + b.text() + ")", Integer::Binding::tight,
                       {std::max(x.low, y.low), std::max(x.high, y.high)}, {&a, &b},
                       std::max<std::int64_t>(1, std::gcd(a.divisor(), b.divisor())));
}

namespace {

/// Rounds towards plus infinity.
std::int64_t ceiling_quotient(std::int64_t a, std::int64_t b) {
  return -floor_quotient(-a, b);
}

}  // namespace

/// Splits terms / g into those that stand on the left and, negated, those on the right; gives g.
std::int64_t Integer::sides(const Integer& difference, Integer& left, Integer& right) {
  std::int64_t common = 0;
  for (const Term& term : difference.terms_) common = std::gcd(common, term.factor);
  for (const Term& term : difference.terms_) {
    (term.factor > 0 ? left : right).add(term, term.factor > 0 ? 1 : -1);
  }
  for (Integer* side : {&left, &right}) {
    for (Term& term : side->terms_) term.factor /= common;
  }
  return common;
}

Integer less(const Integer& a, const Integer& b) {
  const Integer difference = a - b;
  const Range range = difference.range();
  if (range.high < 0) return {1};
  if (range.low >= 0) return {0};
  Integer left;
  Integer right;
  const std::int64_t common = Integer::sides(difference, left, right);
  const std::int64_t limit = ceiling_quotient(-difference.constant_, common);
  (limit < 0 ? left : right).constant_ = std::abs(limit);
  return Integer::atom(left.as(Integer::Binding::sum) + " < " + right.as(Integer::Binding::sum),
                       Integer::Binding::comparison, {0, 1}, {&left, &right});
}

Integer equal(const Integer& a, const Integer& b) {
  const Integer difference = a - b;
  if (difference.is_constant()) return {difference.constant() == 0 ? 1 : 0};
  const Range range = difference.range();
  if (range.low > 0 || range.high < 0) return {0};
  Integer left;
  Integer right;
  const std::int64_t common = Integer::sides(difference, left, right);
  if (difference.constant_ % common != 0) return {0};
  const std::int64_t value = -difference.constant_ / common;
  (value < 0 ? left : right).constant_ = std::abs(value);
  return Integer::atom(left.as(Integer::Binding::sum) + " == " + right.as(Integer::Binding::sum),
                       Integer::Binding::comparison, {0, 1}, {&left, &right});
}

Integer both(const Integer& a, const Integer& b) {
  if (a.is_constant()) return a.constant_ != 0 ? b : Integer(0);
  if (b.is_constant()) return b.constant_ != 0 ? a : Integer(0);
  if (a == b) return a;
  return Integer::atom(
      a.as(Integer::Binding::conjunction) + " and " + b.as(Integer::Binding::conjunction),
      Integer::Binding::conjunction, {0, 1}, {&a, &b});
}

Integer either(const Integer& a, const Integer& b) {
  if (a.is_constant()) return a.constant_ != 0 ? Integer(1) : b;
  if (b.is_constant()) return b.constant_ != 0 ? Integer(1) : a;
  if (a == b) return a;
  return Integer::atom(
      a.as(Integer::Binding::disjunction) + " or " + b.as(Integer::Binding::disjunction),
      Integer::Binding::disjunction, {0, 1}, {&a, &b});
}

Integer negation(const Integer& a) {
  if (a.is_constant()) return {a.constant_ == 0 ? 1 : 0};
  return Integer::atom("not (" + a.text() + ")", Integer::Binding::conjunction, {0, 1}, {&a});
}

}  // namespace spyre::kernels::lowering
