#include "runtime/suite/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spyre::runtime {
namespace {

constexpr double kLeastFloor = 0x1p-24;

double absolute_error(double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  if (!std::isfinite(got) || !std::isfinite(want)) return std::numeric_limits<double>::infinity();
  return std::fabs(got - want);
}

double relative_error(double absolute, double want, double floor) {
  return std::isfinite(absolute) ? absolute / std::max(std::fabs(want), floor) : absolute;
}

}  // namespace

double error_floor(std::span<const double> want) {
  double squares = 0;
  std::size_t finite = 0;
  for (const double value : want) {
    if (!std::isfinite(value)) continue;
    squares += value * value;
    ++finite;
  }
  const double mean = finite == 0 ? 0 : squares / static_cast<double>(finite);
  return std::max(std::sqrt(mean), kLeastFloor);
}

Comparison compare(std::span<const double> got, std::span<const double> want) {
  const double floor = error_floor(want);
  Comparison result;
  double worst = -1;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double absolute = absolute_error(got[i], want[i]);
    const double relative = absolute == 0 ? 0 : relative_error(absolute, want[i], floor);
    result.max_absolute = std::max(result.max_absolute, absolute);
    if (relative <= worst) continue;
    worst = relative;
    result.max_relative = relative;
    result.worst = i;
    result.got = got[i];
    result.want = want[i];
  }
  return result;
}

}  // namespace spyre::runtime
