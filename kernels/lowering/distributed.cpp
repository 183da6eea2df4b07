// Views that are put together from partitions: a transfer per partition of what it holds of the
// tile.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {

void Lowerer::lower_distributed_view(const Operation& op) {
  View whole;
  whole.distributed = true;
  for (const ValueId id : op.operands) {
    const auto* view = std::get_if<View>(&state_.values[id]);
    if (view == nullptr || view->parts.size() != 1 || view->distributed) {
      fail(op, fmt::format("{} is no plain view of memory", shown(id)));
    }
    MemoryView part = view->parts.front();
    const auto* set_of_coordinates =
        ktir::value_of<ktir::IntegerSetPtr>(part.op->attribute("coordinate_set"));
    if (set_of_coordinates == nullptr) {
      fail(op, fmt::format("{} has no coordinate_set, which says what it holds", shown(id)));
    }
    std::vector<std::int64_t> symbols;
    for (const ValueId size : part.op->segment(1)) {
      symbols.push_back(known_integer(size, op, "a size"));
    }
    symbols.resize((*set_of_coordinates)->symbols);
    const auto box = (*set_of_coordinates)->box(symbols);
    if (!box) {
      fail(op, fmt::format("the coordinate_set of {} is no box: supported are bounds of one "
                           "dimension each",
                           shown(id)));
    }
    part.box = {box->low, box->extents()};
    whole.shape.resize(part.shape.size());
    for (std::size_t d = 0; d < part.shape.size(); ++d) {
      if (part.box.size[d] > part.shape[d]) {
        fail(op, fmt::format("{} holds coordinates beyond its size in dimension {}", shown(id), d));
      }
      whole.shape[d] = std::max(whole.shape[d], part.box.low[d] + part.box.size[d]);
    }
    whole.parts.push_back(std::move(part));
  }
  const Shape& typed = type(op.results[0]).shape;
  for (std::size_t d = 0; d < typed.size(); ++d) {
    if (typed[d] != ktir::kDynamic) whole.shape[d] = typed[d];
  }
  set(op.results[0], std::move(whole));
}

namespace {

/// Where a tile meets a partition along one dimension of the tile.
struct Meeting {
  Integer low, size;   ///< coordinates of the whole view
  Integer condition;   ///< they meet at all
  bool whole = false;  ///< the partition then holds all of the tile's dimension
};

Meeting meeting(const Integer& base, std::int64_t extent, std::int64_t low, std::int64_t size) {
  Meeting result;
  result.condition = both(less(base, low + size), less(low, base + extent));
  // Where tiles and partitions begin at multiples of the tile's size, a tile is inside or outside.
  const bool inside = base.range().within(low, low + size - extent);
  const bool aligned = base.divisor() % extent == 0 && low % extent == 0 && size % extent == 0;
  if (inside || aligned) {
    result.low = base;
    result.size = extent;
    result.whole = true;
    return result;
  }
  result.low = maximum(base, low);
  result.size = minimum(base + extent, low + size) - result.low;
  return result;
}

}  // namespace

void Lowerer::transfer_distributed(const Operation& op, const DirectTile& tile, BufferId buffer) {
  Program& program = state_.program;
  const Geometry geometry = program.geometry(buffer);
  const Shape shape = tile.shape();
  for (const MemoryView& part : tile.view.parts) {
    std::vector<Meeting> meetings;
    Integer condition = 1;
    bool whole = true;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::size_t d = tile.order[i];
      meetings.push_back(meeting(tile.base[d], shape[i], part.box.low[d], part.box.size[d]));
      condition = both(condition, meetings.back().condition);
      whole = whole && meetings.back().whole;
    }
    if (condition.is(0)) continue;
    std::vector<Integer> at;
    std::vector<Integer> size;
    Integer row;
    Integer rows = 1;
    bool whole_from_here = true;  // all row dimensions further in are whole
    for (std::size_t i = shape.size(); i-- > 0;) {
      const std::size_t d = tile.order[i];
      at.insert(at.begin(), meetings[i].low - part.box.low[d]);
      size.insert(size.begin(), meetings[i].size);
      if (i + 1 == shape.size()) continue;
      if (shape[i] > 1 && !whole_from_here) {
        fail(op,
             "a partition holds part of several dimensions of the tile, whose rows then do not "
             "follow each other: load smaller tiles");
      }
      whole_from_here = whole_from_here && meetings[i].whole;
      const std::int64_t below = elements_of(shape) / geometry.columns;
      std::int64_t inner = below;
      for (std::size_t j = 0; j <= i; ++j) inner /= shape[j];
      row = row + (meetings[i].low - tile.base[d]) * inner;
      rows = rows * meetings[i].size;
    }
    BufferTile local = program.whole(buffer);
    if (!whole) {
      const std::size_t last = tile.order.back();
      local.at = {row.expression(), (meetings.back().low - tile.base[last]).expression()};
      local.size = {rows.expression(), meetings.back().size.expression()};
    }
    program.push_condition(condition);
    transfer(op, part, tile.order, at, size, std::move(local));
    program.pop_condition();
  }
}

}  // namespace spyre::kernels::lowering
