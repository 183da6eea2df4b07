#include "models/analytic/kv_cache.h"

#include <algorithm>

namespace spyre::models {

std::int64_t kv_bytes_per_token(std::int64_t layers, std::int64_t kv_heads, std::int64_t head_dim,
                                DataType type) {
  return 2 * layers * bytes_of(type, kv_heads * head_dim);
}

std::int64_t kv_tokens_that_fit(std::int64_t capacity_bytes, std::int64_t bytes_per_token) {
  return capacity_bytes / bytes_per_token;
}

std::int64_t sequences_that_fit(std::int64_t capacity_bytes, std::int64_t weight_bytes,
                                std::int64_t context, std::int64_t bytes_per_token) {
  const std::int64_t left = std::max<std::int64_t>(0, capacity_bytes - weight_bytes);
  return left / bytes_per_token / context;
}

double kv_crossover_context(std::int64_t weight_bytes, std::int64_t batch,
                            std::int64_t bytes_per_token) {
  return static_cast<double>(weight_bytes) /
         (static_cast<double>(batch) * static_cast<double>(bytes_per_token));
}

}  // namespace spyre::models
