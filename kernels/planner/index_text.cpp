#include "kernels/planner/index_text.h"

#include <algorithm>

namespace spyre::kernels {

bool Index::numeric() const {
  return !text_.empty() && (text_[0] == '-' || (text_[0] >= '0' && text_[0] <= '9'));
}

std::string Index::as(Binding need) const {
  return binding_ < need ? "(" + text_ + ")" : text_;
}

Index operator+(const Index& a, const Index& b) {
  if (a.is_constant() && b.is_constant()) return {a.constant_ + b.constant_};
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return {a.as(Index::Binding::sum) + " + " + b.as(Index::Binding::sum), Index::Binding::sum};
}

Index operator-(const Index& a, const Index& b) {
  if (a.is_constant() && b.is_constant()) return {a.constant_ - b.constant_};
  if (b.is(0)) return a;
  if (a.text_ == b.text_) return {0};
  return {a.as(Index::Binding::sum) + " - " + b.as(Index::Binding::product), Index::Binding::sum};
}

Index operator*(const Index& a, const Index& b) {
  if (a.is_constant() && b.is_constant()) return {a.constant_ * b.constant_};
  if (a.is(0) || b.is(0)) return {0};
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  // A product on the right may hold // or %, which do not commute with *.
  return {a.as(Index::Binding::product) + "*" + b.as(Index::Binding::atom),
          Index::Binding::product};
}

Index floor_divide(const Index& a, const Index& b) {
  if (b.is(1)) return a;
  if (a.is_constant() && b.is_constant() && a.constant_ >= 0) return {a.constant_ / b.constant_};
  return {a.as(Index::Binding::product) + "//" + b.as(Index::Binding::atom),
          Index::Binding::product};
}

Index modulo(const Index& a, const Index& b) {
  if (b.is(1)) return {0};
  if (a.is_constant() && b.is_constant() && a.constant_ >= 0) return {a.constant_ % b.constant_};
  return {a.as(Index::Binding::product) + "%" + b.as(Index::Binding::atom),
          Index::Binding::product};
}

Index minimum(const Index& a, const Index& b) {
  if (a.is_constant() && b.is_constant()) return {std::min(a.constant_, b.constant_)};
  if (a.text_ == b.text_) return a;
  return {"min(" + a.text_ + ", " + b.text_ + ")", Index::Binding::atom};
}

Index maximum(const Index& a, const Index& b) {
  if (a.is_constant() && b.is_constant()) return {std::max(a.constant_, b.constant_)};
  if (a.text_ == b.text_) return a;
  return {"max(" + a.text_ + ", " + b.text_ + ")", Index::Binding::atom};
}

Index less(const Index& a, const Index& b) {
  if (a.is_constant() && b.is_constant()) return {a.constant_ < b.constant_ ? 1 : 0};
  return {a.as(Index::Binding::sum) + " < " + b.as(Index::Binding::sum),
          Index::Binding::comparison};
}

Index equal(const Index& a, const Index& b) {
  if (a.is_constant() && b.is_constant()) return {a.constant_ == b.constant_ ? 1 : 0};
  return {a.as(Index::Binding::sum) + " == " + b.as(Index::Binding::sum),
          Index::Binding::comparison};
}

Index both(const Index& a, const Index& b) {
  if (a.is_constant()) return a.constant_ != 0 ? b : Index(0);
  if (b.is_constant()) return b.constant_ != 0 ? a : Index(0);
  return {a.as(Index::Binding::comparison) + " and " + b.as(Index::Binding::comparison),
          Index::Binding::logical};
}

}  // namespace spyre::kernels
