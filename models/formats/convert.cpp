#include "models/formats/convert.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "models/formats/float_bits.h"
#include "models/formats/integer_format.h"
#include "models/formats/vector_clones.h"

namespace spyre::models {
namespace {

static_assert(std::endian::native == std::endian::little, "codes are copied as they lie in memory");

template <class Code>
Code code_at(const std::byte* codes, std::size_t i) {
  Code code;
  std::memcpy(&code, codes + i * sizeof(Code), sizeof(Code));
  return code;
}

template <class Code>
void set_code(std::byte* codes, std::size_t i, Code code) {
  std::memcpy(codes + i * sizeof(Code), &code, sizeof(Code));
}

template <class F>
[[gnu::always_inline]] inline void decode_all(const std::byte* codes, float* values,
                                              std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = FloatBits<F>::decode(code_at<typename F::Code>(codes, i));
  }
}

template <class F>
[[gnu::always_inline]] inline void encode_all(const float* values, std::byte* codes,
                                              std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    set_code<typename F::Code>(codes, i, FloatBits<F>::encode(values[i]));
  }
}

template <class F>
[[gnu::always_inline]] inline void round_all(float* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) values[i] = FloatBits<F>::round(values[i]);
}

std::int32_t encode_int32(float value) {
  if (!(value == value)) return 0;
  if (value >= 2147483648.0F) return std::numeric_limits<std::int32_t>::max();
  if (value <= -2147483648.0F) return std::numeric_limits<std::int32_t>::min();
  return static_cast<std::int32_t>(std::nearbyintf(value));
}

/// The value of encode_int32(value), in floats alone: GCC 12 makes a truncation of the way through
/// an integer, which keeps the sign of a zero.
float round_int32(float value) {
  constexpr float kEnd = 2147483648.0F;
  float inside = value == value ? value : 0.0F;
  inside = inside < -kEnd ? -kEnd : inside;
  inside = inside > kEnd ? kEnd : inside;
  return std::nearbyintf(inside) + 0.0F;
}

void decode_int4_all(const std::byte* codes, float* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto byte = std::to_integer<std::uint8_t>(codes[i / 2]);
    values[i] = decode_int4(i % 2 == 0 ? byte : static_cast<std::uint8_t>(byte >> 4));
  }
}

void encode_int4_all(const float* values, std::byte* codes, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 2) {
    const unsigned low = encode_int4(values[i]);
    const unsigned high = i + 1 < n ? encode_int4(values[i + 1]) : 0U;
    codes[i / 2] = static_cast<std::byte>(low | high << 4);
  }
}

SPYRE_VECTOR_CLONES
void decode_any(Format format, const std::byte* codes, float* values, std::size_t n) {
  switch (format) {
    case Format::fp32:
      std::memcpy(values, codes, n * sizeof(float));
      break;
    case Format::fp16:
      decode_all<Float16>(codes, values, n);
      break;
    case Format::bf16:
      decode_all<BFloat16>(codes, values, n);
      break;
    case Format::dl16:
      decode_all<DlFloat16>(codes, values, n);
      break;
    case Format::fp8_e4m3:
      decode_all<Float8E4M3>(codes, values, n);
      break;
    case Format::fp8_e5m2:
      decode_all<Float8E5M2>(codes, values, n);
      break;
    case Format::int32:
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<float>(code_at<std::int32_t>(codes, i));
      }
      break;
    case Format::int8:
      for (std::size_t i = 0; i < n; ++i) values[i] = code_at<std::int8_t>(codes, i);
      break;
    case Format::int4:
      decode_int4_all(codes, values, n);
      break;
  }
}

SPYRE_VECTOR_CLONES
void encode_any(Format format, const float* values, std::byte* codes, std::size_t n) {
  switch (format) {
    case Format::fp32:
      std::memcpy(codes, values, n * sizeof(float));
      break;
    case Format::fp16:
      encode_all<Float16>(values, codes, n);
      break;
    case Format::bf16:
      encode_all<BFloat16>(values, codes, n);
      break;
    case Format::dl16:
      encode_all<DlFloat16>(values, codes, n);
      break;
    case Format::fp8_e4m3:
      encode_all<Float8E4M3>(values, codes, n);
      break;
    case Format::fp8_e5m2:
      encode_all<Float8E5M2>(values, codes, n);
      break;
    case Format::int32:
      for (std::size_t i = 0; i < n; ++i) set_code(codes, i, encode_int32(values[i]));
      break;
    case Format::int8:
      for (std::size_t i = 0; i < n; ++i) set_code(codes, i, encode_int8(values[i]));
      break;
    case Format::int4:
      encode_int4_all(values, codes, n);
      break;
  }
}

SPYRE_VECTOR_CLONES
void round_any(Format format, float* values, std::size_t n) {
  switch (format) {
    case Format::fp32:
      break;
    case Format::fp16:
      round_all<Float16>(values, n);
      break;
    case Format::bf16:
      round_all<BFloat16>(values, n);
      break;
    case Format::dl16:
      round_all<DlFloat16>(values, n);
      break;
    case Format::fp8_e4m3:
      round_all<Float8E4M3>(values, n);
      break;
    case Format::fp8_e5m2:
      round_all<Float8E5M2>(values, n);
      break;
    case Format::int32:
      for (std::size_t i = 0; i < n; ++i) values[i] = round_int32(values[i]);
      break;
    case Format::int8:
      for (std::size_t i = 0; i < n; ++i) values[i] = encode_int8(values[i]);
      break;
    case Format::int4:
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = decode_int4(encode_int4(values[i]));
      }
      break;
  }
}

void require_room(Format format, std::size_t elements, std::size_t bytes) {
  if (static_cast<std::int64_t>(bytes) < bytes_of(format, static_cast<std::int64_t>(elements))) {
    throw std::invalid_argument("conversion: fewer bytes than elements need");
  }
}

}  // namespace

void decode(Format format, std::span<const std::byte> codes, std::span<float> values) {
  require_room(format, values.size(), codes.size());
  if (!values.empty()) decode_any(format, codes.data(), values.data(), values.size());
}

void encode(Format format, std::span<const float> values, std::span<std::byte> codes) {
  require_room(format, values.size(), codes.size());
  if (!values.empty()) encode_any(format, values.data(), codes.data(), values.size());
}

void round_to(Format format, std::span<float> values) {
  round_any(format, values.data(), values.size());
}

float round_to(Format format, float value) {
  round_any(format, &value, 1);
  return value;
}

}  // namespace spyre::models
