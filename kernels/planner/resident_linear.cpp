#include "kernels/planner/resident_linear.h"

#include <algorithm>

#include "kernels/planner/work_division.h"

namespace spyre::kernels {
namespace {

using models::VectorFunction;

/// Where one piece stands in the concatenated range of sticks that the cores share.
struct Range {
  std::int64_t first = 0;   ///< sticks before this piece
  std::int64_t column = 0;  ///< elements before it in the output
  std::int64_t sticks = 0;
  Index begin = 0, end = 0;  ///< this core's sticks of the piece
};

/// Accumulators are named after what they hold.
std::string accumulator(std::size_t matrix, std::size_t matrices) {
  if (matrices == 1) return "acc";
  return matrix == 0 ? "gate" : "up";
}
std::string weight_buffer(std::size_t matrix, std::size_t matrices) {
  if (matrices == 1) return "w";
  return matrix == 0 ? "w_gate" : "w_up";
}
std::string bias_buffer(std::size_t matrix, std::size_t matrices) {
  if (matrices == 1) return "bias";
  return matrix == 0 ? "bias_gate" : "bias_up";
}

class ResidentLinearKernel {
 public:
  ResidentLinearKernel(const PlanContext& context, const ResidentLinear& linear)
      : context_(context),
        linear_(linear),
        parts_(parts(context, linear)),
        kernel_(linear.name, {{"n", context.cores}}, parameters()),
        rows_(context.tokens()),
        a_(linear.norm ? "xn" : linear.input) {
    if (linear.norm && parts_ > 1 && !linear.kept_norm.empty()) a_ = linear.kept_norm;
    std::int64_t column = 0;
    for (const LinearPiece& piece : linear.pieces) {
      const PlannedWeight& matrix = piece.matrices.front();
      Range range;
      range.first = slices_.units;
      range.column = column;
      column += matrix.n;
      range.sticks = matrix.sticks();
      ranges_.push_back(range);
      slices_.units += range.sticks;
      matrices_ = std::max(matrices_, piece.matrices.size());
      biased_ = biased_ || !piece.biases.empty();
    }
    slices_.parts = context.cores * parts_;
    slices_.coordinate = "n";
    if (parts_ > 1) slices_.coordinate = Index(context.cores) * Index("part") + "n";
    for (Range& range : ranges_) {
      if (ranges_.size() == 1) {
        range.begin = slices_.begin();
        range.end = slices_.end();
      } else {
        // A core before or behind the piece gets a range that begins at or behind its end.
        const bool last = range.first + range.sticks == slices_.units;
        range.begin = slices_.begin() - range.first;
        if (range.first > 0) range.begin = maximum(range.begin, 0);
        range.end = slices_.end() - range.first;
        if (!last) range.end = minimum(range.end, range.sticks);
      }
    }
    per_stick_ = linear.pieces.front().matrices.front().per_stick;
    k_ = linear.pieces.front().matrices.front().k;
  }

  [[nodiscard]] std::int64_t launches() const { return parts_; }

  std::optional<Kernel> build(std::int64_t resident_bytes) {
    add_fixed_buffers();
    StreamNeed need;
    need.sticks = slices_.longest();
    need.k = k_;
    need.k_step = context_.elements_per_stick(context_.activation_type());
    need.matrices = static_cast<std::int64_t>(matrices_);
    need.bytes_per_stick = bytes_per_stick();
    need.bytes_left = context_.machine.lx.usable_bytes() - resident_bytes -
                      lx_bytes(context_.machine, kernel_.kernel());
    tile_ = choose_stream_tile(context_.machine, need);
    if (tile_.rows == 0) return std::nullopt;
    add_tile_buffers();
    if (linear_.norm) {
      const bool kept = a_ == linear_.kept_norm;
      kernel_.when(kept ? equal("part", 0) : Index(1), [&] {
        load_norm(kernel_, context_, *linear_.norm, {"n"});
        compute_norm(kernel_, context_, linear_.input, a_);
      });
    }
    for (std::size_t piece = 0; piece < linear_.pieces.size(); ++piece) add_piece(piece);
    if (!linear_.to_dram) add_gathering();
    return kernel_.take();
  }

 private:
  /// Launches: as many as keep a core's columns of a matrix within the span that it can reach.
  static std::int64_t parts(const PlanContext& context, const ResidentLinear& linear) {
    std::int64_t bytes = 0;
    for (const LinearPiece& piece : linear.pieces) {
      const PlannedWeight& matrix = piece.matrices.front();
      const std::int64_t sticks = ceil_divide(matrix.sticks(), context.cores);
      bytes = std::max(bytes, sticks * matrix.k * context.machine.limits.stick_bytes);
    }
    return ceil_divide(bytes, context.machine.limits.span_bytes);
  }
  [[nodiscard]] std::vector<std::string> parameters() const {
    std::vector<std::string> names;
    if (linear_.pieces.front().matrices.front().layered) names.emplace_back("l");
    if (parts_ > 1) names.emplace_back("part");
    return names;
  }

