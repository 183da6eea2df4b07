#include "kernels/workload/model_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/workload/config_text.h"

namespace spyre::kernels {
namespace {

TEST(ModelConfig, LlamaDefaultsAreThoseOfTransformers) {
  const ModelConfig model = parsed(kLlamaText);
  EXPECT_EQ(model.name, "model");
  EXPECT_EQ(model.architecture, "LlamaForCausalLM");
  EXPECT_EQ(model.kv_heads, 4);
  EXPECT_EQ(model.head_dim, 16);
  EXPECT_EQ(model.norm, NormKind::rms);
  EXPECT_EQ(model.mlp, MlpKind::swiglu);
  EXPECT_FALSE(model.tied_embeddings);
  EXPECT_FALSE(model.learned_positions);
  EXPECT_FALSE(model.attention_bias);
  EXPECT_FALSE(model.output_bias);
  EXPECT_FALSE(model.mlp_bias);
  EXPECT_FALSE(model.qk_norm);
  EXPECT_EQ(model.norm_epsilon, 1e-6);
  EXPECT_EQ(model.rope_theta, 10000.0);
  EXPECT_EQ(model.attention_multiplier, 0.0);
  EXPECT_EQ(model.sliding_window, 0);
}

TEST(ModelConfig, MaximumPositionsDefaultPerFamily) {
  const auto without = [](const std::string& architecture) {
    return parsed(changed(llama_as(architecture), "\n  \"max_position_embeddings\": 128,", ""))
        .max_positions;
  };
  EXPECT_EQ(without("LlamaForCausalLM"), 2048);
  EXPECT_EQ(without("GraniteForCausalLM"), 2048);
  EXPECT_EQ(parsed(changed(kGpt2Text, "\n  \"n_positions\": 128,", "")).max_positions, 1024);
  const std::string mistral =
      extended(llama_as("MistralForCausalLM"), "\"num_key_value_heads\": 2");
  EXPECT_EQ(parsed(changed(mistral, "\n  \"max_position_embeddings\": 128,", "")).max_positions,
            131072);
  const std::string qwen3 = extended(llama_as("Qwen3ForCausalLM"), "\"num_key_value_heads\": 2");
  EXPECT_EQ(parsed(changed(qwen3, "\n  \"max_position_embeddings\": 128,", "")).max_positions,
            32768);
}

TEST(ModelConfig, Gpt2TakesItsOwnKeysAndTiesByDefault) {
  const ModelConfig model = parsed(kGpt2Text);
  EXPECT_EQ(model.hidden, 64);
  EXPECT_EQ(model.kv_heads, 4);
  EXPECT_EQ(model.head_dim, 16);
  EXPECT_EQ(model.intermediate, 256);
  EXPECT_EQ(model.norm, NormKind::layer);
  EXPECT_EQ(model.mlp, MlpKind::gelu);
  EXPECT_TRUE(model.tied_embeddings);
  EXPECT_TRUE(model.learned_positions);
  EXPECT_TRUE(model.attention_bias && model.output_bias && model.mlp_bias);
  EXPECT_EQ(parsed(extended(kGpt2Text, "\"n_inner\": null")).intermediate, 256);
  EXPECT_EQ(parsed(extended(kGpt2Text, "\"n_inner\": 100")).intermediate, 100);
  EXPECT_EQ(parsed(extended(kGpt2Text, "\"scale_attn_weights\": false")).attention_multiplier, 1.0);
}

TEST(ModelConfig, AbsentKvHeadsMeanEightInMistralButNullMeansAllHeads) {
  const std::string mistral = changed(llama_as("MistralForCausalLM"), "\"num_attention_heads\": 4",
                                      "\"num_attention_heads\": 16");
  EXPECT_EQ(parsed(mistral).kv_heads, 8);
  EXPECT_EQ(parsed(extended(mistral, "\"num_key_value_heads\": null")).kv_heads, 16);
  EXPECT_EQ(parsed(extended(mistral, "\"num_key_value_heads\": 4")).kv_heads, 4);
}

TEST(ModelConfig, MistralWindowDefaultsTo4096AndNullMeansNone) {
  const std::string mistral =
      extended(llama_as("MistralForCausalLM"), "\"num_key_value_heads\": 2");
  EXPECT_EQ(parsed(mistral).sliding_window, 4096);
  EXPECT_EQ(parsed(extended(mistral, "\"sliding_window\": null")).sliding_window, 0);
  EXPECT_EQ(parsed(extended(mistral, "\"sliding_window\": 32")).sliding_window, 32);
}

TEST(ModelConfig, Qwen3HeadDimensionIs128WhateverTheHiddenSize) {
  const std::string qwen3 = extended(llama_as("Qwen3ForCausalLM"), "\"num_key_value_heads\": 2");
  EXPECT_EQ(parsed(qwen3).head_dim, 128);
  EXPECT_TRUE(parsed(qwen3).qk_norm);
  EXPECT_EQ(parsed(extended(qwen3, "\"head_dim\": 32")).head_dim, 32);
  EXPECT_EQ(parsed(extended(qwen3, "\"sliding_window\": 16")).sliding_window, 0);
  const std::string windowed = extended(qwen3, "\"use_sliding_window\": true");
  EXPECT_EQ(parsed(extended(windowed, "\"sliding_window\": 16")).sliding_window, 16);
}

TEST(ModelConfig, BiasKeysCountOnlyWhereTheFamilyUnderstandsThem) {
  const std::string keys = "\"attention_bias\": true, \"mlp_bias\": true";
  const ModelConfig llama = parsed(extended(kLlamaText, keys));
  EXPECT_TRUE(llama.attention_bias && llama.output_bias && llama.mlp_bias);
  const std::string kv = keys + ", \"num_key_value_heads\": 2";
  const ModelConfig mistral = parsed(extended(llama_as("MistralForCausalLM"), kv));
  EXPECT_FALSE(mistral.attention_bias || mistral.output_bias || mistral.mlp_bias);
  const ModelConfig qwen3 = parsed(extended(llama_as("Qwen3ForCausalLM"), kv));
  EXPECT_TRUE(qwen3.attention_bias && qwen3.output_bias);
  EXPECT_FALSE(qwen3.mlp_bias);
}

TEST(ModelConfig, GraniteScalarsDefaultToOne) {
  const ModelConfig plain = parsed(llama_as("GraniteForCausalLM"));
  EXPECT_EQ(plain.attention_multiplier, 1.0);
  EXPECT_FALSE(plain.tied_embeddings);
  const ModelConfig scaled = parsed(extended(llama_as("GraniteForCausalLM"),
                                             "\"attention_multiplier\": 0.25, "
                                             "\"residual_multiplier\": 0.5, "
                                             "\"embedding_multiplier\": 12, "
                                             "\"logits_scaling\": 16"));
  EXPECT_EQ(scaled.attention_multiplier, 0.25);
  EXPECT_EQ(scaled.residual_multiplier, 0.5);
  EXPECT_EQ(scaled.embedding_multiplier, 12.0);
  EXPECT_EQ(scaled.logits_scaling, 16.0);
}

TEST(ModelConfig, RopeThetaIsReadFromItsNewPlaceToo) {
  EXPECT_EQ(parsed(extended(kLlamaText, "\"rope_theta\": 5e5")).rope_theta, 5e5);
  EXPECT_EQ(parsed(extended(kLlamaText, "\"rope_parameters\": {\"rope_theta\": 1e6}")).rope_theta,
            1e6);
}

TEST(ModelConfig, ModelTypeStandsInForMissingArchitectures) {
  const std::string text =
      changed(kLlamaText, R"("architectures": ["LlamaForCausalLM"])", R"("model_type": "llama")");
  EXPECT_EQ(parsed(text).architecture, "LlamaForCausalLM");
}

TEST(ModelConfig, NameComesFromTheFileOrItsFolder) {
  EXPECT_EQ(parse_model_config(kLlamaText, "a/my-model-1.5b.json").name, "my-model-1.5b");
  EXPECT_EQ(parse_model_config(kLlamaText, "a/my-model-1.5b/config.json").name, "my-model-1.5b");
}

/// Course formulas, spelt out matrix by matrix.
std::int64_t slow_count(const ModelConfig& c, bool gathered) {
  std::int64_t sum = c.vocabulary * c.hidden;  // the head, or the table that is the head
  if (gathered && !c.tied_embeddings) sum += c.vocabulary * c.hidden;
  if (c.learned_positions) {
    // GPT-2: V*D + C*D + L*(12 D^2 + 13 D) + 2 D for an MLP of 4 D
    const std::int64_t d = c.hidden;
    if (gathered) sum += c.max_positions * d;
    return sum + c.layers * (12 * d * d + 13 * d) + 2 * d;
  }
  for (std::int64_t layer = 0; layer < c.layers; ++layer) {
    for (std::int64_t h = 0; h < c.heads; ++h) sum += 2 * c.hidden * c.head_dim;     // Wq, Wo
    for (std::int64_t h = 0; h < c.kv_heads; ++h) sum += 2 * c.hidden * c.head_dim;  // Wk, Wv
    if (c.attention_bias) sum += (c.heads + 2 * c.kv_heads) * c.head_dim;
    if (c.output_bias) sum += c.hidden;
    sum += 3 * c.hidden * c.intermediate;
    if (c.mlp_bias) sum += 2 * c.intermediate + c.hidden;
    if (c.qk_norm) sum += 2 * c.head_dim;
    sum += 2 * c.hidden;
  }
  return sum + c.hidden;
}

TEST(ModelConfig, CountsAgreeWithTheFormulasOnRandomModels) {
  std::mt19937 random(3);
  const auto upto = [&](int high) { return std::uniform_int_distribution<int>(1, high)(random); };
  for (int i = 0; i < 300; ++i) {
    ModelConfig c;
    c.layers = upto(5);
    c.kv_heads = upto(4);
    c.heads = c.kv_heads * upto(4);
    c.head_dim = 2 * upto(20);
    c.hidden = upto(3) == 1 ? upto(200) : c.heads * c.head_dim;
    c.intermediate = upto(500);
    c.vocabulary = upto(1000);
    c.max_positions = upto(100);
    c.tied_embeddings = upto(2) == 1;
    c.attention_bias = upto(2) == 1;
    c.output_bias = upto(2) == 1;
    c.mlp_bias = upto(2) == 1;
    c.qk_norm = upto(2) == 1;
    EXPECT_EQ(c.parameters(), slow_count(c, true));
    EXPECT_EQ(c.parameters_read_per_step(), slow_count(c, false));

    c.learned_positions = c.attention_bias = c.output_bias = c.mlp_bias = true;
    c.qk_norm = false;
    c.norm = NormKind::layer;
    c.mlp = MlpKind::gelu;
    c.heads = c.kv_heads;
    c.hidden = c.heads * c.head_dim;
    c.intermediate = 4 * c.hidden;
    EXPECT_EQ(c.parameters(), slow_count(c, true));
    EXPECT_EQ(c.parameters_read_per_step(), slow_count(c, false));
  }
}

}  // namespace
}  // namespace spyre::kernels
