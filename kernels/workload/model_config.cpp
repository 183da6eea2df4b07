#include "kernels/workload/model_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "kernels/workload/config_json.h"
#include "models/diagnostics/nearest_name.h"
#include "models/diagnostics/yaml_reader.h"

namespace spyre::kernels {
namespace {

// Beyond any published model, and small enough that no product of them leaves 64 bits.
constexpr std::int64_t kMostLayers = std::int64_t{1} << 12;
constexpr std::int64_t kMostWidth = std::int64_t{1}
                                    << 20;                 // hidden, intermediate, heads x head_dim
constexpr std::int64_t kMostRows = std::int64_t{1} << 24;  // vocabulary, positions

/// A family of models: its names, and what its configuration class in Hugging Face transformers
/// (configuration_<family>.py and modeling_<family>.py) assumes when a key is left out.
struct Family {
  std::string_view architecture;
  std::string_view model_type;
  std::int64_t max_positions;
  std::int64_t kv_heads = 0;    ///< 0: as many as query heads
  std::int64_t head_dim = 0;    ///< 0: hidden / heads
  bool attention_bias = false;  ///< understands the key; it then covers q, k, v and the output
  bool mlp_bias = false;        ///< understands the key
  bool qk_norm = false;
};

constexpr Family kGpt2{"GPT2LMHeadModel", "gpt2", 1024};
constexpr std::array<Family, 5> kFamilies{{
    kGpt2,
    {"LlamaForCausalLM", "llama", 2048, 0, 0, true, true, false},
    {"MistralForCausalLM", "mistral", 131072, 8, 0, false, false, false},
    {"GraniteForCausalLM", "granite", 2048, 0, 0, true, true, false},
    {"Qwen3ForCausalLM", "qwen3", 32768, 32, 128, true, false, true},
}};

/// "config.json" says nothing, its directory's name does; any other file is called what the model
/// is called.
std::string name_of(const std::string& file) {
  const std::filesystem::path path(file);
  if (path.filename() != "config.json") return path.stem().string();
  std::error_code ignored;
  const std::string parent =
      std::filesystem::absolute(path, ignored).lexically_normal().parent_path().filename().string();
  return parent.empty() ? path.stem().string() : parent;
}

std::string architectures() {
  std::vector<std::string_view> names;
  for (const Family& family : kFamilies) names.push_back(family.architecture);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The family that the file names, or nothing after reporting why there is none.
const Family* find_family(ConfigJson& json) {
  const bool by_architecture = json.has("architectures");
  const std::string key = by_architecture ? "architectures" : "model_type";
  std::vector<std::string> supported;
  for (const Family& family : kFamilies) {
    supported.emplace_back(by_architecture ? family.architecture : family.model_type);
  }
  if (!json.has(key)) {
    json.error("architectures",
               fmt::format("'architectures' is missing; it must name one of {}", architectures()));
    return nullptr;
  }
  const std::optional<std::string> name = by_architecture ? json.only_entry(key) : json.text(key);
  if (!name) return nullptr;
  const auto known = std::find(supported.begin(), supported.end(), *name);
  if (known != supported.end()) {
    return &kFamilies[static_cast<std::size_t>(known - supported.begin())];
  }
  const auto nearest = models::nearest_name(*name, supported);
  json.error(key, fmt::format("architecture '{}' is not supported{}; supported are {}", *name,
                              nearest ? fmt::format(" (did you mean '{}'?)", *nearest) : "",
                              architectures()));
  return nullptr;
}

void require_function(ConfigJson& json, const std::string& key, const std::string& fallback,
                      std::span<const std::string_view> known) {
  const std::string function = json.text(key).value_or(fallback);
  if (std::find(known.begin(), known.end(), function) != known.end()) return;
  json.error(key, fmt::format("'{}' is '{}', but this family is supported with {} only", key,
                              function, fmt::join(known, ", ")));
}

void require_false(ConfigJson& json, const std::string& key) {
  if (json.boolean_or(key, false)) {
    json.error(key, fmt::format("'{}' is true, which is not supported; it must be false", key));
  }
}

void read_gpt2(ConfigJson& json, ModelConfig& model) {
  static constexpr std::array<std::string_view, 4> kGelu{"gelu_new", "gelu", "gelu_fast",
                                                         "gelu_pytorch_tanh"};
  model.layers = json.integer("n_layer", kMostLayers);
  model.hidden = json.integer("n_embd", kMostWidth);
  model.heads = json.integer("n_head", kMostWidth);
  model.kv_heads = model.heads;
  model.vocabulary = json.integer("vocab_size", kMostRows);
  model.max_positions = json.integer_or("n_positions", kGpt2.max_positions, kMostRows);
  model.intermediate = json.integer_or("n_inner", 4 * model.hidden, kMostWidth);
  model.norm = NormKind::layer;
  model.mlp = MlpKind::gelu;
  model.tied_embeddings = json.boolean_or("tie_word_embeddings", true);
  model.learned_positions = true;
  model.attention_bias = model.output_bias = model.mlp_bias = true;
  model.norm_epsilon = json.positive_or("layer_norm_epsilon", 1e-5);
  if (!json.boolean_or("scale_attn_weights", true)) model.attention_multiplier = 1.0;
  require_function(json, "activation_function", "gelu_new", kGelu);
  require_false(json, "scale_attn_by_inverse_layer_idx");
  require_false(json, "add_cross_attention");
}

void read_llama_like(ConfigJson& json, const Family& family, ModelConfig& model) {
  static constexpr std::array<std::string_view, 2> kSilu{"silu", "swish"};
  model.layers = json.integer("num_hidden_layers", kMostLayers);
  model.hidden = json.integer("hidden_size", kMostWidth);
  model.heads = json.integer("num_attention_heads", kMostWidth);
  // A key that is there but null means "as many as query heads" even where leaving it out means a
  // number.
  const std::int64_t default_kv_heads =
      family.kv_heads > 0 && !json.is_null("num_key_value_heads") ? family.kv_heads : model.heads;
  model.kv_heads = json.integer_or("num_key_value_heads", default_kv_heads, kMostWidth);
  model.head_dim = json.integer_or("head_dim", family.head_dim, kMostWidth);
  model.intermediate = json.integer("intermediate_size", kMostWidth);
  model.vocabulary = json.integer("vocab_size", kMostRows);
  model.max_positions = json.integer_or("max_position_embeddings", family.max_positions, kMostRows);
  model.tied_embeddings = json.boolean_or("tie_word_embeddings", false);
  if (family.attention_bias) {
    model.attention_bias = model.output_bias = json.boolean_or("attention_bias", false);
  }
  if (family.mlp_bias) model.mlp_bias = json.boolean_or("mlp_bias", false);
  model.qk_norm = family.qk_norm;
  model.norm_epsilon = json.positive_or("rms_norm_eps", 1e-6);
  // transformers 5 moved the key into a group.
  model.rope_theta =
      json.positive_or("rope_theta", json.positive_or("rope_parameters.rope_theta", 10000.0));
  require_function(json, "hidden_act", "silu", kSilu);
}

void read_granite_scalars(ConfigJson& json, ModelConfig& model) {
  model.embedding_multiplier = json.positive_or("embedding_multiplier", 1.0);
  model.attention_multiplier = json.positive_or("attention_multiplier", 1.0);
  model.residual_multiplier = json.positive_or("residual_multiplier", 1.0);
  model.logits_scaling = json.positive_or("logits_scaling", 1.0);
}

void read_sliding_window(ConfigJson& json, const Family& family, ModelConfig& model) {
  if (family.model_type == "mistral") {
    const std::int64_t fallback = json.is_null("sliding_window") ? 0 : 4096;
    model.sliding_window = json.integer_or("sliding_window", fallback, kMostRows);
  } else if (family.model_type == "qwen3" && json.boolean_or("use_sliding_window", false)) {
    model.sliding_window = json.integer_or("sliding_window", 4096, kMostRows);
  }
}

/// Derives head_dim where the file leaves it out, and reports what contradicts itself.
void settle_heads(ConfigJson& json, bool gpt2, ModelConfig& model) {
  const std::string hidden_key = gpt2 ? "n_embd" : "hidden_size";
  const std::string heads_key = gpt2 ? "n_head" : "num_attention_heads";
  if (model.head_dim == 0) {
    model.head_dim = model.hidden / model.heads;
    if (model.hidden % model.heads != 0) {
      json.error(hidden_key, fmt::format("'{}' {} is not a multiple of '{}' {}", hidden_key,
                                         model.hidden, heads_key, model.heads));
    }
  }
  if (model.heads % model.kv_heads != 0) {
    json.error("num_key_value_heads",
               fmt::format("'{}' {} is not a multiple of 'num_key_value_heads' {}", heads_key,
                           model.heads, model.kv_heads));
  }
  if (model.heads * model.head_dim > kMostWidth) {
    json.error(heads_key,
               fmt::format("{} heads of {} are {} values per token; at most {} are supported",
                           model.heads, model.head_dim, model.heads * model.head_dim, kMostWidth));
  }
  if (!gpt2 && model.head_dim % 2 != 0) {
    json.error("head_dim", fmt::format("the head dimension is {}, but rotary embeddings turn "
                                       "pairs: it must be even",
                                       model.head_dim));
  }
}

}  // namespace

std::int64_t ModelConfig::parameters() const {
  const std::int64_t table = vocabulary * hidden;
  const std::int64_t gathered =
      (tied_embeddings ? 0 : table) + (learned_positions ? max_positions * hidden : 0);
  return parameters_read_per_step() + gathered;
}

std::int64_t ModelConfig::parameters_read_per_step() const {
  const std::int64_t q = heads * head_dim;
  const std::int64_t kv = kv_heads * head_dim;
  const std::int64_t norm_size = hidden * (norm == NormKind::layer ? 2 : 1);

  std::int64_t attention = 2 * hidden * q + 2 * hidden * kv;
  if (attention_bias) attention += q + 2 * kv;
  if (output_bias) attention += hidden;
  if (qk_norm) attention += 2 * head_dim;

  const std::int64_t widening = mlp == MlpKind::swiglu ? 2 : 1;
  std::int64_t feed_forward = (widening + 1) * hidden * intermediate;
  if (mlp_bias) feed_forward += widening * intermediate + hidden;

  return layers * (attention + feed_forward + 2 * norm_size) + norm_size + vocabulary * hidden;
}

ModelConfig parse_model_config(const std::string& text, const std::string& file) {
  ConfigJson json(text, file);
  ModelConfig model;
  model.name = name_of(file);
  const Family* family = find_family(json);
  if (family == nullptr) json.throw_if_failed();

  model.architecture = family->architecture;
  const bool gpt2 = family->architecture == kGpt2.architecture;
  if (gpt2) {
    read_gpt2(json, model);
  } else {
    read_llama_like(json, *family, model);
    read_sliding_window(json, *family, model);
    if (family->model_type == "granite") read_granite_scalars(json, model);
  }
  if (!json.failed()) settle_heads(json, gpt2, model);
  json.throw_if_failed();
  return model;
}

ModelConfig read_model_config(const std::string& path) {
  return parse_model_config(models::read_text_file(path), path);
}

}  // namespace spyre::kernels
