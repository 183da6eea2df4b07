// Element types that schedules name, and their sizes. Their arithmetic is in models/formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace spyre::models {

enum class DataType : std::uint8_t {
  fp32,
  fp16,
  bf16,
  dl16,  ///< the accelerator's own 16-bit format, whatever `--numerics` says of fp16
  fp8,   ///< E4M3
  fp8_e5m2,
  int32,
  int8,
  int4,
};

[[nodiscard]] constexpr std::int64_t bits(DataType type) {
  switch (type) {
    case DataType::fp32:
    case DataType::int32:
      return 32;
    case DataType::fp16:
    case DataType::bf16:
    case DataType::dl16:
      return 16;
    case DataType::fp8:
    case DataType::fp8_e5m2:
    case DataType::int8:
      return 8;
    case DataType::int4:
      return 4;
  }
  return 0;
}

/// Bytes of `elements` elements, a last partial byte counted whole.
[[nodiscard]] constexpr std::int64_t bytes_of(DataType type, std::int64_t elements) {
  return (elements * bits(type) + 7) / 8;
}

[[nodiscard]] constexpr std::string_view to_string(DataType type) {
  switch (type) {
    case DataType::fp32:
      return "fp32";
    case DataType::fp16:
      return "fp16";
    case DataType::bf16:
      return "bf16";
    case DataType::dl16:
      return "dl16";
    case DataType::fp8:
      return "fp8";
    case DataType::fp8_e5m2:
      return "fp8_e5m2";
    case DataType::int32:
      return "int32";
    case DataType::int8:
      return "int8";
    case DataType::int4:
      return "int4";
  }
  return "";
}

[[nodiscard]] constexpr std::optional<DataType> data_type_named(std::string_view name) {
  for (const DataType type :
       {DataType::fp32, DataType::fp16, DataType::bf16, DataType::dl16, DataType::fp8,
        DataType::fp8_e5m2, DataType::int32, DataType::int8, DataType::int4}) {
    if (to_string(type) == name) return type;
  }
  return std::nullopt;
}

}  // namespace spyre::models
