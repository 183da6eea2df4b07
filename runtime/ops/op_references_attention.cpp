// Attention: softmax(q k^T / sqrt(d)) v, head by head.
#include <algorithm>
#include <cmath>
#include <functional>

#include "runtime/ops/op_references.h"

namespace spyre::runtime {
namespace {

using kernels::OpSizes;

/// Where the row of key or value number `index` begins.
using RowOf = std::function<const double*(const ReferenceArray& array, std::size_t index)>;

/// One query against `count` keys.
void attend(const double* query, std::size_t features, std::size_t count, const RowOf& row,
            const ReferenceArray& k, const ReferenceArray& v, double* result) {
  std::vector<double> weights(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double* key = row(k, i);
    double product = 0;
    for (std::size_t c = 0; c < features; ++c) product += query[c] * key[c];
    weights[i] = product / std::sqrt(static_cast<double>(features));
  }
  const double top = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (double& weight : weights) sum += weight = std::exp(weight - top);
  for (std::size_t i = 0; i < count; ++i) {
    const double* value = row(v, i);
    for (std::size_t c = 0; c < features; ++c) result[c] += weights[i] / sum * value[c];
  }
}

std::size_t size(const OpSizes& sizes, const char* name) {
  return static_cast<std::size_t>(sizes.at(name));
}

ReferenceArrays attention(const ReferenceArrays& inputs, const OpSizes& sizes) {
  const ReferenceArray& q = inputs.at("q");
  ReferenceArray y = ReferenceArray::like(q);
  const std::size_t queries = size(sizes, "QUERIES");
  const std::size_t keys = size(sizes, "KEYS");
  const std::size_t features = q.columns();
  const std::size_t group = size(sizes, "HEADS") / size(sizes, "KV_HEADS");
  for (std::size_t i = 0; i < q.rows(); ++i) {
    const std::size_t head = i / queries / group;
    const std::size_t seen = sizes.at("CAUSAL") != 0 ? keys - queries + i % queries + 1 : keys;
    const RowOf row = [&](const ReferenceArray& array, std::size_t key) {
      return &array.values[(head * keys + key) * features];
    };
    attend(&q.values[i * features], features, seen, row, inputs.at("k"), inputs.at("v"),
           &y.values[i * features]);
  }
  return {{"y", y}};
}

ReferenceArrays paged_attention(const ReferenceArrays& inputs, const OpSizes& sizes) {
  const ReferenceArray& q = inputs.at("q");
  const ReferenceArray& table = inputs.at("block_table");
  ReferenceArray y = ReferenceArray::like(q);
  const std::size_t heads = size(sizes, "HEADS");
  const std::size_t kv_heads = size(sizes, "KV_HEADS");
  const std::size_t tokens = size(sizes, "PAGE_TOKENS");
  const std::size_t features = q.columns();
  for (std::size_t i = 0; i < q.rows(); ++i) {
    const std::size_t head = i % heads / (heads / kv_heads);
    const std::size_t sequence = i / heads;
    const RowOf row = [&](const ReferenceArray& pages, std::size_t key) {
      const auto page =
          static_cast<std::size_t>(table.values[sequence * table.columns() + key / tokens]);
      return &pages.values[((page * tokens + key % tokens) * kv_heads + head) * features];
    };
    attend(&q.values[i * features], features, size(sizes, "CONTEXT"), row, inputs.at("k"),
           inputs.at("v"), &y.values[i * features]);
  }
  return {{"y", y}};
}

}  // namespace

std::vector<NamedOpReference> attention_op_references() {
  return {{"attention", attention}, {"paged_attention", paged_attention}};
}

}  // namespace spyre::runtime
