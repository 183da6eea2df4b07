// Pseudo-random numbers that are the same on every machine and for every number of threads.
//
// Modelled: SplitMix64 (Steele, Lea, Flood 2014) as a counter: number i of a seed is found without
// the ones before it. Normal numbers by the inverse of the distribution function, algorithm AS 241
// (Wichura 1988). Only operations that IEEE 754 rounds exactly are used: no library function but
// sqrt, and no fused multiply-add.
#pragma once

#include <cstdint>

namespace spyre::runtime {

class RandomValues {
 public:
  explicit RandomValues(std::uint64_t seed);

  [[nodiscard]] std::uint64_t bits(std::uint64_t index) const;
  /// 0 < x < 1.
  [[nodiscard]] double unit(std::uint64_t index) const;
  /// Standard normal.
  [[nodiscard]] double normal(std::uint64_t index) const;
  /// low <= x <= high.
  [[nodiscard]] double uniform(std::uint64_t index, double low, double high) const;
  /// From `low` to `high`, both included.
  [[nodiscard]] std::int64_t integer(std::uint64_t index, std::int64_t low,
                                     std::int64_t high) const;

 private:
  std::uint64_t state_;
};

}  // namespace spyre::runtime
