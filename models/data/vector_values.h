// What a vector operation leaves in LX.
//
// Modelled: every function of isa/vector_function.h on tiles of any element type, computed in fp32
// and rounded once to the destination's type (integers: in 32 bits). Not modelled: time.
#pragma once

#include <cstdint>
#include <vector>

#include "models/data/lx_tile.h"
#include "models/isa/tile_op.h"

namespace spyre::models {

/// Storage that operations reuse, so that they allocate nothing once they have grown.
struct VectorScratch {
  std::array<std::vector<float>, 4> sources;
  std::vector<float> result;
  std::array<std::vector<std::int32_t>, 4> integer_sources;
  std::vector<std::int32_t> integer_result;
  std::vector<std::byte> bytes;
};

/// Executes a vector operation on one core's LX. Throws std::invalid_argument where the operand
/// types do not fit the function.
void execute_vector(const TileOp& op, const LxView& lx, VectorScratch& scratch);

}  // namespace spyre::models
