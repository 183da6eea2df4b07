#include "models/card/vector_timing.h"

namespace spyre::models {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace

Cycles vector_cycles(const Machine& machine, VectorFunction function, std::int64_t rows,
                     std::int64_t columns, DataType type, int axis) {
  if (rows == 0 || columns == 0) return 0;
  const VectorUnitDescription& unit = machine.vector;
  const VectorFunctionInfo& work = info(function);
  const std::int64_t stick_elements = machine.limits.stick_bytes * 8 / bits(type);
  const std::int64_t sticks = rows * divide_up(columns, stick_elements);
  const std::int64_t vectors = divide_up(sticks * stick_elements, unit.lanes);

  std::int64_t cycles =
      vectors * (work.plain_passes + work.transcendental_passes * unit.transcendental_cycles);
  if (is_reduction(function) && axis == 0) {
    cycles += vectors;
  } else {
    cycles += sticks * work.row_reductions * unit.in_stick_reduction_cycles;
  }
  if (work.transposes) {
    cycles += divide_up(sticks * machine.limits.stick_bytes, unit.transpose_bytes_per_cycle);
  }
  return static_cast<Cycles>(cycles + unit.start_cycles);
}

}  // namespace spyre::models
