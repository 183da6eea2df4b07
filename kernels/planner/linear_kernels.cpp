#include "kernels/planner/linear_kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {
namespace {

using models::VectorFunction;

class DramLinearKernel {
 public:
  DramLinearKernel(const PlanContext& context, const DramLinear& linear, const LinearShape& shape,
                   const LinearTiling& tiling)
      : linear_(linear),
        context_(context),
        shape_(shape),
        tiling_(tiling),
        matrices_(linear.pieces.front().matrices.size()),
        per_stick_(linear.pieces.front().matrices.front().per_stick),
        k_(linear.pieces.front().matrices.front().k),
        kernel_(linear.name, grid(), parameters()) {
    const std::int64_t pass = context.machine.matrix.pass_rows;
    const Slices rows{ceil_divide(linear.m, pass), tiling.m_cores, "m"};
    row_begin_ = Index(pass) * rows.begin();
    row_end_ = Index(pass) * rows.end();
    core_rows_ = std::min(pass * rows.longest(), linear.m);
    row_tiles_ = ceil_divide(core_rows_, tiling.rows);
    even_rows_ = rows.even() && core_rows_ % tiling.rows == 0;
    if (tiling.m_cores > 1) share_b_ = {"m"};
    if (tiling.n_cores > 1) share_a_ = {"n"};
    const std::int64_t step = context.elements_per_stick(linear.a_type);
    depths_ = {ceil_divide(k_, step), shape.k_split, "k"};
    depth_step_ = step;
  }

  Kernel build() {
    add_buffers();
    if (linear_.norm) load_gains();
    std::int64_t column = 0;
    if (tiling_.holds_a) {
      for_rows([&] {
        kernel_.load("a", a_tile(0, k_), share_a_);
        if (linear_.norm) apply_norm();
        for (const LinearPiece& piece : linear_.pieces) {
          add_piece(piece, column);
          column += piece.matrices.front().n;
        }
      });
    } else {
      for (const LinearPiece& piece : linear_.pieces) {
        for_rows([&] { add_piece(piece, column); });
        column += piece.matrices.front().n;
      }
    }
    return kernel_.take();
  }

 private:
  [[nodiscard]] KernelBuilder::Grid grid() const {
    KernelBuilder::Grid result;
    if (shape_.k_split > 1) result.emplace_back("k", shape_.k_split);
    result.emplace_back("m", tiling_.m_cores);
    result.emplace_back("n", tiling_.n_cores);
    return result;
  }
  [[nodiscard]] std::vector<std::string> parameters() const {
    std::vector<std::string> names;
    if (linear_.pieces.front().matrices.front().layered) names.emplace_back("l");
    if (shape_.parts > 1) names.emplace_back("part");
    return names;
  }

  [[nodiscard]] std::string numbered(const char* one, const char* first, const char* second,
                                     std::size_t matrix) const {
    if (matrices_ == 1) return one;
    return matrix == 0 ? first : second;
  }
  [[nodiscard]] std::string accumulator(std::size_t i) const {
    return numbered("acc", "gate", "up", i);
  }
  [[nodiscard]] std::string b(std::size_t i) const { return numbered("b", "b_gate", "b_up", i); }
  [[nodiscard]] std::string bias(std::size_t i) const {
    return numbered("bias", "bias_gate", "bias_up", i);
  }

  /// Sums of whole numbers stay whole numbers, exact beyond the 24 bits of fp32.
  [[nodiscard]] DataType sum_type() const {
    return linear_.c_type == DataType::int32 ? DataType::int32 : DataType::fp32;
  }

  void add_buffers() {
    const std::int64_t columns = tiling_.sticks * per_stick_;
    const std::int64_t rows = tiling_.rows;
    kernel_.buffer("a", linear_.a_type, rows, tiling_.holds_a ? k_ : tiling_.depth,
                   tiling_.holds_a ? 1 : 2);
    for (std::size_t i = 0; i < matrices_; ++i) {
      kernel_.buffer(b(i), linear_.b_type, tiling_.depth, columns, 2);
      kernel_.buffer(accumulator(i), sum_type(), rows, columns, tiling_.accumulator_slots);
      if (shape_.biased) kernel_.buffer(bias(i), linear_.b_type, 1, columns, 2);
    }
    if (shape_.k_split > 1) kernel_.buffer("sum", sum_type(), rows, columns);
    if (shape_.adds_residual) kernel_.buffer("residual", linear_.c_type, rows, columns, 2);
    kernel_.buffer("c", linear_.c_type, rows, columns, 2);
    if (linear_.norm) add_norm_buffers(kernel_, context_);
  }

