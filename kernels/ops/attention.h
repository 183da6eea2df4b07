// Attention: flash (nothing but the result goes to DRAM), and naive (scores and probabilities do)
// for comparison; of a prompt with all its queries, and of one new token per sequence over a paged
// KV cache.
//
// Both compute softmax(q k^T / sqrt(d)) v with grouped query heads: `heads` query heads share
// `kv_heads` key and value heads. Causal: query i of the prompt sees the keys 0 .. keys - queries +
// i. Sources: Dao et al. 2022 (FlashAttention), Milakov and Gimelshein 2018 (online softmax), Kwon
// et al. 2023 (paged KV cache).
#pragma once

#include "kernels/ops/op_options.h"

namespace spyre::kernels {

struct PrefillShape {
  std::int64_t heads = 1, kv_heads = 1;
  std::int64_t queries = 1, keys = 1, head_dim = 1;
  bool causal = true;
};

/// q [heads, queries, d], k and v [kv_heads, keys, d], y like q. A tile of queries of all heads of
/// a group stays in LX while tiles of keys and values stream past it; those that no query of the
/// tile sees are not read.
[[nodiscard]] Schedule plan_flash_prefill(const PrefillShape& shape, const OpOptions& options,
                                          const models::Machine& machine);
/// The same tensors, and "scores" and "probabilities" [heads, queries, keys] between three kernels.
[[nodiscard]] Schedule plan_naive_prefill(const PrefillShape& shape, const OpOptions& options,
                                          const models::Machine& machine);

struct PagedShape {
  std::int64_t batch = 1, heads = 1, kv_heads = 1, head_dim = 1;
  std::int64_t context = 1;      ///< tokens of each sequence in the cache
  std::int64_t page_tokens = 1;  ///< of one page
  std::int64_t pages = 1;        ///< of the cache, for all sequences

  [[nodiscard]] std::int64_t pages_per_sequence() const {
    return (context + page_tokens - 1) / page_tokens;
  }
};

/// q and y [batch, heads, d], k and v [pages, page_tokens, kv_heads, d] and block_table [batch,
/// pages of a sequence] as a host has them; the table is read when the kernel runs. Where there are
/// fewer groups of heads than cores the pages of one are divided too, and the parts combined over
/// the ring.
[[nodiscard]] Schedule plan_flash_decode(const PagedShape& shape, const OpOptions& options,
                                         const models::Machine& machine);
[[nodiscard]] Schedule plan_naive_decode(const PagedShape& shape, const OpOptions& options,
                                         const models::Machine& machine);

}  // namespace spyre::kernels
