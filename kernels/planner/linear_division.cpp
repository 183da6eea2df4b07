#include "kernels/planner/linear_division.h"

#include <algorithm>

#include "kernels/planner/schedule_builder.h"

namespace spyre::kernels {
namespace {

constexpr std::int64_t kStreamTileBytes = 128 << 10;  // per operand, as for resident activations

/// The share of the shorter of computing and reading that shows beside the longer: measured for
/// reads under matmuls on all cores, 0.14 to 0.49 (reference measurements of 32-core matmuls, fit
/// 0.35).
constexpr double kExposed = 0.35;

std::int64_t round_up(std::int64_t value, std::int64_t to) {
  return ceil_divide(value, to) * to;
}

class Divider {
 public:
  Divider(const models::Machine& machine, const LinearShape& shape, std::int64_t cores)
      : machine_(machine), shape_(shape), cores_(std::max<std::int64_t>(cores / shape.k_split, 1)) {
    stick_ = machine.limits.stick_bytes;
    a_step_ = stick_ * 8 / models::bits(shape.a_type);
    b_step_ = stick_ * 8 / models::bits(shape.b_type);
    k_ = shape.k_split == 1 ? shape.k : round_up(ceil_divide(shape.k, shape.k_split), a_step_);
    for (const PieceShape& piece : shape.pieces) {
      matrices_ = std::max(matrices_, piece.matrices);
      most_sticks_ = std::max(most_sticks_, ceil_divide(piece.n, b_step_));
    }
  }

  std::optional<LinearTiling> best() {
    const std::int64_t row_units = ceil_divide(shape_.m, machine_.matrix.pass_rows);
    const LinearWish& wish = shape_.wish;
    for (std::int64_t m_cores = 1; m_cores <= std::min(cores_, row_units); ++m_cores) {
      if (wish.m_cores != 0 && wish.m_cores != m_cores) continue;
      const std::int64_t most = std::min(cores_ / m_cores, ceil_divide(most_sticks_, shape_.parts));
      if (wish.n_cores != 0) {
        if (wish.n_cores <= most) try_grid(m_cores, wish.n_cores);
        continue;
      }
      for (std::int64_t n_cores = most; n_cores >= 1; --n_cores) {
        // Narrower grids are of use only where they need fewer sticks on the busiest core.
        if (n_cores < most && n_cores * 2 <= most) break;
        try_grid(m_cores, n_cores);
      }
    }
    return best_;
  }

 private:
  void try_grid(std::int64_t m_cores, std::int64_t n_cores) {
    const std::int64_t pass = machine_.matrix.pass_rows;
    const std::int64_t rows =
        std::min(pass * ceil_divide(ceil_divide(shape_.m, pass), m_cores), shape_.m);
    const std::int64_t sticks = ceil_divide(most_sticks_, n_cores * shape_.parts);
    if (sticks * shape_.k * stick_ > machine_.limits.span_bytes) return;
    std::int64_t last_rows = 0;
    for (std::int64_t row_tiles = 1; row_tiles <= ceil_divide(rows, pass); row_tiles *= 2) {
      const std::int64_t tile_rows = std::min(
          shape_.wish.rows != 0 ? shape_.wish.rows : round_up(ceil_divide(rows, row_tiles), pass),
          rows);
      if (tile_rows == last_rows) continue;
      last_rows = tile_rows;
      std::int64_t last_sticks = 0;
      for (std::int64_t stick_tiles = 1; stick_tiles <= sticks; ++stick_tiles) {
        const std::int64_t tile_sticks =
            shape_.wish.columns != 0 ? std::min(ceil_divide(shape_.wish.columns, b_step_), sticks)
                                     : ceil_divide(sticks, stick_tiles);
        if (tile_sticks == last_sticks) continue;
        last_sticks = tile_sticks;
        for (const bool holds_a : {true, false}) {
          if (holds_a ? shape_.k_split > 1 || streams_by_wish() : shape_.normed) continue;
          LinearTiling tiling;
          tiling.m_cores = m_cores;
          tiling.n_cores = n_cores;
          tiling.rows = tile_rows;
          tiling.sticks = tile_sticks;
          tiling.holds_a = holds_a;
          try_depth(tiling, rows);
        }
      }
    }
  }

  /// A depth that is less than K is one of both operands.
  [[nodiscard]] bool streams_by_wish() const {
    return shape_.wish.depth != 0 && shape_.wish.depth < k_;
  }

