// Numbers as people read them. JSON prints its own, in full.
#pragma once

#include <cstdint>
#include <string>

namespace spyre::traces {

/// 16341729280 as "16,341,729,280".
[[nodiscard]] std::string with_separators(std::uint64_t value);

/// Three significant digits, never an exponent, larger numbers in full: 0.0413, 1.50, 24.6, 1296. 0
/// is "0".
[[nodiscard]] std::string three_digits(double value);

/// Three significant digits with an SI prefix: "8.45 k", "2.01 G"; whole below 1000.
[[nodiscard]] std::string with_prefix(double value);

/// Milliseconds to the microsecond; three digits where that would show too few.
[[nodiscard]] std::string milliseconds(double value);

/// Milliseconds in a narrow column: four significant digits, at most four decimals, "<0.0001"
/// below.
[[nodiscard]] std::string short_milliseconds(double value);

/// part / whole in percent with two decimals; "<0.01" for something that would print as nothing.
[[nodiscard]] std::string percent(double part, double whole);

}  // namespace spyre::traces
