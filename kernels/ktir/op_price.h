// Which unit of ktir-cpu's core an operation occupies, and the constants of its prices.
//
// Modelled: one class per operation. Not modelled: element types (f32 costs what f16 costs).
// The numbers belong to that model, not to a Spyre card: they are in no machine description.
// Source: ktir.md 3.2 (formulas) and 3.3 (constants that the code of ktir-cpu uses).
#pragma once

#include <cstdint>

#include "kernels/ktir/op_table.h"

namespace spyre::kernels::ktir {

// ktir.md 3.3. One cycle is 1 ns (1 GHz), so bytes per ns are bytes per cycle.
inline constexpr double kDramBytesPerCycle = 128;  ///< 0.128 TB/s, divided among the grid's cores
inline constexpr double kRingBytesPerCycle = 64;   ///< 0.064 TB/s per direction
inline constexpr double kLocalBytesPerCycle = kRingBytesPerCycle;  ///< LX, in mixed views only
inline constexpr double kSimdLanes = 64;             ///< elements per cycle, of any type
inline constexpr double kMatmulFlopPerCycle = 1024;  ///< 2 * 64 * 8
inline constexpr double kTranscendentalFactor = 4;   ///< times the price of a SIMD operation

enum class PriceClass {
  free,            ///< constants, casts, tensor.*, control flow, views and tiles
  simd,            ///< floats, one step per element
  transcendental,  ///< floats, kTranscendentalFactor steps per element
  integer,         ///< one step per element of a tensor; a scalar costs nothing
  matmul,
  region,       ///< what its body costs, by rules of its own
  transfer,     ///< load and store
  unsupported,  ///< ktir-cpu does not run it
};

[[nodiscard]] PriceClass price_class(OpCode code);

}  // namespace spyre::kernels::ktir
