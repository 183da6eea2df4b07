// An LX of its own and tiles in it, for tests of what operations do to bytes.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "models/data/lx_tile.h"

namespace spyre::models {

class TileBench {
 public:
  explicit TileBench(std::size_t bytes = std::size_t{1} << 21) : bytes_(bytes) {}

  [[nodiscard]] LxView lx() { return {bytes_, 128, numerics}; }
  /// A tile of a buffer of `pitch` rows (default: its own), placed above the last one.
  LxOperand tile(std::uint32_t rows, std::uint32_t columns, DataType type = DataType::fp16,
                 std::uint32_t pitch = 0) {
    LxOperand operand;
    operand.address = next_;
    operand.rows = rows;
    operand.columns = columns;
    operand.pitch_rows = pitch == 0 ? rows : pitch;
    operand.type = type;
    const auto lanes = static_cast<std::uint32_t>(1024 / bits(type));
    next_ += (columns + lanes - 1) / lanes * operand.pitch_rows * 128;
    operand.bytes = (columns + lanes - 1) / lanes * rows * 128;
    return operand;
  }
  LxOperand tile_of(const std::vector<float>& values, std::uint32_t rows, std::uint32_t columns,
                    DataType type = DataType::fp16) {
    const LxOperand operand = tile(rows, columns, type);
    write_tile(lx(), operand, values);
    return operand;
  }
  std::vector<float> values_of(const LxOperand& operand) {
    std::vector<float> values;
    read_tile(lx(), operand, values);
    return values;
  }
  std::vector<float> random_values(std::size_t count, float low = -2, float high = 2) {
    std::uniform_real_distribution<float> number(low, high);
    std::vector<float> values(count);
    for (float& value : values) value = number(random_);
    return values;
  }

  Numerics numerics = Numerics::ieee;

 private:
  std::vector<std::byte> bytes_;
  std::uint32_t next_ = 0;
  std::mt19937 random_{11};
};

}  // namespace spyre::models
