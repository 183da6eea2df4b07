// Integers that lowering knows as formulas over tile ids and loop variables, kept as sums so that
// addresses, extents and conditions simplify, with the range of every part.
//
// A sum of multiples of atoms: variables, and subformulas that are no sum (quotients, remainders,
// minima, comparisons). Modelled: exact integers, rounding as the schedule's expressions do
// (towards minus infinity). Not modelled: wrap-around; callers compare range() with the width of a
// type where it matters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/schedule/expression.h"

namespace spyre::kernels::lowering {

/// Inclusive. Ends beyond +-2^62 are kept at +-2^62.
struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;

  [[nodiscard]] bool within(std::int64_t lowest, std::int64_t highest) const {
    return low >= lowest && high <= highest;
  }
  bool operator==(const Range&) const = default;
};
inline constexpr std::int64_t kFarthest = std::int64_t{1} << 62;
inline constexpr Range kAnywhere{-kFarthest, kFarthest};

[[nodiscard]] Range operator+(const Range& a, const Range& b);
[[nodiscard]] Range operator-(const Range& a, const Range& b);
[[nodiscard]] Range operator*(const Range& a, const Range& b);

class Integer {
 public:
  Integer(std::int64_t constant = 0) : constant_(constant) {}  // NOLINT: a number is a formula
  Integer(int constant) : constant_(constant) {}               // NOLINT
  /// Every value is a multiple of `multiple`.
  static Integer variable(const std::string& name, Range range, std::int64_t multiple = 1);

  [[nodiscard]] bool is_constant() const { return terms_.empty(); }
  [[nodiscard]] bool is(std::int64_t value) const { return is_constant() && constant_ == value; }
  /// What stands beside the atoms; the value itself if is_constant().
  [[nodiscard]] std::int64_t constant() const { return constant_; }
  [[nodiscard]] Integer without_constant() const;
  [[nodiscard]] Range range() const;
  /// The largest number known to divide every value; 0 if the value is always 0.
  [[nodiscard]] std::int64_t divisor() const;
  [[nodiscard]] bool uses(const std::string& variable) const;
  /// Every variable that occurs, also inside atoms.
  [[nodiscard]] std::vector<std::string> variables() const;
  /// The factor of a variable that occurs as an atom of its own; 0 if it does not.
  [[nodiscard]] std::int64_t factor(const std::string& variable) const;
  /// The sum without the multiples of that variable alone.
  [[nodiscard]] Integer without(const std::string& variable) const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] Expression expression() const;

  bool operator==(const Integer& other) const { return text() == other.text(); }

  friend Integer operator+(const Integer& a, const Integer& b);
  friend Integer operator-(const Integer& a, const Integer& b);
  friend Integer operator*(const Integer& a, const Integer& b);
  /// Rounds towards minus infinity. The divisor is not 0.
  friend Integer floor_divide(const Integer& a, const Integer& b);
  friend Integer modulo(const Integer& a, const Integer& b);
  friend Integer minimum(const Integer& a, const Integer& b);
  friend Integer maximum(const Integer& a, const Integer& b);
  /// 0 or 1.
  friend Integer less(const Integer& a, const Integer& b);
  friend Integer equal(const Integer& a, const Integer& b);
  friend Integer both(const Integer& a, const Integer& b);
  friend Integer either(const Integer& a, const Integer& b);
  friend Integer negation(const Integer& a);

 private:
  /// How tightly the atom's text binds, loosest first.
  enum class Binding { disjunction, conjunction, comparison, sum, product, tight };
  struct Term {
    std::string text;
    Binding binding = Binding::tight;
    std::int64_t factor = 1;
    Range range;
    std::int64_t multiple = 1;
    std::vector<std::string> variables;
  };
  static Integer atom(std::string text, Binding binding, Range range,
                      std::initializer_list<const Integer*> parts, std::int64_t multiple = 1);
  /// The text for a place that needs at least this binding.
  [[nodiscard]] std::string as(Binding need) const;
  void add(const Term& term, std::int64_t times);
  static std::int64_t sides(const Integer& difference, Integer& left, Integer& right);

  std::int64_t constant_ = 0;
  std::vector<Term> terms_;
};

// Declared here as well, so that arguments which are not yet Integer find them.
Integer floor_divide(const Integer& a, const Integer& b);
Integer modulo(const Integer& a, const Integer& b);
Integer minimum(const Integer& a, const Integer& b);
Integer maximum(const Integer& a, const Integer& b);
Integer less(const Integer& a, const Integer& b);
Integer equal(const Integer& a, const Integer& b);
Integer both(const Integer& a, const Integer& b);
Integer either(const Integer& a, const Integer& b);
Integer negation(const Integer& a);

}  // namespace spyre::kernels::lowering