  /// Rows of A and C that one tile has; the tensor's edge cuts the last one.
  [[nodiscard]] Index tile_rows() const {
    if (even_rows_) return tiling_.rows;
    return minimum(tiling_.rows, row_end_ - row_);
  }

  void for_rows(const KernelBuilder::Body& body) {
    if (row_tiles_ == 1) {
      row_ = row_begin_;
      return body();
    }
    kernel_.loop("i", 0, row_tiles_, 1, [&] {
      row_ = row_begin_ + Index(tiling_.rows) * Index("i");
      body();
    });
  }

  [[nodiscard]] Remote a_tile(const Index& k, const Index& depth) const {
    return activation(linear_.input, row_ + linear_.first_row, k, tile_rows(), depth);
  }

  void load_gains() {
    std::vector<std::string> share = share_a_;
    share.insert(share.end(), share_b_.begin(), share_b_.end());
    load_norm(kernel_, context_, *linear_.norm, share);
  }
  void apply_norm() { compute_norm(kernel_, context_, "a", "a"); }

  /// The core's columns of one piece, which begins at `column` of the output. Cores that share A
  /// must take the same steps: where A streams, every core makes as many as the busiest, the last
  /// ones perhaps on nothing.
  void add_piece(const LinearPiece& piece, std::int64_t column) {
    Slices slices{piece.matrices.front().sticks(), tiling_.n_cores * shape_.parts, "n"};
    if (shape_.parts > 1) slices.coordinate = Index(tiling_.n_cores) * Index("part") + "n";
    const std::int64_t tiles = ceil_divide(slices.longest(), tiling_.sticks);
    const auto width = [&](const Index& stick) {
      if (slices.even() && slices.longest() % tiling_.sticks == 0) {
        return Index(tiling_.sticks * per_stick_);
      }
      if (slices.even() && tiles == 1) return Index(slices.longest() * per_stick_);
      return Index(per_stick_) * minimum(tiling_.sticks, slices.end() - stick);
    };
    if (tiles == 1) return add_tile(piece, column, slices.begin(), width(slices.begin()));
    if (tiling_.holds_a && share_b_.empty()) {
      kernel_.loop("s", slices.begin(), slices.end(), tiling_.sticks,
                   [&] { add_tile(piece, column, "s", width("s")); });
      return;
    }
    kernel_.loop("j", 0, tiles, 1, [&] {
      const Index stick = slices.begin() + Index(tiling_.sticks) * Index("j");
      add_tile(piece, column, stick, width(stick));
    });
  }

  void add_tile(const LinearPiece& piece, std::int64_t output_column, const Index& stick,
                const Index& columns) {
    const Index column = Index(per_stick_) * stick;
    for (std::size_t i = 0; i < piece.biases.size(); ++i) {
      kernel_.load(bias(i), piece.biases[i].slice(column, columns), share_b_);
    }
    if (shape_.adds_residual) {
      kernel_.load("residual", activation(linear_.residual, row_, column, tile_rows(), columns));
    }
    add_products(piece, column, columns);
    std::string sums = "acc";
    if (shape_.k_split > 1) {
      kernel_.reduce("acc", "sum", {"k"});
      sums = "sum";
    }
    const Index whole_sum = shape_.k_split > 1 ? equal("k", shape_.k_split - 1) : Index(1);
    kernel_.when(whole_sum, [&] {
      add_epilogue(piece, sums);
      kernel_.store("c", activation(linear_.output, row_, Index(output_column) + column,
                                    tile_rows(), columns));
    });
  }

  void add_products(const LinearPiece& piece, const Index& column, const Index& columns) {
    const bool splits = shape_.k_split > 1;
    const Index begin = splits ? Index(depth_step_) * depths_.begin() : Index(0);
    const Index end = splits ? Index(depth_step_) * depths_.end() : Index(k_);
    // The walk over K is the same on all cores of a group; the tensor's edge cuts the last tile.
    const char* const k = splits ? "kk" : "k";  // "k" is a grid dim of a split K
    kernel_.loop(k, begin, end, tiling_.depth, [&] {
      const Index depth = splits ? minimum(tiling_.depth, end - k) : Index(tiling_.depth);
      if (!tiling_.holds_a) kernel_.load("a", a_tile(k, depth), share_a_);
      const Local a = tiling_.holds_a ? Local("a", {0, k}, {tiling_.rows, depth}) : Local("a");
      for (std::size_t i = 0; i < piece.matrices.size(); ++i) {
        kernel_.load(b(i), piece.matrices[i].tile(k, column, depth, columns), share_b_);
        kernel_.matmul(accumulator(i), a, b(i), less(begin, k), splits ? 1 : 0);
      }
    });
  }

