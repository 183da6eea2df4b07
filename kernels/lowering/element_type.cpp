#include "kernels/lowering/element_type.h"

#include <bit>
#include <cmath>
#include <limits>

#include "models/formats/convert.h"

namespace spyre::kernels::lowering {

using ktir::ScalarKind;
using models::DataType;

std::optional<DataType> tile_type(const ktir::ScalarType& element) {
  switch (element.kind) {
    case ScalarKind::index:
      return DataType::int32;
    case ScalarKind::integer:
    case ScalarKind::signed_integer:
      if (element.width <= 8) return DataType::int8;
      return DataType::int32;
    case ScalarKind::unsigned_integer:  // tiles hold signed integers: one bit more is needed
      return element.width < 8 ? DataType::int8 : DataType::int32;
    case ScalarKind::f16:
      return DataType::fp16;
    case ScalarKind::bf16:
      return DataType::bf16;
    case ScalarKind::f32:
      return DataType::fp32;
    case ScalarKind::f8_e4m3:
      return DataType::fp8;
    case ScalarKind::f8_e5m2:
      return DataType::fp8_e5m2;
    case ScalarKind::df16:
      return DataType::dl16;
    case ScalarKind::f64:
      break;
  }
  return std::nullopt;
}

std::int64_t element_bytes(const ktir::ScalarType& element) {
  return (element.width + 7) / 8;
}

bool is_transferable(const ktir::ScalarType& element) {
  const std::optional<DataType> type = tile_type(element);
  if (!type || element.kind == ScalarKind::unsigned_integer) return false;
  return models::bits(*type) == element_bytes(element) * 8;
}

namespace {

/// To float, keeping in the last bit that something was cut off, so that rounding again to fewer
/// bits gives what rounding once would.
float to_odd(double value) {
  auto nearest = static_cast<float>(value);
  if (!std::isfinite(nearest) || static_cast<double>(nearest) == value) return nearest;
  if (std::abs(static_cast<double>(nearest)) > std::abs(value)) {
    nearest = std::nextafter(nearest, 0.0F);
  }
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(nearest) | 1U);
}

}  // namespace

double rounded(double value, const ktir::ScalarType& element) {
  switch (element.kind) {
    case ScalarKind::f64:
      return value;
    case ScalarKind::f32:
      return static_cast<double>(static_cast<float>(value));
    case ScalarKind::index:
    case ScalarKind::integer:
    case ScalarKind::signed_integer:
    case ScalarKind::unsigned_integer:
      return std::trunc(value);
    default:
      break;
  }
  const models::Format format = models::format_of(*tile_type(element), models::Numerics::ieee);
  return static_cast<double>(models::round_to(format, to_odd(value)));
}

std::int64_t exact_integers(const ktir::ScalarType& element) {
  switch (element.kind) {
    case ScalarKind::f64:
      return std::int64_t{1} << 53;
    case ScalarKind::f32:
      return std::int64_t{1} << 24;
    case ScalarKind::f16:  // may be computed in the accelerator's own format, which has a bit less
    case ScalarKind::df16:
      return std::int64_t{1} << 10;
    case ScalarKind::bf16:
      return std::int64_t{1} << 8;
    case ScalarKind::f8_e4m3:
      return 16;
    case ScalarKind::f8_e5m2:
      return 8;
    default:
      return std::numeric_limits<std::int32_t>::max();
  }
}

std::string tile_types_text() {
  return "f16, bf16, f32, f8E4M3FN, f8E5M2, !spyreop.df16 and integers of up to 32 bits";
}

}  // namespace spyre::kernels::lowering
