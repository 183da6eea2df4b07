// A linear layer on activations in DRAM: prefill chunks, large batches, and single matmuls.
//
// Grid m x n: cores with the same rows share the reads of A, cores with the same columns those of
// B. Either a tile of whole rows of A stays in LX while B streams past it, or tiles of A and B
// stream side by side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/planner/linear_division.h"
#include "kernels/planner/resident_linear.h"

namespace spyre::kernels {

struct DramLinear {
  std::string name;
  std::string input;           ///< tensor [rows, k]
  std::int64_t first_row = 0;  ///< of the input
  std::int64_t m = 0;
  std::optional<std::string> norm =
      std::nullopt;  ///< weight name of a norm computed in LX in front
  std::vector<LinearPiece> pieces = {};
  Epilogue epilogue = Epilogue::none;
  std::string residual = {};  ///< tensor that is added
  std::string output = {};    ///< tensor [m, columns of all pieces]
  DataType a_type = DataType::fp16, b_type = DataType::fp16, c_type = DataType::fp16;
  double scale = 1;  ///< of the result, with Epilogue::none and no bias
  std::int64_t k_split = 1;
  LinearWish wish = {};
};

[[nodiscard]] LinearShape shape_of(const models::Machine& machine, const DramLinear& linear,
                                   std::int64_t cores);

/// Throws InputError with the bytes needed and available if no tile fits LX.
[[nodiscard]] PlannedKernel build_dram_linear(const PlanContext& context, const DramLinear& linear);

}  // namespace spyre::kernels
