#include "kernels/ops/paged_tiles.h"

#include <utility>

namespace spyre::kernels {

PagedTiles::PagedTiles(const PagedShape& shape, std::int64_t pages, std::int64_t ranges)
    : shape_(shape),
      pages_(pages),
      whole_tiles_(shape.context / shape.page_tokens / pages),
      rest_pages_(shape.context / shape.page_tokens % pages),
      rest_tokens_(shape.context % shape.page_tokens),
      slices_{whole_tiles_, ranges, "s"} {}

void PagedTiles::for_each(KernelBuilder& kernel, const Body& body) const {
  const std::int64_t tile_tokens = pages_ * shape_.page_tokens;
  if (whole_tiles_ > 0) {
    kernel.loop("t", slices_.begin(), slices_.end(), 1, [&] {
      body(Index(tile_tokens) * Index("t"), tile_tokens, equal("t", slices_.begin()));
    });
  }
  // What is no whole tile belongs to the last range. There are no more ranges than whole tiles,
  // unless there is no such tile at all.
  const Index last = slices_.parts == 1 ? Index(1) : equal("s", slices_.parts - 1);
  const std::int64_t rest = rest_pages_ * shape_.page_tokens + rest_tokens_;
  if (rest == 0) return;
  kernel.when(last, [&] { body(whole_tiles_ * tile_tokens, rest, whole_tiles_ == 0 ? 1 : 0); });
}

void PagedTiles::gather(KernelBuilder& kernel, const char* tensor, const Index& sequence,
                        const Index& kv_head, const Index& token, std::int64_t tokens) const {
  const std::int64_t row = shape_.kv_heads * shape_.head_dim;
  const std::int64_t whole = tokens / shape_.page_tokens;
  const std::int64_t rest = tokens % shape_.page_tokens;
  const Index page = floor_divide(token, shape_.page_tokens);
  const auto add = [&](Local into, const Index& first, std::int64_t pages, std::int64_t rows) {
    kernel.gather(std::move(into), {tensor, {0, 0, kv_head, 0}, {}},
                  {{pages, rows, shape_.head_dim}, {0, row, 1}},
                  {{0, "block_table", {sequence, first}, {1, 0, 0}}});
  };
  if (whole > 0) add(tensor, page, whole, shape_.page_tokens);
  if (rest == 0) return;
  // The last page is not full: its rows follow those of the whole pages in the same tile.
  const Local behind(tensor, {whole * shape_.page_tokens, 0}, {rest, shape_.head_dim});
  add(whole > 0 ? behind : Local(tensor), page + whole, 1, rest);
}

}  // namespace spyre::kernels
