#include "runtime/host_array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "models/formats/mini_float.h"
#include "runtime/host_values.h"

namespace spyre::runtime {

using kernels::ktir::ScalarKind;
using kernels::ktir::ScalarType;

static_assert(std::endian::native == std::endian::little, "arrays are held little endian");

namespace {

template <class Number>
Number read_as(const std::byte* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof(Number));
  return number;
}

template <class Number>
void write_as(Number number, std::byte* bytes) {
  std::memcpy(bytes, &number, sizeof(Number));
}

template <class Format>
double decode_float(const std::byte* bytes) {
  return Format::decode(read_as<typename Format::Code>(bytes));
}

template <class Format>
void encode_float(double value, std::byte* bytes) {
  write_as(Format::encode(value), bytes);
}

bool is_unsigned(const ScalarType& element) {
  return element.kind == ScalarKind::unsigned_integer || element.width == 1;
}

/// The `width` low bits, signed or not. Integers wider than 64 bits occur in no kernel.
double decode_integer(const ScalarType& element, const std::byte* bytes) {
  std::uint64_t bits = 0;
  const auto size = static_cast<std::size_t>(std::min<std::int64_t>(element_bytes(element), 8));
  std::memcpy(&bits, bytes, size);
  if (element.width == 1) return bits != 0 ? 1 : 0;
  const int unused = 64 - std::min(element.width, 64);
  bits <<= unused;
  if (is_unsigned(element)) return static_cast<double>(bits >> unused);
  return static_cast<double>(static_cast<std::int64_t>(bits) >> unused);
}

void encode_integer(const ScalarType& element, double value, std::byte* bytes) {
  const int width = std::min(element.width, 64);
  const double low = is_unsigned(element) ? 0.0 : -std::ldexp(1.0, width - 1);
  const double above = std::ldexp(1.0, is_unsigned(element) ? width : width - 1);
  const double whole = std::isnan(value) ? 0.0 : std::nearbyint(value);
  std::uint64_t bits = 0;
  if (whole >= above) {
    bits = std::numeric_limits<std::uint64_t>::max() >> (64 - width);
    if (!is_unsigned(element)) bits >>= 1;
  } else if (is_unsigned(element)) {
    bits = static_cast<std::uint64_t>(std::max(whole, low));
  } else {
    bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(std::max(whole, low)));
  }
  const auto size = static_cast<std::size_t>(element_bytes(element));
  std::memset(bytes, 0, size);
  std::memcpy(bytes, &bits, std::min<std::size_t>(size, 8));
}

void require_fit(const HostArray& array, std::size_t count) {
  const auto needed = static_cast<std::size_t>(array.elements());
  if (count == needed) return;
  throw std::invalid_argument(fmt::format("an array of shape [{}] has {} elements, not {}",
                                          fmt::join(array.shape, ","), needed, count));
}

}  // namespace

std::int64_t HostArray::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t element_bytes(const ScalarType& element) {
  return (element.width + 7) / 8;
}

double decode_element(const ScalarType& element, const std::byte* bytes) {
  switch (element.kind) {
    case ScalarKind::index:
    case ScalarKind::integer:
    case ScalarKind::signed_integer:
    case ScalarKind::unsigned_integer:
      return decode_integer(element, bytes);
    case ScalarKind::f16:
      return decode_float<models::Float16>(bytes);
    case ScalarKind::bf16:
      return decode_float<models::BFloat16>(bytes);
    case ScalarKind::f32:
      return read_as<float>(bytes);
    case ScalarKind::f64:
      return read_as<double>(bytes);
    case ScalarKind::f8_e4m3:
      return decode_float<models::Float8E4M3>(bytes);
    case ScalarKind::f8_e5m2:
      return decode_float<models::Float8E5M2>(bytes);
    case ScalarKind::df16:
      return decode_float<models::DlFloat16>(bytes);
  }
  return 0;
}

void encode_element(const ScalarType& element, double value, std::byte* bytes) {
  switch (element.kind) {
    case ScalarKind::index:
    case ScalarKind::integer:
    case ScalarKind::signed_integer:
    case ScalarKind::unsigned_integer:
      return encode_integer(element, value, bytes);
    case ScalarKind::f16:
      return encode_float<models::Float16>(value, bytes);
    case ScalarKind::bf16:
      return encode_float<models::BFloat16>(value, bytes);
    case ScalarKind::f32:
      return encode_float<models::Float32>(value, bytes);
    case ScalarKind::f64:
      return write_as(value, bytes);
    case ScalarKind::f8_e4m3:
      return encode_float<models::Float8E4M3>(value, bytes);
    case ScalarKind::f8_e5m2:
      return encode_float<models::Float8E5M2>(value, bytes);
    case ScalarKind::df16:
      return encode_float<models::DlFloat16>(value, bytes);
  }
}

std::vector<double> to_doubles(const HostArray& array) {
  const auto step = static_cast<std::size_t>(element_bytes(array.element));
  require_fit(array, array.bytes.size() / step);
  std::vector<double> values(static_cast<std::size_t>(array.elements()));
  const std::byte* at = array.bytes.data();
  for (double& value : values) {
    value = decode_element(array.element, at);
    at += step;
  }
  return values;
}

HostArray from_doubles(const ScalarType& element, std::vector<std::int64_t> shape,
                       std::span<const double> values) {
  HostArray array{element, std::move(shape), {}};
  require_fit(array, values.size());
  const auto step = static_cast<std::size_t>(element_bytes(element));
  array.bytes.resize(values.size() * step);
  std::byte* at = array.bytes.data();
  for (const double value : values) {
    encode_element(element, value, at);
    at += step;
  }
  return array;
}

}  // namespace spyre::runtime