  void add_epilogue(const LinearPiece& piece, const std::string& sums) {
    const bool biased = !piece.biases.empty();
    switch (linear_.epilogue) {
      case Epilogue::none:
        if (biased) return kernel_.vector(VectorFunction::add, "c", {sums, "bias"});
        return add_scaled(kernel_, "c", sums, linear_.scale);
      case Epilogue::gelu:
        if (biased) return kernel_.vector(VectorFunction::bias_gelu, "c", {sums, "bias"});
        return kernel_.vector(VectorFunction::gelu, "c", {sums});
      case Epilogue::silu_mul:
        for (std::size_t i = 0; i < piece.biases.size(); ++i) {
          kernel_.vector(VectorFunction::add, accumulator(i), {accumulator(i), bias(i)});
        }
        return kernel_.vector(VectorFunction::silu_mul, "c", {"gate", "up"});
      case Epilogue::residual:
        if (biased) kernel_.vector(VectorFunction::add, sums, {sums, "bias"});
        return add_residual(kernel_, context_, "c", sums, "residual");
    }
  }

  const DramLinear& linear_;
  const PlanContext& context_;
  const LinearShape& shape_;
  const LinearTiling& tiling_;
  std::size_t matrices_;
  std::int64_t per_stick_;
  std::int64_t k_;
  KernelBuilder kernel_;
  std::vector<std::string> share_a_, share_b_;
  Index row_begin_ = 0, row_end_ = 0, row_ = 0;
  std::int64_t core_rows_ = 0, row_tiles_ = 1;
  bool even_rows_ = true;
  Slices depths_;
  std::int64_t depth_step_ = 1;
};

}  // namespace

LinearShape shape_of(const models::Machine& machine, const DramLinear& linear, std::int64_t cores) {
  LinearShape shape;
  shape.m = linear.m;
  shape.k = linear.pieces.front().matrices.front().k;
  shape.a_type = linear.a_type;
  shape.b_type = linear.b_type;
  shape.c_type = linear.c_type;
  shape.normed = linear.norm.has_value();
  shape.adds_residual = linear.epilogue == Epilogue::residual;
  shape.k_split = linear.k_split;
  shape.wish = linear.wish;
  std::int64_t bytes = 0;
  for (const LinearPiece& piece : linear.pieces) {
    const PlannedWeight& matrix = piece.matrices.front();
    shape.pieces.push_back({matrix.n, static_cast<std::int64_t>(piece.matrices.size())});
    shape.biased = shape.biased || !piece.biases.empty();
    bytes = std::max(bytes, matrix.sticks() * matrix.k * machine.limits.stick_bytes);
  }
  // A core must not reach too far into B whatever the grid, so the parts are cut for one that
  // splits M alone.
  if (bytes > machine.limits.span_bytes) {
    const std::int64_t split = std::max<std::int64_t>(cores, 1);
    shape.parts = ceil_divide(ceil_divide(bytes, split), machine.limits.span_bytes);
  }
  return shape;
}

PlannedKernel build_dram_linear(const PlanContext& context, const DramLinear& linear) {
  const LinearShape shape = shape_of(context.machine, linear, context.cores);
  const std::optional<LinearTiling> tiling = divide_linear(context.machine, shape, context.cores);
  if (!tiling && linear.wish.any()) {
    const LinearWish& wish = linear.wish;
    throw models::InputError(fmt::format(
        "lx: kernel '{}' cannot be cut as asked (rows {}, columns {} and depth {} of a tile, {} x "
        "{} cores; 0 = free): {} has {} B of LX and {} cores are in use; ask for smaller tiles or "
        "fewer parts",
        linear.name, wish.rows, wish.columns, wish.depth, wish.m_cores, wish.n_cores,
        context.machine.name, context.machine.lx.usable_bytes(), context.cores));
  }
  if (!tiling) {
    throw models::InputError(
        fmt::format("lx: the smallest tile of kernel '{}' needs {} B, {} has {} B of LX for it",
                    linear.name, smallest_linear_bytes(context.machine, shape),
                    context.machine.name, context.machine.lx.usable_bytes()));
  }
  return {DramLinearKernel(context, linear, shape, *tiling).build(), shape.parts};
}

}  // namespace spyre::kernels
