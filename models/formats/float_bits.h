// Branch-free conversions between float and the smaller formats, in each format's own rounding, for
// loops that the compiler turns into vector code. Same results as MiniFloat::encode and decode on
// every float (tested).
//
// Relies on the default floating-point environment: round to nearest even, subnormals not flushed.
#pragma once

#include <bit>
#include <cstdint>

#include "models/formats/mini_float.h"

namespace spyre::models {

template <class F>
struct FloatBits {
  static_assert(F::kBits <= 16);
  static constexpr std::uint32_t kMagnitude = 0x7fffffff;
  static constexpr std::uint32_t kInfinity = 0x7f800000;
  static constexpr int kShift = 23 - F::kFractionBits;
  static constexpr int kFloatBias = 127;
  /// A float's magnitude, shifted right by kShift, exceeds the code by this.
  static constexpr std::int32_t kRebias = (kFloatBias - F::kBias) << F::kFractionBits;
  static constexpr std::uint32_t kMinNormal =
      static_cast<std::uint32_t>(F::kMinExponent + kFloatBias) << 23;
  /// Adding it to a float below kMinNormal leaves the subnormal's code in the low bits of the sum,
  /// rounded to even.
  static constexpr bool kUsesMagic = F::Rules::kSubnormals && F::kBias != kFloatBias;
  static constexpr std::uint32_t kMagic =
      kUsesMagic
          ? static_cast<std::uint32_t>(F::kMinExponent - F::kFractionBits + 23 + kFloatBias) << 23
          : 0;
  static_assert(!F::Rules::kSubnormals || F::Rules::kRounding == Rounding::nearest_even);
  static_assert(F::Rules::kRounding != Rounding::toward_zero);

  /// The code of the nearest value; too large is infinity, or NaN where there is none.
  [[nodiscard]] static constexpr typename F::Code encode(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & kMagnitude;
    const std::uint32_t sign = (bits ^ magnitude) >> (32 - F::kBits);
    constexpr std::uint32_t kHalf = std::uint32_t{1} << (kShift - 1);
    const std::uint32_t up = F::Rules::kRounding == Rounding::nearest_away
                                 ? kHalf
                                 : kHalf - 1 + (magnitude >> kShift & 1);
    std::int32_t code = static_cast<std::int32_t>((magnitude + up) >> kShift) - kRebias;
    if constexpr (kUsesMagic) {
      const float sum = std::bit_cast<float>(magnitude) + std::bit_cast<float>(kMagic);
      const auto subnormal = static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(sum) - kMagic);
      code = magnitude < kMinNormal ? subnormal : code;
    } else {
      code = code < 0 ? 0 : code;
    }
    constexpr auto kLargest = static_cast<std::int32_t>(F::kInfinityCode);
    code = code > kLargest ? kLargest : code;
    code = magnitude > kInfinity ? static_cast<std::int32_t>(F::kNanCode) : code;
    return static_cast<typename F::Code>(sign | static_cast<std::uint32_t>(code));
  }

  [[nodiscard]] static constexpr float decode(typename F::Code code) {
    const std::uint32_t magnitude = code & F::kMagnitudeMask;
    const std::uint32_t sign = static_cast<std::uint32_t>(code & F::kSignBit) << (32 - F::kBits);
    std::uint32_t bits = (magnitude + static_cast<std::uint32_t>(kRebias)) << kShift;
    if constexpr (kUsesMagic) {
      const float small = std::bit_cast<float>(kMagic | magnitude) - std::bit_cast<float>(kMagic);
      constexpr std::uint32_t kFirstNormal = std::uint32_t{1} << F::kFractionBits;
      bits = magnitude < kFirstNormal ? std::bit_cast<std::uint32_t>(small) : bits;
    } else if constexpr (!F::Rules::kSubnormals) {
      bits = magnitude == 0 ? 0 : bits;
    }
    if constexpr (F::Rules::kInfinity) {
      bits = magnitude == F::kInfinityCode ? kInfinity : bits;
    }
    bits = magnitude > F::kInfinityCode - (F::Rules::kInfinity ? 0 : 1) ? kQuietNan : bits;
    return std::bit_cast<float>(sign | bits);
  }

  /// decode(encode(value)) without the way through the code.
  [[nodiscard]] static constexpr float round(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & kMagnitude;
    const std::uint32_t sign = bits ^ magnitude;
    constexpr std::uint32_t kHalf = std::uint32_t{1} << (kShift - 1);
    const std::uint32_t up = F::Rules::kRounding == Rounding::nearest_away
                                 ? kHalf
                                 : kHalf - 1 + (magnitude >> kShift & 1);
    std::uint32_t rounded = (magnitude + up) & ~((std::uint32_t{1} << kShift) - 1);
    if constexpr (kUsesMagic) {
      constexpr float kBig = std::bit_cast<float>(kMagic);
      const float small = (std::bit_cast<float>(magnitude) + kBig) - kBig;
      rounded = magnitude < kMinNormal ? std::bit_cast<std::uint32_t>(small) : rounded;
    } else if constexpr (!F::Rules::kSubnormals) {
      // The first value of the bottom binade has the code of zero.
      rounded = rounded <= kMinNormal ? 0 : rounded;
    }
    rounded = rounded > kMaxFinite ? (F::Rules::kInfinity ? kInfinity : kQuietNan) : rounded;
    rounded = magnitude > kInfinity ? kQuietNan : rounded;
    return std::bit_cast<float>(sign | rounded);
  }

 private:
  static constexpr std::uint32_t kQuietNan = 0x7fc00000;
  static constexpr std::uint32_t kMaxFinite = (F::kMaxFinite + static_cast<std::uint32_t>(kRebias))
                                              << kShift;
};

}  // namespace spyre::models
