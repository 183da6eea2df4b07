// Every code of every small format, and every boundary between two codes, against the definitions.
#include "models/formats/mini_float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "models/formats/float_bits.h"
#include "tests/unit/formats/reference_values.h"

namespace spyre::models {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

template <class F, const FormatDefinition& D>
struct Case {
  using Format = F;
  static constexpr const FormatDefinition& kDefinition = D;
};

template <class C>
class SmallFormat : public testing::Test {};
using Cases = testing::Types<Case<Float16, kFp16>, Case<BFloat16, kBf16>, Case<DlFloat16, kDl16>,
                             Case<Float8E4M3, kE4M3>, Case<Float8E5M2, kE5M2>>;
TYPED_TEST_SUITE(SmallFormat, Cases);

/// Same bits, where all NaNs of a sign are one.
::testing::AssertionResult same_float(float x, float y) {
  if (std::isnan(x) && std::isnan(y)) return ::testing::AssertionSuccess();
  if (std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y)) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << x << " is not " << y;
}

TYPED_TEST(SmallFormat, EveryCodeHasItsDefinedValueAndComesBack) {
  using F = typename TypeParam::Format;
  const FormatDefinition& definition = TypeParam::kDefinition;
  for (std::uint32_t code = 0; code < std::uint32_t{1} << F::kBits; ++code) {
    const auto c = static_cast<typename F::Code>(code);
    const double value = F::decode(c);
    ASSERT_TRUE(same_float(FloatBits<F>::decode(c), static_cast<float>(value))) << code;
    ASSERT_EQ(std::signbit(value), (code & F::kSignBit) != 0) << code;
    const std::uint32_t magnitude = code & F::kMagnitudeMask;
    if (magnitude < definition.first_special) {
      ASSERT_EQ(std::fabs(value), defined_value(definition, magnitude)) << code;
    } else if (F::Rules::kInfinity && magnitude == definition.first_special) {
      ASSERT_EQ(std::fabs(value), kInf) << code;
    } else {
      ASSERT_TRUE(std::isnan(value)) << code;
      ASSERT_EQ(F::encode(value) & F::kMagnitudeMask, F::kNanCode) << code;
      continue;
    }
    ASSERT_EQ(F::encode(value), c);
    ASSERT_EQ(FloatBits<F>::encode(static_cast<float>(value)), c);
    ASSERT_TRUE(
        same_float(FloatBits<F>::round(static_cast<float>(value)), static_cast<float>(value)));
  }
}

TYPED_TEST(SmallFormat, ValuesGrowWithTheirCodes) {
  using F = typename TypeParam::Format;
  for (std::uint32_t code = 1; code <= F::kMaxFinite; ++code) {
    ASSERT_LT(F::decode(static_cast<typename F::Code>(code - 1)),
              F::decode(static_cast<typename F::Code>(code)));
  }
}

TYPED_TEST(SmallFormat, HalfwayCasesAndTheirNeighboursRoundAsTheSearchSays) {
  using F = typename TypeParam::Format;
  const NearestValue reference(TypeParam::kDefinition);
  const auto check = [&](double value) {
    for (const double signed_value : {value, -value}) {
      const auto sign = static_cast<std::uint32_t>(std::signbit(signed_value)) << (F::kBits - 1);
      const std::uint32_t expected = sign | reference.code_of(value);
      ASSERT_EQ(F::encode(signed_value), expected) << signed_value;
      const auto narrow = static_cast<float>(signed_value);
      if (narrow != signed_value) continue;
      ASSERT_EQ(FloatBits<F>::encode(narrow), expected) << signed_value;
      ASSERT_TRUE(same_float(FloatBits<F>::round(narrow), FloatBits<F>::decode(F::encode(narrow))))
          << signed_value;
    }
  };
  for (std::size_t i = 0; i + 1 < reference.values().size(); ++i) {
    const double low = reference.values()[i];
    const double half = low + (reference.values()[i + 1] - low) / 2;
    const auto narrow = static_cast<float>(half);
    for (const double value : {low, half, std::nextafter(half, 0.0), std::nextafter(half, kInf)}) {
      check(value);
    }
    check(std::nextafterf(narrow, 0.0F));
    check(std::nextafterf(narrow, std::numeric_limits<float>::infinity()));
  }
}