  /// LX of everything but the streamed operands.
  [[nodiscard]] std::int64_t fixed_bytes(const LinearTiling& tiling) const {
    const std::int64_t columns = tiling.sticks * b_step_;
    const auto bytes = [&](models::DataType type, std::int64_t r, std::int64_t c, std::int64_t n) {
      return lx_bytes(machine_, type, r, c, n);
    };
    std::int64_t sum =
        bytes(models::DataType::fp32, tiling.rows, columns, tiling.accumulator_slots) * matrices_;
    sum += bytes(shape_.c_type, tiling.rows, columns, 2);
    if (shape_.k_split > 1) sum += bytes(models::DataType::fp32, tiling.rows, columns, 1);
    if (shape_.adds_residual) sum += bytes(shape_.c_type, tiling.rows, columns, 2);
    if (shape_.biased) sum += bytes(shape_.b_type, 1, columns, 2) * matrices_;
    if (shape_.normed) sum += 2 * bytes(shape_.b_type, 1, k_, 1);
    if (tiling.holds_a) sum += bytes(shape_.a_type, tiling.rows, k_, 1);
    return sum;
  }

  void try_depth(LinearTiling tiling, std::int64_t core_rows) {
    for (const std::int64_t slots : {std::int64_t{2}, std::int64_t{1}}) {
      tiling.accumulator_slots = slots;
      const std::int64_t left = machine_.lx.usable_bytes() - fixed_bytes(tiling);
      std::int64_t per_row = matrices_ * tiling.sticks * stick_;
      if (!tiling.holds_a) per_row += ceil_divide(tiling.rows * models::bits(shape_.a_type), 8);
      // A's columns come in whole sticks, so a depth of all of K may be padded.
      const std::int64_t most = std::max<std::int64_t>(left, 0) / (2 * per_row);
      if (shape_.wish.depth != 0) {
        tiling.depth = std::min(round_up(shape_.wish.depth, a_step_), round_up(k_, a_step_));
        if (tiling.depth > most) tiling.depth = 0;
      } else {
        const std::int64_t limit =
            std::min(most, std::max(kStreamTileBytes / (tiling.sticks * stick_), a_step_));
        tiling.depth = tile_depth(k_, a_step_, tiling.holds_a ? limit : limit / a_step_ * a_step_);
      }
      if (tiling.depth == 0) continue;
      tiling.seconds = cost(tiling, core_rows);
      if (!best_ || tiling.seconds < best_->seconds * (1 - 1e-9)) best_ = tiling;
      return;
    }
  }

  /// How much longer streams take that more than one cohort of `cores` needs, kept in LX if `edge`
  /// is one pass long.
  [[nodiscard]] double cohort_factor(std::int64_t cores, std::int64_t edge) const {
    double factor =
        static_cast<double>(cores) / static_cast<double>(machine_.ring.multicast_cohort);
    const std::int64_t one_pass = machine_.cores.corelets * machine_.matrix.row_tile;
    if (edge <= one_pass) factor /= 2;
    if (4 * edge <= one_pass) factor /= 2;
    return std::max(factor, 1.0);
  }

  /// Passes of one tile over all of the core's K: strips of N, or rows, divided over the corelets.
  /// A K split works on one corelet.
  [[nodiscard]] std::int64_t matrix_cycles(std::int64_t rows, std::int64_t columns) const {
    const auto& matrix = machine_.matrix;
    const models::DataType wider =
        models::bits(shape_.a_type) > models::bits(shape_.b_type) ? shape_.a_type : shape_.b_type;
    const std::int64_t corelets = shape_.k_split > 1 ? 1 : machine_.cores.corelets;
    const std::int64_t rate =
        machine_.macs_per_cycle(wider) / machine_.macs_per_cycle(models::DataType::fp16);
    const std::int64_t k_blocks = ceil_divide(k_, matrix.rows * rate);
    const std::int64_t strips = ceil_divide(columns, matrix.columns * matrix.lanes);
    const auto pass_cycles = [&](std::int64_t some_rows, std::int64_t blocks) {
      const std::int64_t padded = round_up(some_rows, matrix.pass_rows);
      return blocks *
             (padded + ceil_divide(padded, matrix.row_tile) * matrix.block_overhead_cycles);
    };
    const std::int64_t half =
        ceil_divide(ceil_divide(rows, matrix.pass_rows), corelets) * matrix.pass_rows;
    return std::min(pass_cycles(rows, k_blocks * ceil_divide(strips, corelets)),
                    pass_cycles(std::min(rows, half), k_blocks * strips));
  }

