// The number formats that tiles are held in, and which of them a schedule's element types stand
// for.
//
// Modelled: the bits of each format, and the choice between the IEEE and the accelerator's own
// 16-bit format. Not modelled: scale factors of quantised tensors (a kernel multiplies by them
// itself), 9-bit and 24-bit formats. Sources: torch-spyre names the device formats SEN169_FP16
// (1-6-9) and SEN143_FP8 (E4M3, maximum 448); that `spyre` numerics means them is taken from there.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/isa/data_type.h"

namespace spyre::models {

enum class Format : std::uint8_t {
  fp32,
  fp16,  ///< IEEE binary16
  bf16,
  dl16,      ///< DLFloat16: 1 sign, 6 exponent, 9 fraction bits
  fp8_e4m3,  ///< no infinity, largest 448
  fp8_e5m2,
  int32,
  int8,
  int4,  ///< two to a byte, the first in the low nibble
};

/// Whose arithmetic the 16-bit type `fp16` of a schedule or kernel gets: IEEE's or the
/// accelerator's.
enum class Numerics : std::uint8_t { ieee, spyre };

[[nodiscard]] constexpr Format format_of(DataType type, Numerics numerics) {
  switch (type) {
    case DataType::fp32:
      return Format::fp32;
    case DataType::fp16:
      return numerics == Numerics::spyre ? Format::dl16 : Format::fp16;
    case DataType::bf16:
      return Format::bf16;
    case DataType::dl16:
      return Format::dl16;
    case DataType::fp8:
      return Format::fp8_e4m3;
    case DataType::fp8_e5m2:
      return Format::fp8_e5m2;
    case DataType::int32:
      return Format::int32;
    case DataType::int8:
      return Format::int8;
    case DataType::int4:
      return Format::int4;
  }
  return Format::fp32;
}

[[nodiscard]] constexpr std::int64_t bits(Format format) {
  switch (format) {
    case Format::fp32:
    case Format::int32:
      return 32;
    case Format::fp16:
    case Format::bf16:
    case Format::dl16:
      return 16;
    case Format::fp8_e4m3:
    case Format::fp8_e5m2:
    case Format::int8:
      return 8;
    case Format::int4:
      return 4;
  }
  return 0;
}

/// Bytes of `elements` elements, a last partial byte counted whole.
[[nodiscard]] constexpr std::int64_t bytes_of(Format format, std::int64_t elements) {
  return (elements * bits(format) + 7) / 8;
}

[[nodiscard]] constexpr std::string_view to_string(Format format) {
  switch (format) {
    case Format::fp32:
      return "fp32";
    case Format::fp16:
      return "fp16";
    case Format::bf16:
      return "bf16";
    case Format::dl16:
      return "dl16";
    case Format::fp8_e4m3:
      return "fp8_e4m3";
    case Format::fp8_e5m2:
      return "fp8_e5m2";
    case Format::int32:
      return "int32";
    case Format::int8:
      return "int8";
    case Format::int4:
      return "int4";
  }
  return "";
}

[[nodiscard]] constexpr std::string_view to_string(Numerics numerics) {
  return numerics == Numerics::spyre ? "spyre" : "ieee";
}

[[nodiscard]] constexpr std::optional<Numerics> numerics_named(std::string_view name) {
  for (const Numerics numerics : {Numerics::ieee, Numerics::spyre}) {
    if (to_string(numerics) == name) return numerics;
  }
  return std::nullopt;
}

}  // namespace spyre::models