TYPED_TEST(SmallFormat, RandomFloatsRoundAsTheSearchSays) {
  using F = typename TypeParam::Format;
  const NearestValue reference(TypeParam::kDefinition);
  RandomBits random(11);
  for (int i = 0; i < 1'000'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
    const auto fast = FloatBits<F>::encode(value);
    ASSERT_EQ(fast, F::encode(value)) << value;
    ASSERT_TRUE(same_float(FloatBits<F>::round(value), FloatBits<F>::decode(fast))) << value;
    if (std::isfinite(value)) {
      ASSERT_EQ(fast & F::kMagnitudeMask, reference.code_of(std::fabs(double{value}))) << value;
    }
  }
}

TYPED_TEST(SmallFormat, DoublesAreRoundedOnceAndNotThroughFloat) {
  using F = typename TypeParam::Format;
  const NearestValue reference(TypeParam::kDefinition);
  RandomBits random(12);
  for (int i = 0; i < 200'000; ++i) {
    // A place half way between two codes, moved by far less than a float can say.
    const auto at = static_cast<std::size_t>(random.next() % F::kMaxFinite);
    const double half = (reference.values()[at] + reference.values()[at + 1]) / 2;
    const double value = half * (1.0 + std::ldexp(random.next() % 2 == 0 ? 1.0 : -1.0, -45));
    ASSERT_EQ(F::encode(value), reference.code_of(value)) << value;
  }
}

TYPED_TEST(SmallFormat, TowardZeroNeverGrowsAndNeverLosesAStep) {
  using F = typename TypeParam::Format;
  RandomBits random(13);
  const double largest = F::decode(static_cast<typename F::Code>(F::kMaxFinite));
  for (int i = 0; i < 200'000; ++i) {
    const auto value =
        std::fabs(double{std::bit_cast<float>(static_cast<std::uint32_t>(random.next()))});
    if (!std::isfinite(value)) continue;
    const auto code = F::encode(value, Rounding::toward_zero);
    ASSERT_LE(F::decode(code), value);
    if (value < largest) {
      ASSERT_GT(F::decode(static_cast<typename F::Code>(code + 1)), value);
    } else {
      ASSERT_EQ(code, F::kMaxFinite);
    }
  }
}

TYPED_TEST(SmallFormat, TiesGoToEvenOrAwayAsAsked) {
  using F = typename TypeParam::Format;
  for (std::uint32_t code = 1; code < F::kMaxFinite; ++code) {
    const double low = F::decode(static_cast<typename F::Code>(code));
    const double half = low + (F::decode(static_cast<typename F::Code>(code + 1)) - low) / 2;
    ASSERT_EQ(F::encode(half, Rounding::nearest_away), code + 1);
    ASSERT_EQ(F::encode(half, Rounding::nearest_even), code + code % 2);
    ASSERT_EQ(F::encode(half, Rounding::toward_zero), code);
  }
}

TYPED_TEST(SmallFormat, OverflowIsSpecialOrSaturates) {
  using F = typename TypeParam::Format;
  const double largest = F::decode(static_cast<typename F::Code>(F::kMaxFinite));
  const double step = largest - F::decode(static_cast<typename F::Code>(F::kMaxFinite - 1));
  const double limit = largest + step / 2;  // the tie goes up: away, or to the even code
  const bool tie_up = F::Rules::kRounding == Rounding::nearest_away || F::kMaxFinite % 2 == 1;
  EXPECT_EQ(F::encode(std::nextafter(limit, 0.0)), F::kMaxFinite);
  EXPECT_EQ(F::encode(limit), tie_up ? F::kInfinityCode : F::kMaxFinite);
  EXPECT_EQ(F::encode(std::nextafter(limit, kInf)), F::kInfinityCode);
  for (const double value : {std::nextafter(limit, kInf), 1e300, kInf}) {
    EXPECT_EQ(F::encode(value, Rounding::nearest_even, Overflow::saturate), F::kMaxFinite);
    EXPECT_EQ(F::encode(-value, Rounding::nearest_even, Overflow::saturate),
              F::kMaxFinite | F::kSignBit);
  }
  EXPECT_EQ(F::encode(kInf), F::kInfinityCode);
  EXPECT_EQ(F::encode(-kInf), F::kInfinityCode | F::kSignBit);
}

