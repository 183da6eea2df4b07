// A complete config.json of each shape, for tests that change one thing in it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "kernels/workload/model_config.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {

inline const std::string kLlamaText = R"({
  "architectures": ["LlamaForCausalLM"],
  "hidden_size": 64,
  "intermediate_size": 160,
  "max_position_embeddings": 128,
  "num_attention_heads": 4,
  "num_hidden_layers": 2,
  "vocab_size": 100
}
)";

inline const std::string kGpt2Text = R"({
  "architectures": ["GPT2LMHeadModel"],
  "n_embd": 64,
  "n_head": 4,
  "n_layer": 2,
  "n_positions": 128,
  "vocab_size": 100
}
)";

/// `text` with its only `from` replaced by `to`.
inline std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// `text` with one more key.
inline std::string extended(const std::string& text, const std::string& entry) {
  return changed(text, "\n}\n", ",\n  " + entry + "\n}\n");
}

inline std::string llama_as(const std::string& architecture) {
  return changed(kLlamaText, "LlamaForCausalLM", architecture);
}

inline ModelConfig parsed(const std::string& text) {
  return parse_model_config(text, "some/model/config.json");
}

/// What is said about `text`, "" when it is accepted.
inline std::string complaint(const std::string& text) {
  try {
    (void)parse_model_config(text, "m.json");
  } catch (const models::InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace spyre::kernels
