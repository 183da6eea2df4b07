#include <fmt/format.h>

#include "kernels/ktir/verifier_state.h"

namespace spyre::kernels::ktir {
namespace {

struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// sum += factor * value; false if it does not fit.
bool add_product(std::int64_t& sum, std::int64_t factor, std::int64_t value) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(factor, value, &product) &&
         !__builtin_add_overflow(sum, product, &sum);
}

/// The values of a linear form over a box; nothing if they do not fit in 64 bits.
std::optional<Range> range_of(const LinearForm& form, const IndexBox& box) {
  Range range{form.constant, form.constant};
  for (std::size_t v = 0; v < form.coefficients.size(); ++v) {
    const std::int64_t factor = form.coefficients[v];
    const bool rising = factor > 0;
    if (!add_product(range.low, factor, rising ? box.low[v] : box.high[v])) return std::nullopt;
    if (!add_product(range.high, factor, rising ? box.high[v] : box.low[v])) return std::nullopt;
  }
  return range;
}

}  // namespace

void FunctionVerifier::check_indirect_access_tile(const Operation& op) {
  const std::span<const ValueId> views = op.segment(1);
  if (op.segment(0).size() != 1 || !has_counts(op, op.operands.size(), 1)) {
    return error(op, "it takes one base view");
  }
  const Type& base = operand(op, 0);
  const Type& tile = result(op);
  if (base.kind != TypeKind::memref || tile.kind != TypeKind::access_tile) {
    return error(op, fmt::format("it makes an access tile of a memref, not {} of {}",
                                 to_string(tile), to_string(base)));
  }
  for (const ValueId id : std::span(op.operands).subspan(1 + views.size())) {
    if (!same(op, type(id), Type::index(), shown(id))) return;
  }
  const auto* set = value_of<IntegerSetPtr>(op.attribute("variables_space_set"));
  if (set == nullptr) {
    return error(op, "the attribute 'variables_space_set' must be an affine_set");
  }
  if ((*set)->symbols != op.segment(3).size()) {
    return error(op,
                 fmt::format("'variables_space_set' has {} symbols, {} values are bound to them",
                             (*set)->symbols, op.segment(3).size()));
  }
  const auto* maps = value_of<ArrayValue>(op.attribute("subscript_maps"));
  const auto indices = integers(op, "index_views");
  if (!indices) return;
  if (maps == nullptr || maps->elements.size() != base.rank() || indices->size() != base.rank()) {
    return error(op, fmt::format("it needs one subscript per dimension of {}", to_string(base)));
  }
  for (std::size_t d = 0; d < base.rank(); ++d) {
    const auto* map = value_of<AffineMapPtr>(maps->elements[d]);
    if (map == nullptr || (*map)->dimensions != (*set)->dimensions ||
        (*map)->symbols != op.segment(2).size()) {
      return error(op, fmt::format("there are as many intermediate variables as dimensions in "
                                   "'variables_space_set': {}",
                                   (*set)->dimensions));
    }
    const std::int64_t index = (*indices)[d];
    if (index < -1 || index >= static_cast<std::int64_t>(views.size())) {
      return error(op, fmt::format("subscript {} names no index view", d));
    }
    if (index == -1) {
      if ((*map)->results.size() == 1) continue;
      return error(op, fmt::format("subscript {} needs one expression", d));
    }
    const Type& view = type(views[static_cast<std::size_t>(index)]);
    if (view.kind != TypeKind::memref || view.element.is_float()) {
      return error(op, fmt::format("subscript {} reads indices from {}: it must be a memref of "
                                   "integers",
                                   d, to_string(view)));
    }
    if (view.rank() != (*map)->results.size()) {
      return error(op, fmt::format("subscript {} has {} expressions for {}", d,
                                   (*map)->results.size(), to_string(view)));
    }
  }
  if (!check_order(op, "variables_space_order", (*set)->dimensions)) return;
  check_tile_shape(op, **set, "variables_space_order", op.segment(3));
  check_index_ranges(op, **set);
}

/// Warns where a subscript that is linear and known before the run leaves its view: such a tile may
/// be built, but not loaded.
void FunctionVerifier::check_index_ranges(const Operation& op, const IntegerSet& set) {
  const auto symbols = constants_->values(op.segment(3));
  const auto captured = constants_->values(op.segment(2));
  const std::optional<IndexBox> box = symbols ? set.box(*symbols) : std::nullopt;
  if (!box || !captured) return;
  const auto& maps = value_of<ArrayValue>(op.attribute("subscript_maps"))->elements;
  const std::vector<std::int64_t> indices = *integers_of(op.attribute("index_views"));
  for (std::size_t d = 0; d < maps.size(); ++d) {
    const AffineMap& map = **value_of<AffineMapPtr>(maps[d]);
    const bool direct = indices[d] < 0;
    const Type& view =
        direct ? operand(op, 0) : type(op.segment(1)[static_cast<std::size_t>(indices[d])]);
    for (std::size_t i = 0; i < map.results.size(); ++i) {
      const auto form = map.results[i].linear_form(map.dimensions, *captured);
      if (!form) continue;
      const std::int64_t size = view.shape[direct ? d : i];
      const std::optional<Range> range = range_of(*form, *box);
      if (range && range->low >= 0 && (size == kDynamic || range->high < size)) continue;
      return warning(
          op, fmt::format("subscript {} leaves {} for some of the variables", d, to_string(view)));
    }
  }
}

}  // namespace spyre::kernels::ktir