TYPED_TEST(SmallFormat, ZeroKeepsItsSignAndNanStaysNan) {
  using F = typename TypeParam::Format;
  EXPECT_EQ(F::encode(0.0), 0U);
  EXPECT_EQ(F::encode(-0.0), F::kSignBit);
  EXPECT_EQ(F::encode(-1e-300), F::kSignBit);
  EXPECT_EQ(FloatBits<F>::encode(-0.0F), F::kSignBit);
  for (const Overflow overflow : {Overflow::special, Overflow::saturate}) {
    const auto code =
        F::encode(std::numeric_limits<double>::quiet_NaN(), Rounding::nearest_even, overflow);
    EXPECT_TRUE(std::isnan(F::decode(code)));
  }
}

#ifdef __FLT16_MANT_DIG__
TEST(Float16Codes, AgreeWithTheCompilersOwnHalfPrecision) {
  for (std::uint32_t code = 0; code <= 0xffff; ++code) {
    const auto c = static_cast<std::uint16_t>(code);
    ASSERT_TRUE(
        same_float(FloatBits<Float16>::decode(c), static_cast<float>(std::bit_cast<_Float16>(c))));
  }
  RandomBits random(14);
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t bits = random.next();
    const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (std::isnan(narrow)) continue;
    ASSERT_EQ(FloatBits<Float16>::encode(narrow),
              std::bit_cast<std::uint16_t>(static_cast<_Float16>(narrow)));
    const double wide = std::ldexp(random.uniform(-2.0, 2.0), static_cast<int>(bits % 44) - 27);
    ASSERT_EQ(Float16::encode(wide), std::bit_cast<std::uint16_t>(static_cast<_Float16>(wide)));
  }
}
#endif

TEST(BFloat16Codes, AreTheUpperHalfOfAFloat) {
  RandomBits random(15);
  for (int i = 0; i < 1'000'000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random.next());
    if ((bits & 0x7fffffff) > 0x7f800000) continue;
    const auto value = std::bit_cast<float>(bits);
    ASSERT_EQ(BFloat16::encode(value, Rounding::toward_zero), bits >> 16);
    ASSERT_EQ(BFloat16::encode(value), (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
}

TEST(Float32Codes, AgreeWithTheProcessor) {
  RandomBits random(16);
  for (int i = 0; i < 1'000'000; ++i) {
    const auto value = std::bit_cast<double>(random.next());
    const double near =
        std::ldexp(random.uniform(-2.0, 2.0), static_cast<int>(random.next() % 300) - 160);
    for (const double x : {value, near}) {
      if (std::isnan(x)) continue;
      ASSERT_EQ(Float32::encode(x), std::bit_cast<std::uint32_t>(static_cast<float>(x))) << x;
      ASSERT_EQ(Float32::decode(Float32::encode(x)), double{static_cast<float>(x)}) << x;
    }
  }
}

TEST(DlFloat16Codes, HaveTheEndsOfTheirRangeWhereThePaperPutsThem) {
  EXPECT_EQ(DlFloat16::decode(0x0001), std::ldexp(1.0, -31) + std::ldexp(1.0, -40));
  EXPECT_EQ(DlFloat16::decode(0x7ffe), std::ldexp(1.0, 33) - std::ldexp(1.0, 24));
  EXPECT_TRUE(std::isnan(DlFloat16::decode(0x7fff)));
  EXPECT_TRUE(std::isnan(DlFloat16::decode(0xffff)));
  EXPECT_EQ(DlFloat16::encode(1.0), 31U << 9);
  EXPECT_EQ(DlFloat16::encode(std::ldexp(1.0, -31)), 0U);  // its code is taken by zero
  EXPECT_EQ(DlFloat16::encode(std::ldexp(1.0, -31) * (1.0 + std::ldexp(1.0, -10))), 1U);
}

TEST(SmallFormatConstants, AreComputedByTheCompiler) {
  static_assert(Float16::encode(1.0) == 0x3c00);
  static_assert(FloatBits<Float16>::encode(65520.0F) == 0x7c00);
  static_assert(FloatBits<DlFloat16>::decode(0x3e00) == 1.0F);
  static_assert(Float8E4M3::encode(464.0) == 0x7e && Float8E4M3::encode(465.0) == 0x7f);
}

}  // namespace
}  // namespace spyre::models
