#include "runtime/random_values.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

namespace spyre::runtime {
namespace {

constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15;

constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

using Coefficients = std::array<double, 8>;

constexpr double polynomial(const Coefficients& coefficients, double x) {
  double sum = coefficients.back();
  for (std::size_t i = coefficients.size() - 1; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

/// Of a normal double: ln(m 2^e) = e ln 2 + 2 artanh((m - 1) / (m + 1)), m near 1.
double natural_log(double x) {
  constexpr double kLn2 = 0.6931471805599453;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (m > 1.4142135623730951) {
    m /= 2;
    ++exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  double sum = 0;
  for (int term = 21; term >= 1; term -= 2) sum = sum * s2 + 1.0 / term;
  return exponent * kLn2 + 2 * s * sum;
}

// AS 241, PPND16: near the middle, then by sqrt(-ln of the smaller tail).
constexpr Coefficients kMiddleAbove{3.3871328727963666080e0, 1.3314166789178437745e2,
                                    1.9715909503065514427e3, 1.3731693765509461125e4,
                                    4.5921953931549871457e4, 6.7265770927008700853e4,
                                    3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr Coefficients kMiddleBelow{1.0,
                                    4.2313330701600911252e1,
                                    6.8718700749205790830e2,
                                    5.3941960214247511077e3,
                                    2.1213794301586595867e4,
                                    3.9307895800092710610e4,
                                    2.8729085735721942674e4,
                                    5.2264952788528545610e3};
constexpr Coefficients kNearAbove{1.42343711074968357734e0,  4.63033784615654529590e0,
                                  5.76949722146069140550e0,  3.64784832476320460504e0,
                                  1.27045825245236838258e0,  2.41780725177450611770e-1,
                                  2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients kNearBelow{1.0,
                                  2.05319162663775882187e0,
                                  1.67638483018380384940e0,
                                  6.89767334985100004550e-1,
                                  1.48103976427480074590e-1,
                                  1.51986665636164571966e-2,
                                  5.47593808499534494600e-4,
                                  1.05075007164441684324e-9};
constexpr Coefficients kFarAbove{6.65790464350110377720e0,  5.46378491116411436990e0,
                                 1.78482653991729133580e0,  2.96560571828504891230e-1,
                                 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                 2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients kFarBelow{1.0,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15};

double inverse_normal(double probability) {
  const double q = probability - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kMiddleAbove, r) / polynomial(kMiddleBelow, r);
  }
  const double r = std::sqrt(-natural_log(q < 0 ? probability : 1 - probability));
  const double x = r <= 5 ? polynomial(kNearAbove, r - 1.6) / polynomial(kNearBelow, r - 1.6)
                          : polynomial(kFarAbove, r - 5) / polynomial(kFarBelow, r - 5);
  return q < 0 ? -x : x;
}

}  // namespace

RandomValues::RandomValues(std::uint64_t seed) : state_(mix(seed + kGamma)) {}

std::uint64_t RandomValues::bits(std::uint64_t index) const {
  return mix(state_ + (index + 1) * kGamma);
}

double RandomValues::unit(std::uint64_t index) const {
  return (static_cast<double>(bits(index) >> 12) + 0.5) * 0x1p-52;
}

double RandomValues::normal(std::uint64_t index) const {
  return inverse_normal(unit(index));
}

double RandomValues::uniform(std::uint64_t index, double low, double high) const {
  return low + (high - low) * unit(index);
}

std::int64_t RandomValues::integer(std::uint64_t index, std::int64_t low, std::int64_t high) const {
  // Unsigned, so that the widest range neither overflows nor is empty.
  const std::uint64_t count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (count == ~std::uint64_t{0}) return static_cast<std::int64_t>(bits(index));
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + bits(index) % (count + 1));
}

}  // namespace spyre::runtime
