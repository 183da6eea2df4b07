#include "kernels/schedule/number_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "kernels/schedule/expression_text.h"

namespace spyre::kernels {
namespace {

bool remove_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

std::size_t remove_digits(std::string_view& text) {
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  text.remove_prefix(digits);
  return digits;
}

bool is_infinity(std::string_view text) {
  return text == ".inf" || text == ".Inf" || text == ".INF";
}

bool is_not_a_number(std::string_view text) {
  return text == ".nan" || text == ".NaN" || text == ".NAN";
}

}  // namespace

bool is_number_text(std::string_view text) {
  if (is_not_a_number(text)) return true;
  remove_sign(text);
  if (is_infinity(text)) return true;
  std::size_t digits = remove_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += remove_digits(text);
  }
  if (digits == 0) return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    remove_sign(text);
    if (remove_digits(text) == 0) return false;
  }
  return text.empty();
}

std::optional<double> number_of(std::string_view text) {
  if (is_not_a_number(text)) return std::numeric_limits<double>::quiet_NaN();
  const double sign = remove_sign(text) ? -1.0 : 1.0;
  if (is_infinity(text)) return sign * std::numeric_limits<double>::infinity();
  double number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc{}) return std::nullopt;
  return sign * number;
}

std::string number_text(double number) {
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number < 0 ? "-.inf" : ".inf";
  return fmt::format("{}", number);
}

}  // namespace spyre::kernels
