#include "models/formats/elementwise.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "models/formats/convert.h"
#include "models/formats/mini_float.h"
#include "tests/unit/formats/reference_values.h"

namespace spyre::models {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Places of a float between a result and the right answer.
double places(float result, double right) {
  const double step = std::ldexp(1.0, std::max(std::ilogb(right), -126) - 23);
  return std::fabs(double{result} - right) / step;
}

/// The function of one or two operands, rounded to the format as an operation does.
void apply(VectorFunction function, Format format, std::span<const float> x,
           std::span<const float> y, std::span<float> result) {
  Operands<float> operands;
  operands[0] = {x, 1, x.size()};
  operands[1] = {y, 1, y.size()};
  apply_elementwise(function, operands, result.size(), result);
  round_to(format, result);
}

void apply(VectorFunction function, Format format, std::span<const float> x,
           std::span<float> result) {
  apply(function, format, x, {}, result);
}

struct UnaryCase {
  VectorFunction op;
  std::function<double(double)> right;
  double low, high;  ///< operands in between
  double places;     ///< of fp32, that the result may be off
};

double sigmoid(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

std::vector<UnaryCase> unary_cases() {
  const auto gelu_tanh = [](double x) {
    return x * sigmoid(2.0 * std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x));
  };
  return {
      {VectorFunction::exp, [](double x) { return std::exp(x); }, -87.0, 88.5, 1.5},
      {VectorFunction::log, [](double x) { return std::log(x); }, 1e-30, 1e30, 0.51},
      {VectorFunction::sqrt, [](double x) { return std::sqrt(x); }, 0.0, 1e30, 0.51},
      {VectorFunction::rsqrt, [](double x) { return 1.0 / std::sqrt(x); }, 1e-30, 1e30, 0.51},
      {VectorFunction::reciprocal, [](double x) { return 1.0 / x; }, -1e30, 1e30, 0.51},
      {VectorFunction::tanh, [](double x) { return std::tanh(x); }, -12.0, 12.0, 2.0},
      {VectorFunction::sigmoid, sigmoid, -80.0, 80.0, 3.0},
      {VectorFunction::silu, [](double x) { return x * sigmoid(x); }, -80.0, 80.0, 4.0},
      {VectorFunction::erf, [](double x) { return std::erf(x); }, -5.0, 5.0, 0.51},
      // The exponent reaches 66 here, and its rounding is multiplied by as much.
      {VectorFunction::gelu, gelu_tanh, -9.0, 9.0, 250.0},
  };
}

TEST(UnaryFunctions, StayWithinTheirErrorInFp32) {
  for (const UnaryCase& c : unary_cases()) {
    RandomBits random(41);
    std::vector<float> x(300'000), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      // Half of them dense near the small end, where relative errors show.
      x[i] = static_cast<float>(random.uniform(c.low, c.high) *
                                (i % 2 == 0 ? 1.0 : std::exp2(random.uniform(-20.0, 0.0))));
    }
    apply(c.op, Format::fp32, x, y);
    double worst = 0.0;
    float at = 0.0F;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double off = places(y[i], c.right(x[i]));
      if (off > worst) {
        worst = off;
        at = x[i];
      }
    }
    EXPECT_LE(worst, c.places) << "operation " << static_cast<int>(c.op) << " at " << at;
  }
}

/// Over every finite code of a format: the result is one of the two codes around the right answer,
/// and the nearest but for a few near ties.
template <class F>
void check_all_codes(Format format) {
  for (const UnaryCase& c : unary_cases()) {
    std::vector<float> x;
    for (std::uint32_t code = 0; code < 0x10000; ++code) {
      const double value = F::decode(static_cast<std::uint16_t>(code));
      if (value >= c.low && value <= c.high && value != 0.0) x.push_back(static_cast<float>(value));
    }
    std::vector<float> y(x.size());
    apply(c.op, format, x, y);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto right = F::encode(c.right(x[i]));
      const auto code = F::encode(y[i]);
      ASSERT_LE(std::abs(static_cast<int>(code) - static_cast<int>(right)), 1) << x[i];
      if (code != right) ++wrong;
    }
    EXPECT_LE(static_cast<double>(wrong), 1e-3 * static_cast<double>(x.size()))
        << "operation " << static_cast<int>(c.op);
  }
}

TEST(UnaryFunctions, AreNearlyAlwaysTheNearestFp16) {
  check_all_codes<Float16>(Format::fp16);
}
TEST(UnaryFunctions, AreNearlyAlwaysTheNearestDlFloat16) {
  check_all_codes<DlFloat16>(Format::dl16);
}

