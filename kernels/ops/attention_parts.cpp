#include "kernels/ops/attention_parts.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {

using models::VectorFunction;

namespace {
constexpr std::int64_t kStateRows = 3;
}

void check_heads(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim) {
  check_size("HEADS", heads);
  check_size("KV_HEADS", kv_heads, 1, heads);
  check_size("HEAD_DIM", head_dim);
  if (heads % kv_heads == 0) return;
  throw models::InputError(fmt::format(
      "HEADS is {} and KV_HEADS {}: each key head serves as many query heads; give a divisor of {}",
      heads, kv_heads, heads));
}

double score_scale(std::int64_t head_dim) {
  return 1.0 / std::sqrt(static_cast<double>(head_dim));
}

void add_softmax_buffers(KernelBuilder& kernel, DataType type, std::int64_t keys,
                         std::int64_t queries, std::int64_t head_dim) {
  kernel.buffer("scores", DataType::fp32, keys, queries, 2);
  kernel.buffer("state", DataType::fp32, kStateRows, queries);
  kernel.buffer("scale", DataType::fp32, queries, kStateRows);
  kernel.buffer("p", type, keys, queries, 2);
  kernel.buffer("pt", type, queries, keys, 2);
  kernel.buffer("pv", DataType::fp32, queries, head_dim, 2);
  kernel.buffer("o", DataType::fp32, queries, head_dim);
}

void add_softmax_start(KernelBuilder& kernel, const Index& queries) {
  kernel.vector(VectorFunction::fill, Local("state", {0, 0}, {1, queries}),
                {Number(-std::numeric_limits<double>::infinity())});
  kernel.vector(VectorFunction::fill, Local("state", {1, 0}, {2, queries}), {Number(0.0)});
}

void add_softmax_tile(KernelBuilder& kernel, const Index& queries, std::int64_t head_dim,
                      const Index& first) {
  const Local state("state", {0, 0}, {kStateRows, queries});
  kernel.vector(VectorFunction::softmax_step, "p",
                {"scores", state, Number(score_scale(head_dim))});
  kernel.vector(VectorFunction::transpose, "pt", {"p"});
  kernel.vector(VectorFunction::transpose, "scale", {state});
  kernel.matmul("pv", "pt", "v");
  kernel.when(first, [&] { kernel.vector(VectorFunction::copy, "o", {"pv"}); });
  kernel.when(equal(first, 0), [&] {
    kernel.vector(VectorFunction::rescale_add, "o", {"pv", "scale"});
  });
}

}  // namespace spyre::kernels
