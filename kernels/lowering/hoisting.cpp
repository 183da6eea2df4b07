// Which loads can leave a loop: those that are the same in every turn, where no store of the loop
// may write what they read.
#include <algorithm>

#include "kernels/lowering/element_type.h"
#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {

/// What a tile or view covers, in elements of its memory.
Range covered(const MemoryView& view, const std::vector<Integer>& base, const Shape& extent) {
  Range range = view.base.range();
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    const Range first = base.empty() ? Range{0, 0} : base[d].range();
    const std::int64_t size = base.empty() ? view.shape[d] : extent[d];
    range = range + (first + Range{0, std::max<std::int64_t>(size - 1, 0)}) *
                        Range{view.strides[d], view.strides[d]};
  }
  return range;
}

namespace {

bool overlap(const MemoryView& a, const Range& x, const MemoryView& b, const Range& y) {
  if (a.space.kind != b.space.kind) return false;
  if (a.space.core && b.space.core && a.space.core != b.space.core) return false;
  const std::int64_t a_bytes = element_bytes(a.element);
  const std::int64_t b_bytes = element_bytes(b.element);
  const Range first = x * Range{a_bytes, a_bytes} + Range{0, a_bytes - 1};
  const Range second = y * Range{b_bytes, b_bytes} + Range{0, b_bytes - 1};
  return first.low <= second.high && second.low <= first.high;
}

void find_stores(const ktir::Region& region, std::vector<const Operation*>& stores) {
  for (const Operation& op : region.operations) {
    if (op.is(OpCode::ktdp_store)) stores.push_back(&op);
    for (const ktir::Region& inner : op.regions) find_stores(inner, stores);
  }
}

}  // namespace

/// Whether the store may write what the load reads, as far as both are known yet.
bool Lowerer::may_alias(const Operation& load, const Operation& store) const {
  const auto* from = std::get_if<DirectTile>(&state_.values[load.operands[0]]);
  if (from == nullptr) return true;
  const ValueId tile_id = store.operands[1];
  const auto* to = std::get_if<DirectTile>(&state_.values[tile_id]);
  const View* view = to == nullptr ? nullptr : &to->view;
  const Operation* made = uses_.definition(tile_id);
  if (view == nullptr && made != nullptr) {
    view = std::get_if<View>(&state_.values[made->operands[0]]);
  }
  if (view == nullptr) return true;
  for (const MemoryView& a : from->view.parts) {
    for (const MemoryView& b : view->parts) {
      const bool exact = to != nullptr && !view->distributed;
      const Range x =
          from->view.distributed ? covered(a, {}, {}) : covered(a, from->base, from->extent);
      const Range y = exact ? covered(b, to->base, to->extent) : covered(b, {}, {});
      if (overlap(a, x, b, y)) return true;
    }
  }
  return false;
}

/// The outermost scope that the load can move to: it is the same in every turn of the loops
/// between, and nothing in them writes what it reads.
std::optional<std::size_t> Lowerer::hoisted_scope(const Operation& op) const {
  const auto* tile = std::get_if<DirectTile>(&state_.values[op.operands[0]]);
  if (!options_.hoist_loads || tile == nullptr || conditions_ > 0) return std::nullopt;
  std::optional<std::size_t> scope;
  for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
    const auto varies = [&](const Integer& value) { return value.uses(loop->variable); };
    if (std::ranges::any_of(tile->base, varies)) break;
    if (std::ranges::any_of(tile->view.parts,
                            [&](const MemoryView& part) { return varies(part.base); })) {
      break;
    }
    std::vector<const Operation*> stores;
    find_stores(loop->op->regions[0], stores);
    if (std::ranges::any_of(stores,
                            [&](const Operation* store) { return may_alias(op, *store); })) {
      break;
    }
    scope = loop->outer_scope;
    if (loop->conditional) break;
  }
  return scope;
}

}  // namespace spyre::kernels::lowering
