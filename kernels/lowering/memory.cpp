// Views of memory, tiles of them, loads and stores.
//
// A view becomes a tensor with strides at a fixed address; what of its base differs between cores
// or turns of a loop goes into every transfer as an offset.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/lowering/element_type.h"
#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {

void Lowerer::lower_tile_id(const Operation& op) {
  const Program::Grid& grid = state_.program.grid();
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    set(op.results[i],
        i < grid.size() ? Integer::variable(grid[i].first, {0, grid[i].second - 1}) : Integer(0));
  }
}

void Lowerer::lower_runtime_arg(const Operation& op) {
  const ktir::Type& argument = type(op.operands[0]);
  const std::string& field = ktir::value_of<ktir::StringValue>(op.attribute("field"))->text;
  if (field == "granularity") return set(op.results[0], Integer(*argument.granularity));
  if (field == "upperbound") return set(op.results[0], Integer(*argument.upper_bound));
  const std::int64_t value = known_integer(op.operands[0], op, "the argument");
  if (argument.granularity && value % *argument.granularity != 0) {
    fail(op, fmt::format("the argument is {}, which is no multiple of its granularity {}", value,
                         *argument.granularity));
  }
  if (argument.upper_bound && value > *argument.upper_bound) {
    fail(op,
         fmt::format("the argument is {}, above its upper bound {}", value, *argument.upper_bound));
  }
  set(op.results[0], Integer(value));
}

void Lowerer::lower_memory_view(const Operation& op) {
  MemoryView view;
  view.name = function_.value(op.results[0]).name;
  view.op = &op;
  view.element = type(op.results[0]).element;
  view.base = integer(op.segment(0)[0], op);
  const auto known = [&](std::string_view attribute, std::size_t segment, std::string_view what) {
    Shape result;
    for (const Integer& each : mixed(op, attribute, segment)) {
      if (!each.is_constant()) {
        fail(op,
             fmt::format("{} {} differs between cores or turns of a loop: it must be one number",
                         what, each.text()));
      }
      result.push_back(each.constant());
    }
    return result;
  };
  view.shape = known("static_sizes", 1, "size");
  view.strides = known("static_strides", 2, "stride");
  for (const std::int64_t size : view.shape) {
    if (size < 0) fail(op, fmt::format("size {} is negative", size));
  }
  view.space = *ktir::value_of<ktir::MemorySpace>(op.attribute("memory_space"));
  if (view.space.kind != ktir::MemorySpace::Kind::global &&
      view.space.kind != ktir::MemorySpace::Kind::ct_local) {
    fail(op, "its memory space must be global or ct_local");
  }
  const bool on_card = !view.space.core || *view.space.core < machine_.cores.count;
  if (!on_card) {
    fail(op, fmt::format("the machine has {} cores, there is no core {}", machine_.cores.count,
                         *view.space.core));
  }
  if (view.base.range().high < 0) {
    fail(op, fmt::format("its base {} is negative", view.base.text()));
  }
  View whole;
  whole.shape = view.shape;
  whole.parts.push_back(std::move(view));
  set(op.results[0], std::move(whole));
}

void Lowerer::lower_access_tile(const Operation& op) {
  DirectTile tile;
  tile.view = std::get<View>(state_.values[op.segment(0)[0]]);
  std::vector<Integer> captured;
  for (const ValueId id : op.segment(1)) captured.push_back(integer(id, op));
  const auto& base = **ktir::value_of<ktir::AffineMapPtr>(op.attribute("base_map"));
  const auto& set_of_offsets =
      **ktir::value_of<ktir::IntegerSetPtr>(op.attribute("access_tile_set"));
  std::vector<std::int64_t> symbols;
  if (!op.segment(2).empty()) {
    for (const ValueId id : op.segment(2)) symbols.push_back(known_integer(id, op, "a symbol"));
  } else if (set_of_offsets.symbols > 0) {  // as many of the view's dynamic sizes
    for (const ValueId id : tile.view.parts.front().op->segment(1)) {
      symbols.push_back(known_integer(id, op, "a size of the view"));
    }
    symbols.resize(set_of_offsets.symbols);
  }
  const auto box = set_of_offsets.box(symbols);
  if (!box) {
    fail(op, "its access_tile_set is no box: supported are bounds of one dimension each");
  }
  const ktir::AffineMapPtr order =
      *ktir::value_of<ktir::AffineMapPtr>(op.attribute("access_tile_order"));
  tile.order = *order->as_permutation();
  tile.extent = box->extents();
  const Shape& typed = type(op.results[0]).shape;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    if (typed[i] != ktir::kDynamic) tile.extent[tile.order[i]] = typed[i];
  }
  for (std::size_t d = 0; d < tile.extent.size(); ++d) {
    const auto first = evaluate(base.results[d], captured, {});
    if (!first)
      fail(op, fmt::format("subscript {} divides by a number that may not be positive", d));
    tile.base.push_back(*first + box->low[d]);
  }
  set(op.results[0], std::move(tile));
}

std::vector<std::string> Lowerer::cut_of(const DirectTile& tile) const {
  std::vector<std::string> result;
  bool any = false;
  for (const std::size_t d : tile.order) {
    const Integer left = Integer(tile.view.shape[d]) - tile.base[d];
    const bool inside = left.range().low >= tile.extent[d] || tile.view.distributed;
    result.push_back(inside ? "" : minimum(tile.extent[d], left).text());
    any = any || !inside;
  }
  if (!any) result.clear();
  return result;
}

