// Tiles whose coordinates come from index tables: gather and scatter.
//
// A gather takes every coordinate as a base plus multiples of the tile's positions. A subscript
// that divides a variable becomes such a sum when the variable is split in two: v = outer * c +
// inner.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {

void Lowerer::lower_indirect_tile(const Operation& op) {
  IndirectTile tile;
  tile.view = std::get<View>(state_.values[op.segment(0)[0]]);
  const std::vector<std::int64_t> tables = *ktir::integers_of(op.attribute("index_views"));
  const auto& maps = ktir::value_of<ktir::ArrayValue>(op.attribute("subscript_maps"))->elements;
  for (std::size_t d = 0; d < maps.size(); ++d) {
    IndirectTile::Subscript subscript;
    subscript.map = **ktir::value_of<ktir::AffineMapPtr>(maps[d]);
    if (tables[d] >= 0) {
      subscript.table =
          std::get<View>(state_.values[op.segment(1)[static_cast<std::size_t>(tables[d])]]);
    }
    tile.subscripts.push_back(std::move(subscript));
  }
  for (const ValueId id : op.segment(2)) tile.captured.push_back(integer(id, op));
  std::vector<std::int64_t> symbols;
  for (const ValueId id : op.segment(3)) symbols.push_back(known_integer(id, op, "a symbol"));
  const auto& space = **ktir::value_of<ktir::IntegerSetPtr>(op.attribute("variables_space_set"));
  const auto box = space.box(symbols);
  if (!box)
    fail(op, "its variables_space_set is no box: supported are bounds of one variable each");
  tile.low = box->low;
  tile.extent = box->extents();
  const auto order = *ktir::value_of<ktir::AffineMapPtr>(op.attribute("variables_space_order"));
  tile.order = *order->as_permutation();
  const Shape& typed = type(op.results[0]).shape;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    if (typed[i] != ktir::kDynamic) tile.extent[tile.order[i]] = typed[i];
  }
  set(op.results[0], std::move(tile));
}

namespace {

/// The constants that subscripts divide the variable by.
void find_divisors(const ktir::AffineExpr& expression, std::vector<std::int64_t>& divisors) {
  for (const ktir::AffineNode& node : expression.nodes()) {
    const bool divides =
        node.kind == ktir::AffineKind::floor_divide || node.kind == ktir::AffineKind::modulo;
    if (!divides) continue;
    const ktir::AffineNode& by = expression.nodes()[node.right];
    if (by.kind == ktir::AffineKind::constant) divisors.push_back(by.value);
  }
}

bool divides_variable(const ktir::AffineExpr& expression, std::size_t variable) {
  for (const ktir::AffineNode& node : expression.nodes()) {
    const bool divides =
        node.kind == ktir::AffineKind::floor_divide || node.kind == ktir::AffineKind::modulo;
    if (!divides) continue;
    // Anything in the dividend counts: too many splits cost nothing.
    std::vector<std::uint32_t> open{node.left};
    while (!open.empty()) {
      const ktir::AffineNode& each = expression.nodes()[open.back()];
      open.pop_back();
      if (each.kind == ktir::AffineKind::dimension &&
          static_cast<std::size_t>(each.value) == variable) {
        return true;
      }
      if (each.kind == ktir::AffineKind::constant || each.kind == ktir::AffineKind::dimension ||
          each.kind == ktir::AffineKind::symbol) {
        continue;
      }
      open.push_back(each.left);
      if (each.kind != ktir::AffineKind::negate) open.push_back(each.right);
    }
  }
  return false;
}

/// A dimension of the tile: a variable, or the outer or inner part of one.
struct TileDimension {
  std::string name;
  std::int64_t size = 1;
};

}  // namespace

