// Access tiles with numbers in place of SSA values, and what a load or store of one touches.
//
// Modelled: tiles over any integer set, tiles that spread over the parts of a distributed view,
// indirect tiles whose indices lie in DRAM. Not modelled: the ends of a view: a tile that reaches
// past them counts in full, as in ktir-cpu (vector_add_dynamic).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/ktir/memory_view.h"

namespace spyre::kernels::ktir {

/// The result of construct_access_tile or construct_indirect_access_tile.
struct AccessTile {
  const Operation* op = nullptr;
  MemoryViewPtr view;
  std::vector<std::int64_t> base;          ///< direct: coordinate of the set's origin
  std::vector<std::int64_t> symbols;       ///< of the set
  std::vector<MemoryViewPtr> index_views;  ///< indirect
  std::vector<std::int64_t> captured;      ///< indirect: values in the subscripts
  std::vector<std::int64_t> shape;         ///< of the type

  [[nodiscard]] bool is_indirect() const {
    return op->is(OpCode::ktdp_construct_indirect_access_tile);
  }
  [[nodiscard]] const IntegerSet& set() const;
  /// Which dimension of the set each dimension of the tensor is.
  [[nodiscard]] std::vector<std::size_t> order() const;
};
using AccessTilePtr = std::shared_ptr<const AccessTile>;

/// What one load or store moves.
struct Footprint {
  std::int64_t dram_sticks = 0;
  std::int64_t local_bytes = 0;  ///< in LX memories
  std::int64_t points = 0;       ///< gone through one by one to find out
};

[[nodiscard]] Footprint footprint_of(const AccessTile& tile, const ReadInteger& read,
                                     const Site& site);

/// The integer that a load of the tile puts at `index` of its tensor.
[[nodiscard]] std::int64_t integer_at(const AccessTile& tile, std::span<const std::int64_t> index,
                                      const ReadInteger& read, const Site& site);

}  // namespace spyre::kernels::ktir
