#include "kernels/planner/decode_kernels.h"

#include <optional>

#include "kernels/planner/attention_kernels.h"
#include "kernels/planner/resident_linear.h"

namespace spyre::kernels {
namespace {

using models::VectorFunction;

Buffer resident_buffer(const PlanContext& context, std::string name, std::int64_t rows,
                       std::int64_t columns) {
  Buffer buffer;
  buffer.name = std::move(name);
  buffer.type = context.activation_type();
  buffer.shape = {rows, columns};
  return buffer;
}

/// "x" is a layer's input, "y" what the attention half adds up to; two buffers, so that no core
/// overwrites what another still reads.
std::vector<Buffer> resident_buffers(const PlanContext& context) {
  const ModelConfig& model = context.graph.model;
  const std::int64_t rows = context.tokens();
  std::vector<Buffer> buffers{resident_buffer(context, "x", rows, model.hidden),
                              resident_buffer(context, "y", rows, model.hidden),
                              resident_buffer(context, "qkv", rows, context.qkv_columns()),
                              resident_buffer(context, "attn", rows, context.query_columns()),
                              resident_buffer(context, "h", rows, model.intermediate)};
  if (!model.learned_positions) {
    buffers.push_back(resident_buffer(context, "rope_row", 1, model.head_dim));
  }
  if (model.qk_norm) {
    buffers.push_back(resident_buffer(context, "gains", 2, model.head_dim));
    buffers.back().type = context.weight_type();
  }
  return buffers;
}

/// One core gathers the rows, the ring hands them to all.
std::optional<PlannedKernel> build_embed(const PlanContext& context, std::int64_t resident_bytes) {
  const ModelConfig& model = context.graph.model;
  const std::int64_t rows = context.tokens();
  KernelBuilder kernel("embed", {{"n", context.cores}}, {});
  kernel.buffer("rows", context.weight_type(), rows, model.hidden);
  if (model.learned_positions) {
    kernel.buffer("position_rows", context.weight_type(), rows, model.hidden);
  }
  kernel.buffer("sum", context.activation_type(), rows, model.hidden);
  kernel.when(equal("n", 0), [&] {
    kernel.gather("rows", {"embed", {0, 0}, {rows, model.hidden}}, {kTokens, {0}, {rows}});
    if (model.learned_positions) {
      kernel.gather("position_rows", {"embed.positions", {0, 0}, {rows, model.hidden}},
                    {kPositions, {0}, {rows}});
      kernel.vector(VectorFunction::add, "sum", {"rows", "position_rows"});
    } else {
      scale_embedding(kernel, context, "sum", "rows");
    }
    kernel.multicast("sum", "x", {"n"});
  });
  if (!model.learned_positions) {
    kernel.load("rope_row", {kRopeTable, {context.graph.step.context, 0}, {1, model.head_dim}},
                {"n"});
  }
  kernel.receive("x", 1);
  if (resident_bytes + lx_bytes(context.machine, kernel.kernel()) >
      context.machine.lx.usable_bytes()) {
    return std::nullopt;
  }
  return PlannedKernel{kernel.take()};
}

std::vector<ResidentLinear> layer_linears(const PlanContext& context) {
  const ModelConfig& model = context.graph.model;
  ResidentLinear qkv{.name = "qkv", .input = "x", .norm = "attn.norm", .output = "qkv"};
  for (const char* node : {"attn.wq", "attn.wk", "attn.wv"}) {
    qkv.pieces.push_back(linear_piece(context, {node}));
  }
  ResidentLinear attn_out{.name = "attn_out",
                          .input = "attn",
                          .norm = std::nullopt,
                          .pieces = {linear_piece(context, {"attn.wo"})},
                          .epilogue = Epilogue::residual,
                          .residual = "x",
                          .output = "y"};
  ResidentLinear up{.name = "mlp_up", .input = "y", .norm = "mlp.norm", .output = "h"};
  ResidentLinear down{.name = "mlp_down",
                      .input = "h",
                      .norm = std::nullopt,
                      .epilogue = Epilogue::residual,
                      .residual = "y",
                      .output = "x"};
  if (model.mlp == MlpKind::swiglu) {
    up.pieces = {linear_piece(context, {"mlp.gate", "mlp.up"})};
    up.epilogue = Epilogue::silu_mul;
    down.pieces = {linear_piece(context, {"mlp.down"})};
  } else {
    up.pieces = {linear_piece(context, {"mlp.fc"})};
    up.epilogue = Epilogue::gelu;
    down.pieces = {linear_piece(context, {"mlp.proj"})};
  }
  return {qkv, attn_out, up, down};
}

}  // namespace

bool plan_resident_decode(PlanContext& context) {
  std::vector<Buffer> resident = resident_buffers(context);
  std::int64_t resident_bytes = 0;
  for (const Buffer& buffer : resident) {
    resident_bytes += lx_bytes(context.machine, buffer.type, buffer.shape[0], buffer.shape[1]);
  }
  const std::vector<ResidentLinear> linears = layer_linears(context);
  const ResidentLinear head{.name = "head",
                            .input = "x",
                            .norm = "norm",
                            .pieces = {linear_piece(context, {"head"})},
                            .output = kLogits,
                            .to_dram = true,
                            .scale = 1 / context.graph.model.logits_scaling,
                            .kept_norm = "y"};
  std::vector<std::optional<PlannedKernel>> kernels;
  kernels.push_back(build_embed(context, resident_bytes));
  kernels.push_back(build_resident_linear(context, linears[0], resident_bytes));
  kernels.push_back(build_decode_attention(context, ActivationHome::lx, resident_bytes));
  for (std::size_t i = 1; i < linears.size(); ++i) {
    kernels.push_back(build_resident_linear(context, linears[i], resident_bytes));
  }
  kernels.push_back(build_resident_linear(context, head, resident_bytes));
  std::vector<PlannedKernel> planned;
  for (std::optional<PlannedKernel>& kernel : kernels) {
    if (!kernel) return false;
    planned.push_back(std::move(*kernel));
  }
  context.schedule.resident = std::move(resident);
  add_kernels(context.schedule, std::move(planned), context.graph.model.layers);
  return true;
}

}  // namespace spyre::kernels
