#include <algorithm>

#include "kernels/planner/attention_kernels.h"
#include "kernels/planner/online_softmax.h"
#include "kernels/planner/work_division.h"

namespace spyre::kernels {
namespace {

using models::VectorFunction;

/// Bytes of a K tile: long enough to hide its requests' latency; a V tile of the same size comes
/// with it.
constexpr std::int64_t kCacheTileBytes = 64 << 10;

class DecodeAttention {
 public:
  DecodeAttention(const PlanContext& context, ActivationHome home)
      : context_(context),
        model_(context.graph.model),
        step_(context.graph.step),
        resident_(home == ActivationHome::lx),
        block_tokens_(context.machine.limits.kv_block_tokens),
        full_blocks_(step_.context / block_tokens_),
        last_tokens_(step_.context % block_tokens_),
        group_(model_.heads / model_.kv_heads),
        split_(split_attention(context.cores, step_.batch, model_.kv_heads, full_blocks_)),
        parts_(parts()),
        kernel_("attention", grid(), parameters()) {
    set_coordinates();
  }

  [[nodiscard]] std::int64_t launches() const { return parts_; }

  std::optional<Kernel> build(std::int64_t resident_bytes) {
    add_fixed_buffers();
    const std::int64_t left = context_.machine.lx.usable_bytes() - resident_bytes -
                              lx_bytes(context_.machine, kernel_.kernel());
    const std::int64_t block_bytes =
        lx_bytes(context_.machine, step_.kv_type, block_tokens_, model_.head_dim);
    blocks_per_tile_ = std::clamp<std::int64_t>(kCacheTileBytes / block_bytes, 1,
                                                std::max<std::int64_t>(ranges_.longest(), 1));
    while (blocks_per_tile_ > 1 && tile_bytes() > left) --blocks_per_tile_;
    if (tile_bytes() > left) return std::nullopt;
    add_tile_buffers();
    if (model_.qk_norm) {
      const std::vector<std::string> everybody = grid_dims();
      kernel_.load(Local("gains", {0, 0}), context_.weight("attn.q_norm").slice(0, model_.head_dim),
                   everybody);
      kernel_.load(Local("gains", {1, 0}), context_.weight("attn.k_norm").slice(0, model_.head_dim),
                   everybody);
    }
    if (!resident_ && has_rope()) load_rope_row();
    kernel_.when(works_, [&] {
      kernel_.loop("seq", sequences_.begin(), sequences_.end(), 1, [&] {
        kernel_.loop("head", heads_.begin(), heads_.end(), 1, [&] { add_item(); });
      });
      if (split_.ranges > 1) add_combination();
    });
    if (resident_) kernel_.receive("attn", received_items());
    return kernel_.take();
  }

 private:
  [[nodiscard]] bool has_rope() const { return !model_.learned_positions; }

  /// Launches per layer: as many as keep every core's reach into a cache within the span.
  [[nodiscard]] std::int64_t parts() const {
    const std::int64_t blocks = ceil_divide(step_.context + step_.chunk, block_tokens_);
    const std::int64_t bytes =
        blocks * model_.kv_heads *
        lx_bytes(context_.machine, step_.kv_type, block_tokens_, model_.head_dim);
    const std::int64_t sequences = ceil_divide(step_.batch, split_.sequences);
    const std::int64_t reachable =
        std::max<std::int64_t>(context_.machine.limits.span_bytes / bytes, 1);
    return ceil_divide(sequences, reachable);
  }
  [[nodiscard]] std::vector<std::string> parameters() const {
    if (parts_ == 1) return {"l"};
    return {"l", "part"};
  }

  /// Results that every core receives in one launch.
  [[nodiscard]] Index received_items() const {
    if (parts_ == 1) return step_.batch * model_.kv_heads;
    const Slices launch{step_.batch, parts_, "part"};
    return launch.length() * model_.kv_heads;
  }

  /// The split as grid dims, or, where it leaves cores over that must still receive the result, one
  /// dim for all.
  [[nodiscard]] KernelBuilder::Grid grid() const {
    if (resident_ && split_.cores() != context_.cores) return {{"c", context_.cores}};
    return {{"s", split_.ranges}, {"h", split_.heads}, {"b", split_.sequences}};
  }
  [[nodiscard]] std::vector<std::string> grid_dims() const {
    std::vector<std::string> names;
    for (const auto& dim : grid()) names.push_back(dim.first);
    return names;
  }

