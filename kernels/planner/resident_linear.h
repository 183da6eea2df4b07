// A linear layer on activations that every core holds in LX.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/planner/tensors.h"

namespace spyre::kernels {

/// What is done with the sums before they leave the core.
enum class Epilogue { none, gelu, silu_mul, residual };

/// Columns that one or, side by side, two matrices produce (gate and up).
struct LinearPiece {
  std::vector<PlannedWeight> matrices;
  std::vector<PlannedWeight> biases;  ///< one per matrix, or none
};

struct ResidentLinear {
  std::string name;
  std::string input;                     ///< resident buffer
  std::optional<std::string> norm;       ///< weight name of the norm in front, if any
  std::vector<LinearPiece> pieces = {};  ///< their results stand side by side in the output
  Epilogue epilogue = Epilogue::none;
  std::string residual = {};  ///< resident buffer that is added
  std::string output;         ///< resident buffer, or a tensor when `to_dram`
  bool to_dram = false;
  double scale = 1;  ///< of the result, with Epilogue::none and no bias
  /// Resident buffer that keeps the norm's result when the work takes several launches; otherwise
  /// each computes it.
  std::string kept_norm = {};
};

/// The matrix of node `node` with its bias, if it has one.
[[nodiscard]] LinearPiece linear_piece(const PlanContext& context,
                                       const std::vector<std::string>& nodes);

/// Nothing if no tile fits beside `resident_bytes` of LX.
[[nodiscard]] std::optional<PlannedKernel> build_resident_linear(const PlanContext& context,
                                                                 const ResidentLinear& linear,
                                                                 std::int64_t resident_bytes);

/// Buffers "gain" and, for layer norm, "shift".
void add_norm_buffers(KernelBuilder& kernel, const PlanContext& context);
/// Loads them for the norm `name`, once for all cores along `share`.
void load_norm(KernelBuilder& kernel, const PlanContext& context, const std::string& name,
               const std::vector<std::string>& share);
/// Epilogue::none without a bias: `sums` times `scale`.
void add_scaled(KernelBuilder& kernel, const Local& into, const std::string& sums, double scale);
/// Epilogue::residual: `residual` plus the model's multiple of `sums`.
void add_residual(KernelBuilder& kernel, const PlanContext& context, const Local& into,
                  const std::string& sums, const Local& residual);
/// Rows of the token table, times the model's multiplier.
void scale_embedding(KernelBuilder& kernel, const PlanContext& context, const Local& into,
                     const std::string& rows);
void compute_norm(KernelBuilder& kernel, const PlanContext& context, const Local& from,
                  const Local& into);

}  // namespace spyre::kernels
