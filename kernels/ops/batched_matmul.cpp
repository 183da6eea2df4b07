#include "kernels/ops/batched_matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "kernels/ops/tile_loops.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {
namespace {

using models::VectorFunction;

constexpr std::int64_t kStreamTileBytes = 128 << 10;  // per operand, as for other matmuls

struct Division {
  std::int64_t b = 1, m = 1, n = 1;
};

class BatchedMatmul {
 public:
  BatchedMatmul(const OpPlan& plan, const BatchedMatmulShape& shape)
      : plan_(plan), shape_(shape), stick_(plan.per_stick()) {
    pass_ = plan.machine().matrix.pass_rows;
    row_units_ = ceil_divide(shape.m, pass_);
    sticks_ = ceil_divide(shape.n, stick_);
    depth_sticks_ = ceil_divide(shape.k, stick_);
    divide();
    choose_tile();
  }

  Kernel build() {
    const std::int64_t splits = plan_.options().k_split;
    KernelBuilder::Grid grid;
    if (splits > 1) grid.emplace_back("k", splits);
    grid.insert(grid.end(), {{"m", division_.m}, {"n", division_.n}, {"b", division_.b}});
    KernelBuilder kernel("bmm", grid, {});
    add_buffers(kernel, tile_rows_, tile_sticks_, tile_depth_);
    const Slices batches{shape_.batch, division_.b, "b"};
    const Slices rows{row_units_, division_.m, "m"};
    const Slices columns{sticks_, division_.n, "n"};
    // Cores that share reads must take the same steps: all make as many as the busiest, the last
    // ones perhaps on nothing.
    const std::int64_t row_step = tile_rows_ / pass_;
    steps(kernel, "p", batches, 1, 1, [&](const Index& batch, const Index& one) {
      batch_ = batch;
      batch_size_ = one;
      steps(kernel, "j", columns, tile_sticks_, stick_, [&](const Index& stick, const Index& w) {
        column_ = Index(stick_) * stick;
        width_ = w;
        steps(kernel, "i", rows, row_step, pass_, [&](const Index& row, const Index& h) {
          row_ = Index(pass_) * row;
          height_ = h;
          add_tile(kernel);
        });
      });
    });
    return kernel.take();
  }

 private:
  using StepBody = std::function<void(const Index& at, const Index& size)>;

  void steps(KernelBuilder& kernel, const char* variable, const Slices& slices, std::int64_t tile,
             std::int64_t unit, const StepBody& body) const {
    const std::int64_t count = ceil_divide(slices.longest(), tile);
    if (count == 1) return body(slices.begin(), Index(unit) * slices.length());
    kernel.loop(variable, 0, count, 1, [&] {
      const Index at = slices.begin() + Index(tile) * Index(variable);
      const bool whole = slices.even() && slices.longest() % tile == 0;
      body(at, Index(unit) * (whole ? Index(tile) : minimum(tile, slices.end() - at)));
    });
  }

  void divide() {
    const OpOptions& options = plan_.options();
    const std::int64_t cores = options.cores / options.k_split;
    auto best = std::tuple(shape_.batch * row_units_ * sticks_ + 1, std::int64_t{0});
    for (std::int64_t b = 1; b <= std::min(cores, shape_.batch); ++b) {
      if (options.b_cores != 0 && options.b_cores != b) continue;
      for (std::int64_t m = 1; m <= std::min(cores / b, row_units_); ++m) {
        if (options.m_cores != 0 && options.m_cores != m) continue;
        for (std::int64_t n = 1; n <= std::min(cores / (b * m), sticks_); ++n) {
          if (options.n_cores != 0 && options.n_cores != n) continue;
          const std::int64_t busiest =
              ceil_divide(shape_.batch, b) * ceil_divide(row_units_, m) * ceil_divide(sticks_, n);
          // Of equal ones, that with the fewest cores at one stream.
          const auto cost = std::tuple(busiest, std::max(m, n));
          if (cost >= best) continue;
          best = cost;
          division_ = {b, m, n};
          found_ = true;
        }
      }
    }
    if (found_) return;
    throw models::InputError(fmt::format(
        "the split {} x {} x {} of batch, rows and columns (0 = free) does not fit: {} cores for "
        "each part of K, a batch of {}, {} passes of rows and {} sticks of columns",
        options.b_cores, options.m_cores, options.n_cores, cores, shape_.batch, row_units_,
        sticks_));
  }

  void add_buffers(KernelBuilder& kernel, std::int64_t rows, std::int64_t sticks,
                   std::int64_t depth) const {
    const DataType type = plan_.options().type;
    const std::int64_t columns = sticks * stick_;
    kernel.buffer("a", type, rows, depth, 2);
    kernel.buffer("b", type, depth, columns, 2);
    kernel.buffer("acc", DataType::fp32, rows, columns);
    if (plan_.options().k_split > 1) kernel.buffer("sum", DataType::fp32, rows, columns);
    kernel.buffer("c", type, rows, columns, 2);
  }

