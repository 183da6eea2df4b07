// Functions of whole rows: softmax, layer norm, RMS norm, rotary embedding.
//
// Rows are cut over the cores; a tile is some whole rows, so a row must fit LX.
#pragma once

#include <string>

#include "kernels/ops/op_options.h"

namespace spyre::kernels {

struct RowShape {
  std::int64_t rows = 1, columns = 1;
};

inline constexpr double kOpEpsilon = 1e-5;

/// y = exp(x - max) / sum, by row.
[[nodiscard]] Schedule plan_softmax(const RowShape& shape, const OpOptions& options,
                                    const models::Machine& machine);
/// y = (x - mean) / sqrt(variance + epsilon) * weight + bias, by row.
[[nodiscard]] Schedule plan_layernorm(const RowShape& shape, const OpOptions& options,
                                      const models::Machine& machine);
/// y = x / sqrt(mean of squares + epsilon) * weight, by row.
[[nodiscard]] Schedule plan_rmsnorm(const RowShape& shape, const OpOptions& options,
                                    const models::Machine& machine);

struct RopeShape {
  std::int64_t rows = 1, heads = 1, head_dim = 2;
};

/// Rotates each head of each row by the row's angles: table [rows, head_dim], cosines in the first
/// half, sines in the second.
[[nodiscard]] Schedule plan_rope(const RopeShape& shape, const OpOptions& options,
                                 const models::Machine& machine);

}  // namespace spyre::kernels
