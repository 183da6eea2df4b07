#include "traces/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace spyre::traces {

std::string with_separators(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string three_digits(double value) {
  if (value == 0) return "0";
  // The decimal exponent after rounding, so that 9.999 is 10.0 and not 10.00.
  const std::string scientific = fmt::format("{:.2e}", value);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  return fmt::format("{:.{}f}", value, std::max(2 - exponent, 0));
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

std::string percent(double part, double whole) {
  if (part == 0 || whole == 0) return "0.00";
  const double value = 100 * part / whole;
  return value < 0.005 ? "<0.01" : fmt::format("{:.2f}", value);
}

}  // namespace spyre::traces
