// Three kernels: scores, softmax of their rows, and the product with the values.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/ops/attention_parts.h"
#include "kernels/ops/paged_tiles.h"
#include "kernels/ops/row_kernel.h"

namespace spyre::kernels {
namespace {

using models::VectorFunction;

constexpr std::int64_t kRows = 256;
constexpr std::int64_t kKeys = 256;

/// Softmax of the rows of "scores" [outer, rows, keys] into "probabilities". A row with index i of
/// its matrix sees the columns 0 .. before + i, if `causal`.
struct ScoreRows {
  std::int64_t outer = 1, rows = 1, keys = 1;
  bool causal = false;
  std::int64_t before = 0;
};

Kernel softmax_kernel(const OpPlan& plan, const ScoreRows& scores) {
  TileCut cut;
  cut.rows = scores.rows;
  cut.columns = scores.outer;
  OpOptions free = plan.options();
  free.m_cores = free.n_cores = 0;
  divide_over_cores(cut, free);
  const DataType type = plan.options().type;
  const auto add_buffers = [&](KernelBuilder& kernel, std::int64_t rows) {
    kernel.buffer("s", type, rows, scores.keys, 2);
    for (const RowScratch& scratch : row_softmax_scratch(scores.keys)) {
      kernel.buffer(scratch.name, scratch.type, rows, scratch.columns);
    }
    if (scores.causal) {
      kernel.buffer("key", DataType::fp32, 1, scores.keys);
      kernel.buffer("query", DataType::fp32, rows, 1);
      kernel.buffer("seen", DataType::fp32, rows, scores.keys);
    }
    kernel.buffer("p", type, rows, scores.keys, 2);
  };
  cut.tile_rows = fit_tile(
      plan, "softmax", std::min<std::int64_t>(cut.core_rows(), 64), 1,
      [&](std::int64_t rows) {
        KernelBuilder trial("softmax", {}, {});
        add_buffers(trial, rows);
        return lx_bytes(plan.machine(), trial.kernel());
      },
      "a whole row of scores must fit: use fewer keys");
  cut.tile_columns = 1;
  TileLoops loops(cut);
  KernelBuilder kernel("softmax", loops.grid(), {});
  add_buffers(kernel, cut.tile_rows);
  if (scores.causal) kernel.vector(VectorFunction::iota, "key", {Number(0.0)});
  loops.for_columns(kernel, [&] {
    loops.for_rows(kernel, [&] {
      const std::vector<Index> at{loops.column, loops.row, 0};
      const std::vector<Index> size{1, loops.height, scores.keys};
      kernel.load("s", {"scores", at, size});
      if (scores.causal) {
        kernel.vector(VectorFunction::iota, Local("query", {0, 0}, {loops.height, 1}),
                      {Number(loops.row + scores.before)}, {0, {}});
        kernel.vector(VectorFunction::less_equal, "seen", {"key", "query"});
        // In fp32: not every 16-bit format has an infinity.
        kernel.vector(VectorFunction::select, "work",
                      {"seen", "s", Number(-std::numeric_limits<double>::infinity())});
      }
      add_row_softmax(kernel, scores.causal ? "work" : "s", "p");
      kernel.store("p", {"probabilities", at, size});
    });
  });
  return kernel.take();
}

/// scores[h] = scale * q[h] k[h / group]^T, in tiles of rows x keys.
Kernel score_kernel(const OpPlan& plan, const PrefillShape& shape) {
  const DataType type = plan.options().type;
  const std::int64_t d = shape.head_dim;
  const std::int64_t group = shape.heads / shape.kv_heads;
  const std::int64_t stick = plan.per_stick();
  const std::int64_t keys = std::min(shape.keys, ceil_divide(kKeys, stick) * stick);
  TileCut cut;
  cut.rows = shape.queries;
  cut.columns = shape.heads;
  divide_over_cores(cut, plan.options());
  const auto add_buffers = [&](KernelBuilder& kernel, std::int64_t rows) {
    kernel.buffer("q", type, rows, d, 2);
    kernel.buffer("k", type, keys, d, 2);
    kernel.buffer("kt", type, d, keys, 2);
    kernel.buffer("acc", DataType::fp32, rows, keys, 2);
    kernel.buffer("s", type, rows, keys, 2);
  };
  cut.tile_rows = fit_tile(
      plan, "scores", std::min(kRows, cut.core_rows()), 1,
      [&](std::int64_t rows) {
        KernelBuilder trial("scores", {}, {});
        add_buffers(trial, rows);
        return lx_bytes(plan.machine(), trial.kernel());
      },
      "use smaller heads");
  cut.tile_columns = 1;
  TileLoops loops(cut);
  KernelBuilder kernel("scores", loops.grid(), {});
  add_buffers(kernel, cut.tile_rows);
  loops.for_columns(kernel, [&] {
    loops.for_rows(kernel, [&] {
      kernel.load("q", {"q", {loops.column, loops.row, 0}, {1, loops.height, d}});
      kernel.loop("t", 0, shape.keys, keys, [&] {
        kernel.load("k", {"k", {floor_divide(loops.column, group), "t", 0}, {1, keys, d}});
        kernel.vector(VectorFunction::transpose, "kt", {"k"});
        kernel.matmul("acc", "q", "kt");
        kernel.vector(VectorFunction::mul, "s", {"acc", Number(score_scale(d))});
        kernel.store("s", {"scores", {loops.column, loops.row, "t"}, {1, loops.height, keys}});
      });
    });
  });
  return kernel.take();
}

/// y[h] = probabilities[h] v[h / group].
Kernel value_kernel(const OpPlan& plan, const PrefillShape& shape) {
  const DataType type = plan.options().type;
  const std::int64_t d = shape.head_dim;
  const std::int64_t group = shape.heads / shape.kv_heads;
  const std::int64_t stick = plan.per_stick();
  const std::int64_t keys = std::min(shape.keys, ceil_divide(kKeys, stick) * stick);
  TileCut cut;
  cut.rows = shape.queries;
  cut.columns = shape.heads;
  divide_over_cores(cut, plan.options());
  const auto add_buffers = [&](KernelBuilder& kernel, std::int64_t rows) {
    kernel.buffer("p", type, rows, keys, 2);
    kernel.buffer("v", type, keys, d, 2);
    kernel.buffer("acc", DataType::fp32, rows, d);
    kernel.buffer("y", type, rows, d, 2);
  };
  cut.tile_rows = fit_tile(
      plan, "values", std::min(kRows, cut.core_rows()), 1,
      [&](std::int64_t rows) {
        KernelBuilder trial("values", {}, {});
        add_buffers(trial, rows);
        return lx_bytes(plan.machine(), trial.kernel());
      },
      "use smaller heads");
  cut.tile_columns = 1;
  TileLoops loops(cut);
  KernelBuilder kernel("values", loops.grid(), {});
  add_buffers(kernel, cut.tile_rows);
  loops.for_columns(kernel, [&] {
    loops.for_rows(kernel, [&] {
      kernel.loop("t", 0, shape.keys, keys, [&] {
        kernel.load("p",
                    {"probabilities", {loops.column, loops.row, "t"}, {1, loops.height, keys}});
        kernel.load("v", {"v", {floor_divide(loops.column, group), "t", 0}, {1, keys, d}});
        kernel.matmul("acc", "p", "v", less(0, "t"));
      });
      kernel.vector(VectorFunction::copy, "y", {"acc"});
      kernel.store("y", {"y", {loops.column, loops.row, 0}, {1, loops.height, d}});
    });
  });
  return kernel.take();
}

/// The kernels over the pages of a cache: one core per (sequence, KV head).
class PagedKernels {
 public:
  PagedKernels(const OpPlan& plan, const PagedShape& shape)
      : plan_(plan), shape_(shape), group_(shape.heads / shape.kv_heads) {
    // Scores of a tile begin in a whole stick, so tiles are whole sticks of keys.
    const std::int64_t stick = plan.per_stick();
    const std::int64_t whole = shape.context / shape.page_tokens;
    std::int64_t unit = 1;
    while (unit * shape.page_tokens % stick != 0) ++unit;
    const std::int64_t wanted = ceil_divide(kKeys, unit * shape.page_tokens) * unit;
    pages_ = fit_tile(
        plan, "scores", std::max<std::int64_t>(std::min(wanted, whole / unit * unit), unit), unit,
        [&](std::int64_t pages) {
          KernelBuilder trial("scores", {}, {});
          add_buffers(trial, pages);
          return lx_bytes(plan.machine(), trial.kernel());
        },
        "use smaller pages or heads");
    cut_.rows = shape.batch;
    cut_.columns = shape.kv_heads;
    divide_over_cores(cut_, plan.options());
  }