TEST(UnaryFunctions, HaveTheLimitsOfTheirFunctions) {
  const auto of = [](VectorFunction op, float x) {
    float y = 0.0F;
    apply(op, Format::fp32, std::span<const float>(&x, 1), std::span<float>(&y, 1));
    return y;
  };
  EXPECT_EQ(of(VectorFunction::exp, 0.0F), 1.0F);
  EXPECT_EQ(of(VectorFunction::exp, -kInf), 0.0F);
  EXPECT_EQ(of(VectorFunction::exp, 1000.0F), kInf);
  EXPECT_EQ(of(VectorFunction::exp, 88.7F), std::exp(88.7F));
  EXPECT_GT(of(VectorFunction::exp, -103.0F), 0.0F);
  EXPECT_EQ(of(VectorFunction::tanh, kInf), 1.0F);
  EXPECT_EQ(of(VectorFunction::tanh, -kInf), -1.0F);
  EXPECT_TRUE(std::signbit(of(VectorFunction::tanh, -0.0F)));
  EXPECT_EQ(of(VectorFunction::sigmoid, -kInf), 0.0F);
  EXPECT_EQ(of(VectorFunction::sigmoid, kInf), 1.0F);
  EXPECT_EQ(of(VectorFunction::silu, 1e30F), 1e30F);
  EXPECT_EQ(of(VectorFunction::rsqrt, 0.0F), kInf);
  EXPECT_EQ(of(VectorFunction::reciprocal, -0.0F), -kInf);
  EXPECT_TRUE(std::isnan(of(VectorFunction::sqrt, -1.0F)));
  EXPECT_EQ(of(VectorFunction::neg, 0.0F), 0.0F);
  EXPECT_TRUE(std::signbit(of(VectorFunction::neg, 0.0F)));
  for (const VectorFunction op :
       {VectorFunction::copy, VectorFunction::neg, VectorFunction::abs, VectorFunction::exp,
        VectorFunction::log, VectorFunction::sqrt, VectorFunction::rsqrt,
        VectorFunction::reciprocal, VectorFunction::tanh, VectorFunction::sigmoid,
        VectorFunction::silu, VectorFunction::erf, VectorFunction::gelu}) {
    EXPECT_TRUE(std::isnan(of(op, kNan))) << static_cast<int>(op);
  }
}

/// Random pairs of codes: the fp32 result rounded to the format is the exact result rounded once.
template <class F>
void check_binary(Format format) {
  RandomBits random(42);
  const std::size_t n = 300'000;
  std::vector<float> x(n), y(n), z(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = random.next();
    x[i] = static_cast<float>(F::decode(static_cast<std::uint16_t>(bits)));
    y[i] = static_cast<float>(F::decode(static_cast<std::uint16_t>(bits >> 16)));
    // Half of the pairs within a few binades, where sums meet ties.
    if (i % 2 == 0) {
      const auto near = static_cast<std::uint16_t>(bits + (bits >> 40) % (16 << F::kFractionBits));
      y[i] = static_cast<float>(F::decode(near));
    }
  }
  const auto check = [&](VectorFunction op, auto exact) {
    apply(op, format, x, y, z);
    for (std::size_t i = 0; i < n; ++i) {
      const double right = F::decode(F::encode(exact(double{x[i]}, double{y[i]})));
      ASSERT_TRUE(std::isnan(right) ? std::isnan(z[i]) : z[i] == right) << x[i] << ' ' << y[i];
    }
  };
  check(VectorFunction::add, [](double a, double b) { return a + b; });
  check(VectorFunction::sub, [](double a, double b) { return a - b; });
  check(VectorFunction::mul, [](double a, double b) { return a * b; });
  check(VectorFunction::div, [](double a, double b) { return a / b; });
  const auto larger = [](double a, double b) {
    return std::isnan(a) ? a : std::isnan(b) ? b : std::max(a, b);
  };
  check(VectorFunction::max, larger);
  check(VectorFunction::min, [&](double a, double b) { return -larger(-a, -b); });
}

TEST(BinaryFunctions, RoundExactlyOnceToFp16) {
  check_binary<Float16>(Format::fp16);
}
TEST(BinaryFunctions, RoundExactlyOnceToBFloat16) {
  check_binary<BFloat16>(Format::bf16);
}
TEST(BinaryFunctions, RoundExactlyOnceToDlFloat16) {
  check_binary<DlFloat16>(Format::dl16);
}

TEST(BinaryFunctions, TakeASingleNumberAndWorkInPlace) {
  std::vector<float> x(3000, 3.0F);
  x[2999] = 5.0F;
  const std::vector<float> half{0.5F};
  Operands<float> operands;
  operands[0] = {x, 1, x.size()};
  operands[1] = {half, 1, 1};
  apply_elementwise(VectorFunction::mul, operands, x.size(), x);
  EXPECT_EQ(x[0], 1.5F);
  EXPECT_EQ(x[2999], 2.5F);
  apply(VectorFunction::sub, Format::fp16, x, x, x);
  EXPECT_EQ(x, std::vector<float>(3000, 0.0F));
}

}  // namespace
}  // namespace spyre::models
