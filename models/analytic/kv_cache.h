// Closed-form sizes of a KV cache.
//
// Modelled: keys and values of every layer for every cached token, in one element type (the product
// of layers, KV heads, head dim and bytes, times 2 for K and V).
//
// Not modelled: pages and their padding, latent (MLA) caches, layers that share a cache or attend
// only to a window.
#pragma once

#include <cstdint>

#include "models/isa/data_type.h"

namespace spyre::models {

/// Bytes that one token adds: 2 x layers x kv_heads x head_dim x bytes per element. A type narrower
/// than a byte is rounded up per token, layer and tensor, so that every token starts on a byte.
[[nodiscard]] std::int64_t kv_bytes_per_token(std::int64_t layers, std::int64_t kv_heads,
                                              std::int64_t head_dim, DataType type);

/// Whole tokens that fit: capacity / bytes per token, rounded down. `bytes_per_token` is positive.
[[nodiscard]] std::int64_t kv_tokens_that_fit(std::int64_t capacity_bytes,
                                              std::int64_t bytes_per_token);

/// Sequences of `context` tokens that fit beside the weights: (capacity - weights) / (context x
/// bytes per token), rounded down; 0 when the weights alone do not fit. `context` and
/// `bytes_per_token` are positive.
[[nodiscard]] std::int64_t sequences_that_fit(std::int64_t capacity_bytes,
                                              std::int64_t weight_bytes, std::int64_t context,
                                              std::int64_t bytes_per_token);

/// Context length per sequence at which the caches of `batch` sequences are as large as the
/// weights, in tokens: weight bytes / (batch x bytes per token).
[[nodiscard]] double kv_crossover_context(std::int64_t weight_bytes, std::int64_t batch,
                                          std::int64_t bytes_per_token);

}  // namespace spyre::models