  void set_coordinates() {
    Index s = "s";
    Index h = "h";
    Index b = "b";
    if (grid().size() == 1) {
      s = modulo("c", split_.ranges);
      h = modulo(floor_divide("c", split_.ranges), split_.heads);
      b = floor_divide("c", split_.ranges * split_.heads);
      works_ = less("c", split_.cores());
    }
    ranges_ = {full_blocks_, split_.ranges, s};
    heads_ = {model_.kv_heads, split_.heads, h};
    sequences_ = {step_.batch, split_.sequences, b};
    if (parts_ > 1) {
      sequences_ = {step_.batch, split_.sequences * parts_,
                    Index(split_.sequences) * Index("part") + b};
    }
    last_range_ = split_.ranges == 1 ? Index(1) : equal(s, split_.ranges - 1);
    other_range_ = less(s, split_.ranges - 1);
    to_last_range_ = Index("core") + (Index(split_.ranges - 1) - s);
  }

  /// (sequence, head) pairs of the busiest core.
  [[nodiscard]] std::int64_t most_items() const { return sequences_.longest() * heads_.longest(); }

  void add_fixed_buffers() {
    const std::int64_t d = model_.head_dim;
    const DataType type = context_.activation_type();
    if (!resident_) {
      kernel_.buffer("q_in", type, 1, group_ * d, 2);
      kernel_.buffer("k_in", type, 1, d, 2);
      kernel_.buffer("v_in", type, 1, d, 2);
      if (has_rope()) kernel_.buffer("rope_row", type, 1, d);
    }
    if (model_.qk_norm && !resident_) kernel_.buffer("gains", context_.weight_type(), 2, d);
    kernel_.buffer("q", type, group_, d);
    kernel_.buffer("qt", type, d, group_, 2);
    kernel_.buffer("k_new", step_.kv_type, 1, d, 2);
    kernel_.buffer("v_new", step_.kv_type, 1, d, 2);
    kernel_.buffer("pv", DataType::fp32, group_, d, 2);
    const bool combines = split_.ranges > 1;
    const std::int64_t items = combines ? most_items() : 1;
    kernel_.buffer("o", DataType::fp32, items * group_, d);
    kernel_.buffer("state", DataType::fp32, kStateRows, group_);
    kernel_.buffer("scale", DataType::fp32, items * group_, kStateRows);
    if (combines) {
      kernel_.buffer("o_in", DataType::fp32, (split_.ranges - 1) * items * group_, d);
      kernel_.buffer("scale_in", DataType::fp32, (split_.ranges - 1) * items * group_, kStateRows);
      add_combination_buffers(kernel_, items * group_);
    }
    kernel_.buffer("out", type, 1, group_ * d);
  }

  [[nodiscard]] std::int64_t tile_bytes() const {
    const auto& machine = context_.machine;
    const std::int64_t tokens = blocks_per_tile_ * block_tokens_;
    return lx_bytes(machine, step_.kv_type, tokens, model_.head_dim, 4) +
           lx_bytes(machine, DataType::fp32, tokens, group_, 2) +
           lx_bytes(machine, context_.activation_type(), tokens, group_, 2) +
           lx_bytes(machine, context_.activation_type(), group_, tokens, 2);
  }
  void add_tile_buffers() {
    const std::int64_t tokens = blocks_per_tile_ * block_tokens_;
    kernel_.buffer("k", step_.kv_type, tokens, model_.head_dim, 2);
    kernel_.buffer("v", step_.kv_type, tokens, model_.head_dim, 2);
    kernel_.buffer("scores", DataType::fp32, tokens, group_, 2);
    kernel_.buffer("p", context_.activation_type(), tokens, group_, 2);
    kernel_.buffer("pt", context_.activation_type(), group_, tokens, 2);
  }

  void load_rope_row() {
    kernel_.load("rope_row", {kRopeTable, {step_.context, 0}, {1, model_.head_dim}}, grid_dims());
  }