/// The transfer but for its buffer; tile_dims says which geometry the buffer has.
TransferStatement Lowerer::indirect_transfer(const Operation& op, const IndirectTile& tile) {
  if (tile.view.distributed) fail(op, "an indirect tile of a distributed view is not supported");
  const MemoryView& view = tile.view.parts.front();
  if (view.space.kind != ktir::MemorySpace::Kind::global) {
    fail(op, "an indirect tile must lie in global memory");
  }
  std::vector<TileDimension> dims;
  std::vector<Integer> variables(tile.order.size());
  for (const std::size_t v : tile.order) {
    const std::int64_t size = tile.extent[v];
    std::vector<std::int64_t> divisors;
    for (const IndirectTile::Subscript& subscript : tile.subscripts) {
      for (const ktir::AffineExpr& each : subscript.map.results) {
        if (divides_variable(each, v)) find_divisors(each, divisors);
      }
    }
    std::erase_if(divisors, [&](std::int64_t by) { return by <= 1 || by >= size; });
    const std::string name = fmt::format("v{}", v);
    if (divisors.empty()) {
      dims.push_back({name, size});
      variables[v] = Integer::variable(name, {0, size - 1}) + tile.low[v];
      continue;
    }
    const std::int64_t by = divisors.front();
    const bool one = std::ranges::all_of(divisors, [&](std::int64_t each) { return each == by; });
    if (!one || size % by != 0) {
      fail(op, fmt::format("a variable of {} values is divided by {}: it must be a multiple, and "
                           "divided by one number only",
                           size, by));
    }
    dims.push_back({name + "_outer", size / by});
    dims.push_back({name + "_inner", by});
    variables[v] = Integer::variable(dims[dims.size() - 2].name, {0, size / by - 1}) * by +
                   Integer::variable(dims.back().name, {0, by - 1}) + tile.low[v];
  }
  // Each subscript: what does not depend on the position, and a factor per dimension.
  const auto split = [&](const ktir::AffineExpr& expression, std::vector<std::int64_t>& factors) {
    const auto value = evaluate(expression, variables, tile.captured);
    if (!value) fail(op, "a subscript divides by a number that may not be positive");
    Integer rest = *value;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      factors[i] = rest.factor(dims[i].name);
      rest = rest.without(dims[i].name);
    }
    for (const TileDimension& dim : dims) {
      if (rest.uses(dim.name)) {
        fail(op, fmt::format("subscript {} is no sum of multiples of the variables, also where "
                             "they are split by what they are divided by",
                             value->text()));
      }
    }
    return rest;
  };
  TransferStatement result;
  result.opcode = op.is(OpCode::ktdp_load) ? models::Opcode::gather : models::Opcode::scatter;
  for (const TileDimension& dim : dims) result.tile_dims.push_back(dim.size);
  if (dims.empty()) {
    result.tile_dims = {1};
    dims.push_back({"v", 1});
  }
  result.tile_strides.assign(dims.size(), 0);
  const Integer moved = view.base.constant() < 0 ? view.base : view.base.without_constant();
  if (!moved.is(0)) result.remote.offset = moved.expression();
  for (std::size_t d = 0; d < tile.subscripts.size(); ++d) {
    const IndirectTile::Subscript& subscript = tile.subscripts[d];
    std::vector<std::int64_t> factors(dims.size(), 0);
    if (!subscript.table) {
      const Integer first = split(subscript.map.results.front(), factors);
      std::int64_t reach = 0;
      for (std::size_t i = 0; i < dims.size(); ++i) {
        result.tile_strides[i] += factors[i] * view.strides[d];
        reach += std::max<std::int64_t>(factors[i], 0) * (dims[i].size - 1);
      }
      if (first.range().low + reach >= view.shape[d] || first.range().high < 0) {
        fail(op,
             fmt::format("subscript {} leaves the view, whose size is {} there", d, view.shape[d]));
      }
      result.remote.at.push_back(first.expression());
      continue;
    }
    const MemoryView& table = subscript.table->parts.front();
    const bool plain = !subscript.table->distributed &&
                       table.space.kind == ktir::MemorySpace::Kind::global &&
                       table.element.is_integer() && table.element.width == 32;
    if (!plain) {
      fail(op, "index tables are supported as plain views of global memory that hold i32");
    }
    IndexedDim indexed;
    indexed.dim = d;
    indexed.table =
        memory_tensor(op, table, table.shape, table.strides, std::nullopt, TensorKind::index);
    indexed.position = module_.position(op.where);
    indexed.along.assign(dims.size(), 0);
    if (!table.base.is_constant()) {
      fail(op,
           "the base of an index table differs between cores or turns of a loop: add the "
           "difference to the subscripts");
    }
    for (std::size_t t = 0; t < table.shape.size(); ++t) {
      std::vector<std::int64_t> steps(dims.size(), 0);
      const Integer first = split(subscript.map.results[t], steps);
      for (std::size_t i = 0; i < dims.size(); ++i) indexed.along[i] += steps[i] * table.strides[t];
      indexed.at.push_back(first.expression());
    }
    if (table.shape.empty()) indexed.at.emplace_back(0);
    result.remote.at.emplace_back(0);
    result.indexed.push_back(std::move(indexed));
  }
  if (tile.subscripts.empty()) result.remote.at.emplace_back(0);
  result.remote.tensor =
      memory_tensor(op, view, view.shape, view.strides, std::nullopt, TensorKind::activation);
  return result;
}

void Lowerer::load_indirect(const Operation& op, const IndirectTile& tile) {
  TransferStatement transfer = indirect_transfer(op, tile);
  const ScalarType element = tile.view.parts.front().element;
  const std::int64_t columns = transfer.tile_dims.back();
  const std::int64_t elements = elements_of(transfer.tile_dims);
  const BufferId buffer = new_buffer(op, tile_type_of(element, op), {elements / columns, columns});
  transfer.local = state_.program.whole(buffer);
  state_.program.add(std::move(transfer));
  Shape shape;
  for (const std::size_t v : tile.order) shape.push_back(tile.extent[v]);
  set(op.results[0], dense(element, shape, buffer));
}

void Lowerer::store_indirect(const Operation& op, const IndirectTile& tile,
                             const TensorValue& value) {
  if (!value.cut.empty()) {
    fail(op,
         "the tensor comes from a view that may end inside the tile: a scatter needs all of it");
  }
  TransferStatement transfer = indirect_transfer(op, tile);
  const std::int64_t columns = transfer.tile_dims.back();
  const Geometry geometry{elements_of(transfer.tile_dims) / columns, columns};
  transfer.local = state_.program.tile(arranged(op, value, geometry));
  state_.program.add(std::move(transfer));
}

}  // namespace spyre::kernels::lowering
