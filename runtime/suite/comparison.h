// How far what a run gave is from what a reference says.
//
// The relative error of an element is |got - want| / max(|want|, floor), where the floor is the
// root mean square of the finite expected values of the array, at least 2^-24 (the smallest fp16
// number). So an element of usual size or larger is judged by itself, and one that is small by
// chance (the difference of large terms) by the usual size. Equal values, equal infinities, and NaN
// where NaN is expected, have no error; any other meeting of what is not finite has an infinite
// one.
#pragma once

#include <cstddef>
#include <span>

namespace spyre::runtime {

struct Comparison {
  double max_relative = 0;
  double max_absolute = 0;
  std::size_t worst = 0;  ///< the first element with the largest relative error
  double got = 0, want = 0;
};

[[nodiscard]] double error_floor(std::span<const double> want);
/// As many values on both sides.
[[nodiscard]] Comparison compare(std::span<const double> got, std::span<const double> want);

}  // namespace spyre::runtime
