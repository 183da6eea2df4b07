// int8 and packed int4 as number formats: float to the nearest integer (ties to even), saturating;
// NaN becomes 0.
//
// Packing of int4: two's complement, two to a byte, element 0 in the low nibble. The device's own
// order is not public; this one is the project's choice.
#pragma once

#include <cstdint>

namespace spyre::models {

namespace integer_format_internal {

/// Nearest integer of a float within +-2^22, ties to even, without a library call.
[[nodiscard]] constexpr std::int32_t nearest(float value) {
  constexpr float kShifter = 12582912.0F;  // 1.5 * 2^23: its last place is 1
  return static_cast<std::int32_t>((value + kShifter) - kShifter);
}

[[nodiscard]] constexpr std::int32_t saturated(float value, float low, float high) {
  float inside = value == value ? value : 0.0F;
  inside = inside < low ? low : inside;
  inside = inside > high ? high : inside;
  return nearest(inside);
}

}  // namespace integer_format_internal

[[nodiscard]] constexpr std::int8_t encode_int8(float value) {
  return static_cast<std::int8_t>(integer_format_internal::saturated(value, -128.0F, 127.0F));
}

/// In the low nibble; the high one is zero.
[[nodiscard]] constexpr std::uint8_t encode_int4(float value) {
  return static_cast<std::uint8_t>(integer_format_internal::saturated(value, -8.0F, 7.0F) & 0xf);
}

/// Of the low nibble.
[[nodiscard]] constexpr std::int8_t decode_int4(std::uint8_t nibble) {
  return static_cast<std::int8_t>(((nibble & 0xf) ^ 8) - 8);
}

}  // namespace spyre::models
