// What a matmul leaves in LX.
//
// Modelled: products and sums in fp32, one rounding to the destination's type (formats/matmul.h);
// int8 operands with an int32 destination in integers. Not modelled: the real array's order of sums
// and width of accumulators, which are not public.
#pragma once

#include <cstdint>
#include <vector>

#include "models/data/lx_tile.h"
#include "models/isa/tile_op.h"

namespace spyre::models {

/// Storage that operations reuse.
struct MatmulScratch {
  std::vector<float> a, b, c;
  std::vector<std::int32_t> integers;
  std::vector<std::int8_t> a8, b8;
  std::vector<std::int32_t> c32;
};

/// Executes C[m,n] (+)= A[m,k] B[k,n] on one core's LX.
void execute_matmul(const TileOp& op, const LxView& lx, MatmulScratch& scratch);

}  // namespace spyre::models
