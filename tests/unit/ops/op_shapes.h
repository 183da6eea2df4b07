// Sizes that tile loops stumble over, for every op: one element, primes, sizes that are no multiple
// of a stick, one row, one column, more and fewer units than cores.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/ops/registry.h"

namespace spyre::kernels {

inline std::vector<OpSizes> matrix_shapes() {
  return {{{"ROWS", 1}, {"COLS", 1}},     {{"ROWS", 127}, {"COLS", 131}},
          {{"ROWS", 3}, {"COLS", 509}},   {{"ROWS", 515}, {"COLS", 65}},
          {{"ROWS", 1}, {"COLS", 4097}},  {{"ROWS", 1100}, {"COLS", 1}},
          {{"ROWS", 200}, {"COLS", 256}}, {{"ROWS", 64}, {"COLS", 64}}};
}

inline std::vector<OpSizes> product_shapes() {
  return {{{"M", 1}, {"N", 1}, {"K", 1}},       {{"M", 130}, {"N", 70}, {"K", 200}},
          {{"M", 127}, {"N", 131}, {"K", 509}}, {{"M", 509}, {"N", 127}, {"K", 131}},
          {{"M", 8}, {"N", 300}, {"K", 1}},     {{"M", 1}, {"N", 1}, {"K", 1030}},
          {{"M", 64}, {"N", 128}, {"K", 192}}};
}

inline std::vector<OpSizes> with(std::vector<OpSizes> shapes, const OpSizes& more) {
  for (OpSizes& shape : shapes) shape.insert(more.begin(), more.end());
  return shapes;
}

inline OpSizes prefill_sizes(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim,
                             std::int64_t queries, std::int64_t keys, std::int64_t causal) {
  return {{"HEADS", heads},     {"KV_HEADS", kv_heads}, {"HEAD_DIM", head_dim},
          {"QUERIES", queries}, {"KEYS", keys},         {"CAUSAL", causal}};
}

inline OpSizes decode_sizes(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim,
                            std::int64_t batch, std::int64_t context, std::int64_t page_tokens) {
  return {{"HEADS", heads}, {"KV_HEADS", kv_heads}, {"HEAD_DIM", head_dim},
          {"BATCH", batch}, {"CONTEXT", context},   {"PAGE_TOKENS", page_tokens},
          {"PAGES", 150}};
}

inline std::vector<OpSizes> odd_shapes(const Op& op) {
  if (op.name == "matmul") return product_shapes();
  if (op.name == "bmm" || op.name == "bmm-shared") {
    std::vector<OpSizes> shapes = with(product_shapes(), {{"B", 3}});
    shapes.push_back({{"B", 37}, {"M", 5}, {"N", 65}, {"K", 63}});
    return shapes;
  }
  if (op.name == "rope") {
    return {{{"ROWS", 1}, {"HEADS", 1}, {"HEAD_DIM", 2}},
            {{"ROWS", 13}, {"HEADS", 3}, {"HEAD_DIM", 10}},
            {{"ROWS", 131}, {"HEADS", 2}, {"HEAD_DIM", 64}}};
  }
  if (op.name == "transpose-outer") {
    return {{{"ROWS", 1}, {"MIDDLE", 1}, {"COLS", 1}},
            {{"ROWS", 3}, {"MIDDLE", 7}, {"COLS", 65}},
            {{"ROWS", 131}, {"MIDDLE", 2}, {"COLS", 127}}};
  }
  if (op.name == "concat") {
    std::vector<OpSizes> shapes = with(matrix_shapes(), {{"PARTS", 2}, {"AXIS", 0}});
    for (const OpSizes& sizes : with(matrix_shapes(), {{"PARTS", 3}, {"AXIS", 1}})) {
      if (sizes.at("COLS") < 4000) shapes.push_back(sizes);
    }
    return shapes;
  }
  if (op.name == "embedding") {
    return {{{"TOKENS", 1}, {"VOCAB", 1}, {"COLS", 1}},
            {{"TOKENS", 131}, {"VOCAB", 37}, {"COLS", 67}},
            {{"TOKENS", 9000}, {"VOCAB", 5}, {"COLS", 64}}};
  }
  if (op.reference == "attention") {
    return {prefill_sizes(1, 1, 1, 1, 1, 1),      prefill_sizes(6, 2, 40, 131, 200, 1),
            prefill_sizes(6, 2, 40, 131, 200, 0), prefill_sizes(3, 3, 64, 127, 127, 1),
            prefill_sizes(8, 1, 128, 65, 321, 1), prefill_sizes(2, 1, 64, 1, 509, 1),
            prefill_sizes(40, 40, 64, 70, 70, 0)};
  }
  if (op.reference == "paged_attention") {
    return {decode_sizes(1, 1, 1, 1, 1, 1),      decode_sizes(6, 2, 40, 3, 509, 16),
            decode_sizes(3, 3, 64, 1, 1031, 7),  decode_sizes(8, 1, 128, 1, 2048, 64),
            decode_sizes(8, 8, 64, 5, 63, 64),   decode_sizes(4, 2, 64, 2, 130, 16),
            decode_sizes(32, 8, 128, 1, 300, 16)};
  }
  std::vector<OpSizes> shapes = matrix_shapes();
  if (op.name.starts_with("add-chain") || op.name == "add-separate") {
    shapes.push_back({{"ROWS", 70}, {"COLS", 70}, {"ADDS", 5}});
    shapes.push_back({{"ROWS", 70}, {"COLS", 70}, {"ADDS", 1}});
  }
  return shapes;
}

inline std::string text_of(const OpSizes& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) {
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  }
  return text;
}

/// The op's name as gtest wants it.
inline std::string test_name(std::string name) {
  for (char& letter : name) {
    if (letter == '-') letter = '_';
  }
  return name;
}

}  // namespace spyre::kernels
