// Index expressions as text: what the planner writes into a schedule, folded where both sides are
// numbers.
#pragma once

#include <cstdint>
#include <string>

namespace spyre::kernels {

/// An index expression on its way into a schedule.
class Index {
 public:
  Index(std::int64_t constant) : text_(std::to_string(constant)), constant_(constant) {}  // NOLINT
  Index(int constant) : Index(std::int64_t{constant}) {}                                  // NOLINT
  Index(std::string variable) : text_(std::move(variable)) {}                             // NOLINT
  Index(const char* variable) : text_(variable) {}                                        // NOLINT

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool is_constant() const { return binding_ == Binding::atom && numeric(); }
  [[nodiscard]] std::int64_t constant() const { return constant_; }

  friend Index operator+(const Index& a, const Index& b);
  friend Index operator-(const Index& a, const Index& b);
  friend Index operator*(const Index& a, const Index& b);
  friend Index floor_divide(const Index& a, const Index& b);
  friend Index modulo(const Index& a, const Index& b);
  friend Index minimum(const Index& a, const Index& b);
  friend Index maximum(const Index& a, const Index& b);
  /// a < b, a == b, a and b: conditions for `when`.
  friend Index less(const Index& a, const Index& b);
  friend Index equal(const Index& a, const Index& b);
  friend Index both(const Index& a, const Index& b);

 private:
  /// How tightly the outermost operator binds: what decides about parentheses.
  enum class Binding { logical, comparison, sum, product, atom };
  Index(std::string text, Binding binding) : text_(std::move(text)), binding_(binding) {}
  [[nodiscard]] bool numeric() const;
  [[nodiscard]] bool is(std::int64_t value) const { return is_constant() && constant_ == value; }
  /// The text, in parentheses if it binds less tightly than `need`.
  [[nodiscard]] std::string as(Binding need) const;

  std::string text_;
  std::int64_t constant_ = 0;
  Binding binding_ = Binding::atom;
};

// Declared here as well, so that arguments which are not yet Index find them.
Index floor_divide(const Index& a, const Index& b);
Index modulo(const Index& a, const Index& b);
Index minimum(const Index& a, const Index& b);
Index maximum(const Index& a, const Index& b);
Index less(const Index& a, const Index& b);
Index equal(const Index& a, const Index& b);
Index both(const Index& a, const Index& b);

}  // namespace spyre::kernels
