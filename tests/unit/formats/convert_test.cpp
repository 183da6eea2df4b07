#include "models/formats/convert.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "models/formats/float_bits.h"
#include "models/formats/integer_format.h"
#include "tests/unit/formats/reference_values.h"

namespace spyre::models {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<std::byte> codes_of(Format format, const std::vector<float>& values) {
  std::vector<std::byte> codes(
      static_cast<std::size_t>(bytes_of(format, static_cast<std::int64_t>(values.size()))));
  encode(format, values, codes);
  return codes;
}

std::vector<float> values_of(Format format, const std::vector<std::byte>& codes, std::size_t n) {
  std::vector<float> values(n);
  decode(format, codes, values);
  return values;
}

template <class F>
void check_bulk(Format format) {
  RandomBits random(21);
  for (std::size_t n = 0; n < 200; ++n) {
    std::vector<float> values(n);
    for (float& value : values)
      value = std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
    const std::vector<std::byte> codes = codes_of(format, values);
    const std::vector<float> back = values_of(format, codes, n);
    std::vector<float> rounded = values;
    round_to(format, rounded);
    for (std::size_t i = 0; i < n; ++i) {
      typename F::Code code;
      std::memcpy(&code, &codes[i * sizeof(code)], sizeof(code));
      ASSERT_EQ(code, F::encode(values[i]));
      const auto expected = static_cast<float>(F::decode(code));
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(back[i]) : back[i] == expected);
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(rounded[i]) : rounded[i] == expected);
      ASSERT_EQ(std::signbit(back[i]), std::signbit(rounded[i]));
    }
  }
}

TEST(BulkConversion, GivesTheScalarCodesForEveryLength) {
  check_bulk<Float16>(Format::fp16);
  check_bulk<BFloat16>(Format::bf16);
  check_bulk<DlFloat16>(Format::dl16);
  check_bulk<Float8E4M3>(Format::fp8_e4m3);
  check_bulk<Float8E5M2>(Format::fp8_e5m2);
}

TEST(BulkConversion, KeepsEveryBitOfFp32) {
  const std::vector<float> values{0.0F, -0.0F, 1e-45F, kInf, -3.25F};
  EXPECT_EQ(std::memcmp(codes_of(Format::fp32, values).data(), values.data(), 20), 0);
}

TEST(BulkConversion, RejectsTooFewBytesAndTakesExactlyEnough) {
  std::vector<float> values(5);
  std::vector<std::byte> codes(10);
  EXPECT_NO_THROW(encode(Format::fp16, values, codes));
  EXPECT_NO_THROW(encode(Format::int4, values, std::span(codes).first(3)));
  EXPECT_THROW(encode(Format::fp16, values, std::span(codes).first(9)), std::invalid_argument);
  EXPECT_THROW(decode(Format::int4, std::span(codes).first(2), values), std::invalid_argument);
}

TEST(Int8, RoundsTiesToEvenAndSaturates) {
  const std::vector<float> values{0.5F,   1.5F, -0.5F, -2.5F, 127.5F,  126.5F,     1e30F,
                                  -1e30F, kInf, -kInf, kNan,  -128.5F, 0.49999997F};
  const std::vector<float> expected{0, 2, 0, -2, 127, 126, 127, -128, 127, -128, 0, -128, 0};
  EXPECT_EQ(values_of(Format::int8, codes_of(Format::int8, values), values.size()), expected);
}

TEST(Int8, AllCodesComeBack) {
  for (int code = -128; code < 128; ++code) EXPECT_EQ(encode_int8(static_cast<float>(code)), code);
}

TEST(Int4, PutsTheFirstElementInTheLowNibble) {
  const std::vector<float> values{1, -2, 7, -8, 3};
  const std::vector<std::byte> expected{std::byte{0xe1}, std::byte{0x87}, std::byte{0x03}};
  EXPECT_EQ(codes_of(Format::int4, values), expected);
  EXPECT_EQ(values_of(Format::int4, expected, 5), values);
}

TEST(Int4, AllBytesComeBack) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::vector<std::byte> codes{static_cast<std::byte>(byte)};
    EXPECT_EQ(codes_of(Format::int4, values_of(Format::int4, codes, 2)), codes);
  }
}

TEST(Int4, RoundsTiesToEvenAndSaturates) {
  std::vector<float> values{7.5F, -8.5F, 100.0F, -kInf, kNan, 2.5F};
  round_to(Format::int4, values);
  EXPECT_EQ(values, (std::vector<float>{7, -8, 7, -8, 0, 2}));
}

TEST(Int32, SaturatesAndIsExactTo24Bits) {
  const std::vector<float> values{16777216.0F, -16777215.0F, 3e9F, -3e9F, kNan, 2.5F};
  const std::vector<std::byte> codes = codes_of(Format::int32, values);
  std::vector<std::int32_t> integers(values.size());
  std::memcpy(integers.data(), codes.data(), codes.size());
  EXPECT_EQ(integers, (std::vector<std::int32_t>{16777216, -16777215, 2147483647,
                                                 std::numeric_limits<std::int32_t>::min(), 0, 2}));
}

TEST(IntegerRounding, NeverLeavesANegativeZero) {
  for (const Format format : {Format::int32, Format::int8, Format::int4}) {
    std::vector<float> values(100, -0.25F);
    round_to(format, values);
    for (const float value : values) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(value), 0U) << to_string(format);
    }
  }
}

TEST(Int32, RoundsToTheValuesOfItsCodes) {
  RandomBits random(22);
  std::vector<float> values(100'000);
  for (float& value : values) {
    value = std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
  }
  std::vector<float> rounded = values;
  round_to(Format::int32, rounded);
  EXPECT_EQ(rounded, values_of(Format::int32, codes_of(Format::int32, values), values.size()));
}

TEST(FormatChoice, OnlyTheSixteenBitTypeDependsOnTheNumerics) {
  EXPECT_EQ(format_of(DataType::fp16, Numerics::ieee), Format::fp16);
  EXPECT_EQ(format_of(DataType::fp16, Numerics::spyre), Format::dl16);
  for (const DataType type : {DataType::fp32, DataType::fp8, DataType::int32, DataType::int8,
                              DataType::int4, DataType::fp16}) {
    EXPECT_EQ(bits(format_of(type, Numerics::ieee)), bits(type));
    EXPECT_EQ(bits(format_of(type, Numerics::spyre)), bits(type));
    if (type != DataType::fp16) {
      EXPECT_EQ(format_of(type, Numerics::ieee), format_of(type, Numerics::spyre));
    }
  }
  EXPECT_EQ(numerics_named("spyre"), Numerics::spyre);
  EXPECT_FALSE(numerics_named("dl16").has_value());
}

}  // namespace
}  // namespace spyre::models
