// Floating-point formats of up to 32 bits as templates: exact decoding, and encoding from double
// with one rounding.
//
// Modelled: rounding direction, overflow, subnormals or their absence, NaN and infinity encodings.
// Not modelled: exception flags, NaN payloads (a NaN keeps its sign and becomes the format's one
// quiet NaN). Sources: fp16 IEEE 754 binary16; E4M3 and E5M2 Micikevicius et al., "FP8 formats for
// deep learning" (2022), and the OCP 8-bit floating point specification; DLFloat16 Agrawal et al.,
// "DLFloat" (ARITH 2019). docs/formats.md says which of DLFloat16's rules were checked against
// what.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace spyre::models {

enum class Rounding : std::uint8_t {
  nearest_even,
  nearest_away,  ///< ties to the larger magnitude
  toward_zero,
};

enum class Overflow : std::uint8_t {
  special,   ///< infinity, or NaN where there is none; rounding toward zero stops at the largest
             ///< finite value
  saturate,  ///< the largest finite value, infinities too
};

/// What the codes at the two ends of a format's range mean.
struct IeeePolicy {
  static constexpr Rounding kRounding = Rounding::nearest_even;
  static constexpr bool kSubnormals = true;
  static constexpr bool kInfinity = true;  ///< the whole top binade is infinity and NaN
};
/// E4M3: the top binade holds numbers; only its all-ones code is NaN.
struct FiniteTopPolicy {
  static constexpr Rounding kRounding = Rounding::nearest_even;
  static constexpr bool kSubnormals = true;
  static constexpr bool kInfinity = false;
};
/// DLFloat16: the top and the bottom binade hold normal numbers, all ones is NaN or infinity, all
/// zeros is zero.
struct DlFloatPolicy {
  static constexpr Rounding kRounding = Rounding::nearest_away;
  static constexpr bool kSubnormals = false;
  static constexpr bool kInfinity = false;
};

template <int ExponentBits, int FractionBits, class Policy>
struct MiniFloat {
  static constexpr int kFractionBits = FractionBits;
  static constexpr int kBits = 1 + ExponentBits + FractionBits;
  static_assert(kBits <= 32 && ExponentBits >= 2 && FractionBits >= 1);
  using Code = std::conditional_t<(kBits > 16), std::uint32_t,
                                  std::conditional_t<(kBits > 8), std::uint16_t, std::uint8_t>>;
  using Rules = Policy;

  static constexpr int kBias = (1 << (ExponentBits - 1)) - 1;
  static constexpr std::uint32_t kSignBit = std::uint32_t{1} << (kBits - 1);
  static constexpr std::uint32_t kMagnitudeMask = kSignBit - 1;
  static constexpr std::uint32_t kTopBinade = kMagnitudeMask >> FractionBits << FractionBits;
  /// Magnitudes of the special codes. Without infinity, `kInfinityCode` is the NaN code.
  static constexpr std::uint32_t kInfinityCode = Policy::kInfinity ? kTopBinade : kMagnitudeMask;
  static constexpr std::uint32_t kNanCode =
      Policy::kInfinity ? kTopBinade | (std::uint32_t{1} << (FractionBits - 1)) : kMagnitudeMask;
  static constexpr std::uint32_t kMaxFinite = kInfinityCode - 1;
  /// Exponent of the smallest normal binade.
  static constexpr int kMinExponent = (Policy::kSubnormals ? 1 : 0) - kBias;

