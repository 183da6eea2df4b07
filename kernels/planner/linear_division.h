// How a linear layer on activations in DRAM is divided over cores and tiles: a search over grids
// and tile shapes with a cost from the machine's numbers.
//
// The cost only ranks plans. Modelled: passes of the matrix unit with their padding and overhead,
// bytes over the measured DRAM rate, the cohort rule of multicast streams (a stream serves
// machine.ring.multicast_cohort cores, further cohorts take turns), results and the first operand
// that nothing hides. Not modelled: everything the card simulates.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/planner/work_division.h"
#include "models/isa/data_type.h"
#include "models/isa/vector_function.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

/// One or two (gate and up) matrices of n columns, side by side with other pieces.
struct PieceShape {
  std::int64_t n = 0;
  std::int64_t matrices = 1;
};

/// What somebody wants of the division; 0 = chosen.
struct LinearWish {
  std::int64_t m_cores = 0, n_cores = 0;
  std::int64_t rows = 0;     ///< of A and C per tile
  std::int64_t columns = 0;  ///< of B and C per tile, rounded up to whole sticks
  std::int64_t depth = 0;    ///< of K per tile: A streams beside B unless it is all of K

  [[nodiscard]] bool any() const {
    return m_cores != 0 || n_cores != 0 || rows != 0 || columns != 0 || depth != 0;
  }
};

struct LinearShape {
  std::int64_t m = 0, k = 0;
  std::vector<PieceShape> pieces;
  models::DataType a_type = models::DataType::fp16;
  models::DataType b_type = models::DataType::fp16;
  models::DataType c_type = models::DataType::fp16;
  bool normed = false;  ///< the norm of A is computed in LX, on whole rows
  bool adds_residual = false;
  bool biased = false;
  std::int64_t parts = 1;    ///< launches that N is cut into
  std::int64_t k_split = 1;  ///< cores that share the K of one output tile
  LinearWish wish;
};

struct LinearTiling {
  std::int64_t m_cores = 1, n_cores = 1;
  std::int64_t rows = 0;    ///< of A and C per tile
  std::int64_t sticks = 0;  ///< of B and C per tile
  std::int64_t depth = 0;   ///< of K per tile
  bool holds_a = false;  ///< all of K stays in LX for a tile of rows; otherwise A streams beside B
  std::int64_t accumulator_slots = 1;
  double seconds = 0;  ///< the cost
};

/// Nothing if no tile fits LX.
[[nodiscard]] std::optional<LinearTiling> divide_linear(const models::Machine& machine,
                                                        const LinearShape& shape,
                                                        std::int64_t cores);

/// Bytes of the smallest tiles that could work: what an LX must have.
[[nodiscard]] std::int64_t smallest_linear_bytes(const models::Machine& machine,
                                                 const LinearShape& shape);

/// Seconds that the norm of `rows` rows of `columns` takes on one core's vector unit.
[[nodiscard]] double norm_seconds(const models::Machine& machine, models::DataType type,
                                  std::int64_t rows, std::int64_t columns);

}  // namespace spyre::kernels
