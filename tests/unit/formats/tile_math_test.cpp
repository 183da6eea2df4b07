#include "models/formats/tile_math.h"

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

struct UnaryCase {
  UnaryOp op;
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
      {UnaryOp::exp, [](double x) { return std::exp(x); }, -87.0, 88.5, 1.5},
      {UnaryOp::log, [](double x) { return std::log(x); }, 1e-30, 1e30, 0.51},
      {UnaryOp::sqrt, [](double x) { return std::sqrt(x); }, 0.0, 1e30, 0.51},
      {UnaryOp::rsqrt, [](double x) { return 1.0 / std::sqrt(x); }, 1e-30, 1e30, 0.51},
      {UnaryOp::reciprocal, [](double x) { return 1.0 / x; }, -1e30, 1e30, 0.51},
      {UnaryOp::tanh, [](double x) { return std::tanh(x); }, -12.0, 12.0, 2.0},
      {UnaryOp::sigmoid, sigmoid, -80.0, 80.0, 3.0},
      {UnaryOp::silu, [](double x) { return x * sigmoid(x); }, -80.0, 80.0, 4.0},
      {UnaryOp::erf, [](double x) { return std::erf(x); }, -5.0, 5.0, 0.51},
      // The exponent reaches 66 here, and its rounding is multiplied by as much.
      {UnaryOp::gelu_tanh, gelu_tanh, -9.0, 9.0, 250.0},
      {UnaryOp::gelu_erf, [](double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); },
       -9.0, 9.0, 0.51},
  };
}

