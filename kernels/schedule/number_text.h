// Floating-point numbers as text in schedules. Internal to the reader and the writer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spyre::kernels {

/// Whether the text is a number rather than an expression: digits, a point and an exponent, or one
/// of the words that YAML has for what is no finite number.
[[nodiscard]] bool is_number_text(std::string_view text);
/// The number that such a text gives; nothing if no double is near it.
[[nodiscard]] std::optional<double> number_of(std::string_view text);
/// The shortest text that reads back as this very number.
[[nodiscard]] std::string number_text(double number);

}  // namespace spyre::kernels