  [[nodiscard]] Index width(const Range& range, const Index& stick) const {
    if (whole_slice()) return Index(per_stick_) * slices_.length();
    return Index(per_stick_) * minimum(tile_.sticks, range.end - stick);
  }
  /// True if every core has one tile of sticks, all of one matrix.
  [[nodiscard]] bool whole_slice() const {
    return ranges_.size() == 1 && tile_.sticks >= slices_.longest() && slices_.shortest() >= 1;
  }

  void add_fixed_buffers() {
    const std::int64_t hidden = context_.graph.model.hidden;
    if (linear_.norm) {
      add_norm_buffers(kernel_, context_);
      if (a_ == "xn") kernel_.buffer("xn", context_.activation_type(), rows_, hidden);
    }
    if (!linear_.to_dram) {
      kernel_.buffer("out", context_.activation_type(), rows_, per_stick_ * slices_.longest());
    }
  }

  /// Accumulators, biases and results per stick of the tile.
  [[nodiscard]] std::int64_t bytes_per_stick() const {
    const auto& machine = context_.machine;
    std::int64_t bytes =
        lx_bytes(machine, DataType::fp32, rows_, per_stick_) * static_cast<std::int64_t>(matrices_);
    if (biased_) {
      bytes += lx_bytes(machine, context_.weight_type(), 1, per_stick_, 2) *
               static_cast<std::int64_t>(matrices_);
    }
    if (linear_.to_dram) {
      bytes += lx_bytes(machine, context_.activation_type(), rows_, per_stick_, 2);
    }
    return bytes;
  }

  void add_tile_buffers() {
    const std::int64_t columns = per_stick_ * tile_.sticks;
    for (std::size_t i = 0; i < matrices_; ++i) {
      kernel_.buffer(weight_buffer(i, matrices_), context_.weight_type(), tile_.rows, columns, 2);
      kernel_.buffer(accumulator(i, matrices_), DataType::fp32, rows_, columns);
      if (biased_) kernel_.buffer(bias_buffer(i, matrices_), context_.weight_type(), 1, columns, 2);
    }
    if (linear_.to_dram) kernel_.buffer("out", context_.activation_type(), rows_, columns, 2);
  }

  void add_piece(std::size_t piece) {
    const Range& range = ranges_[piece];
    if (whole_slice()) {
      add_columns(piece, range.begin);
    } else {
      kernel_.loop("s", range.begin, range.end, tile_.sticks, [&] { add_columns(piece, "s"); });
    }
  }

  /// One tile of columns, from stick `stick` of the piece.
  void add_columns(std::size_t piece, const Index& stick) {
    const LinearPiece& layer = linear_.pieces[piece];
    const Range& range = ranges_[piece];
    const Index column = Index(per_stick_) * stick;
    const Index columns = width(range, stick);
    for (std::size_t i = 0; i < layer.biases.size(); ++i) {
      kernel_.load(bias_buffer(i, matrices_), layer.biases[i].slice(column, columns));
    }
    kernel_.loop("k", 0, k_, tile_.rows, [&] {
      const Local a(a_, {0, "k"}, {rows_, tile_.rows});
      for (std::size_t i = 0; i < layer.matrices.size(); ++i) {
        const std::string w = weight_buffer(i, matrices_);
        kernel_.load(w, layer.matrices[i].tile("k", column, tile_.rows, columns));
        kernel_.matmul(accumulator(i, matrices_), a, w, less(0, "k"));
      }
    });
    const Local out = linear_.to_dram
                          ? Local("out")
                          : Local("out", {0, Index(per_stick_) * offset_in_slice(range, stick)});
    add_epilogue(layer, out, column, columns);
    if (linear_.to_dram)
      kernel_.store("out", activation(linear_.output, 0, column, rows_, columns));
  }

  [[nodiscard]] Index offset_in_slice(const Range& range, const Index& stick) const {
    if (range.first == 0) return stick - slices_.begin();
    return stick + range.first - slices_.begin();
  }

  void add_epilogue(const LinearPiece& layer, const Local& out, const Index& column,
                    const Index& columns) {
    const bool bias = !layer.biases.empty();
    switch (linear_.epilogue) {
      case Epilogue::none:
        if (bias) return kernel_.vector(VectorFunction::add, out, {"acc", "bias"});
        return add_scaled(kernel_, out, "acc", linear_.scale);
      case Epilogue::gelu:
        if (bias) return kernel_.vector(VectorFunction::bias_gelu, out, {"acc", "bias"});
        return kernel_.vector(VectorFunction::gelu, out, {"acc"});
      case Epilogue::silu_mul:
        for (std::size_t i = 0; bias && i < layer.biases.size(); ++i) {
          const std::string acc = accumulator(i, matrices_);
          kernel_.vector(VectorFunction::add, acc, {acc, bias_buffer(i, matrices_)});
        }
        return kernel_.vector(VectorFunction::silu_mul, out, {"gate", "up"});
      case Epilogue::residual:
        if (bias) kernel_.vector(VectorFunction::add, "acc", {"acc", "bias"});
        return add_residual(kernel_, context_, out, "acc",
                            Local(linear_.residual, {0, column}, {rows_, columns}));
    }
  }

