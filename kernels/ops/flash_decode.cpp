#include <fmt/format.h>

#include <algorithm>

#include "kernels/ops/attention_parts.h"
#include "kernels/ops/paged_tiles.h"
#include "kernels/ops/tile_loops.h"

namespace spyre::kernels {
namespace {

using models::VectorFunction;

constexpr std::int64_t kKeys = 256;  // tokens of a tile, if they fit

class FlashDecode {
 public:
  FlashDecode(const OpPlan& plan, const PagedShape& shape)
      : plan_(plan), shape_(shape), group_(shape.heads / shape.kv_heads) {
    const OpOptions& options = plan.options();
    const std::int64_t wanted = options.tile_columns != 0 ? options.tile_columns : kKeys;
    const std::int64_t whole = shape.context / shape.page_tokens;
    pages_ = fit_tile(
        plan, "flash_decode",
        std::clamp<std::int64_t>(wanted / shape.page_tokens, 1, std::max<std::int64_t>(whole, 1)),
        1, [&](std::int64_t pages) { return bytes(pages); },
        "use smaller pages, or smaller or fewer heads");
    cut_.rows = shape.batch;
    cut_.columns = shape.kv_heads;
    divide_over_cores(cut_, options);
    // Cores that would have nothing to do take a part of the pages, of one item per core.
    const std::int64_t items = cut_.m_cores * cut_.n_cores;
    if (items == shape.batch * shape.kv_heads) {
      ranges_ = std::clamp<std::int64_t>(std::min(options.cores / items, whole / pages_), 1,
                                         options.cores);
    }
  }

  Kernel build() {
    TileLoops loops(cut_);
    KernelBuilder::Grid grid = loops.grid();
    grid.insert(grid.begin(), {"s", ranges_});
    KernelBuilder kernel("flash_decode", grid, {});
    add_buffers(kernel, pages_);
    loops.for_rows(kernel, [&] {
      loops.for_columns(kernel, [&] { add_item(kernel, loops.row, loops.column); });
    });
    return kernel.take();
  }

 private:
  void add_buffers(KernelBuilder& kernel, std::int64_t pages) const {
    const DataType type = plan_.options().type;
    const std::int64_t d = shape_.head_dim;
    const std::int64_t keys = pages * shape_.page_tokens;
    kernel.buffer("q", type, group_, d, 2);
    kernel.buffer("qt", type, d, group_);
    kernel.buffer("k", type, keys, d, 2);
    kernel.buffer("v", type, keys, d, 2);
    add_softmax_buffers(kernel, type, keys, group_, d);
    if (ranges_ > 1) {
      kernel.buffer("own", DataType::fp32, 2, group_);
      kernel.buffer("maxima", DataType::fp32, ranges_, group_);
      kernel.buffer("sums", DataType::fp32, ranges_, group_);
      kernel.buffer("parts", DataType::fp32, ranges_ * group_, d);
      kernel.buffer("top", DataType::fp32, 1, group_);
      kernel.buffer("weight", DataType::fp32, group_, 1, 2);
    }
    kernel.buffer("y", type, group_, d, 2);
  }

  [[nodiscard]] std::int64_t bytes(std::int64_t pages) {
    const std::int64_t ranges = ranges_;
    ranges_ = plan_.options().cores;  // the most that there may be
    KernelBuilder kernel("flash_decode", {}, {});
    add_buffers(kernel, pages);
    ranges_ = ranges;
    return lx_bytes(plan_.machine(), kernel.kernel());
  }

  void add_item(KernelBuilder& kernel, const Index& sequence, const Index& kv_head) const {
    const std::int64_t d = shape_.head_dim;
    const Index head = Index(group_) * kv_head;
    kernel.load("q", {"q", {sequence, head, 0}, {1, group_, d}}, {"s"});
    kernel.vector(VectorFunction::transpose, "qt", {"q"});
    add_softmax_start(kernel, group_);
    const PagedTiles tiles(shape_, pages_, ranges_);
    tiles.for_each(kernel, [&](const Index& token, std::int64_t tokens, const Index& first) {
      tiles.gather(kernel, "k", sequence, kv_head, token, tokens);
      tiles.gather(kernel, "v", sequence, kv_head, token, tokens);
      kernel.matmul("scores", "k", "qt");
      add_softmax_tile(kernel, group_, d, first);
    });
    if (ranges_ > 1) add_combination(kernel);
    kernel.when(ranges_ == 1 ? Index(1) : equal("s", ranges_ - 1), [&] {
      if (ranges_ == 1) kernel.vector(VectorFunction::softmax_finish, "y", {"o", "scale"});
      kernel.store("y", {"y", {sequence, head, 0}, {1, group_, d}});
    });
  }

