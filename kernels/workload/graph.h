// The workload graph of one step: what has to be computed, before anybody decides where and in
// which tiles.
//
// Node names: "embed"; per layer "attn.norm", "attn.wq", "attn.wk", "attn.wv", "attn.qk_norm",
// "attn.rope", "attn.attention", "attn.wo", "attn.add", "mlp.norm", then "mlp.gate", "mlp.up",
// "mlp.act", "mlp.down" (SwiGLU) or "mlp.fc", "mlp.act", "mlp.proj" (GELU), then "mlp.add"; "norm",
// "head". A matrix is named after its node, its bias
// "<node>.bias". With tied embeddings the weight "head" is the table of "embed" read as [hidden,
// vocabulary].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/workload/model_config.h"
#include "models/isa/data_type.h"

namespace spyre::kernels {

enum class Phase { decode, prefill };
[[nodiscard]] std::string_view to_string(Phase phase);

struct StepOptions {
  Phase phase = Phase::decode;
  std::int64_t batch = 1;    ///< sequences; prefill: 1
  std::int64_t context = 0;  ///< tokens already in the KV cache, per sequence
  std::int64_t chunk = 1;    ///< new tokens per sequence: 1 in decode
  models::DataType weight_type = models::DataType::fp16;
  models::DataType activation_type = models::DataType::fp16;
  models::DataType kv_type = models::DataType::fp16;

  [[nodiscard]] std::int64_t new_tokens() const { return batch * chunk; }
};

/// A weight in the device's matmul layout: [k, n], or [n] for gains and biases (k = 1).
struct Weight {
  std::string name;  ///< "attn.wq"; the same in every layer
  std::int64_t k = 1, n = 0;
  [[nodiscard]] std::int64_t parameters() const { return k * n; }
};

enum class NodeKind {
  embedding,   ///< gather rows of the token table (and of the position table when learned)
  norm,        ///< weights: gain (and bias for layer norm)
  linear,      ///< [m, k] x [k, n] (+ bias); weights[0] is the matrix
  qk_norm,     ///< RMSNorm per head on q and k
  rope,        ///< on q and k
  attention,   ///< appends k, v to the cache and attends over context + chunk tokens
  activation,  ///< gelu, or silu(gate) * up
  add,         ///< residual
};
[[nodiscard]] std::string_view to_string(NodeKind kind);

struct Node {
  NodeKind kind = NodeKind::linear;
  std::string name;                 ///< "attn.wq"
  std::vector<std::string> inputs;  ///< names of the nodes it reads; "x" = the layer's input
  std::vector<Weight> weights;
  std::int64_t m = 0, n = 0,
               k = 0;            ///< linear: tokens, outputs, inputs; otherwise m x n is the result
  bool last_token_only = false;  ///< the head of a prefill chunk computes one row per sequence
};

struct Graph {
  ModelConfig model;
  StepOptions step;
  std::vector<Node> prologue;  ///< embedding
  std::vector<Node> layer;     ///< one layer; all layers are alike
  std::vector<Node> epilogue;  ///< final norm, head
};

/// Throws models::InputError when the step is impossible: context + chunk beyond the model's
/// positions, batch < 1 ...
[[nodiscard]] Graph build_graph(const ModelConfig& model, const StepOptions& step);

/// The analytic ledger: what one step must move and compute, each byte once.
struct StepLedger {
  std::uint64_t weight_bytes = 0;
  std::uint64_t kv_read_bytes = 0;
  std::uint64_t kv_write_bytes = 0;
  std::uint64_t embedding_bytes = 0;  ///< gathered rows, not counted in weight_bytes
  /// 2 per parameter that is read and token (matrices, biases and gains alike; the head: per row it
  /// computes), and 4 x heads x head_dim per layer and attended position (causal: the i-th token of
  /// a chunk attends context + i + 1).
  std::uint64_t flops = 0;
  [[nodiscard]] std::uint64_t total_bytes() const {
    return weight_bytes + kv_read_bytes + kv_write_bytes + embedding_bytes;
  }
};
[[nodiscard]] StepLedger step_ledger(const Graph& graph);

/// Bytes of DRAM that weights and the KV cache of the step need, unpadded.
[[nodiscard]] std::uint64_t resident_bytes(const Graph& graph);

}  // namespace spyre::kernels
