#include "traces/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace spyre::traces {
namespace {

/// How many decimals show so many significant digits of a value that is not 0.
int decimals_for(double value, int digits) {
  // The decimal exponent after rounding, so that 9.999 is 10.0 and not 10.00.
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  return std::max(digits - 1 - exponent, 0);
}

}  // namespace

std::string with_separators(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string three_digits(double value) {
  return value == 0 ? "0" : fmt::format("{:.{}f}", value, decimals_for(value, 3));
}

std::string with_prefix(double value) {
  constexpr std::array<const char*, 7> kPrefixes{"", " k", " M", " G", " T", " P", " E"};
  if (value < 999.5) return fmt::format("{:.0f}", value);
  std::size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return three_digits(value) + kPrefixes[prefix];
}

std::string milliseconds(double value) {
  return value >= 0.1 ? fmt::format("{:.3f}", value) : three_digits(value);
}

std::string short_milliseconds(double value) {
  if (value == 0) return "0";
  if (value < 0.00005) return "<0.0001";
  return fmt::format("{:.{}f}", value, std::min(decimals_for(value, 4), 4));
}

std::string percent(double part, double whole) {
  if (part == 0 || whole == 0) return "0.00";
  const double value = 100 * part / whole;
  return value < 0.005 ? "<0.01" : fmt::format("{:.2f}", value);
}

}  // namespace spyre::traces
