#include <fmt/format.h>

#include <algorithm>

#include "kernels/planner/attention_kernels.h"
#include "kernels/planner/online_softmax.h"
#include "kernels/planner/work_division.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {
namespace {

using models::VectorFunction;

/// The sizes that decide what LX holds.
struct ChunkTile {
  std::int64_t rows = 0;    ///< queries of one head
  std::int64_t blocks = 0;  ///< KV blocks
  std::int64_t columns =
      0;  ///< of scores that are worked on at a time: queries of all heads of the group
};

class ChunkAttention {
 public:
  explicit ChunkAttention(const PlanContext& context)
      : context_(context),
        model_(context.graph.model),
        step_(context.graph.step),
        block_(context.machine.limits.kv_block_tokens),
        group_(model_.heads / model_.kv_heads) {
    split();
    choose_tile();
  }

  PlannedKernel build() {
    KernelBuilder kernel("attention", {{"q", query_cores_}, {"h", head_cores_}}, {"l"});
    kernel_ = &kernel;
    if (query_cores_ > 1) share_cache_ = {"q"};
    if (head_cores_ > 1) share_rope_ = {"h"};
    add_buffers();
    if (model_.qk_norm) {
      kernel.load("q_gain", context_.weight("attn.q_norm").slice(0, model_.head_dim), {"q", "h"});
    }
    const Slices heads{model_.kv_heads, head_cores_, "h"};
    kernel.loop("i", 0, query_tiles_, 1, [&] {
      // Query tiles are dealt out in turn, so that all cores of one turn see nearly the same keys.
      row_ = Index(tile_.rows) * (Index(query_cores_) * Index("i") + "q");
      if (rotates()) {
        kernel.load("rope_rows",
                    {kRopeTable, {row_ + step_.context, 0}, {tile_.rows, model_.head_dim}},
                    share_rope_);
      }
      kernel.loop("head", heads.begin(), heads.end(), 1, [&] { add_head(); });
    });
    return {kernel.take()};
  }

 private:
  [[nodiscard]] bool rotates() const { return !model_.learned_positions; }

  /// KV heads x query tiles: the division whose busiest core has the fewest queries, then the most
  /// heads.
  void split() {
    const std::int64_t pass = context_.machine.matrix.pass_rows;
    std::int64_t best = 0;
    for (std::int64_t heads = 1; heads <= std::min(context_.cores, model_.kv_heads); ++heads) {
      const std::int64_t queries = std::min(context_.cores / heads, ceil_divide(step_.chunk, pass));
      const std::int64_t cost = ceil_divide(model_.kv_heads, heads) *
                                ceil_divide(ceil_divide(step_.chunk, pass), queries);
      if (best == 0 || cost <= best) {
        best = cost;
        head_cores_ = heads;
        query_cores_ = queries;
      }
    }
  }

  void choose_tile() {
    const std::int64_t pass = context_.machine.matrix.pass_rows;
    const std::int64_t units = ceil_divide(ceil_divide(step_.chunk, pass), query_cores_);
    std::int64_t needed = 0;
    for (query_tiles_ = 1; query_tiles_ <= units; ++query_tiles_) {
      tile_.rows = std::min(pass * ceil_divide(units, query_tiles_), step_.chunk);
      for (const std::int64_t blocks : {2, 1}) {
        for (const std::int64_t passes : {2, 1}) {
          tile_.blocks = std::min(blocks, ceil_divide(step_.context + step_.chunk, block_));
          tile_.columns = passes * context_.machine.matrix.columns * context_.machine.matrix.lanes;
          needed = tile_bytes();
          if (needed <= context_.machine.lx.usable_bytes()) return;
        }
      }
    }
    throw models::InputError(fmt::format(
        "lx: the smallest tile of kernel 'attention' needs {} B, {} has {} B of LX for it", needed,
        context_.machine.name, context_.machine.lx.usable_bytes()));
  }

  [[nodiscard]] std::int64_t tile_bytes() {
    KernelBuilder kernel("attention", {}, {});
    kernel_ = &kernel;
    add_buffers();
    return lx_bytes(context_.machine, kernel.kernel());
  }

  void add_buffers() {
    const std::int64_t d = model_.head_dim;
    const std::int64_t tokens = tile_.blocks * block_;
    const std::int64_t all = group_ * tile_.rows;
    const std::int64_t columns = std::min(tile_.columns, all);
    const DataType type = context_.activation_type();
    kernel_->buffer("q_in", type, tile_.rows, d, 2);
    if (rotates()) kernel_->buffer("rope_rows", type, tile_.rows, d);
    if (model_.qk_norm) kernel_->buffer("q_gain", context_.weight_type(), 1, d);
    kernel_->buffer("q", type, all, d);
    kernel_->buffer("qt", type, d, all);
    kernel_->buffer("k", step_.kv_type, tokens, d, 2);
    kernel_->buffer("v", step_.kv_type, tokens, d, 2);
    kernel_->buffer("scores", DataType::fp32, tokens, columns, 2);
    kernel_->buffer("state", DataType::fp32, kStateRows, all);
    kernel_->buffer("scale", DataType::fp32, all, kStateRows);
    kernel_->buffer("p", type, tokens, columns, 2);
    kernel_->buffer("pt", type, columns, tokens, 2);
    kernel_->buffer("pv", DataType::fp32, columns, d, 2);
    kernel_->buffer("o", DataType::fp32, all, d);
    kernel_->buffer("out", type, tile_.rows, d, 2);
  }

