// Tiles in LX as dense rows of numbers.
//
// Modelled: where each element of a tile lies (tile_op.h, LxOperand), and its number format. Not
// modelled: time, banks. Padding lanes of a stick are neither read nor written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "models/formats/format.h"
#include "models/isa/tile_op.h"

namespace spyre::models {

/// Calls visit(byte offset in LX, first element of the row, count) for each piece of row `row` whose
/// elements follow each other in LX: what lies in one stick, or the whole row of a one-row buffer.
template <typename Visit>
void for_each_piece(const LxOperand& tile, std::uint32_t row, std::uint32_t stick_bytes,
                    Visit&& visit) {
  const auto lanes = static_cast<std::uint32_t>(stick_bytes * 8 / bits(tile.type));
  std::uint32_t lane = tile.first_lane;
  std::size_t stick = tile.address + std::size_t{row} * stick_bytes;
  if (tile.pitch_rows == 1 && tile.columns > 0) {
    visit(stick + static_cast<std::size_t>(bytes_of(tile.type, lane)), std::uint32_t{0},
          tile.columns);
    return;
  }
  for (std::uint32_t column = 0; column < tile.columns;) {
    const std::uint32_t count = std::min(lanes - lane, tile.columns - column);
    visit(stick + static_cast<std::size_t>(bytes_of(tile.type, lane)), column, count);
    column += count;
    lane = 0;
    stick += std::size_t{tile.pitch_rows} * stick_bytes;
  }
}

/// One core's LX, and the number formats of its tiles.
struct LxView {
  std::span<std::byte> bytes;
  std::uint32_t stick_bytes = 128;
  Numerics numerics = Numerics::ieee;
};

/// The tile as float, dense, row by row. int32 beyond 2^24 is rounded.
void read_tile(const LxView& lx, const LxOperand& tile, std::vector<float>& values);
/// Rounds each value once to the tile's format.
void write_tile(const LxView& lx, const LxOperand& tile, std::span<const float> values);

/// int32 and int8 tiles without rounding.
void read_tile(const LxView& lx, const LxOperand& tile, std::vector<std::int32_t>& values);
/// int32 wraps around, int8 keeps the low byte.
void write_tile(const LxView& lx, const LxOperand& tile, std::span<const std::int32_t> values);

/// The elements' bytes, dense, row by row, in the tile's own format.
void read_bytes(const LxView& lx, const LxOperand& tile, std::vector<std::byte>& bytes);
void write_bytes(const LxView& lx, const LxOperand& tile, std::span<const std::byte> bytes);

[[nodiscard]] constexpr bool is_integer(DataType type) {
  return type == DataType::int32 || type == DataType::int8;
}

}  // namespace spyre::models
