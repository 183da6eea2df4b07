// exp, tanh and their relatives in fp32, without library calls and without branches, so that loops
// over them become vector code and every machine gives the same bits.
//
// Error: docs/formats.md gives what the tests bound against the double-precision library.
// Polynomials: S. Moshier's Cephes library (expf, tanhf).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace spyre::models::elementary {

[[gnu::always_inline]] inline float exp(float x) {
  // Beyond these the result is infinity or 0.
  float inside = x < -104.0F ? -104.0F : x;
  inside = inside > 89.0F ? 89.0F : inside;
  constexpr float kShifter =
      12582912.0F;  // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
  const float shifted = inside * std::numbers::log2e_v<float> + kShifter;
  const float n = shifted - kShifter;
  const std::uint32_t power =
      std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(kShifter);
  // ln 2 in two parts, the first short enough that n times it is exact.
  const float r = (inside - n * 0.693359375F) - n * -2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  const float mantissa = (p * (r * r) + r) + 1.0F;
  // 2^power in two factors: either alone may be out of range.
  const auto half = static_cast<std::uint32_t>(static_cast<std::int32_t>(power) >> 1);
  const float first = std::bit_cast<float>((half + 127) << 23);
  const float second = std::bit_cast<float>((power - half + 127) << 23);
  const float result = mantissa * first * second;
  return x == x ? result : x;
}

[[gnu::always_inline]] inline float sigmoid(float x) {
  const float e = exp(-std::fabs(x));
  return (x < 0.0F ? e : 1.0F) / (1.0F + e);
}

[[gnu::always_inline]] inline float tanh(float x) {
  const float magnitude = std::fabs(x);
  const float z = x * x;
  float p = -5.70498872745e-3F;
  p = p * z + 2.06390887954e-2F;
  p = p * z - 5.37397155531e-2F;
  p = p * z + 1.33314422036e-1F;
  p = p * z - 3.33332819422e-1F;
  const float near = p * z * magnitude + magnitude;
  const float far = 1.0F - 2.0F / (exp(2.0F * magnitude) + 1.0F);
  return std::copysign(magnitude < 0.625F ? near : far, x);
}

[[gnu::always_inline]] inline float silu(float x) {
  return x * sigmoid(x);
}

/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), the sum written as a sigmoid so that it does not
/// cancel.
[[gnu::always_inline]] inline float gelu_tanh(float x) {
  constexpr float kTwoSqrtTwoOverPi = 1.5957691216057308F;
  return x * sigmoid(kTwoSqrtTwoOverPi * (x + 0.044715F * (x * x * x)));
}

/// x/2 (1 + erf(x / sqrt 2)), through the library's double erfc; not vector code.
inline float gelu_erf(float x) {
  const double wide = x;
  return static_cast<float>(0.5 * wide * std::erfc(wide * (-0.5 * std::numbers::sqrt2)));
}

}  // namespace spyre::models::elementary
