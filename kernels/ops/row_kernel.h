// A kernel that works on tiles of whole rows: what the row functions have in common.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/ops/tile_loops.h"

namespace spyre::kernels {

/// A tensor of as many rows as the kernel has; its tiles stand in a buffer of the same name.
struct RowStream {
  std::string name;
  std::int64_t columns = 1;
};

struct RowScratch {
  std::string name;
  DataType type = DataType::fp32;
  std::int64_t columns = 1;
};

struct RowKernel {
  std::string name;
  std::int64_t rows = 1;
  std::vector<RowStream> inputs;
  std::vector<RowStream> tables;  ///< of one row, that all tiles use
  std::vector<RowScratch> scratch;
  RowStream output;
  /// Adds what makes the output's buffer of the inputs'; `loops` has the tile at hand.
  std::function<void(KernelBuilder& kernel, const TileLoops& loops)> compute;
};

[[nodiscard]] Kernel build_row_kernel(const OpPlan& plan, const RowKernel& row_kernel);

/// "from" to its softmax in "into", with "work" [rows, columns] and "row_max", "row_sum" [rows, 1]
/// in fp32.
void add_row_softmax(KernelBuilder& kernel, const std::string& from, const std::string& into);
[[nodiscard]] std::vector<RowScratch> row_softmax_scratch(std::int64_t columns);

}  // namespace spyre::kernels
