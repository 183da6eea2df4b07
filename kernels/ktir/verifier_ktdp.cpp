#include <fmt/format.h>

#include <algorithm>

#include "kernels/ktir/verifier_state.h"

namespace spyre::kernels::ktir {
namespace {

const IntegerSet* set_of(const Operation& op, std::string_view name) {
  const auto* set = value_of<IntegerSetPtr>(op.attribute(name));
  return set == nullptr ? nullptr : set->get();
}

}  // namespace

void FunctionVerifier::check_tile_id(const Operation& op) {
  if (op.results.empty() || op.results.size() > 3 || !op.operands.empty() || !op.regions.empty()) {
    return error(op, "it has one to three results and takes nothing");
  }
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    same(op, result(op, i), Type::index(), "a result");
  }
  const std::size_t entries = function_.grid().size();
  if (entries > 0 && op.results.size() > entries) {
    error(op, fmt::format("it has {} results, the grid {} entries", op.results.size(), entries));
  }
}

void FunctionVerifier::check_memory_view(const Operation& op) {
  if (op.segment(0).size() != 1 || !has_counts(op, op.operands.size(), 1)) {
    return error(op, "it takes one offset");
  }
  const Type& view = result(op);
  if (view.kind != TypeKind::memref) {
    return error(op, fmt::format("it makes a memref, not {}", to_string(view)));
  }
  for (const ValueId id : op.operands) {
    if (!same(op, type(id), Type::index(), shown(id))) return;
  }
  const auto sizes = integers(op, "static_sizes");
  const auto strides = integers(op, "static_strides");
  if (!sizes || !strides) return;
  std::size_t group = 1;
  for (const auto* each : {&*sizes, &*strides}) {
    const auto dynamic = static_cast<std::size_t>(std::ranges::count(*each, kDynamic));
    if (each->size() != view.rank() || op.segment(group).size() != dynamic) {
      return error(op, fmt::format("sizes and strides need {} entries each for {}", view.rank(),
                                   to_string(view)));
    }
    ++group;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < view.rank(); ++i) {
    std::optional<std::int64_t> size = (*sizes)[i];
    if (*size == kDynamic) size = constants_->value(op.segment(1)[next++]);
    if (size && !sizes_agree(*size, view.shape[i])) {
      error(op, fmt::format("size {} is {}, the type is {}", i, *size, to_string(view)));
    }
  }
  const auto* space = value_of<MemorySpace>(op.attribute("memory_space"));
  if (space == nullptr) {
    return error(op,
                 "the attribute 'memory_space' must be #ktdp.memory_space<global> or <ct_local>");
  }
  const std::int64_t cores = function_.core_count();
  if (space->core && function_.attribute("grid") && *space->core >= cores) {
    error(op, fmt::format("core {} is outside the grid of {} cores", *space->core, cores));
  }
  if (op.attribute("coordinate_set")) check_coordinate_set(op, view);
}

/// The set has the view's rank; where its box is known it has the view's size.
void FunctionVerifier::check_coordinate_set(const Operation& op, const Type& view) {
  const IntegerSet* set = set_of(op, "coordinate_set");
  if (set == nullptr || set->dimensions != view.rank()) {
    return error(op, fmt::format("the attribute 'coordinate_set' must be an affine_set of {} "
                                 "dimensions",
                                 view.rank()));
  }
  if (set->symbols > op.segment(1).size()) {
    return error(op, fmt::format("'coordinate_set' has {} symbols for {} dynamic sizes",
                                 set->symbols, op.segment(1).size()));
  }
  const auto symbols = constants_->values(op.segment(1).first(set->symbols));
  if (!symbols) return;
  const std::optional<IndexBox> box = set->box(*symbols);
  if (box && !shapes_agree(box->extents(), view.shape)) {
    warning(op, fmt::format("'coordinate_set' spans {}, the view is {}: the view's type counts",
                            shape_text(box->extents()), to_string(view)));
  }
}