  void add_head() {
    const std::int64_t d = model_.head_dim;
    const auto head_column = [&] { return Index(d) * (Index(group_) * Index("head") + "g"); };
    kernel_->loop("g", 0, group_, 1, [&] {
      kernel_->load("q_in", activation("act.qkv", row_, head_column(), tile_.rows, d));
      const Local q("q", {Index(tile_.rows) * Index("g"), 0});
      if (model_.qk_norm)
        kernel_->vector(VectorFunction::rmsnorm, "q_in",
                        {"q_in", "q_gain", Number(model_.norm_epsilon)});
      if (rotates()) {
        kernel_->vector(VectorFunction::rope, q, {"q_in", "rope_rows"});
      } else {
        kernel_->vector(VectorFunction::copy, q, {"q_in"});
      }
    });
    kernel_->vector(VectorFunction::transpose, "qt", {"q"});
    add_keys();
    const Index rows = step_.chunk % tile_.rows == 0
                           ? Index(tile_.rows)
                           : minimum(tile_.rows, Index(step_.chunk) - row_);
    const Index any_row = has_idle_tiles() ? less(row_, step_.chunk) : Index(1);
    kernel_->when(any_row, [&] {
      kernel_->loop("g", 0, group_, 1, [&] {
        const Index first = Index(tile_.rows) * Index("g");
        add_softmax_result(*kernel_, "out", first, rows, d);
        kernel_->store("out", activation("act.attn", row_, head_column(), tile_.rows, d));
      });
    });
  }

  /// True if some core's last tile begins behind the chunk.
  [[nodiscard]] bool has_idle_tiles() const {
    return ceil_divide(step_.chunk, tile_.rows) < query_cores_ * query_tiles_;
  }

  /// All tiles of keys that any query of this turn sees. Cores load together; each computes on what
  /// its queries see.
  void add_keys() {
    const std::int64_t total = step_.context + step_.chunk;
    const std::int64_t full = total / block_;
    const std::int64_t turn_rows = tile_.rows * query_cores_;
    const auto sees = [&](const Index& first_token) {
      Index condition = less(first_token, row_ + (step_.context + tile_.rows));
      if (has_idle_tiles()) condition = both(condition, less(row_, step_.chunk));
      return condition;
    };
    if (full > 0) {
      // The turn's last query is its `turn_rows`-th or the chunk's last: round up to whole blocks.
      const Index last = query_tiles_ == 1
                             ? Index(full)
                             : minimum(full, floor_divide(Index(turn_rows) * (Index("i") + 1) +
                                                              (step_.context + block_ - 1),
                                                          block_));
      kernel_->loop("blk", 0, last, tile_.blocks, [&] {
        const Index blocks = last.is_constant() && full % tile_.blocks == 0
                                 ? Index(tile_.blocks)
                                 : minimum(tile_.blocks, last - "blk");
        load_keys("blk", blocks, block_);
        kernel_->when(sees(Index(block_) * Index("blk")),
                      [&] { add_tile(equal("blk", 0), less(0, "blk")); });
      });
    }
    if (total % block_ == 0) return;
    const Index in_last_turn =
        query_tiles_ == 1
            ? Index(1)
            : less(full * block_, Index(turn_rows) * (Index("i") + 1) + step_.context);
    kernel_->when(in_last_turn, [&] {
      load_keys(full, 1, total % block_);
      kernel_->when(sees(full * block_), [&] { add_tile(full == 0 ? 1 : 0, full == 0 ? 0 : 1); });
    });
  }

  void load_keys(const Index& block, const Index& blocks, const Index& tokens) {
    for (const auto& [buffer, cache] : {std::pair{"k", kKeyCache}, std::pair{"v", kValueCache}}) {
      kernel_->load(buffer, cache_tile(context_, cache, 0, block, "head", 0, blocks, tokens),
                    share_cache_);
    }
  }

  /// One tile of keys against all queries, `columns` at a time. The scores of the next columns are
  /// computed while the vector unit works on the last ones.
  void add_tile(const Index& first, const Index& later) {
    const std::int64_t parts = ceil_divide(group_ * tile_.rows, tile_.columns);
    add_scores(0);
    add_softmax(*kernel_, place(0), first);
    if (parts > 1) {
      kernel_->loop("c", 0, parts - 1, 1, [&] {
        add_scores(Index("c") + 1);
        kernel_->matmul("pv", "pt", "v");
        add_softmax(*kernel_, place(Index("c") + 1), first);
        add_weighted_values(*kernel_, place("c"), first, later);
      });
    }
    kernel_->matmul("pv", "pt", "v");
    add_weighted_values(*kernel_, place(parts - 1), first, later);
  }

  [[nodiscard]] SoftmaxPlace place(const Index& part) const {
    const Index column = Index(tile_.columns) * part;
    return {column, column, tile_.columns, context_.score_scale()};
  }

  void add_scores(const Index& part) {
    kernel_->matmul(
        "scores", "k",
        Local("qt", {0, Index(tile_.columns) * part}, {model_.head_dim, tile_.columns}));
  }

  const PlanContext& context_;
  const ModelConfig& model_;
  const StepOptions& step_;
  std::int64_t block_;
  std::int64_t group_;  ///< query heads per KV head
  std::int64_t head_cores_ = 1, query_cores_ = 1;
  std::int64_t query_tiles_ = 1;  ///< turns
  ChunkTile tile_;
  KernelBuilder* kernel_ = nullptr;
  std::vector<std::string> share_cache_, share_rope_;
  Index row_ = 0;  ///< first query of the tile
};

}  // namespace

PlannedKernel build_chunk_attention(const PlanContext& context) {
  return ChunkAttention(context).build();
}

}  // namespace spyre::kernels
