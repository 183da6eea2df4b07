// A matrix cut over cores and, on each core, into tiles that follow each other: the loops that most
// kernels of our own have.
//
// Grid m x n: core (m, n) has a slice of the rows and one of the sticks of columns; slices differ
// by one unit at most. Tiles at the end of a slice are cut to it, those at the tensor's edge by the
// machine.
#pragma once

#include <functional>

#include "kernels/ops/op_plan.h"
#include "kernels/planner/work_division.h"

namespace spyre::kernels {

/// How a matrix is cut.
struct TileCut {
  std::int64_t rows = 0, columns = 0;
  std::int64_t row_unit = 1;     ///< slices and tiles of rows begin at multiples of it
  std::int64_t column_unit = 1;  ///< elements of a stick
  std::int64_t m_cores = 1, n_cores = 1;
  std::int64_t tile_rows = 1, tile_columns = 1;  ///< multiples of the units

  [[nodiscard]] std::int64_t row_units() const { return ceil_divide(rows, row_unit); }
  [[nodiscard]] std::int64_t column_units() const { return ceil_divide(columns, column_unit); }
  /// Of the busiest core, rounded up to whole units.
  [[nodiscard]] std::int64_t core_rows() const {
    return ceil_divide(row_units(), m_cores) * row_unit;
  }
  [[nodiscard]] std::int64_t core_columns() const {
    return ceil_divide(column_units(), n_cores) * column_unit;
  }
};

/// Chooses the grid: as asked for, else that whose busiest core has the fewest units, and of those
/// the one with the most parts along the longer side, as torch-spyre's compiler divides work.
void divide_over_cores(TileCut& cut, const OpOptions& options);

class TileLoops {
 public:
  explicit TileLoops(const TileCut& cut);

  [[nodiscard]] KernelBuilder::Grid grid() const;
  void for_rows(KernelBuilder& kernel, const std::function<void()>& body);
  void for_columns(KernelBuilder& kernel, const std::function<void()>& body);

  // Of the tile at hand, inside the bodies.
  Index row = 0, height = 0, column = 0, width = 0;
  /// Whether the tile is the first of its core's slice.
  Index first_row_tile = 1, first_column_tile = 1;

  [[nodiscard]] bool one_row_tile() const { return row_tiles_.longest() <= tile_row_units_; }
  [[nodiscard]] bool one_column_tile() const {
    return column_tiles_.longest() <= tile_stick_units_;
  }
  /// Whether all cores along n (m) take as many steps: then they can share reads.
  [[nodiscard]] bool column_steps_agree() const;
  [[nodiscard]] bool row_steps_agree() const;

 private:
  TileCut cut_;
  Slices row_tiles_, column_tiles_;
  std::int64_t tile_row_units_ = 1, tile_stick_units_ = 1;
};

}  // namespace spyre::kernels