  /// The nearest code in the given direction: one rounding, straight from the double.
  [[nodiscard]] static constexpr Code encode(double value, Rounding rounding = Policy::kRounding,
                                             Overflow overflow = Overflow::special) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint32_t>(bits >> 63) << (kBits - 1);
    const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
    return static_cast<Code>(sign | encode_magnitude(magnitude, rounding, overflow));
  }

  [[nodiscard]] static constexpr double decode(Code code) {
    const std::uint32_t magnitude = code & kMagnitudeMask;
    const std::uint64_t sign = std::uint64_t{(code & kSignBit) != 0} << 63;
    return std::bit_cast<double>(sign | decode_magnitude(magnitude));
  }

 private:
  static constexpr int kDoubleFraction = 52;
  static constexpr int kDoubleBias = 1023;
  static constexpr std::uint64_t kDoubleInfinity = std::uint64_t{0x7ff} << kDoubleFraction;

  static constexpr std::uint32_t encode_magnitude(std::uint64_t magnitude, Rounding rounding,
                                                  Overflow overflow) {
    if (magnitude > kDoubleInfinity) return kNanCode;
    const std::uint32_t too_large = overflow == Overflow::saturate ? kMaxFinite : kInfinityCode;
    if (magnitude == kDoubleInfinity) return too_large;
    const int exponent = static_cast<int>(magnitude >> kDoubleFraction) - kDoubleBias;
    if (exponent == -kDoubleBias)
      return 0;  // zero, or a subnormal double: below half of every format here
    const std::uint64_t significand = (magnitude & ((std::uint64_t{1} << kDoubleFraction) - 1)) |
                                      std::uint64_t{1} << kDoubleFraction;
    // Below the smallest normal binade the step stays that of the binade, where there are
    // subnormals.
    const int binade = Policy::kSubnormals && exponent < kMinExponent ? kMinExponent : exponent;
    const int shift = kDoubleFraction - FractionBits + (binade - exponent);
    const std::int64_t steps = static_cast<std::int64_t>(shift_right(significand, shift, rounding));
    const std::int64_t code = (static_cast<std::int64_t>(binade + kBias) << FractionBits) + steps -
                              (std::int64_t{1} << FractionBits);
    if (code <= 0) return 0;
    if (code <= kMaxFinite) return static_cast<std::uint32_t>(code);
    return rounding == Rounding::toward_zero ? kMaxFinite : too_large;
  }

  static constexpr std::uint64_t shift_right(std::uint64_t value, int shift, Rounding rounding) {
    if (shift > kDoubleFraction + 2) return 0;  // less than half a step
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const std::uint64_t odd = value >> shift & 1;
    switch (rounding) {
      case Rounding::nearest_even:
        value += half - 1 + odd;
        break;
      case Rounding::nearest_away:
        value += half;
        break;
      case Rounding::toward_zero:
        break;
    }
    return value >> shift;
  }

  static constexpr std::uint64_t decode_magnitude(std::uint32_t magnitude) {
    if (magnitude == 0) return 0;
    if (magnitude > kMaxFinite) {
      const bool infinite = Policy::kInfinity && magnitude == kInfinityCode;
      return infinite ? kDoubleInfinity
                      : kDoubleInfinity | std::uint64_t{1} << (kDoubleFraction - 1);
    }
    std::uint64_t fraction = magnitude & ((std::uint32_t{1} << FractionBits) - 1);
    int exponent = static_cast<int>(magnitude >> FractionBits) - kBias;
    if (Policy::kSubnormals && exponent == -kBias) {
      const int leading = static_cast<int>(std::bit_width(fraction)) - 1;
      exponent = kMinExponent - FractionBits + leading;
      fraction = (fraction << (FractionBits - leading)) & ((std::uint64_t{1} << FractionBits) - 1);
    }
    return static_cast<std::uint64_t>(exponent + kDoubleBias) << kDoubleFraction |
           fraction << (kDoubleFraction - FractionBits);
  }
};

using Float32 = MiniFloat<8, 23, IeeePolicy>;
using Float16 = MiniFloat<5, 10, IeeePolicy>;
using BFloat16 = MiniFloat<8, 7, IeeePolicy>;
using DlFloat16 = MiniFloat<6, 9, DlFloatPolicy>;
using Float8E4M3 = MiniFloat<4, 3, FiniteTopPolicy>;
using Float8E5M2 = MiniFloat<5, 2, IeeePolicy>;

static_assert(Float16::decode(Float16::kMaxFinite) == 65504.0);
static_assert(Float8E4M3::decode(Float8E4M3::kMaxFinite) == 448.0);
static_assert(DlFloat16::decode(DlFloat16::kMaxFinite) == 8573157376.0);

}  // namespace spyre::models