  /// Every core's columns to every core.
  void add_gathering() {
    for (std::size_t piece = 0; piece < ranges_.size(); ++piece) {
      const Range& range = ranges_[piece];
      const std::int64_t n = linear_.pieces[piece].matrices.front().n;
      const Index first = Index(per_stick_) * range.begin;
      Index columns = ranges_.size() == 1 ? Index(per_stick_) * slices_.length()
                                          : Index(per_stick_) * (range.end - range.begin);
      if (n % per_stick_ != 0) columns = minimum(columns, Index(n) - first);
      const Local from("out", {0, Index(per_stick_) * offset_in_slice(range, range.begin)},
                       {rows_, columns});
      const Local into(linear_.output, {0, Index(range.column) + first});
      const bool everybody = ranges_.size() == 1 && slices_.shortest() >= 1;
      kernel_.when(everybody ? Index(1) : less(range.begin, range.end),
                   [&] { kernel_.multicast(from, into, {"n"}); });
    }
    Index messages = 0;
    for (std::int64_t part = 0; part < parts_; ++part) {
      messages = messages +
                 (parts_ == 1 ? Index(senders(part)) : Index(senders(part)) * equal("part", part));
    }
    kernel_.receive(linear_.output, messages);
  }

  /// Slices of pieces that are not empty in one launch.
  [[nodiscard]] std::int64_t senders(std::int64_t part) const {
    std::int64_t count = 0;
    for (const Range& range : ranges_) {
      for (std::int64_t core = 0; core < context_.cores; ++core) {
        const std::int64_t slice = part * context_.cores + core;
        const std::int64_t begin = std::max<std::int64_t>(slices_.first(slice) - range.first, 0);
        const std::int64_t end = std::min(slices_.first(slice + 1) - range.first, range.sticks);
        if (begin < end) ++count;
      }
    }
    return count;
  }

  const PlanContext& context_;
  const ResidentLinear& linear_;
  std::int64_t parts_;
  KernelBuilder kernel_;
  std::int64_t rows_;
  std::string a_;  ///< what the matrices are multiplied with
  std::vector<Range> ranges_;
  Slices slices_;
  std::size_t matrices_ = 1;
  bool biased_ = false;
  std::int64_t per_stick_ = 1;
  std::int64_t k_ = 0;
  StreamTile tile_;
};

}  // namespace

LinearPiece linear_piece(const PlanContext& context, const std::vector<std::string>& nodes) {
  LinearPiece piece;
  for (const std::string& node : nodes) {
    piece.matrices.push_back(context.weight(node));
    if (context.has_weight(node + ".bias")) piece.biases.push_back(context.weight(node + ".bias"));
  }
  return piece;
}

std::optional<PlannedKernel> build_resident_linear(const PlanContext& context,
                                                   const ResidentLinear& linear,
                                                   std::int64_t resident_bytes) {
  ResidentLinearKernel builder(context, linear);
  std::optional<Kernel> kernel = builder.build(resident_bytes);
  if (!kernel) return std::nullopt;
  return PlannedKernel{std::move(*kernel), builder.launches()};
}

void add_norm_buffers(KernelBuilder& kernel, const PlanContext& context) {
  const std::int64_t hidden = context.graph.model.hidden;
  kernel.buffer("gain", context.weight_type(), 1, hidden);
  if (context.graph.model.norm == NormKind::layer) {
    kernel.buffer("shift", context.weight_type(), 1, hidden);
  }
}

void load_norm(KernelBuilder& kernel, const PlanContext& context, const std::string& name,
               const std::vector<std::string>& share) {
  const std::int64_t hidden = context.graph.model.hidden;
  kernel.load("gain", context.weight(name).slice(0, hidden), share);
  if (context.graph.model.norm == NormKind::layer) {
    kernel.load("shift", context.weight(name + ".bias").slice(0, hidden), share);
  }
}

void add_scaled(KernelBuilder& kernel, const Local& into, const std::string& sums, double scale) {
  if (scale == 1) return kernel.vector(VectorFunction::copy, into, {sums});
  kernel.vector(VectorFunction::mul, into, {sums, Number(scale)});
}

void add_residual(KernelBuilder& kernel, const PlanContext& context, const Local& into,
                  const std::string& sums, const Local& residual) {
  const double multiplier = context.graph.model.residual_multiplier;
  if (multiplier == 1) return kernel.vector(VectorFunction::add, into, {sums, residual});
  kernel.vector(VectorFunction::fma, into, {sums, Number(multiplier), residual});
}

void scale_embedding(KernelBuilder& kernel, const PlanContext& context, const Local& into,
                     const std::string& rows) {
  add_scaled(kernel, into, rows, context.graph.model.embedding_multiplier);
}

void compute_norm(KernelBuilder& kernel, const PlanContext& context, const Local& from,
                  const Local& into) {
  const Number epsilon(context.graph.model.norm_epsilon);
  if (context.graph.model.norm == NormKind::rms) {
    kernel.vector(VectorFunction::rmsnorm, into, {from, "gain", epsilon});
  } else {
    kernel.vector(VectorFunction::layernorm, into, {from, "gain", "shift", epsilon});
  }
}

}  // namespace spyre::kernels