TEST(UnaryOps, StayWithinTheirErrorInFp32) {
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

TEST(UnaryOps, AreNearlyAlwaysTheNearestFp16) {
  check_all_codes<Float16>(Format::fp16);
}
TEST(UnaryOps, AreNearlyAlwaysTheNearestDlFloat16) {
  check_all_codes<DlFloat16>(Format::dl16);
}

TEST(UnaryOps, HaveTheLimitsOfTheirFunctions) {
  const auto of = [](UnaryOp op, float x) {
    float y = 0.0F;
    apply(op, Format::fp32, std::span<const float>(&x, 1), std::span<float>(&y, 1));
    return y;
  };
  EXPECT_EQ(of(UnaryOp::exp, 0.0F), 1.0F);
  EXPECT_EQ(of(UnaryOp::exp, -kInf), 0.0F);
  EXPECT_EQ(of(UnaryOp::exp, 1000.0F), kInf);
  EXPECT_EQ(of(UnaryOp::exp, 88.7F), std::exp(88.7F));
  EXPECT_GT(of(UnaryOp::exp, -103.0F), 0.0F);
  EXPECT_EQ(of(UnaryOp::tanh, kInf), 1.0F);
  EXPECT_EQ(of(UnaryOp::tanh, -kInf), -1.0F);
  EXPECT_TRUE(std::signbit(of(UnaryOp::tanh, -0.0F)));
  EXPECT_EQ(of(UnaryOp::sigmoid, -kInf), 0.0F);
  EXPECT_EQ(of(UnaryOp::sigmoid, kInf), 1.0F);
  EXPECT_EQ(of(UnaryOp::silu, 1e30F), 1e30F);
  EXPECT_EQ(of(UnaryOp::rsqrt, 0.0F), kInf);
  EXPECT_EQ(of(UnaryOp::reciprocal, -0.0F), -kInf);
  EXPECT_TRUE(std::isnan(of(UnaryOp::sqrt, -1.0F)));
  EXPECT_EQ(of(UnaryOp::neg, 0.0F), 0.0F);
  EXPECT_TRUE(std::signbit(of(UnaryOp::neg, 0.0F)));
  for (const UnaryOp op :
       {UnaryOp::copy, UnaryOp::neg, UnaryOp::abs, UnaryOp::exp, UnaryOp::log, UnaryOp::sqrt,
        UnaryOp::rsqrt, UnaryOp::reciprocal, UnaryOp::tanh, UnaryOp::sigmoid, UnaryOp::silu,
        UnaryOp::erf, UnaryOp::gelu_tanh, UnaryOp::gelu_erf}) {
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
  const auto check = [&](BinaryOp op, auto exact) {
    apply(op, format, x, y, z);
    for (std::size_t i = 0; i < n; ++i) {
      const double right = F::decode(F::encode(exact(double{x[i]}, double{y[i]})));
      ASSERT_TRUE(std::isnan(right) ? std::isnan(z[i]) : z[i] == right) << x[i] << ' ' << y[i];
    }
  };
  check(BinaryOp::add, [](double a, double b) { return a + b; });
  check(BinaryOp::sub, [](double a, double b) { return a - b; });
  check(BinaryOp::mul, [](double a, double b) { return a * b; });
  check(BinaryOp::div, [](double a, double b) { return a / b; });
  const auto larger = [](double a, double b) {
    return std::isnan(a) ? a : std::isnan(b) ? b : std::max(a, b);
  };
  check(BinaryOp::max, larger);
  check(BinaryOp::min, [&](double a, double b) { return -larger(-a, -b); });
}

TEST(BinaryOps, RoundExactlyOnceToFp16) {
  check_binary<Float16>(Format::fp16);
}
TEST(BinaryOps, RoundExactlyOnceToBFloat16) {
  check_binary<BFloat16>(Format::bf16);
}
TEST(BinaryOps, RoundExactlyOnceToDlFloat16) {
  check_binary<DlFloat16>(Format::dl16);
}

TEST(BinaryOps, TakeAScalarAndWorkInPlace) {
  std::vector<float> x(3000, 3.0F);
  x[2999] = 5.0F;
  apply(BinaryOp::mul, Format::fp16, x, 0.5F, x);
  EXPECT_EQ(x[0], 1.5F);
  EXPECT_EQ(x[2999], 2.5F);
  apply(BinaryOp::sub, Format::fp16, x, x, x);
  EXPECT_EQ(x, std::vector<float>(3000, 0.0F));
}

TEST(BinaryOps, RejectLengthsThatDiffer) {
  std::vector<float> x(4), y(3);
  EXPECT_THROW(apply(BinaryOp::add, Format::fp32, x, y, x), std::invalid_argument);
  EXPECT_THROW(apply(BinaryOp::add, Format::fp32, x, 1.0F, y), std::invalid_argument);
  EXPECT_THROW(apply(UnaryOp::exp, Format::fp32, x, y), std::invalid_argument);
  EXPECT_THROW(reduce_rows(Reduction::sum, Format::fp32, 2, x, y), std::invalid_argument);
}

TEST(RowReductions, AreTheSumsOfEveryRowForEveryLength) {
  RandomBits random(43);
  for (std::size_t columns = 0; columns < 200; ++columns) {
    // Integers: every order of additions gives the exact sum.
    std::vector<float> x(3 * columns), sums(3), squares(3), tops(3), bottoms(3);
    for (float& value : x) value = static_cast<float>(static_cast<int>(random.next() % 201) - 100);
    reduce_rows(Reduction::sum, Format::fp32, columns, x, sums);
    reduce_rows(Reduction::sum_of_squares, Format::fp32, columns, x, squares);
    reduce_rows(Reduction::max, Format::fp32, columns, x, tops);
    reduce_rows(Reduction::min, Format::fp32, columns, x, bottoms);
    for (std::size_t r = 0; r < 3; ++r) {
      float sum = 0.0F, square = 0.0F, top = -kInf, bottom = kInf;
      for (std::size_t i = 0; i < columns; ++i) {
        const float value = x[r * columns + i];
        sum += value;
        square += value * value;
        top = std::max(top, value);
        bottom = std::min(bottom, value);
      }
      ASSERT_EQ(sums[r], sum);
      ASSERT_EQ(squares[r], square);
      ASSERT_EQ(tops[r], top);
      ASSERT_EQ(bottoms[r], bottom);
    }
  }
}

TEST(RowReductions, AddInTheStatedOrder) {
  // 2^24 and 1: a sum from left to right loses every 1; the lanes do not, because 2^24 stands in
  // lane 0 only.
  std::vector<float> x(128, 1.0F), sum(1);
  x[0] = 16777216.0F;
  reduce_rows(Reduction::sum, Format::fp32, x.size(), x, sum);
  // Lane 0 holds 2^24 + 1 = 2^24; the others 2 each, folded pairwise: 64, 32 ... to lane 0.
  EXPECT_EQ(sum[0], 16777216.0F + 126.0F);
}

TEST(RowReductions, KeepNanAndRoundOnce) {
  std::vector<float> x(100, 1.0F), y(1);
  x[70] = kNan;
  for (const Reduction op :
       {Reduction::sum, Reduction::sum_of_squares, Reduction::max, Reduction::min}) {
    reduce_rows(op, Format::fp16, x.size(), x, y);
    EXPECT_TRUE(std::isnan(y[0]));
  }
  const std::vector<float> many(4099, 1.0F);
  reduce_rows(Reduction::sum, Format::fp16, many.size(), many, y);
  EXPECT_EQ(y[0], 4100.0F);  // steps of 4 there, ties to even
}

}  // namespace
}  // namespace spyre::models