void FunctionVerifier::check_distributed_view(const Operation& op) {
  if (op.operands.empty() || !has_counts(op, op.operands.size(), 1)) {
    return error(op, "it takes at least one view");
  }
  const Type& view = result(op);
  std::vector<IndexBox> boxes;
  for (const ValueId id : op.operands) {
    const Type& part = type(id);
    if (part.kind != TypeKind::memref || view.kind != TypeKind::memref ||
        part.element != view.element || part.rank() != view.rank()) {
      return error(
          op, fmt::format("{} is {}: no part of {}", shown(id), to_string(part), to_string(view)));
    }
    const Operation* definition = uses_->definition(id);
    if (definition == nullptr || !definition->is(OpCode::ktdp_construct_memory_view)) continue;
    const IntegerSet* set = set_of(*definition, "coordinate_set");
    if (set == nullptr || set->symbols != 0 || set->dimensions != view.rank()) continue;
    std::optional<IndexBox> box = set->box({});
    if (!box) continue;
    for (std::size_t d = 0; d < view.rank(); ++d) {
      if (box->low[d] < 0 || (view.shape[d] != kDynamic && box->high[d] >= view.shape[d])) {
        error(op, fmt::format("the part {} covers {} to {} in dimension {}, outside {}", shown(id),
                              box->low[d], box->high[d], d, to_string(view)));
      }
    }
    boxes.push_back(std::move(*box));
  }
  constexpr std::size_t kMostCompared = 256;  // pairs grow with the square
  for (std::size_t i = 0; i < boxes.size() && boxes.size() <= kMostCompared; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      bool overlap = true;
      for (std::size_t d = 0; d < view.rank(); ++d) {
        overlap =
            overlap && boxes[i].low[d] <= boxes[j].high[d] && boxes[j].low[d] <= boxes[i].high[d];
      }
      if (overlap) {
        return warning(
            op,
            fmt::format("parts {} and {} overlap: which of them is read is not specified", j, i));
      }
    }
  }
}

bool FunctionVerifier::check_order(const Operation& op, std::string_view name, std::size_t rank) {
  const auto* map = value_of<AffineMapPtr>(op.attribute(name));
  if (map != nullptr && (*map)->dimensions == rank && (*map)->symbols == 0 &&
      (*map)->as_permutation()) {
    return true;
  }
  error(op, fmt::format("the attribute '{}' must be an affine_map that permutes {} dimensions",
                        name, rank));
  return false;
}

/// The set's extents, permuted by the order, against the tile's type: the type counts.
void FunctionVerifier::check_tile_shape(const Operation& op, const IntegerSet& set,
                                        std::string_view order_name,
                                        std::span<const ValueId> symbols) {
  const Type& tile = result(op);
  if (tile.rank() != set.dimensions) {
    return error(op, fmt::format("{} has another rank than its set of {} dimensions",
                                 to_string(tile), set.dimensions));
  }
  const auto known = constants_->values(symbols);
  const std::optional<IndexBox> box = known ? set.box(*known) : std::nullopt;
  if (!box) return;
  const auto order = (*value_of<AffineMapPtr>(op.attribute(order_name)))->as_permutation();
  const std::vector<std::int64_t> extents = box->extents();
  std::vector<std::int64_t> permuted;
  for (const std::size_t dimension : *order) permuted.push_back(extents[dimension]);
  if (!shapes_agree(permuted, tile.shape)) {
    warning(op, fmt::format("the set spans {} in this order, the tile is {}: the type counts",
                            shape_text(permuted), to_string(tile)));
  }
}

void FunctionVerifier::check_access_tile(const Operation& op) {
  if (op.segment(0).size() != 1 || !has_counts(op, op.operands.size(), 1)) {
    return error(op, "it takes one view");
  }
  const Type& view = operand(op, 0);
  const Type& tile = result(op);
  if (view.kind != TypeKind::memref || tile.kind != TypeKind::access_tile) {
    return error(op, fmt::format("it makes an access tile of a memref, not {} of {}",
                                 to_string(tile), to_string(view)));
  }
  for (const ValueId id : std::span(op.operands).subspan(1)) {
    if (!same(op, type(id), Type::index(), shown(id))) return;
  }
  const auto* base = value_of<AffineMapPtr>(op.attribute("base_map"));
  if (base == nullptr || (*base)->dimensions != op.segment(1).size() || (*base)->symbols != 0) {
    return error(op, "the attribute 'base_map' must be an affine_map over the subscripts' values");
  }
  if ((*base)->results.size() != view.rank()) {
    return error(op, fmt::format("{} subscripts for {}", (*base)->results.size(), to_string(view)));
  }
  const IntegerSet* set = set_of(op, "access_tile_set");
  if (set == nullptr || set->dimensions != view.rank()) {
    return error(op, fmt::format("the attribute 'access_tile_set' must be an affine_set of {} "
                                 "dimensions",
                                 view.rank()));
  }
  if (!op.segment(2).empty() && set->symbols != op.segment(2).size()) {
    return error(op, fmt::format("'access_tile_set' has {} symbols, {} values are bound to them",
                                 set->symbols, op.segment(2).size()));
  }
  if (!check_order(op, "access_tile_order", view.rank())) return;
  check_tile_shape(op, *set, "access_tile_order", op.segment(2));
  check_inside_view(op, *set);
}

