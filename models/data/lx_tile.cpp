#include "models/data/lx_tile.h"

#include <algorithm>
#include <cstring>

#include "models/formats/convert.h"

namespace spyre::models {
namespace {

std::size_t elements(const LxOperand& tile) {
  return std::size_t{tile.rows} * tile.columns;
}

}  // namespace

void read_tile(const LxView& lx, const LxOperand& tile, std::vector<float>& values) {
  values.resize(elements(tile));
  const Format format = format_of(tile.type, lx.numerics);
  for (std::uint32_t row = 0; row < tile.rows; ++row) {
    float* const dense = values.data() + std::size_t{row} * tile.columns;
    for_each_piece(tile, row, lx.stick_bytes,
                   [&](std::size_t offset, std::uint32_t first, std::uint32_t count) {
                     decode(format, lx.bytes.subspan(offset), {dense + first, count});
                   });
  }
}

void write_tile(const LxView& lx, const LxOperand& tile, std::span<const float> values) {
  const Format format = format_of(tile.type, lx.numerics);
  for (std::uint32_t row = 0; row < tile.rows; ++row) {
    const float* const dense = values.data() + std::size_t{row} * tile.columns;
    for_each_piece(tile, row, lx.stick_bytes,
                   [&](std::size_t offset, std::uint32_t first, std::uint32_t count) {
                     const auto bytes = static_cast<std::size_t>(bytes_of(tile.type, count));
                     encode(format, {dense + first, count}, lx.bytes.subspan(offset, bytes));
                   });
  }
}

void read_tile(const LxView& lx, const LxOperand& tile, std::vector<std::int32_t>& values) {
  values.resize(elements(tile));
  for (std::uint32_t row = 0; row < tile.rows; ++row) {
    std::int32_t* const dense = values.data() + std::size_t{row} * tile.columns;
    for_each_piece(tile, row, lx.stick_bytes,
                   [&](std::size_t offset, std::uint32_t first, std::uint32_t count) {
                     const std::byte* const from = lx.bytes.data() + offset;
                     if (tile.type == DataType::int32) {
                       std::memcpy(dense + first, from, std::size_t{count} * 4);
                     } else {
                       for (std::uint32_t i = 0; i < count; ++i) {
                         dense[first + i] = static_cast<std::int8_t>(from[i]);
                       }
                     }
                   });
  }
}

void write_tile(const LxView& lx, const LxOperand& tile, std::span<const std::int32_t> values) {
  for (std::uint32_t row = 0; row < tile.rows; ++row) {
    const std::int32_t* const dense = values.data() + std::size_t{row} * tile.columns;
    for_each_piece(tile, row, lx.stick_bytes,
                   [&](std::size_t offset, std::uint32_t first, std::uint32_t count) {
                     std::byte* const to = lx.bytes.data() + offset;
                     if (tile.type == DataType::int32) {
                       std::memcpy(to, dense + first, std::size_t{count} * 4);
                     } else {
                       for (std::uint32_t i = 0; i < count; ++i) {
                         to[i] = static_cast<std::byte>(dense[first + i]);
                       }
                     }
                   });
  }
}

void read_bytes(const LxView& lx, const LxOperand& tile, std::vector<std::byte>& bytes) {
  const auto row_bytes = static_cast<std::size_t>(bytes_of(tile.type, tile.columns));
  bytes.resize(tile.rows * row_bytes);
  for (std::uint32_t row = 0; row < tile.rows; ++row) {
    for_each_piece(tile, row, lx.stick_bytes,
                   [&](std::size_t offset, std::uint32_t first, std::uint32_t count) {
                     std::memcpy(bytes.data() + row * row_bytes + bytes_of(tile.type, first),
                                 lx.bytes.data() + offset,
                                 static_cast<std::size_t>(bytes_of(tile.type, count)));
                   });
  }
}

void write_bytes(const LxView& lx, const LxOperand& tile, std::span<const std::byte> bytes) {
  const auto row_bytes = static_cast<std::size_t>(bytes_of(tile.type, tile.columns));
  for (std::uint32_t row = 0; row < tile.rows; ++row) {
    for_each_piece(tile, row, lx.stick_bytes,
                   [&](std::size_t offset, std::uint32_t first, std::uint32_t count) {
                     std::memcpy(lx.bytes.data() + offset,
                                 bytes.data() + row * row_bytes + bytes_of(tile.type, first),
                                 static_cast<std::size_t>(bytes_of(tile.type, count)));
                   });
  }
}

}  // namespace spyre::models