std::string Lowerer::memory_tensor(const Operation& op, const MemoryView& view, const Shape& shape,
                                   const Shape& strides, std::optional<std::int64_t> core,
                                   TensorKind kind) {
  if (!is_transferable(view.element)) {
    fail(op, fmt::format("elements of {} cannot be moved to or from a tile: supported are {} (i8, "
                         "si8, i32, si32 and i1 of the integers)",
                         ktir::to_string(view.element), tile_types_text()));
  }
  Tensor tensor;
  tensor.name = core && !view.space.core ? fmt::format("{}_core{}", view.name, *core) : view.name;
  tensor.type = *tile_type(view.element);
  tensor.kind = kind;
  tensor.shape = shape.empty() ? Shape{1} : shape;
  tensor.strides = strides.empty() ? Shape{1} : strides;
  tensor.lx_core = core;
  const std::int64_t fixed = std::max<std::int64_t>(view.base.constant(), 0);
  tensor.address = static_cast<std::uint64_t>(fixed * element_bytes(view.element));
  tensor.position = module_.position(view.op->where);
  std::string name = state_.program.add_tensor(std::move(tensor));
  const std::int64_t bytes = element_bytes(view.element);
  state_.program.note_bytes(name, covered(view) * Range{bytes, bytes} + Range{0, bytes - 1});
  return name;
}

void Lowerer::transfer(const Operation& op, const MemoryView& view,
                       const std::vector<std::size_t>& order, const std::vector<Integer>& at,
                       const std::vector<Integer>& size, BufferTile local,
                       std::optional<std::size_t> scope) {
  Shape shape;
  Shape strides;
  TransferStatement statement;
  statement.opcode = op.is(OpCode::ktdp_load) ? models::Opcode::load : models::Opcode::store;
  for (const std::size_t d : order) {
    shape.push_back(view.shape[d]);
    strides.push_back(view.strides[d]);
  }
  for (const Integer& each : at) statement.remote.at.push_back(each.expression());
  for (const Integer& each : size) statement.remote.size.push_back(each.expression());
  if (order.empty()) {
    statement.remote.at.emplace_back(0);
    statement.remote.size.emplace_back(1);
  }
  const Integer moved = view.base.constant() < 0 ? view.base : view.base.without_constant();
  if (!moved.is(0)) statement.remote.offset = moved.expression();
  statement.local = std::move(local);
  Program& program = state_.program;
  const auto add = [&](std::optional<std::int64_t> core) {
    TransferStatement mine = statement;
    mine.remote.tensor = memory_tensor(op, view, shape, strides, core, TensorKind::activation);
    if (scope) {
      program.add_in_scope(*scope, std::move(mine));
    } else {
      program.add(std::move(mine));
    }
  };
  if (view.space.kind == ktir::MemorySpace::Kind::global) return add(std::nullopt);
  if (view.space.core) return add(view.space.core);
  const std::int64_t cores = program.cores();
  for (std::int64_t core = 0; core < cores; ++core) {  // each core's own LX
    program.push_condition(equal(Integer::variable("core", {0, cores - 1}), core));
    add(core);
    program.pop_condition();
  }
}

void Lowerer::lower_load(const Operation& op) {
  if (const auto* indirect = std::get_if<IndirectTile>(&state_.values[op.operands[0]])) {
    return load_indirect(op, *indirect);
  }
  const DirectTile tile = std::get<DirectTile>(state_.values[op.operands[0]]);
  const Shape shape = tile.shape();
  const ScalarType element = tile.view.parts.front().element;
  Program& program = state_.program;
  const BufferId buffer = new_buffer(op, tile_type_of(element, op), usual_geometry(shape));
  if (tile.view.distributed) {
    transfer_distributed(op, tile, buffer);
  } else {
    const std::optional<std::size_t> scope = hoisted_scope(op);
    if (scope) {
      for (const OpenLoop& loop : loops_) {
        if (loop.outer_scope >= *scope) {
          last_uses_.keep_until(op.results[0], last_uses_.end(*loop.op));
          break;
        }
      }
    }
    std::vector<Integer> at;
    std::vector<Integer> size;
    for (const std::size_t d : tile.order) {
      at.push_back(tile.base[d]);
      size.emplace_back(tile.extent[d]);
    }
    transfer(op, tile.view.parts.front(), tile.order, at, size, program.whole(buffer), scope);
  }
  TensorValue value = dense(element, shape, buffer);
  value.cut = cut_of(tile);
  if (element == ScalarType{ScalarKind::integer, 1}) value.range = Range{0, 1};
  set(op.results[0], value);
}

void Lowerer::lower_store(const Operation& op) {
  TensorValue value = tensor(op.operands[0], op);
  target_ = op.operands[0];
  if (const auto* indirect = std::get_if<IndirectTile>(&state_.values[op.operands[1]])) {
    return store_indirect(op, *indirect, value);
  }
  const DirectTile tile = std::get<DirectTile>(state_.values[op.operands[1]]);
  if (!value.cut.empty() && value.cut != cut_of(tile)) {
    fail(op,
         "the tensor comes from a view that may end inside the tile, and goes to one that ends "
         "elsewhere: what lies between has no value");
  }
  const LxRectangle from = arranged(op, value, usual_geometry(value.shape));
  if (tile.view.distributed) {
    TensorValue in_rows = value;
    const Geometry geometry = state_.program.geometry(from.buffer);
    BufferId buffer = from.buffer;
    if (!(geometry == usual_geometry(value.shape))) {
      buffer = new_buffer(op, state_.program.type(from.buffer), usual_geometry(value.shape));
      copy_into(op, value, buffer);
    }
    return transfer_distributed(op, tile, buffer);
  }
  std::vector<Integer> at;
  std::vector<Integer> size;
  for (const std::size_t d : tile.order) {
    at.push_back(tile.base[d]);
    size.emplace_back(tile.extent[d]);
  }
  transfer(op, tile.view.parts.front(), tile.order, at, size, state_.program.tile(from));
}

}  // namespace spyre::kernels::lowering
