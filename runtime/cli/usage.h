// What is said when a command line cannot be used.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace spyre::runtime {

/// Accepts a whole number from `low` to `high`; says what was given and what would do.
[[nodiscard]] CLI::Validator whole_number(
    std::int64_t low, std::int64_t high = std::numeric_limits<std::int64_t>::max());

/// A sentence about the first word that names no command or no option, with the nearest name, or
/// about a command that is missing. Empty when neither is the fault.
[[nodiscard]] std::string fault_of_words(const CLI::App& application, int argc,
                                         const char* const* argv);

}  // namespace spyre::runtime
