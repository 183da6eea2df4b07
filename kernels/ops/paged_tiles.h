// The walk over one sequence's pages of a KV cache: tiles of whole pages, then what is left over.
#pragma once

#include <functional>

#include "kernels/ops/attention.h"
#include "kernels/ops/op_plan.h"
#include "kernels/planner/work_division.h"

namespace spyre::kernels {

class PagedTiles {
 public:
  /// `pages` whole pages in a tile; `ranges` cores (grid dim "s") share the pages.
  PagedTiles(const PagedShape& shape, std::int64_t pages, std::int64_t ranges);

  /// Token the tile begins with, tokens that it has, and whether it is this core's first.
  using Body = std::function<void(const Index& token, std::int64_t tokens, const Index& first)>;
  void for_each(KernelBuilder& kernel, const Body& body) const;

  /// The tile's rows of `tensor` ("k" or "v"), of one KV head of one sequence, into the buffer of
  /// the same name.
  void gather(KernelBuilder& kernel, const char* tensor, const Index& sequence,
              const Index& kv_head, const Index& token, std::int64_t tokens) const;

 private:
  const PagedShape& shape_;
  std::int64_t pages_;
  std::int64_t whole_tiles_;  ///< of the sequence
  std::int64_t rest_pages_;   ///< whole pages behind them
  std::int64_t rest_tokens_;  ///< in the last page
  Slices slices_;
};

}  // namespace spyre::kernels