/// Where base, set and view are known before the run, no coordinate may lie outside the view.
void FunctionVerifier::check_inside_view(const Operation& op, const IntegerSet& set) {
  const auto bases = constants_->values(op.segment(1));
  const auto symbols = constants_->values(op.segment(2));
  if (!bases || !symbols) return;
  const std::optional<IndexBox> box = set.box(*symbols);
  if (!box) return;
  const Type& view = operand(op, 0);
  const AffineMap& map = **value_of<AffineMapPtr>(op.attribute("base_map"));
  const std::vector<std::int64_t> extents = box->extents();
  if (std::ranges::find(extents, 0) != extents.end()) return;
  for (std::size_t d = 0; d < view.rank(); ++d) {
    const std::optional<std::int64_t> base = map.results[d].evaluate(*bases, {});
    std::int64_t low = 0;
    std::int64_t high = 0;
    if (!base || __builtin_add_overflow(*base, box->low[d], &low) ||
        __builtin_add_overflow(*base, box->high[d], &high)) {
      return error(op, fmt::format("the base of dimension {} cannot be computed", d));
    }
    const bool above = view.shape[d] != kDynamic && high >= view.shape[d];
    if (low < 0 || above) {
      return error(op, fmt::format("the tile covers {} to {} in dimension {}, outside {}", low,
                                   high, d, to_string(view)));
    }
  }
}

void FunctionVerifier::check_transfer(const Operation& op) {
  const bool load = op.is(OpCode::ktdp_load);
  if (!has_counts(op, load ? 1 : 2, load ? 1 : 0)) return;
  const ValueId tile_id = load ? op.operands[0] : op.operands[1];
  const Type& tile = type(tile_id);
  const Type& tensor = load ? result(op) : operand(op, 0);
  if (tile.kind != TypeKind::access_tile || !tensor.is_tensor()) {
    return error(op, fmt::format("it moves a tensor by an access tile, not {} by {}",
                                 to_string(tensor), to_string(tile)));
  }
  if (tensor.shape != tile.shape) {
    return error(
        op, fmt::format("{} does not have the shape of {}", to_string(tensor), to_string(tile)));
  }
  const Operation* definition = uses_->definition(tile_id);
  if (definition == nullptr || definition->operands.empty()) return;
  const Type& view = operand(*definition, 0);
  if (view.kind == TypeKind::memref && view.element != tensor.element) {
    error(op, fmt::format("the view holds {}, the tensor {}: a transfer converts nothing",
                          to_string(view.element), to_string(tensor.element)));
  }
}

void FunctionVerifier::check_runtime_arg_extract(const Operation& op) {
  if (!has_counts(op, 1, 1)) return;
  const Type& argument = operand(op, 0);
  if (argument.kind != TypeKind::runtime_arg) {
    return error(op, fmt::format("it takes a runtime argument, not {}", to_string(argument)));
  }
  const auto* field = value_of<StringValue>(op.attribute("field"));
  if (field == nullptr ||
      (field->text != "value" && field->text != "granularity" && field->text != "upperbound")) {
    return error(op, "the attribute 'field' must be value, granularity or upperbound");
  }
  if ((field->text == "granularity" && !argument.granularity) ||
      (field->text == "upperbound" && !argument.upper_bound)) {
    error(op, fmt::format("{} has no {}", to_string(argument), field->text));
  }
  same(op, result(op), Type::scalar(argument.element), "the result");
}

}  // namespace spyre::kernels::ktir
