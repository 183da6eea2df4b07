#include "models/analytic/roofline.h"

#include <algorithm>
#include <limits>

namespace spyre::models {

std::string_view to_string(Bound bound) {
  return bound == Bound::memory ? "memory" : "compute";
}

double arithmetic_intensity(double flops, double bytes) {
  if (bytes > 0.0) return flops / bytes;
  return flops > 0.0 ? std::numeric_limits<double>::infinity() : 0.0;
}

double ridge_point(const Roof& roof) {
  return roof.flops_per_second / roof.bytes_per_second;
}

double attainable_flops_per_second(double intensity, const Roof& roof) {
  return std::min(roof.flops_per_second, intensity * roof.bytes_per_second);
}

double memory_seconds(double bytes, const Roof& roof) {
  return bytes / roof.bytes_per_second;
}

double compute_seconds(double flops, const Roof& roof) {
  return flops / roof.flops_per_second;
}

double roofline_seconds(double flops, double bytes, const Roof& roof) {
  return std::max(compute_seconds(flops, roof), memory_seconds(bytes, roof));
}

Bound bound(double flops, double bytes, const Roof& roof) {
  return memory_seconds(bytes, roof) > compute_seconds(flops, roof) ? Bound::memory
                                                                    : Bound::compute;
}

double mbu(double bytes, double seconds, double bytes_per_second) {
  return seconds > 0.0 ? bytes / seconds / bytes_per_second : 0.0;
}

double mfu(double flops, double seconds, double flops_per_second) {
  return seconds > 0.0 ? flops / seconds / flops_per_second : 0.0;
}

}  // namespace spyre::models
