// The architecture of a decoder-only language model, read from a Hugging Face config.json.
//
// Modelled: what decides shapes, bytes and operations, and the scalars that the values depend on.
// Keys that a file leaves out take the defaults of the family's configuration class in Hugging Face
// transformers. Not modelled: attention windows and rope scaling (docs/models.md says what follows
// from that), quantised checkpoints (the element types are a choice of the step, not of the model),
// dropout and anything else of training.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spyre::kernels {

enum class NormKind { rms, layer };
enum class MlpKind { gelu, swiglu };

struct ModelConfig {
  std::string name;          ///< file name without directory and .json, or the directory's name
  std::string architecture;  ///< "GraniteForCausalLM"
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t intermediate = 0;
  std::int64_t vocabulary = 0;
  std::int64_t max_positions = 0;
  NormKind norm = NormKind::rms;
  MlpKind mlp = MlpKind::swiglu;
  bool tied_embeddings = false;
  bool learned_positions = false;  ///< GPT-2: a table of max_positions rows, no rope
  bool attention_bias = false;     ///< q, k, v biases
  bool output_bias = false;        ///< bias of the attention output projection
  bool mlp_bias = false;
  bool qk_norm = false;  ///< Qwen3: RMSNorm over head_dim of every q and k head
  // scalars that the values depend on (granite); they cost no bytes. attention_multiplier 0 =
  // 1/sqrt(head_dim)
  double embedding_multiplier = 1.0, attention_multiplier = 0.0, residual_multiplier = 1.0,
         logits_scaling = 1.0;
  double norm_epsilon = 1e-5, rope_theta = 10000.0;
  /// Tokens that a windowed model attends to, 0 = all. Not modelled: a step with a longer context
  /// counts and reads all of it, which is more than the model needs.
  std::int64_t sliding_window = 0;

  /// All parameters, embeddings and head counted once when tied (reference counts: docs/models.md).
  [[nodiscard]] std::int64_t parameters() const;
  /// Parameters read by every step: all but embedding rows and learned positions that are only
  /// gathered.
  [[nodiscard]] std::int64_t parameters_read_per_step() const;
};

/// Reads a config.json. Throws models::InputError: missing file, missing or ill-typed key, an
/// architecture that is not supported (with the list of those that are), contradictions (hidden not
/// divisible by heads ...).
[[nodiscard]] ModelConfig read_model_config(const std::string& path);
[[nodiscard]] ModelConfig parse_model_config(const std::string& text, const std::string& file);

/// `name_or_path`: a shipped model ("granite-3.3-8b"), a config.json, or a directory that holds
/// one. An unknown name is an InputError with the nearest known name.
[[nodiscard]] ModelConfig find_model(const std::string& name_or_path);
[[nodiscard]] std::vector<std::string> model_names();

}  // namespace spyre::kernels
