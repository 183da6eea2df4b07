// Attention: one head over dense keys, and many heads over a paged cache.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/suite/references.h"

namespace spyre::runtime {
namespace {

/// exp(score - largest) / sum in place.
void softmax(std::vector<double>& scores) {
  const double largest = *std::ranges::max_element(scores);
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - largest);
  for (double& score : scores) score /= sum;
}

double dot(const double* a, const double* b, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

ReferenceArrays attention(const ReferenceInputs& inputs) {
  const ReferenceArray& q = inputs.array("q");
  const ReferenceArray& k = inputs.array("k");
  const ReferenceArray& v = inputs.array("v");
  require_inputs(q.shape.size() == 2 && k.shape.size() == 2 && v.shape.size() == 2 &&
                     q.columns() == k.columns() && k.rows() == v.rows() && k.rows() > 0,
                 "attention takes q [m, d], k [n, d], v [n, e]");
  ReferenceArray y = ReferenceArray::filled({q.shape[0], v.shape[1]});
  std::vector<double> scores(k.rows());
  for (std::size_t row = 0; row < q.rows(); ++row) {
    for (std::size_t key = 0; key < k.rows(); ++key) {
      scores[key] = inputs.scalar("scale") *
                    dot(&q.values[row * q.columns()], &k.values[key * k.columns()], q.columns());
    }
    softmax(scores);
    for (std::size_t key = 0; key < k.rows(); ++key) {
      for (std::size_t i = 0; i < v.columns(); ++i) {
        y.values[row * v.columns() + i] += scores[key] * v.values[key * v.columns() + i];
      }
    }
  }
  return {{"y", y}};
}

struct PagedShapes {
  std::size_t tokens, heads, features, pages, page_tokens, kv_heads, used_pages;
};

PagedShapes shapes_of(const ReferenceInputs& inputs) {
  const auto& q = inputs.array("q").shape;
  const auto& keys = inputs.array("key_cache").shape;
  require_inputs(q.size() == 3 && keys.size() == 4 && keys == inputs.array("value_cache").shape &&
                     q[2] == keys[3] && keys[2] > 0 && q[1] % keys[2] == 0,
                 "paged attention takes q [tokens, heads, features] and caches [pages, tokens in a "
                 "page, KV heads, features]");
  const auto at = [](std::int64_t size) { return static_cast<std::size_t>(size); };
  const std::size_t used = inputs.count("pages", inputs.array("block_table").values.size());
  return {at(q[0]), at(q[1]), at(q[2]), at(keys[0]), at(keys[1]), at(keys[2]), used};
}

/// Where the row of position `position`, KV head `head` starts in a cache.
std::size_t cache_row(const ReferenceInputs& inputs, const PagedShapes& s, std::size_t position,
                      std::size_t head) {
  const double page = inputs.array("block_table").values[position / s.page_tokens];
  require_inputs(page >= 0 && page < static_cast<double>(s.pages),
                 fmt::format("block_table names page {}, the caches have {}", page, s.pages));
  const std::size_t token =
      static_cast<std::size_t>(page) * s.page_tokens + position % s.page_tokens;
  return (token * s.kv_heads + head) * s.features;
}

ReferenceArrays paged_attention(const ReferenceInputs& inputs) {
  const PagedShapes s = shapes_of(inputs);
  const std::vector<double>& q = inputs.array("q").values;
  ReferenceArray y = ReferenceArray::like(inputs.array("q"));
  const std::size_t positions = s.used_pages * s.page_tokens;
  require_inputs(positions > 0, "there must be a page");
  std::vector<double> scores(positions);
  for (std::size_t token = 0; token < s.tokens; ++token) {
    const double last = inputs.scalar("context") + static_cast<double>(token);
    for (std::size_t head = 0; head < s.heads; ++head) {
      const std::size_t row = (token * s.heads + head) * s.features;
      const std::size_t kv_head = head / (s.heads / s.kv_heads);
      for (std::size_t p = 0; p < positions; ++p) {
        const double* key = &inputs.array("key_cache").values[cache_row(inputs, s, p, kv_head)];
        scores[p] = static_cast<double>(p) > last
                        ? -std::numeric_limits<double>::infinity()
                        : inputs.scalar("scale") * dot(&q[row], key, s.features);
      }
      softmax(scores);
      for (std::size_t p = 0; p < positions; ++p) {
        const double* value = &inputs.array("value_cache").values[cache_row(inputs, s, p, kv_head)];
        for (std::size_t i = 0; i < s.features; ++i) y.values[row + i] += scores[p] * value[i];
      }
    }
  }
  return {{"y", y}};
}

}  // namespace

std::vector<Reference> attention_references() {
  return {
      {"attention",
       "y = softmax(scale q k^T) v, one head, no mask",
       {"q", "k", "v"},
       {"scale"},
       {"y"},
       attention},
      {"paged_attention",
       "attention of token t over positions 0 .. context + t of the first `pages` pages of "
       "block_table",
       {"q", "key_cache", "value_cache", "block_table"},
       {"pages", "context", "scale"},
       {"y"},
       paged_attention},
  };
}

}  // namespace spyre::runtime
