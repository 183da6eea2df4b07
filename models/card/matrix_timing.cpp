#include "models/card/matrix_timing.h"

#include <algorithm>

namespace spyre::models {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// One corelet streams `rows` rows over `blocks` stationary blocks.
MatrixCycles corelet_cycles(const MatrixUnitDescription& unit, std::int64_t rows,
                            std::int64_t blocks) {
  const std::int64_t padded = divide_up(rows, unit.pass_rows) * unit.pass_rows;
  const std::int64_t row_tiles = divide_up(padded, unit.row_tile);
  return {static_cast<Cycles>(blocks * padded),
          static_cast<Cycles>(blocks * row_tiles * unit.block_overhead_cycles)};
}

}  // namespace

MatrixCycles matrix_cycles(const Machine& machine, std::int64_t m, std::int64_t n, std::int64_t k,
                           DataType type, std::int64_t corelets) {
  if (m == 0 || n == 0 || k == 0) return {};
  const MatrixUnitDescription& unit = machine.matrix;
  const std::int64_t active = corelets == 0 ? machine.cores.corelets : corelets;
  // Narrow types raise the MAC rate by holding more of K per PE.
  const std::int64_t rate = machine.macs_per_cycle(type) / machine.macs_per_cycle(DataType::fp16);
  const std::int64_t k_blocks = divide_up(k, unit.rows * rate);
  const std::int64_t strips = divide_up(n, unit.columns * unit.lanes);

  const MatrixCycles by_strips = corelet_cycles(unit, m, k_blocks * divide_up(strips, active));
  const std::int64_t passes = divide_up(m, unit.pass_rows);
  const std::int64_t rows = std::min(m, divide_up(passes, active) * unit.pass_rows);
  const MatrixCycles by_rows = corelet_cycles(unit, rows, k_blocks * strips);
  return by_rows.total() < by_strips.total() ? by_rows : by_strips;
}

}  // namespace spyre::models
