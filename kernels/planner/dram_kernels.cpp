#include "kernels/planner/dram_kernels.h"

#include <fmt/format.h>

#include "kernels/planner/attention_kernels.h"
#include "kernels/planner/chunk_kernels.h"
#include "kernels/planner/linear_kernels.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {
namespace {

/// Bytes in and out of DRAM, and the launch, that a norm in a kernel of its own costs; the card's
/// measured rate.
double separate_norm_seconds(const PlanContext& context, std::int64_t rows) {
  const models::Machine& machine = context.machine;
  const std::int64_t bytes =
      2 * rows * models::bytes_of(context.activation_type(), context.graph.model.hidden);
  return norm_seconds(machine, context.activation_type(), ceil_divide(rows, context.cores),
                      context.graph.model.hidden) +
         static_cast<double>(bytes) / static_cast<double>(machine.dram.measured_bytes_per_second) +
         static_cast<double>(machine.host.kernel_launch_ps) * 1e-12;
}

class DramStep {
 public:
  explicit DramStep(PlanContext& context) : context_(context), model_(context.graph.model) {}

  void plan() {
    const std::int64_t tokens = context_.tokens();
    add_activation(context_, "act.x", tokens, model_.hidden);
    add_activation(context_, "act.y", tokens, model_.hidden);
    add_activation(context_, "act.qkv", tokens, context_.qkv_columns());
    add_activation(context_, "act.attn", tokens, context_.query_columns());
    add_activation(context_, "act.h", tokens, model_.intermediate);

    kernels_.push_back(build_chunk_embed(context_, "act.x"));
    DramLinear qkv = linear("qkv", "act.x", "act.qkv");
    for (const char* node : {"attn.wq", "attn.wk", "attn.wv"}) {
      qkv.pieces.push_back(linear_piece(context_, {node}));
    }
    add_normed(qkv, "attn.norm", "attn_norm");
    add_attention();
    DramLinear attn_out = linear("attn_out", "act.attn", "act.y");
    attn_out.pieces = {linear_piece(context_, {"attn.wo"})};
    attn_out.epilogue = Epilogue::residual;
    attn_out.residual = "act.x";
    kernels_.push_back(build_dram_linear(context_, attn_out));
    add_mlp();
    DramLinear head = linear("head", "act.x", kLogits);
    head.m = context_.graph.step.batch;
    head.first_row = tokens - head.m;  // a chunk's last token; every sequence of a decode step
    head.pieces = {linear_piece(context_, {"head"})};
    head.scale = 1 / model_.logits_scaling;
    add_normed(head, "norm", "head_norm");
    add_kernels(context_.schedule, std::move(kernels_), model_.layers);
  }

 private:
  [[nodiscard]] DramLinear linear(std::string name, std::string input, std::string output) const {
    DramLinear result;
    result.name = std::move(name);
    result.input = std::move(input);
    result.output = std::move(output);
    result.m = context_.tokens();
    result.a_type = context_.activation_type();
    result.b_type = context_.weight_type();
    result.c_type = context_.activation_type();
    return result;
  }

  void add_attention() {
    if (context_.graph.step.phase == Phase::prefill) {
      kernels_.push_back(build_kv_append(context_));
      kernels_.push_back(build_chunk_attention(context_));
      return;
    }
    std::optional<PlannedKernel> attention =
        build_decode_attention(context_, ActivationHome::dram, 0);
    if (!attention) {
      throw models::InputError(
          fmt::format("lx: the tiles of kernel 'attention' do not fit; {} has {} B of LX for them",
                      context_.machine.name, context_.machine.lx.usable_bytes()));
    }
    kernels_.push_back(std::move(*attention));
  }

  void add_mlp() {
    DramLinear up = linear("mlp_up", "act.y", "act.h");
    DramLinear down = linear("mlp_down", "act.h", "act.x");
    down.epilogue = Epilogue::residual;
    down.residual = "act.y";
    if (model_.mlp == MlpKind::swiglu) {
      up.pieces = {linear_piece(context_, {"mlp.gate", "mlp.up"})};
      up.epilogue = Epilogue::silu_mul;
      down.pieces = {linear_piece(context_, {"mlp.down"})};
    } else {
      up.pieces = {linear_piece(context_, {"mlp.fc"})};
      up.epilogue = Epilogue::gelu;
      down.pieces = {linear_piece(context_, {"mlp.proj"})};
    }
    add_normed(up, "mlp.norm", "mlp_norm");
    kernels_.push_back(build_dram_linear(context_, down));
  }

  /// The linear layer with the norm in front: computed in LX on the rows that the layer holds
  /// there, or, where that costs more, in a kernel of its own.
  void add_normed(DramLinear layer, const std::string& norm, const std::string& norm_kernel) {
    DramLinear fused = layer;
    fused.norm = norm;
    const LinearShape shape = shape_of(context_.machine, layer, context_.cores);
    const LinearShape fused_shape = shape_of(context_.machine, fused, context_.cores);
    const auto apart = divide_linear(context_.machine, shape, context_.cores);
    const auto together = divide_linear(context_.machine, fused_shape, context_.cores);
    const bool fuses =
        together && shape.parts == 1 &&
        (!apart || together->seconds <= apart->seconds + separate_norm_seconds(context_, layer.m));
    if (fuses) {
      kernels_.push_back(build_dram_linear(context_, fused));
      return;
    }
    const std::string normed = "act." + norm_kernel;
    add_activation(context_, normed, layer.m, model_.hidden);
    const bool layered = layer.pieces.front().matrices.front().layered;
    kernels_.push_back(build_chunk_norm(context_, norm_kernel, norm, layered, layer.input,
                                        layer.first_row, layer.m, normed));
    layer.input = normed;
    layer.first_row = 0;
    kernels_.push_back(build_dram_linear(context_, layer));
  }

  PlanContext& context_;
  const ModelConfig& model_;
  std::vector<PlannedKernel> kernels_;
};

}  // namespace

void plan_dram_step(PlanContext& context) {
  DramStep(context).plan();
}

}  // namespace spyre::kernels
