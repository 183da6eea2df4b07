// Exchange between the cores of a group: inter_tile_produce and what delivers its future.
//
// Every delivery is one exchange (exchange.cpp). The cores of a group tell each other that they are
// ready (all their earlier work is done, so nothing is read any more of what the last exchange
// brought), each producer sends its partial to its block of a buffer on every core of the group,
// and each core waits for all blocks. Reductions then fold the blocks with the kernel's own
// operations in ascending order of the cores. Not modelled: sending every core just the piece it
// needs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {
namespace {

/// Groups beyond this number are not looked for where the set of groups has no bounds.
std::vector<std::int64_t> group_numbers(const ktir::IntegerSet& groups, std::int64_t cores) {
  std::vector<std::int64_t> result;
  std::int64_t low = 0;
  std::int64_t high = cores - 1;
  if (const auto box = groups.box({})) {
    low = std::max(low, box->low[0]);
    high = std::min(box->high[0], low + cores - 1);
  }
  for (std::int64_t g = low; g <= high; ++g) {
    if (groups.contains(std::vector<std::int64_t>{g}, {})) result.push_back(g);
  }
  return result;
}

const ktir::IntegerSet& set_of(const Operation& op, std::string_view name) {
  return **ktir::value_of<ktir::IntegerSetPtr>(op.attribute(name));
}

}  // namespace

void Lowerer::lower_produce(const Operation& op) {
  Program& program = state_.program;
  const std::int64_t cores = program.cores();
  Future future;
  future.op = &op;
  const ktir::Type& result = type(op.results[0]);
  for (const std::int64_t g : group_numbers(*result.groups, cores)) {
    const Cores producers = cores_of(set_of(op, "producer_tiles_per_group"), {g}, cores);
    if (producers.empty()) continue;
    future.group_ids.push_back(g);
    future.producers.push_back(producers);
  }
  if (future.producers.empty()) fail(op, "no group has a producer on this grid");
  const ktir::Region& region = op.regions[0];
  set(region.arguments[0], per_group(future.producers, future.group_ids, cores));
  const Integer member = membership(future.producers, cores);
  program.push_condition(member);
  begin_scope();
  lower(region);
  end_scope();
  for (const ValueId id : region.operations.back().operands) {
    future.partials.push_back(tensor(id, op));
    if (!future.partials.back().cut.empty()) {
      fail(op,
           "a partial comes from a view that may end inside the tile: cores exchange whole "
           "tiles");
    }
  }
  program.pop_condition();
  set(op.results[0], std::move(future));
}

/// What producer `index` brought.
TensorValue Lowerer::block(const Exchange& exchange, std::size_t partial,
                           const Integer& index) const {
  TensorValue result = exchange.partials[partial];
  const std::int64_t elements = elements_of(result.shape);
  result.content =
      Reading{exchange.gathered[partial], dense_strides(result.shape), index * elements};
  return result;
}

/// Whether the identity value changes nothing, so that the fold can begin with the first partial.
bool Lowerer::starts_from_first(const Operation& op) const {
  if (op.segment(1).size() != 1) return false;
  const auto* identity = std::get_if<TensorValue>(&state_.values[op.segment(1)[0]]);
  const Number* number = identity == nullptr ? nullptr : identity->number();
  if (number == nullptr || number->formula) return false;
  const ktir::Region& region = op.regions[0];
  const Operation* made = uses_.definition(region.operations.back().operands[0]);
  if (made == nullptr) return false;
  const std::span<const ValueId> ins =
      made->info->form == ktir::OpForm::linalg ? made->segment(0) : std::span(made->operands);
  const std::vector<ValueId>& pair = region.arguments;
  const bool combines = ins.size() == 2 && ((ins[0] == pair[0] && ins[1] == pair[1]) ||
                                            (ins[0] == pair[1] && ins[1] == pair[0]));
  if (!combines) return false;
  switch (made->code()) {
    case OpCode::arith_addf:
    case OpCode::arith_addi:
    case OpCode::linalg_add:
      return number->constant == 0;
    case OpCode::arith_mulf:
    case OpCode::arith_muli:
    case OpCode::linalg_mul:
      return number->constant == 1;
    case OpCode::arith_maximumf:
    case OpCode::arith_maxnumf:
    case OpCode::linalg_max:
      return std::isinf(number->constant) && number->constant < 0;
    case OpCode::arith_minimumf:
    case OpCode::arith_minnumf:
    case OpCode::linalg_min:
      return std::isinf(number->constant) && number->constant > 0;
    default:
      return false;
  }
}