  Kernel scores() {
    return build("scores", [&](KernelBuilder& kernel, const PagedTiles& tiles, const Index& b,
                               const Index& kv_head) {
      const Index head = Index(group_) * kv_head;
      kernel.load("q", {"q", {b, head, 0}, {1, group_, shape_.head_dim}});
      kernel.vector(VectorFunction::transpose, "qt", {"q"});
      tiles.for_each(kernel, [&](const Index& token, std::int64_t tokens, const Index&) {
        tiles.gather(kernel, "k", b, kv_head, token, tokens);
        kernel.matmul("st", "k", "qt");
        kernel.vector(VectorFunction::mul, "st", {"st", Number(score_scale(shape_.head_dim))});
        kernel.vector(VectorFunction::transpose, "s", {"st"});
        kernel.store("s", {"scores", {b, head, token}, {1, group_, tokens}});
      });
    });
  }

  Kernel values() {
    return build("values", [&](KernelBuilder& kernel, const PagedTiles& tiles, const Index& b,
                               const Index& kv_head) {
      const Index head = Index(group_) * kv_head;
      tiles.for_each(kernel, [&](const Index& token, std::int64_t tokens, const Index& first) {
        kernel.load("p", {"probabilities", {b, head, token}, {1, group_, tokens}});
        tiles.gather(kernel, "v", b, kv_head, token, tokens);
        kernel.matmul("acc", "p", "v", equal(first, 0));
      });
      kernel.vector(VectorFunction::copy, "y", {"acc"});
      kernel.store("y", {"y", {b, head, 0}, {1, group_, shape_.head_dim}});
    });
  }

