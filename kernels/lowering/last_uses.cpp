#include "kernels/lowering/last_uses.h"

#include <algorithm>

namespace spyre::kernels::lowering {

using ktir::OpCode;
using ktir::Operation;
using ktir::Region;
using ktir::ValueId;

namespace {

/// The body runs several times.
bool repeats(const Operation& op) {
  return op.is(OpCode::scf_for) || op.is(OpCode::ktdp_inter_tile_reduce) ||
         op.is(OpCode::ktdp_inter_tile_reduce_scatter);
}

}  // namespace

bool has_effect(const Operation& op) {
  switch (op.code()) {
    case OpCode::ktdp_store:
    case OpCode::ktdp_inter_tile_produce:
    case OpCode::ktdp_inter_tile_reduce:
    case OpCode::ktdp_inter_tile_consume:
    case OpCode::ktdp_inter_tile_reduce_scatter:
    case OpCode::ktdp_inter_tile_gather:
    case OpCode::ktdp_inter_tile_all_to_all:
    case OpCode::ktdp_inter_tile_scatter:
    case OpCode::func_return:
      return true;
    default:
      break;
  }
  return std::ranges::any_of(op.regions, [](const Region& region) {
    return std::ranges::any_of(region.operations, has_effect);
  });
}

LastUses::LastUses(const ktir::Function& function)
    : definitions_(function.values.size(), -1),
      last_uses_(function.values.size(), -1),
      depths_(function.values.size()),
      used_(function.values.size()) {
  number(function.body);
  while (mark(function.body)) {
  }
  std::vector<const Operation*> loops;
  for (const ValueId id : function.body.arguments) define(id, 0, 0);
  find_uses(function.body, loops);
}

void LastUses::number(const Region& region) {
  for (const Operation& op : region.operations) {
    Span& span = spans_[&op];
    span.begin = next_++;
    has_effect_[&op] = has_effect(op);
    for (const Region& inner : op.regions) number(inner);
    span.end = op.regions.empty() ? span.begin : next_++;
  }
}

bool LastUses::use(ValueId id) {
  if (used_[id]) return false;
  used_[id] = true;
  return true;
}

bool LastUses::matters(const Operation& op) const {
  if (has_effect_.at(&op)) return true;
  return std::ranges::any_of(op.results, [this](ValueId id) { return used_[id]; });
}

bool LastUses::mark(const Region& region) {
  bool changed = false;
  for (auto op = region.operations.rbegin(); op != region.operations.rend(); ++op) {
    changed = mark(*op) || changed;
  }
  return changed;
}

/// True if something was found to be used that was not before.
bool LastUses::mark(const Operation& op) {
  if (!matters(op)) return false;
  bool changed = false;
  if (!op.is(OpCode::scf_for) && !op.is(OpCode::scf_if)) {
    for (const ValueId id : op.operands) changed = use(id) || changed;
    for (const Region& region : op.regions) {
      if (!region.operations.empty()) {
        for (const ValueId id : region.operations.back().operands) changed = use(id) || changed;
      }
      changed = mark(region) || changed;
    }
    return changed;
  }
  for (const ValueId id : op.segment(0)) changed = use(id) || changed;
  for (const Region& region : op.regions) {
    const Operation& yield = region.operations.back();
    for (std::size_t i = 0; i < op.results.size(); ++i) {
      const bool carried = op.is(OpCode::scf_for) && used_[region.arguments[i + 1]];
      if (!used_[op.results[i]] && !carried) continue;
      changed = use(yield.operands[i]) || changed;
      if (op.is(OpCode::scf_for)) changed = use(op.segment(1)[i]) || changed;
    }
    changed = mark(region) || changed;
  }
  return changed;
}

void LastUses::define(ValueId id, std::int64_t position, std::size_t depth) {
  definitions_[id] = position;
  depths_[id] = depth;
}

void LastUses::find_uses(const Region& region, std::vector<const Operation*>& loops) {
  for (const Operation& op : region.operations) {
    const bool yields = op.is(OpCode::scf_yield);
    if (!yields && !op.info->is_terminator() && !matters(op)) continue;
    const Span span = spans_.at(&op);
    for (const ValueId id : op.operands) {
      if (yields && !used_[id]) continue;
      keep_until(id, depths_[id] < loops.size() ? spans_.at(loops[depths_[id]]).end : span.begin);
    }
    if (repeats(op)) loops.push_back(&op);
    for (const Region& inner : op.regions) {
      for (const ValueId id : inner.arguments) define(id, span.begin, loops.size());
      find_uses(inner, loops);
    }
    if (repeats(op)) loops.pop_back();
    for (const ValueId id : op.results) define(id, span.end, loops.size());
  }
}

void LastUses::keep_until(ValueId id, std::int64_t position) {
  last_uses_[id] = std::max(last_uses_[id], position);
}

}  // namespace spyre::kernels::lowering