  /// The tile that makes A and B be read least often; of equal ones the first that was tried.
  void choose_tile() {
    const OpOptions& options = plan_.options();
    const std::int64_t core_rows = ceil_divide(row_units_, division_.m) * pass_;
    const std::int64_t core_sticks = ceil_divide(sticks_, division_.n);
    const std::int64_t core_depth = ceil_divide(depth_sticks_, options.k_split);
    std::int64_t best = 0, smallest = 0;
    const auto asked_rows = std::min(
        ceil_divide(std::max<std::int64_t>(options.tile_rows, 1), pass_) * pass_, core_rows);
    const auto asked_sticks =
        std::min(ceil_divide(std::max<std::int64_t>(options.tile_columns, 1), stick_), core_sticks);
    for (std::int64_t r = core_rows;; r = ceil_divide(ceil_divide(r, 2), pass_) * pass_) {
      const std::int64_t rows = options.tile_rows != 0 ? asked_rows : r;
      for (std::int64_t sticks = core_sticks;; sticks = ceil_divide(sticks, 2)) {
        const std::int64_t columns = options.tile_columns != 0 ? asked_sticks : sticks;
        try_tile(rows, columns, core_rows, core_sticks, core_depth, best, smallest);
        if (sticks == 1 || options.tile_columns != 0) break;
      }
      if (r == pass_ || options.tile_rows != 0) break;
    }
    if (best == 0) refuse_lx(plan_, "bmm", smallest, "use smaller tiles");
  }

  void try_tile(std::int64_t rows, std::int64_t sticks, std::int64_t core_rows,
                std::int64_t core_sticks, std::int64_t core_depth, std::int64_t& best,
                std::int64_t& smallest) {
    const std::int64_t stick_bytes = plan_.machine().limits.stick_bytes;
    const std::int64_t widest = std::max(rows, sticks * stick_);
    std::int64_t depth = plan_.options().tile_depth != 0
                             ? ceil_divide(plan_.options().tile_depth, stick_)
                             : std::max<std::int64_t>(kStreamTileBytes / (widest * stick_bytes), 1);
    depth = std::min(depth, core_depth);
    KernelBuilder trial("bmm", {}, {});
    add_buffers(trial, rows, sticks, depth * stick_);
    const std::int64_t bytes = lx_bytes(plan_.machine(), trial.kernel());
    smallest = bytes;
    if (bytes > plan_.lx()) return;
    const std::int64_t reads = core_rows * ceil_divide(core_sticks, sticks) +
                               core_sticks * stick_ * ceil_divide(core_rows, rows);
    if (best != 0 && reads >= best) return;
    best = reads;
    tile_rows_ = rows;
    tile_sticks_ = sticks;
    tile_depth_ = depth * stick_;
  }

  void add_tile(KernelBuilder& kernel) const {
    const std::int64_t splits = plan_.options().k_split;
    const Slices depths{depth_sticks_, splits, "k"};
    const char* const k = splits > 1 ? "kk" : "k";  // "k" is a grid dim of a split K
    const Index begin = Index(stick_) * depths.begin();
    const Index end = Index(stick_) * depths.end();
    kernel.loop(k, begin, end, tile_depth_, [&] {
      const Index depth = splits > 1 ? minimum(tile_depth_, end - k) : Index(tile_depth_);
      kernel.load("a", {"a", {batch_, row_, k}, {batch_size_, height_, depth}}, {"n"});
      if (shape_.one_matrix) {
        kernel.load("b", {"b", {k, column_}, {depth, width_}}, {"m", "b"});
      } else {
        kernel.load("b", {"b", {batch_, k, column_}, {batch_size_, depth, width_}}, {"m"});
      }
      kernel.matmul("acc", "a", "b", less(begin, k), splits > 1 ? 1 : 0);
    });
    if (splits > 1) kernel.reduce("acc", "sum", {"k"});
    kernel.when(splits > 1 ? equal("k", splits - 1) : Index(1), [&] {
      kernel.vector(VectorFunction::copy, "c", {splits > 1 ? "sum" : "acc"});
      kernel.store("c", {"c", {batch_, row_, column_}, {batch_size_, height_, width_}});
    });
  }

  const OpPlan& plan_;
  const BatchedMatmulShape& shape_;
  std::int64_t stick_ = 1, pass_ = 1;
  std::int64_t row_units_ = 0, sticks_ = 0, depth_sticks_ = 0;
  Division division_;
  bool found_ = false;
  std::int64_t tile_rows_ = 0, tile_sticks_ = 0, tile_depth_ = 0;
  Index batch_ = 0, batch_size_ = 1, row_ = 0, height_ = 0, column_ = 0, width_ = 0;
};

}  // namespace

Schedule plan_batched_matmul(const BatchedMatmulShape& shape, const OpOptions& options,
                             const models::Machine& machine) {
  check_size("B", shape.batch);
  check_size("M", shape.m);
  check_size("N", shape.n);
  check_size("K", shape.k);
  OpPlan plan(fmt::format("bmm {} x [{} x {} x {}]{}", shape.batch, shape.m, shape.n, shape.k,
                          shape.one_matrix ? ", one B" : ""),
              options, machine);
  const std::int64_t k_sticks = ceil_divide(shape.k, plan.per_stick());
  check_size("k_split", options.k_split, 1, std::min(options.cores, k_sticks));
  plan.batch("a", options.type, TensorKind::activation, {shape.batch, shape.m, shape.k}, options.a);
  if (shape.one_matrix) {
    plan.tensor("b", options.type, TensorKind::weight, {shape.k, shape.n});
  } else {
    plan.batch("b", options.type, TensorKind::activation, {shape.batch, shape.k, shape.n},
               options.b);
  }
  plan.batch("c", options.type, TensorKind::activation, {shape.batch, shape.m, shape.n}, options.c);
  plan.kernel(BatchedMatmul(plan, shape).build());
  return plan.take();
}

}  // namespace spyre::kernels