 private:
  using Item = std::function<void(KernelBuilder&, const PagedTiles&, const Index&, const Index&)>;

  void add_buffers(KernelBuilder& kernel, std::int64_t pages) const {
    const DataType type = plan_.options().type;
    const std::int64_t d = shape_.head_dim;
    const std::int64_t keys = pages * shape_.page_tokens;
    if (kernel.kernel().name == "scores") {
      kernel.buffer("q", type, group_, d, 2);
      kernel.buffer("qt", type, d, group_);
      kernel.buffer("k", type, keys, d, 2);
      kernel.buffer("st", DataType::fp32, keys, group_, 2);
      kernel.buffer("s", type, group_, keys, 2);
    } else {
      kernel.buffer("p", type, group_, keys, 2);
      kernel.buffer("v", type, keys, d, 2);
      kernel.buffer("acc", DataType::fp32, group_, d);
      kernel.buffer("y", type, group_, d, 2);
    }
  }

  Kernel build(const char* name, const Item& item) {
    TileLoops loops(cut_);
    KernelBuilder kernel(name, loops.grid(), {});
    add_buffers(kernel, pages_);
    const PagedTiles tiles(shape_, pages_, 1);
    loops.for_rows(kernel, [&] {
      loops.for_columns(kernel, [&] { item(kernel, tiles, loops.row, loops.column); });
    });
    return kernel.take();
  }

  const OpPlan& plan_;
  const PagedShape& shape_;
  std::int64_t group_ = 1, pages_ = 1;
  TileCut cut_;
};

}  // namespace

Schedule plan_naive_prefill(const PrefillShape& shape, const OpOptions& options,
                            const models::Machine& machine) {
  check_prefill(shape);
  OpPlan plan(fmt::format("naive attention {} queries x {} keys, {} / {} heads of {}",
                          shape.queries, shape.keys, shape.heads, shape.kv_heads, shape.head_dim),
              options, machine);
  add_prefill_tensors(plan, shape);
  for (const char* name : {"scores", "probabilities"}) {
    plan.tensor(name, options.type, TensorKind::activation,
                {shape.heads, shape.queries, shape.keys});
  }
  plan.kernel(score_kernel(plan, shape));
  plan.kernel(softmax_kernel(
      plan, {shape.heads, shape.queries, shape.keys, shape.causal, shape.keys - shape.queries}));
  plan.kernel(value_kernel(plan, shape));
  return plan.take();
}

Schedule plan_naive_decode(const PagedShape& shape, const OpOptions& options,
                           const models::Machine& machine) {
  check_paged(shape);
  OpPlan plan(fmt::format("naive decode {} x {} tokens, {} / {} heads of {}", shape.batch,
                          shape.context, shape.heads, shape.kv_heads, shape.head_dim),
              options, machine);
  add_paged_tensors(plan, shape);
  for (const char* name : {"scores", "probabilities"}) {
    plan.tensor(name, options.type, TensorKind::activation,
                {shape.batch, shape.heads, shape.context});
  }
  PagedKernels kernels(plan, shape);
  plan.kernel(kernels.scores());
  plan.kernel(softmax_kernel(plan, {shape.batch, shape.heads, shape.context, false, 0}));
  plan.kernel(kernels.values());
  return plan.take();
}

}  // namespace spyre::kernels