  /// The head's `d` columns at `column` of queries, keys and values, wherever they live.
  [[nodiscard]] Local new_row(const char* in_dram, const Index& column_in_dram,
                              const Index& column) const {
    if (resident_) return {"qkv", {"seq", column}, {1, model_.head_dim}};
    return {in_dram, {0, column_in_dram}, {1, model_.head_dim}};
  }

  [[nodiscard]] Index key_column() const {
    return Index(context_.query_columns()) + Index(model_.head_dim) * Index("head");
  }
  [[nodiscard]] Index value_column() const {
    return Index(context_.query_columns() + context_.kv_columns()) +
           Index(model_.head_dim) * Index("head");
  }

  void add_item() {
    const std::int64_t d = model_.head_dim;
    if (!resident_) {
      const std::vector<std::string> share{"s"};
      const Index q_column = Index(group_ * d) * Index("head");
      kernel_.load("q_in", activation("act.qkv", "seq", q_column, 1, group_ * d), share);
      kernel_.load("k_in", activation("act.qkv", "seq", key_column(), 1, d), share);
      kernel_.load("v_in", activation("act.qkv", "seq", value_column(), 1, d), share);
    }
    add_queries();
    const bool any_tile = full_blocks_ > 0 || last_tokens_ > 0;
    if (full_blocks_ > 0) add_full_blocks();
    kernel_.when(last_range_, [&] {
      if (last_tokens_ > 0) add_last_block();
      add_new_token(!any_tile);
      if (split_.ranges == 1) add_result(0);
    });
  }

  void add_queries() {
    const std::int64_t d = model_.head_dim;
    const Number epsilon(model_.norm_epsilon);
    kernel_.loop("g", 0, group_, 1, [&] {
      const Index column = Index(d) * (Index(group_) * Index("head") + Index("g"));
      const Local from = new_row("q_in", Index(d) * Index("g"), column);
      const Local into("q", {"g", 0});
      if (model_.qk_norm) {
        kernel_.vector(VectorFunction::rmsnorm, into,
                       {from, Local("gains", {0, 0}, {1, d}), epsilon});
      } else if (has_rope()) {
        kernel_.vector(VectorFunction::rope, into, {from, "rope_row"});
      } else {
        kernel_.vector(VectorFunction::copy, into, {from});
      }
    });
    if (model_.qk_norm && has_rope()) {
      kernel_.vector(VectorFunction::rope, "q", {"q", "rope_row"});
    }
    kernel_.vector(VectorFunction::transpose, "qt", {"q"});
  }

  void add_full_blocks() {
    kernel_.loop("blk", ranges_.begin(), ranges_.end(), blocks_per_tile_, [&] {
      const Index blocks = ranges_.even() && ranges_.longest() % blocks_per_tile_ == 0
                               ? Index(blocks_per_tile_)
                               : minimum(blocks_per_tile_, ranges_.end() - Index("blk"));
      kernel_.load("k",
                   cache_tile(context_, kKeyCache, "seq", "blk", "head", 0, blocks, block_tokens_));
      kernel_.load(
          "v", cache_tile(context_, kValueCache, "seq", "blk", "head", 0, blocks, block_tokens_));
      add_tile("k", "v", equal("blk", ranges_.begin()), less(ranges_.begin(), "blk"));
    });
  }

  void add_last_block() {
    kernel_.load("k",
                 cache_tile(context_, kKeyCache, "seq", full_blocks_, "head", 0, 1, last_tokens_));
    kernel_.load(
        "v", cache_tile(context_, kValueCache, "seq", full_blocks_, "head", 0, 1, last_tokens_));
    const bool first = full_blocks_ == 0;
    add_tile("k", "v", first ? 1 : 0, first ? 0 : 1);
  }

  /// The new token's key and value: to the cache, and attended to from LX.
  void add_new_token(bool first) {
    const std::int64_t d = model_.head_dim;
    const Number epsilon(model_.norm_epsilon);
    const Local key = new_row("k_in", 0, key_column());
    if (model_.qk_norm) {
      kernel_.vector(VectorFunction::rmsnorm, "k_new",
                     {key, Local("gains", {1, 0}, {1, d}), epsilon});
      if (has_rope()) kernel_.vector(VectorFunction::rope, "k_new", {"k_new", "rope_row"});
    } else if (has_rope()) {
      kernel_.vector(VectorFunction::rope, "k_new", {key, "rope_row"});
    } else {
      kernel_.vector(VectorFunction::copy, "k_new", {key});
    }
    kernel_.vector(VectorFunction::copy, "v_new", {new_row("v_in", 0, value_column())});
    for (const auto& [buffer, cache] : {std::pair{"k_new", kKeyCache}, {"v_new", kValueCache}}) {
      kernel_.store(Local(buffer, {0, 0}, {1, d}),
                    cache_tile(context_, cache, "seq", full_blocks_, "head", last_tokens_, 1, 1));
    }
    add_tile("k_new", "v_new", first ? 1 : 0, first ? 0 : 1);
  }

