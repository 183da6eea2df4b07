// Which element types of KTIR a tile can have, and numbers as those types hold them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/ktir/type.h"
#include "models/isa/data_type.h"

namespace spyre::kernels::lowering {

/// What tiles of that element type are held as; nothing for types that no tile can have (f64).
/// Integers wider than 8 bits become int32: ranges are checked where they are known.
[[nodiscard]] std::optional<models::DataType> tile_type(const ktir::ScalarType& element);
/// Bytes of one element in memory, i1 counted as one byte.
[[nodiscard]] std::int64_t element_bytes(const ktir::ScalarType& element);
/// Whether memory holds that type as tiles do. 64-bit integers do not: tiles have 32.
[[nodiscard]] bool is_transferable(const ktir::ScalarType& element);
/// The nearest number that the type holds.
[[nodiscard]] double rounded(double value, const ktir::ScalarType& element);
/// The largest n such that every integer from -n to n is held exactly.
[[nodiscard]] std::int64_t exact_integers(const ktir::ScalarType& element);
/// "f16, bf16, f32, ...": for messages.
[[nodiscard]] std::string tile_types_text();

}  // namespace spyre::kernels::lowering