std::vector<TensorValue> Lowerer::fold(const Operation& op, const Exchange& exchange) {
  const ktir::Region& region = op.regions[0];
  const Operation& yield = region.operations.back();
  const std::size_t count = exchange.partials.size();
  std::vector<TensorValue> result;
  std::int64_t next = 0;
  if (starts_from_first(op)) {
    result.push_back(block(exchange, 0, next++));
  } else {
    result = tensors(op.segment(1), op);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (op.results.size() == count) yields_to_[yield.operands[i]] = op.results[i];
  }
  state_.program.push_condition(membership(exchange.consumers, state_.program.cores()));
  for (; next < exchange.blocks; ++next) {
    for (std::size_t i = 0; i < count; ++i) {
      set(region.arguments[i], result[i]);
      set(region.arguments[count + i], block(exchange, i, next));
    }
    lower_body(region);
    result = tensors(yield.operands, op);
    for (const Operation& each : region.operations) {  // the next turn makes them anew
      for (const ValueId id : each.results) set(id, std::monostate());
    }
  }
  state_.program.pop_condition();
  for (const ValueId id : region.arguments) set(id, std::monostate());
  position_ = last_uses_.end(op);
  state_.program.set_origin(origin_of(op));
  return result;
}

std::size_t Lowerer::single_dimension(const Operation& op, std::string_view attribute) const {
  const std::vector<std::int64_t> dimensions = *ktir::integers_of(op.attribute(attribute));
  if (dimensions.size() != 1) {
    fail(op,
         fmt::format("'{}' names {} dimensions; one is supported", attribute, dimensions.size()));
  }
  return static_cast<std::size_t>(dimensions.front());
}

/// The piece of a tensor that belongs to this core: as many pieces as consumers, in their order.
TensorValue Lowerer::own_piece(const Operation& op, const Exchange& exchange,
                               const TensorValue& value, std::string_view attribute) const {
  const std::size_t d = single_dimension(op, attribute);
  const auto pieces = static_cast<std::int64_t>(exchange.consumers.front().size());
  for (const Cores& consumers : exchange.consumers) {
    if (static_cast<std::int64_t>(consumers.size()) != pieces) {
      fail(op, "its groups have different numbers of consumers: they must have equally many");
    }
  }
  if (pieces == 0 || value.shape[d] % pieces != 0) {
    fail(op, fmt::format("{} elements do not divide among {} consumers", value.shape[d], pieces));
  }
  TensorValue result = value;
  result.shape[d] /= pieces;
  if (auto* reading = std::get_if<Reading>(&result.content)) {
    const Integer place = rank(exchange.consumers, state_.program.cores());
    reading->offset = reading->offset + place * (result.shape[d] * reading->strides[d]);
  }
  return result;
}

/// The blocks of all producers one after the other along a dimension; of each one's own piece if it
/// is split.
TensorValue Lowerer::joined_blocks(const Operation& op, const Exchange& exchange,
                                   std::size_t partial, std::string_view attribute) {
  const std::size_t d = single_dimension(op, attribute);
  TensorValue piece = block(exchange, partial, 0);
  const std::int64_t apart = elements_of(piece.shape);
  if (op.is(OpCode::ktdp_inter_tile_all_to_all)) {
    piece = own_piece(op, exchange, piece, "split_dimensions");
  }
  TensorValue all = piece;
  auto& reading = std::get<Reading>(all.content);
  all.shape.insert(all.shape.begin() + static_cast<std::ptrdiff_t>(d), exchange.blocks);
  reading.strides.insert(reading.strides.begin() + static_cast<std::ptrdiff_t>(d), apart);
  Shape shape = piece.shape;
  shape[d] *= exchange.blocks;
  return reshaped(op, all, shape);
}

void Lowerer::lower_delivery(const Operation& op) {
  const auto* future = std::get_if<Future>(&state_.values[op.segment(0)[0]]);
  if (future == nullptr) fail(op, "its operand is no future that inter_tile_produce made");
  const Future brought = *future;
  const Exchange all = exchange(op, brought);
  std::vector<TensorValue> results;
  switch (op.code()) {
    case OpCode::ktdp_inter_tile_reduce:
      results = fold(op, all);
      break;
    case OpCode::ktdp_inter_tile_reduce_scatter:
      for (const TensorValue& sum : fold(op, all)) {
        results.push_back(own_piece(op, all, sum, "scatter_dimensions"));
      }
      break;
    case OpCode::ktdp_inter_tile_consume:
    case OpCode::ktdp_inter_tile_scatter:
      if (all.blocks != 1) {
        fail(op, fmt::format("a group has {} producers; one is supported here", all.blocks));
      }
      for (std::size_t i = 0; i < all.partials.size(); ++i) {
        const TensorValue value = block(all, i, 0);
        results.push_back(op.is(OpCode::ktdp_inter_tile_consume)
                              ? value
                              : own_piece(op, all, value, "scatter_dimensions"));
      }
      break;
    default: {
      const bool gathers = op.is(OpCode::ktdp_inter_tile_gather);
      for (std::size_t i = 0; i < all.partials.size(); ++i) {
        results.push_back(
            joined_blocks(op, all, i, gathers ? "gather_dimensions" : "concat_dimensions"));
      }
      break;
    }
  }
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    const Shape& wanted = type(op.results[i]).shape;
    if (elements_of(wanted) != elements_of(results[i].shape)) {
      fail(op, fmt::format("it delivers tensors of {} elements, the result has {}",
                           elements_of(results[i].shape), elements_of(wanted)));
    }
    set(op.results[i], reshaped(op, results[i], wanted));
  }
}

}  // namespace spyre::kernels::lowering