  /// The item's number on this core, which is where its sums stand until they are combined.
  [[nodiscard]] Index item() const {
    if (split_.ranges == 1) return 0;
    return (Index("seq") - sequences_.begin()) * heads_.length() + (Index("head") - heads_.begin());
  }

  /// Attends to the tokens of one tile. The sums start where `first` holds and go on where `later`
  /// does.
  void add_tile(const char* k, const char* v, const Index& first, const Index& later) {
    const SoftmaxPlace place{0, Index(group_) * item(), group_, context_.score_scale()};
    kernel_.matmul("scores", k, "qt");
    add_softmax(kernel_, place, first);
    kernel_.matmul("pv", "pt", v);
    add_weighted_values(kernel_, place, first, later);
  }

  /// Partial sums of the other ranges of blocks go to the last one.
  void add_combination() {
    const Index items = sequences_.length() * heads_.length();
    const Index rows = Index(group_) * items;
    const Local o("o", {0, 0}, {rows, model_.head_dim});
    const Local scale("scale", {0, 0}, {rows, kStateRows});
    kernel_.when(other_range_, [&] {
      kernel_.send(o, Local("o_in", {rows * ranges_.coordinate, 0}), to_last_range_);
      kernel_.send(scale, Local("scale_in", {rows * ranges_.coordinate, 0}), to_last_range_);
    });
    kernel_.when(last_range_, [&] {
      kernel_.receive("o_in", split_.ranges - 1);
      kernel_.receive("scale_in", split_.ranges - 1);
      add_combination_of(kernel_, split_.ranges - 1, rows, model_.head_dim);
      kernel_.loop("seq", sequences_.begin(), sequences_.end(), 1, [&] {
        kernel_.loop("head", heads_.begin(), heads_.end(), 1, [&] { add_result(item()); });
      });
    });
  }

  /// Divides by the sums and hands the group's heads on, side by side.
  void add_result(const Index& number) {
    const std::int64_t d = model_.head_dim;
    const auto finish = [&](const Index& g) {
      add_softmax_result(kernel_, Local("out", {0, Index(d) * g}), Index(group_) * number + g, 1,
                         d);
    };
    if (group_ > 1) {
      kernel_.loop("g", 0, group_, 1, [&] { finish("g"); });
    } else {
      finish(0);
    }
    const Index column = Index(group_ * d) * Index("head");
    if (resident_) {
      kernel_.multicast("out", Local("attn", {"seq", column}), grid_dims());
    } else {
      kernel_.store("out", activation("act.attn", "seq", column, 1, group_ * d));
    }
  }

  const PlanContext& context_;
  const ModelConfig& model_;
  const StepOptions& step_;
  bool resident_;
  std::int64_t block_tokens_;
  std::int64_t full_blocks_;  ///< of the context
  std::int64_t last_tokens_;  ///< in the block behind them: where the new token goes
  std::int64_t group_;        ///< query heads per KV head
  AttentionSplit split_;
  std::int64_t parts_;
  KernelBuilder kernel_;
  Slices ranges_, heads_, sequences_;
  Index works_ = 1, last_range_ = 1, other_range_ = 0, to_last_range_ = "core";
  std::int64_t blocks_per_tile_ = 1;
};

}  // namespace

std::optional<PlannedKernel> build_decode_attention(const PlanContext& context, ActivationHome home,
                                                    std::int64_t resident_bytes) {
  DecodeAttention attention(context, home);
  std::optional<Kernel> kernel = attention.build(resident_bytes);
  if (!kernel) return std::nullopt;
  return PlannedKernel{std::move(*kernel), attention.launches()};
}

}  // namespace spyre::kernels
