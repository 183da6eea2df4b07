#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/ops/attention_parts.h"
#include "kernels/ops/tile_loops.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {
namespace {

using models::VectorFunction;

/// Keys of a tile, and columns of scores (queries of all heads of a group): as many as keep matrix
/// unit and vector unit busy side by side, if they fit.
constexpr std::int64_t kKeys = 128;
constexpr std::int64_t kColumns = 256;

class FlashPrefill {
 public:
  FlashPrefill(const OpPlan& plan, const PrefillShape& shape)
      : plan_(plan), shape_(shape), group_(shape.heads / shape.kv_heads) {
    choose_tile();
    cut_.rows = shape.queries;
    cut_.columns = shape.kv_heads;
    cut_.row_unit = queries_;
    cut_.tile_rows = queries_;
    divide_over_cores(cut_, plan.options());
  }

  Kernel build() {
    TileLoops loops(cut_);
    KernelBuilder kernel("flash_attention", loops.grid(), {});
    add_buffers(kernel, queries_, keys_);
    loops.for_columns(kernel, [&] {
      // Tiles are dealt out in turn: later ones see more keys.
      kernel.loop("r", "m", cut_.row_units(), cut_.m_cores, [&] {
        const Index row = Index(queries_) * Index("r");
        const Index queries = shape_.queries % queries_ == 0
                                  ? Index(queries_)
                                  : minimum(queries_, Index(shape_.queries) - row);
        add_queries(kernel, loops.column, row, queries);
      });
    });
    return kernel.take();
  }

 private:
  void add_buffers(KernelBuilder& kernel, std::int64_t queries, std::int64_t keys) const {
    const DataType type = plan_.options().type;
    const std::int64_t d = shape_.head_dim;
    const std::int64_t columns = group_ * queries;
    kernel.buffer("q", type, columns, d, 2);
    kernel.buffer("qt", type, d, columns);
    kernel.buffer("k", type, keys, d, 2);
    kernel.buffer("v", type, keys, d, 2);
    add_softmax_buffers(kernel, type, keys, columns, d);
    if (shape_.causal) {
      kernel.buffer("query", DataType::fp32, 1, columns);
      kernel.buffer("key", DataType::fp32, keys, 1);
      kernel.buffer("seen", DataType::fp32, keys, columns);
    }
    kernel.buffer("y", type, columns, d, 2);
  }

  [[nodiscard]] std::int64_t bytes(std::int64_t queries, std::int64_t keys) const {
    KernelBuilder kernel("flash_attention", {}, {});
    add_buffers(kernel, queries, keys);
    return lx_bytes(plan_.machine(), kernel.kernel());
  }

  void choose_tile() {
    const OpOptions& options = plan_.options();
    keys_ = std::min(shape_.keys, options.tile_columns != 0 ? options.tile_columns : kKeys);
    const std::int64_t wanted =
        options.tile_rows != 0 ? options.tile_rows : std::max<std::int64_t>(kColumns / group_, 1);
    // No larger than what keeps all cores at work.
    const std::int64_t per_core = ceil_divide(
        shape_.queries,
        std::max<std::int64_t>(options.cores / std::min(options.cores, shape_.kv_heads), 1));
    const std::int64_t most = options.tile_rows != 0 ? shape_.queries : per_core;
    queries_ = fit_tile(
        plan_, "flash_attention", std::min(wanted, most), 1,
        [&](std::int64_t queries) { return bytes(queries, keys_); },
        "use fewer keys per tile or smaller heads");
  }

  /// One tile of queries of one group, against all keys that it sees.
  void add_queries(KernelBuilder& kernel, const Index& kv_head, const Index& row,
                   const Index& queries) const {
    const std::int64_t d = shape_.head_dim;
    const Index head = Index(group_) * kv_head;
    const Index columns = Index(group_) * queries;
    // Keys before the prompt's first query: those of earlier chunks.
    const std::int64_t before = shape_.keys - shape_.queries;
    kernel.load("q", {"q", {head, row, 0}, {group_, queries, d}});
    kernel.vector(VectorFunction::transpose, "qt", {"q"});
    if (shape_.causal) {
      // Columns count through the queries of one head after the other.
      kernel.vector(VectorFunction::iota, Local("query", {0, 0}, {1, columns}), {Number(0.0)});
      if (group_ > 1) kernel.vector(VectorFunction::rem, "query", {"query", Number(queries)});
      kernel.vector(VectorFunction::add, "query", {"query", Number(row + before)});
    }
    add_softmax_start(kernel, columns);
    const Index stop =
        shape_.causal ? minimum(shape_.keys, row + (Index(before) + queries)) : Index(shape_.keys);
    kernel.loop("t", 0, stop, keys_, [&] {
      const Index keys =
          shape_.causal || shape_.keys % keys_ != 0 ? minimum(keys_, stop - "t") : Index(keys_);
      kernel.load("k", {"k", {kv_head, "t", 0}, {1, keys, d}});
      kernel.load("v", {"v", {kv_head, "t", 0}, {1, keys, d}});
      kernel.matmul("scores", "k", "qt");
      if (shape_.causal) {
        // Only where some query does not see the tile's last key.
        kernel.when(less(row + before, Index("t") + (keys - 1)), [&] { add_mask(kernel, keys); });
      }
      add_softmax_tile(kernel, columns, d, equal("t", 0));
    });
    kernel.vector(VectorFunction::softmax_finish, "y", {"o", "scale"});
    kernel.store("y", {"y", {head, row, 0}, {group_, queries, d}});
  }

  static void add_mask(KernelBuilder& kernel, const Index& keys) {
    kernel.vector(VectorFunction::iota, Local("key", {0, 0}, {keys, 1}), {Number(Index("t"))},
                  {0, {}});
    kernel.vector(VectorFunction::less_equal, "seen", {"key", "query"});
    kernel.vector(VectorFunction::select, "scores",
                  {"seen", "scores", Number(-std::numeric_limits<double>::infinity())});
  }

  const OpPlan& plan_;
  const PrefillShape& shape_;
  std::int64_t group_ = 1;
  std::int64_t queries_ = 1, keys_ = 1;
  TileCut cut_;
};

}  // namespace

void check_prefill(const PrefillShape& shape) {
  check_heads(shape.heads, shape.kv_heads, shape.head_dim);
  check_size("QUERIES", shape.queries);
  check_size("KEYS", shape.keys, shape.causal ? shape.queries : 1);
}

void add_prefill_tensors(OpPlan& plan, const PrefillShape& shape) {
  const DataType type = plan.options().type;
  plan.tensor("q", type, TensorKind::activation, {shape.heads, shape.queries, shape.head_dim});
  plan.tensor("k", type, TensorKind::kv_cache, {shape.kv_heads, shape.keys, shape.head_dim});
  plan.tensor("v", type, TensorKind::kv_cache, {shape.kv_heads, shape.keys, shape.head_dim});
  plan.tensor("y", type, TensorKind::activation, {shape.heads, shape.queries, shape.head_dim});
}

Schedule plan_flash_prefill(const PrefillShape& shape, const OpOptions& options,
                            const models::Machine& machine) {
  check_prefill(shape);
  OpPlan plan(fmt::format("flash attention {} queries x {} keys, {} / {} heads of {}",
                          shape.queries, shape.keys, shape.heads, shape.kv_heads, shape.head_dim),
              options, machine);
  add_prefill_tensors(plan, shape);
  plan.kernel(FlashPrefill(plan, shape).build());
  return plan.take();
}

}  // namespace spyre::kernels
