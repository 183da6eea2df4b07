// How long a tile matmul takes on the PT arrays of one core.
//
// Models: weights stationary. A block of the B operand (rows x columns*lanes elements) is loaded
// into a corelet's array, and up to row_tile rows of A stream over it, one row per cycle, padded to
// passes of pass_rows rows. Each block pays an overhead per row tile: weight load that is not
// hidden, fill and drain (calibrated on one-core matmuls: 1073 MAC/ns/core is 91.6 cycles per
// 64-row tile at 1.5 GHz). Corelets share the work by strips of N, or by rows of A where that is
// faster (it can be only when the strips do not divide evenly). Does not model: zero skipping,
// power throttling, data.
#pragma once

#include "models/machine/machine.h"

namespace spyre::models {

struct MatrixCycles {
  Cycles streaming = 0;  ///< rows of A pass over stationary blocks
  Cycles fill = 0;       ///< block overhead
  [[nodiscard]] Cycles total() const { return streaming + fill; }
};

/// C[m,n] += A[m,k] B[k,n]. `type` is the wider operand's; `corelets` = 0 means all. Zero work
/// takes no time.
[[nodiscard]] MatrixCycles matrix_cycles(const Machine& machine, std::int64_t m, std::int64_t n,
                                         std::int64_t k, DataType type, std::int64_t corelets = 0);

}  // namespace spyre::models