  /// Part r has a maximum m_r, a sum l_r and a weighted sum o_r, each relative to its own maximum.
  /// With w_r = exp(m_r - max m): y = (sum of w_r o_r) / (sum of w_r l_r).
  void add_combination(KernelBuilder& kernel) const {
    const std::int64_t d = shape_.head_dim;
    // A copy, because other units wait for what vector operations name as their destination, and
    // softmax_step writes the state beside it.
    kernel.vector(VectorFunction::copy, "own", {Local("state", {0, 0}, {2, group_})});
    const Local maximum("own", {0, 0}, {1, group_});
    const Local sum("own", {1, 0}, {1, group_});
    const Index own = Index(group_) * Index("s");
    const Index last = ranges_ - 1;
    const Index to_last = Index("core") + (last - Index("s"));
    kernel.when(less("s", last), [&] {
      kernel.send(maximum, Local("maxima", {"s", 0}), to_last);
      kernel.send(sum, Local("sums", {"s", 0}), to_last);
      kernel.send("o", Local("parts", {own, 0}), to_last);
    });
    kernel.when(equal("s", last), [&] {
      for (const char* buffer : {"maxima", "sums", "parts"}) kernel.receive(buffer, last);
      kernel.vector(VectorFunction::copy, Local("maxima", {last, 0}), {maximum});
      kernel.vector(VectorFunction::copy, Local("sums", {last, 0}), {sum});
      kernel.vector(VectorFunction::copy, Local("parts", {Index(group_) * last, 0}), {"o"});
      const Local maxima("maxima", {0, 0}, {ranges_, group_});
      const Local sums("sums", {0, 0}, {ranges_, group_});
      kernel.vector(VectorFunction::reduce_max, "top", {maxima}, {0, {}});
      kernel.vector(VectorFunction::sub, Local("maxima", {0, 0}), {maxima, "top"});
      kernel.vector(VectorFunction::exp, Local("maxima", {0, 0}), {maxima});
      kernel.vector(VectorFunction::mul, Local("sums", {0, 0}), {sums, maxima});
      kernel.vector(VectorFunction::reduce_sum, "top", {sums}, {0, {}});
      kernel.vector(VectorFunction::div, Local("maxima", {0, 0}), {maxima, "top"});
      for (std::int64_t r = 0; r < ranges_; ++r) {
        const Local part("parts", {group_ * r, 0}, {group_, d});
        kernel.vector(VectorFunction::transpose, "weight", {Local("maxima", {r, 0}, {1, group_})});
        if (r == 0) {
          kernel.vector(VectorFunction::mul, "o", {part, "weight"});
        } else {
          kernel.vector(VectorFunction::fma, "o", {part, "weight", "o"});
        }
      }
      kernel.vector(VectorFunction::copy, "y", {"o"});
    });
  }

  const OpPlan& plan_;
  const PagedShape& shape_;
  std::int64_t group_ = 1;
  std::int64_t pages_ = 1;   ///< of a tile
  std::int64_t ranges_ = 1;  ///< cores that share one item
  TileCut cut_;
};

}  // namespace

void check_paged(const PagedShape& shape) {
  check_heads(shape.heads, shape.kv_heads, shape.head_dim);
  check_size("BATCH", shape.batch);
  check_size("CONTEXT", shape.context);
  check_size("PAGE_TOKENS", shape.page_tokens);
  check_size("PAGES", shape.pages);
}

void add_paged_tensors(OpPlan& plan, const PagedShape& shape) {
  const DataType type = plan.options().type;
  plan.tensor("q", type, TensorKind::activation, {shape.batch, shape.heads, shape.head_dim});
  for (const char* name : {"k", "v"}) {
    plan.strided(name, type, TensorKind::kv_cache,
                 {shape.pages, shape.page_tokens, shape.kv_heads, shape.head_dim});
  }
  plan.strided("block_table", DataType::int32, TensorKind::index,
               {shape.batch, shape.pages_per_sequence()});
  plan.tensor("y", type, TensorKind::activation, {shape.batch, shape.heads, shape.head_dim});
}

Schedule plan_flash_decode(const PagedShape& shape, const OpOptions& options,
                           const models::Machine& machine) {
  check_paged(shape);
  OpPlan plan(fmt::format("flash decode {} x {} tokens, {} / {} heads of {}", shape.batch,
                          shape.context, shape.heads, shape.kv_heads, shape.head_dim),
              options, machine);
  add_paged_tensors(plan, shape);
  plan.kernel(FlashDecode(plan, shape).build());
  return plan.take();
}

}  // namespace spyre::kernels
