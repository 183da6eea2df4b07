// Kernels that compute nothing: transposes, concatenations, copies of chosen rows.
#pragma once

#include "kernels/ops/op_options.h"

namespace spyre::kernels {

struct TransposeShape {
  std::int64_t rows = 1, columns = 1;
};
/// y [columns, rows] = x transposed: what ran along the sticks runs across them ("restickify").
[[nodiscard]] Schedule plan_transpose(const TransposeShape& shape, const OpOptions& options,
                                      const models::Machine& machine);

struct OuterTransposeShape {
  std::int64_t rows = 1, middle = 1, columns = 1;
};
/// y [middle, rows, columns] of x [rows, middle, columns]: whole sticks change places.
[[nodiscard]] Schedule plan_outer_transpose(const OuterTransposeShape& shape,
                                            const OpOptions& options,
                                            const models::Machine& machine);

struct ConcatShape {
  std::int64_t rows = 1, columns = 1;  ///< of each part
  std::int64_t parts = 2;
  std::int64_t axis = 0;  ///< 0: one below the other; 1: side by side
};
/// y = x0, x1, ... Side by side, parts that end within a stick are put together transposed, where
/// every place is as good as another.
[[nodiscard]] Schedule plan_concat(const ConcatShape& shape, const OpOptions& options,
                                   const models::Machine& machine);

struct EmbeddingShape {
  std::int64_t tokens = 1, vocabulary = 1, columns = 1;
};
/// y[t, :] = table[ids[t], :]; the ids are read when the kernel runs.
[[nodiscard]] Schedule plan_embedding(const EmbeddingShape& shape, const OpOptions& options,
                                      const models::Machine& machine);

}  // namespace spyre::kernels
