#include "kernels/planner/chunk_kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/planner/resident_linear.h"
#include "kernels/planner/work_division.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {
namespace {

using models::VectorFunction;

/// Rows of a tile that is read, worked on and written: as many as fit with two slots each, up to
/// `wanted`.
std::int64_t tile_rows(const PlanContext& context, const std::string& kernel,
                       std::int64_t fixed_bytes, std::int64_t bytes_per_row, std::int64_t wanted) {
  const std::int64_t usable = context.machine.lx.usable_bytes();
  const std::int64_t rows = (usable - fixed_bytes) / bytes_per_row;
  if (rows < 1) {
    throw models::InputError(
        fmt::format("lx: the smallest tile of kernel '{}' needs {} B, {} has {} B of LX for it",
                    kernel, fixed_bytes + bytes_per_row, context.machine.name, usable));
  }
  return std::min(rows, wanted);
}

/// Enough rows to keep requests coming, few enough that the first result leaves early.
constexpr std::int64_t kRowsPerTile = 16;

}  // namespace

PlannedKernel build_chunk_embed(const PlanContext& context, const std::string& output) {
  const ModelConfig& model = context.graph.model;
  const std::int64_t hidden = model.hidden;
  const std::int64_t cores = std::min(context.cores, context.tokens());
  KernelBuilder kernel("embed", {{"t", cores}}, {});
  const Slices tokens{context.tokens(), cores, "t"};
  const std::int64_t tables = model.learned_positions ? 2 : 1;
  const std::int64_t per_row =
      lx_bytes(context.machine, context.weight_type(), 1, hidden, 2 * tables) +
      lx_bytes(context.machine, context.activation_type(), 1, hidden, 2);
  const std::int64_t rows =
      tile_rows(context, "embed", 0, per_row, std::min(kRowsPerTile, tokens.longest()));
  kernel.buffer("rows", context.weight_type(), rows, hidden, 2);
  if (model.learned_positions)
    kernel.buffer("position_rows", context.weight_type(), rows, hidden, 2);
  kernel.buffer("x", context.activation_type(), rows, hidden, 2);
  kernel.loop("row", tokens.begin(), tokens.end(), rows, [&] {
    const Index count = minimum(rows, tokens.end() - "row");
    const auto gather = [&](const char* into, const char* table, const char* index) {
      kernel.gather(into, {table, {0, 0}, {rows, hidden}}, {index, {"row"}, {count}});
    };
    gather("rows", "embed", kTokens);
    if (model.learned_positions) {
      gather("position_rows", "embed.positions", kPositions);
      kernel.vector(VectorFunction::add, "x", {"rows", "position_rows"});
    } else {
      scale_embedding(kernel, context, "x", "rows");
    }
    kernel.store("x", activation(output, "row", 0, count, hidden));
  });
  return {kernel.take()};
}

PlannedKernel build_chunk_norm(const PlanContext& context, const std::string& name,
                               const std::string& norm, bool layered, const std::string& input,
                               std::int64_t first_row, std::int64_t rows,
                               const std::string& output) {
  const std::int64_t hidden = context.graph.model.hidden;
  const std::int64_t cores = std::min(context.cores, rows);
  KernelBuilder kernel(name, {{"t", cores}},
                       layered ? std::vector<std::string>{"l"} : std::vector<std::string>{});
  add_norm_buffers(kernel, context);
  const Slices tokens{rows, cores, "t"};
  const std::int64_t per_row = lx_bytes(context.machine, context.activation_type(), 1, hidden, 4);
  const std::int64_t tile = tile_rows(context, name, lx_bytes(context.machine, kernel.kernel()),
                                      per_row, std::min(kRowsPerTile, tokens.longest()));
  kernel.buffer("x", context.activation_type(), tile, hidden, 2);
  kernel.buffer("xn", context.activation_type(), tile, hidden, 2);
  load_norm(kernel, context, norm, {"t"});
  kernel.loop("row", tokens.begin(), tokens.end(), tile, [&] {
    const Index count = minimum(tile, tokens.end() - "row");
    kernel.load("x", activation(input, Index("row") + first_row, 0, count, hidden));
    compute_norm(kernel, context, "x", "xn");
    kernel.store("xn", activation(output, "row", 0, count, hidden));
  });
  return {kernel.take()};
}

PlannedKernel build_kv_append(const PlanContext& context) {
  const ModelConfig& model = context.graph.model;
  const StepOptions& step = context.graph.step;
  const std::int64_t d = model.head_dim;
  const std::int64_t block = context.machine.limits.kv_block_tokens;
  const std::int64_t first_block = step.context / block;
  const std::int64_t blocks = ceil_divide(step.context + step.chunk, block) - first_block;
  const std::int64_t head_cores = std::min(context.cores, model.kv_heads);
  const std::int64_t block_cores = std::clamp<std::int64_t>(context.cores / head_cores, 1, blocks);
  KernelBuilder kernel("kv_append", {{"t", block_cores}, {"h", head_cores}}, {"l"});
  kernel.buffer("k_in", context.activation_type(), block, d, 2);
  kernel.buffer("v_in", context.activation_type(), block, d, 2);
  kernel.buffer("k", step.kv_type, block, d, 2);
  kernel.buffer("v", step.kv_type, block, d, 2);
  const bool rotates = !model.learned_positions;
  if (rotates) kernel.buffer("rope_rows", context.activation_type(), block, d, 2);
  if (model.qk_norm) {
    kernel.buffer("k_gain", context.weight_type(), 1, d);
    kernel.load("k_gain", context.weight("attn.k_norm").slice(0, d), {"t", "h"});
  }
  // A block may begin before the chunk does and end after it: its tokens [first, last) are the
  // chunk's.
  const Slices block_slices{blocks, block_cores, "t"};
  const Slices heads{model.kv_heads, head_cores, "h"};
  const Index begin = Index(first_block) + block_slices.begin();
  const Index end = Index(first_block) + block_slices.end();
  kernel.loop("blk", begin, end, 1, [&] {
    const Index start = Index(block) * Index("blk");
    const Index first = step.context % block == 0 ? start : maximum(start, step.context);
    const Index count = minimum(start + block, step.context + step.chunk) - first;
    const Index row = first - step.context;
    if (rotates) kernel.load("rope_rows", {kRopeTable, {first, 0}, {count, d}}, {"h"});
    kernel.loop("head", heads.begin(), heads.end(), 1, [&] {
      const Index column = Index(d) * Index("head");
      kernel.load("k_in",
                  activation("act.qkv", row, Index(context.query_columns()) + column, count, d));
      kernel.load("v_in", activation("act.qkv", row,
                                     Index(context.query_columns() + context.kv_columns()) + column,
                                     count, d));
      if (model.qk_norm)
        kernel.vector(VectorFunction::rmsnorm, "k_in",
                      {"k_in", "k_gain", Number(model.norm_epsilon)});
      if (rotates) {
        kernel.vector(VectorFunction::rope, "k", {"k_in", "rope_rows"});
      } else {
        kernel.vector(VectorFunction::copy, "k", {"k_in"});
      }
      kernel.vector(VectorFunction::copy, "v", {"v_in"});
      const Index token = first - start;
      kernel.store("k", cache_tile(context, kKeyCache, 0, "blk", "head", token, 1, count));
      kernel.store("v", cache_tile(context, kValueCache, 0, "blk", "head", token, 1, count));
    });
  });
  return {kernel.take()};
}

}  // namespace spyre::kernels
