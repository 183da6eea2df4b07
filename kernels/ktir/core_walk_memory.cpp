#include <algorithm>

#include "kernels/ktir/core_walk.h"
#include "kernels/ktir/touched_sticks.h"

namespace spyre::kernels::ktir {
namespace {

IntegerSetPtr set_of(const Operation& op, std::string_view name) {
  const auto* set = value_of<IntegerSetPtr>(op.attribute(name));
  return set == nullptr ? nullptr : *set;
}

}  // namespace

const MemoryViewPtr& CoreWalk::view(const Operation& op, ValueId id) const {
  if (const auto* found = bound<MemoryViewPtr>(id)) return *found;
  site(op).fail("its view is not built in this function, so its place in memory is not known");
}

void CoreWalk::bind_view(const Operation& op) {
  auto made = std::make_shared<MemoryView>();
  made->element = type(op.results[0]).element;
  ViewPart part;
  const std::int64_t bytes = made->element_bytes();
  const auto in_bytes = [&](std::int64_t elements) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(elements, bytes, &result)) {
      site(op).fail("an address does not fit in 64 bits");
    }
    return result;
  };
  part.byte = in_bytes(integer(op, op.segment(0)[0]));
  part.symbols = integers(op, op.segment(1));
  part.sizes = *integers_of(op.attribute("static_sizes"));
  part.strides = *integers_of(op.attribute("static_strides"));
  std::size_t next = 0;
  for (std::int64_t& size : part.sizes) {
    if (size == kDynamic) size = part.symbols[next++];
  }
  next = 0;
  for (std::int64_t& stride : part.strides) {
    if (stride == kDynamic) stride = integer(op, op.segment(2)[next++]);
    stride = in_bytes(stride);
  }
  const auto* space = value_of<MemorySpace>(op.attribute("memory_space"));
  part.is_local = space != nullptr && (space->kind == MemorySpace::Kind::ct_local ||
                                       space->kind == MemorySpace::Kind::l0);
  part.coordinates = set_of(op, "coordinate_set");
  made->parts.push_back(std::move(part));
  values_[op.results[0]] = MemoryViewPtr(std::move(made));
}

void CoreWalk::bind_distributed_view(const Operation& op) {
  auto made = std::make_shared<MemoryView>();
  made->element = type(op.results[0]).element;
  made->is_distributed = true;
  for (const ValueId id : op.operands) {
    for (ViewPart part : view(op, id)->parts) {
      if (part.coordinates != nullptr) {
        std::vector<std::int64_t> symbols = part.symbols;
        symbols.resize(std::max(symbols.size(), part.coordinates->symbols));
        part.box = part.coordinates->box(symbols);
      }
      if (!part.box) site(op).fail("a part's 'coordinate_set' is absent or no box: not supported");
      made->parts.push_back(std::move(part));
    }
  }
  values_[op.results[0]] = MemoryViewPtr(std::move(made));
}

void CoreWalk::bind_tile(const Operation& op) {
  auto tile = std::make_shared<AccessTile>();
  tile->op = &op;
  tile->view = view(op, op.segment(0)[0]);
  tile->shape = type(op.results[0]).shape;
  if (tile->is_indirect()) {
    for (const ValueId id : op.segment(1)) tile->index_views.push_back(view(op, id));
    tile->captured = integers(op, op.segment(2));
    tile->symbols = integers(op, op.segment(3));
  } else {
    const std::vector<std::int64_t> captured = integers(op, op.segment(1));
    for (const AffineExpr& subscript :
         (*value_of<AffineMapPtr>(op.attribute("base_map")))->results) {
      const std::optional<std::int64_t> value = subscript.evaluate(captured, {});
      if (!value) site(op).fail("a subscript cannot be computed");
      tile->base.push_back(*value);
    }
    tile->symbols = integers(op, op.segment(2));
    // Without symbols(...) the set's symbols are the view's dynamic sizes (ktir.md 1.2).
    if (tile->symbols.empty()) tile->symbols = tile->view->parts.front().symbols;
  }
  values_[op.results[0]] = AccessTilePtr(std::move(tile));
}

/// Sticks over the core's share of the bandwidth. A view that mixes DRAM and LX takes the longer of
/// both, and what lies in LX counts as bytes moved too (distributed-view-copy).
void CoreWalk::visit_transfer(const Operation& op) {
  const bool is_load = op.is(OpCode::ktdp_load);
  const auto* tile = bound<AccessTilePtr>(op.operands[is_load ? 0 : 1]);
  if (tile == nullptr) {
    site(op).fail("its access tile is not built in this function, so its place is not known");
  }
  const Footprint moved = footprint_of(**tile, context_.read, site(op));
  count_work(op, moved.points);
  std::int64_t bytes = moved.dram_sticks * kStickBytes;
  const double share = kDramBytesPerCycle / static_cast<double>(context_.cores);
  double cycles = static_cast<double>(bytes) / share;
  const auto& parts = (*tile)->view->parts;
  const auto local = [](const ViewPart& part) { return part.is_local; };
  if (std::ranges::any_of(parts, local) && !std::ranges::all_of(parts, local)) {
    cycles = std::max(cycles, static_cast<double>(moved.local_bytes) / kLocalBytesPerCycle);
    bytes += moved.local_bytes;
  }
  costs_.memory += cycles;
  add_to(context_.hbm_bytes, bytes, op);
  if (!is_load || type(op.results[0]).element.is_float()) return;
  if (!type(op.results[0]).is_static()) return;
  values_[op.results[0]] =
      std::make_shared<const LoadedIntegers>(LoadedIntegers{*tile, type(op.results[0]).shape});
}

}  // namespace spyre::kernels::ktir