  [[nodiscard]] double cost(const LinearTiling& tiling, std::int64_t core_rows) const {
    const auto hz = static_cast<double>(machine_.clock.hz);
    const auto bandwidth = static_cast<double>(machine_.dram.measured_bytes_per_second);
    const std::int64_t row_tiles = ceil_divide(core_rows, tiling.rows);
    double cycles = 0;
    double reads = 0;
    double writes = 0;
    double serial = 0;
    const double a_bytes =
        static_cast<double>(shape_.m * shape_.k * models::bits(shape_.a_type)) / 8;
    if (tiling.holds_a) {
      reads += a_bytes;
      serial += a_bytes / static_cast<double>(row_tiles) / bandwidth;
    }
    for (const PieceShape& piece : shape_.pieces) {
      const std::int64_t all = ceil_divide(piece.n, b_step_);
      const std::int64_t sticks = ceil_divide(all, tiling.n_cores);
      const std::int64_t stick_tiles = ceil_divide(sticks, tiling.sticks);
      const std::int64_t tile_cycles =
          matrix_cycles(tiling.rows, std::min(tiling.sticks, sticks) * b_step_) * piece.matrices;
      cycles += static_cast<double>(tile_cycles * stick_tiles * row_tiles);
      reads += static_cast<double>(all * shape_.k * stick_ * piece.matrices * row_tiles);
      if (!tiling.holds_a) reads += a_bytes * static_cast<double>(stick_tiles);
      const double c_bytes =
          static_cast<double>(shape_.m * piece.n * models::bits(shape_.c_type)) / 8;
      writes += c_bytes;
      if (shape_.adds_residual) reads += c_bytes;
      if (tiling.accumulator_slots == 1) {  // the epilogue of a tile holds up the next one
        cycles +=
            static_cast<double>(row_tiles * stick_tiles * tiling.rows * tiling.sticks * b_step_) /
            static_cast<double>(machine_.vector.lanes);
      }
    }
    const double fan = std::max(cohort_factor(tiling.n_cores, tiling.rows),
                                cohort_factor(tiling.m_cores, tiling.sticks * b_step_));
    if (shape_.normed) serial += norm_seconds(machine_, shape_.a_type, core_rows, shape_.k);
    const double computing = cycles * fan / hz;
    const double reading = reads / bandwidth;
    return std::max(computing, reading) + kExposed * std::min(computing, reading) +
           writes / bandwidth + serial;
  }

  const models::Machine& machine_;
  const LinearShape& shape_;
  std::int64_t cores_;
  std::int64_t stick_ = 0, a_step_ = 0, b_step_ = 0, k_ = 0;
  std::int64_t matrices_ = 1, most_sticks_ = 0;
  std::optional<LinearTiling> best_;
};

}  // namespace

std::optional<LinearTiling> divide_linear(const models::Machine& machine, const LinearShape& shape,
                                          std::int64_t cores) {
  return Divider(machine, shape, cores).best();
}

std::int64_t smallest_linear_bytes(const models::Machine& machine, const LinearShape& shape) {
  const std::int64_t rows = std::min(shape.m, machine.matrix.pass_rows);
  const std::int64_t a_step = machine.limits.stick_bytes * 8 / models::bits(shape.a_type);
  const std::int64_t columns = machine.limits.stick_bytes * 8 / models::bits(shape.b_type);
  const std::int64_t depth = std::min(a_step, shape.k);
  std::int64_t matrices = 1;
  for (const PieceShape& piece : shape.pieces) matrices = std::max(matrices, piece.matrices);
  std::int64_t bytes = lx_bytes(machine, shape.b_type, depth, columns, 2) * matrices +
                       lx_bytes(machine, models::DataType::fp32, rows, columns) * matrices +
                       lx_bytes(machine, shape.c_type, rows, columns, 2);
  bytes += shape.normed ? lx_bytes(machine, shape.a_type, rows, shape.k) +
                              2 * lx_bytes(machine, shape.b_type, 1, shape.k)
                        : lx_bytes(machine, shape.a_type, rows, depth, 2);
  if (shape.adds_residual) bytes += lx_bytes(machine, shape.c_type, rows, columns, 2);
  if (shape.biased) bytes += lx_bytes(machine, shape.b_type, 1, columns, 2) * matrices;
  if (shape.k_split > 1) bytes += lx_bytes(machine, models::DataType::fp32, rows, columns);
  return bytes;
}

double norm_seconds(const models::Machine& machine, models::DataType type, std::int64_t rows,
                    std::int64_t columns) {
  const models::VectorFunctionInfo& norm = models::info(models::VectorFunction::rmsnorm);
  const std::int64_t sticks =
      ceil_divide(columns * models::bits(type), machine.limits.stick_bytes * 8);
  const std::int64_t cycles =
      rows * sticks *
      (norm.plain_passes + norm.row_reductions * machine.vector.in_stick_reduction_cycles);
  return static_cast<double>(cycles) / static_cast<double>(machine.clock.hz);
}

}  // namespace spyre::kernels
