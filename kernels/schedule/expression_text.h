// What expressions look like as text: shared by their parser and their binding. Internal to both.
#pragma once

#include <cctype>
#include <cstddef>

#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {

/// Values on the evaluation stack at a time: far above what index expressions need.
inline constexpr std::size_t kMaxExpressionValues = 32;

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
inline bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}

/// The place of the character at `offset` of a text that starts at `where`, on the same line.
inline models::SourcePosition shifted(models::SourcePosition where, std::size_t offset) {
  if (where.line > 0) where.column += static_cast<int>(offset);
  return where;
}

}  // namespace spyre::kernels
