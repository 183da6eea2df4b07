// A slow second opinion on number formats, written from their definitions in double arithmetic: the
// list of all values of a format, and rounding by searching that list.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace spyre::models {

/// How a format's codes are read, field by field.
struct FormatDefinition {
  int exponent_bits;
  int fraction_bits;
  int bias;
  bool subnormals;
  std::uint32_t first_special;  ///< the smallest magnitude code that is no finite number
  bool ties_away;
};

inline constexpr FormatDefinition kFp16{5, 10, 15, true, 0x7c00, false};
inline constexpr FormatDefinition kBf16{8, 7, 127, true, 0x7f80, false};
inline constexpr FormatDefinition kDl16{6, 9, 31, false, 0x7fff, true};
inline constexpr FormatDefinition kE4M3{4, 3, 7, true, 0x7f, false};
inline constexpr FormatDefinition kE5M2{5, 2, 15, true, 0x7c, false};

/// The value of the finite magnitude code.
inline double defined_value(const FormatDefinition& format, std::uint32_t code) {
  const auto exponent = static_cast<int>(code >> format.fraction_bits);
  const double fraction = std::ldexp(static_cast<double>(code & ((1U << format.fraction_bits) - 1)),
                                     -format.fraction_bits);
  if (format.subnormals && exponent == 0) return std::ldexp(fraction, 1 - format.bias);
  if (code == 0) return 0.0;
  return std::ldexp(1.0 + fraction, exponent - format.bias);
}

/// Finds the nearest value among all of a format by search.
class NearestValue {
 public:
  explicit NearestValue(const FormatDefinition& format) : format_(format) {
    for (std::uint32_t code = 0; code < format.first_special; ++code) {
      values_.push_back(defined_value(format, code));
    }
    // What the next code would be worth: from half way to it on, values are too large.
    const double last = values_.back();
    values_.push_back(last + (last - values_[values_.size() - 2]));
    if (!format.subnormals) {
      // The bottom binade's first place, taken by zero: what is nearest to it becomes zero too.
      bottom_ = std::ldexp(1.0, -format.bias);
    }
  }

  /// The magnitude code nearest to a finite magnitude; first_special if it is too large.
  [[nodiscard]] std::uint32_t code_of(double magnitude) const {
    if (magnitude >= values_.back()) return format_.first_special;
    if (bottom_ > 0.0 && magnitude < values_[1]) {
      // Both distances are exact.
      return magnitude - bottom_ >= values_[1] - magnitude ? 1 : 0;
    }
    const auto above = std::upper_bound(values_.begin(), values_.end(), magnitude);
    const auto low = static_cast<std::uint32_t>(above - values_.begin()) - 1;
    const double down = magnitude - values_[low];
    const double up = *above - magnitude;
    if (down < up) return low;
    if (up < down) return low + 1;
    return format_.ties_away || low % 2 == 1 ? low + 1 : low;
  }

  [[nodiscard]] const std::vector<double>& values() const { return values_; }

 private:
  FormatDefinition format_;
  std::vector<double> values_;  ///< by magnitude code, and one place beyond
  double bottom_ = 0.0;
};

/// Deterministic random bits (SplitMix64).
class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// Uniform in [low, high).
  double uniform(double low, double high) {
    return low + (high - low) * std::ldexp(static_cast<double>(next() >> 11), -53);
  }

 private:
  std::uint64_t state_;
};

}  // namespace spyre::models
