// Bulk conversions between tiles in a number format (bytes, little endian) and float scratch.
//
// Every value of every format except int32 is exact in float; int32 is exact to 2^24 in magnitude
// and is rounded to the nearest float beyond. Encoding rounds once, in the format's own direction
// (format.h, mini_float.h); what is too large becomes infinity, or NaN where the format has none;
// integers saturate. No allocation.
#pragma once

#include <cstddef>
#include <span>

#include "models/formats/format.h"

namespace spyre::models {

/// Element i of `codes` to values[i] for every i below values.size(). Throws std::invalid_argument
/// if `codes` is shorter than bytes_of(format, values.size()).
void decode(Format format, std::span<const std::byte> codes, std::span<float> values);

/// The reverse. An odd int4 at the end leaves the high nibble of its byte zero. Throws as decode
/// does.
void encode(Format format, std::span<const float> values, std::span<std::byte> codes);

/// Replaces each value by the one that the format would keep of it.
void round_to(Format format, std::span<float> values);
[[nodiscard]] float round_to(Format format, float value);

}  // namespace spyre::models
