#include <fmt/format.h>

#include <algorithm>

#include "kernels/ktir/verifier_state.h"

namespace spyre::kernels::ktir {
namespace {

/// Equal, or equal but for a leading dimension of 1 that the result drops.
bool is_delivered_as(const Type& payload, const Type& result) {
  if (payload == result) return true;
  if (payload.element != result.element || payload.kind != result.kind) return false;
  return payload.rank() == result.rank() + 1 && payload.shape.front() == 1 &&
         std::equal(payload.shape.begin() + 1, payload.shape.end(), result.shape.begin());
}

/// The list of tensor dimensions that a delivery rearranges, if it has one.
std::vector<std::string_view> dimension_lists(OpCode code) {
  switch (code) {
    case OpCode::ktdp_inter_tile_reduce_scatter:
    case OpCode::ktdp_inter_tile_scatter:
      return {"scatter_dimensions"};
    case OpCode::ktdp_inter_tile_gather:
      return {"gather_dimensions"};
    case OpCode::ktdp_inter_tile_all_to_all:
      return {"split_dimensions", "concat_dimensions"};
    default:
      return {};
  }
}

}  // namespace

bool FunctionVerifier::check_tile_set(const Operation& op, std::string_view name,
                                      std::size_t dimensions, std::size_t symbols) {
  const auto* set = value_of<IntegerSetPtr>(op.attribute(name));
  if (set != nullptr && (*set)->dimensions == dimensions && (*set)->symbols <= symbols) return true;
  error(op, fmt::format("'{}' must be an affine_set of {} dimension(s) and at most {} symbol(s)",
                        name, dimensions, symbols));
  return false;
}

void FunctionVerifier::check_produce(const Operation& op) {
  if (!has_counts(op, 0, 1, 1)) return;
  const Type& future = result(op);
  if (future.kind != TypeKind::tile_future) {
    return error(op, fmt::format("it makes a !ktdp.tile_future<...>, not {}", to_string(future)));
  }
  if (!future.groups || future.groups->dimensions != 1 || future.groups->symbols != 0) {
    error(op, "the future needs 'groups = ' with a set of one dimension, the group's number");
  }
  check_tile_set(op, "producer_tiles_per_group", 1, 1);
  if (arguments_are(op, op.regions[0], {Type::index()})) {
    yields_are(op, op.regions[0], future.payload);
  }
}

/// The deliveries: reduce and reduce_scatter combine, the others move.
void FunctionVerifier::check_delivery(const Operation& op) {
  const bool combines =
      op.is(OpCode::ktdp_inter_tile_reduce) || op.is(OpCode::ktdp_inter_tile_reduce_scatter);
  const std::span<const ValueId> futures = op.segment(0);
  if (futures.size() != 1 || type(futures[0]).kind != TypeKind::tile_future) {
    return error(op, "it takes one future");
  }
  const std::vector<Type>& payload = type(futures[0]).payload;
  check_tile_set(op, "consumer_tiles_per_group", 1, 1);
  if (op.attribute("producer_dependency_per_consumer")) {
    check_tile_set(op, "producer_dependency_per_consumer", 1, 2);
  }
  if (op.segment(1).size() != (combines ? payload.size() : 0)) {
    return error(op, fmt::format("it takes {} identity value(s), here are {}",
                                 combines ? payload.size() : 0, op.segment(1).size()));
  }
  for (std::size_t i = 0; i < op.segment(1).size(); ++i) {
    if (!same(op, type(op.segment(1)[i]), payload[i], "an identity value")) return;
  }
  if (!has_results(op, payload.size())) return;
  const std::vector<std::string_view> lists = dimension_lists(op.code());
  for (const std::string_view name : lists) {
    const auto dimensions = integers(op, name);
    if (!dimensions) return;
    for (const std::int64_t dimension : *dimensions) {
      if (dimension >= 0 && dimension < static_cast<std::int64_t>(payload.front().rank())) continue;
      return error(op, fmt::format("'{}' names dimension {} of {}", name, dimension,
                                   to_string(payload.front())));
    }
  }
  for (std::size_t i = 0; i < payload.size(); ++i) {
    const Type& delivered = result(op, i);
    const bool right = lists.empty()
                           ? is_delivered_as(payload[i], delivered)
                           : delivered.is_tensor() && delivered.element == payload[i].element &&
                                 delivered.rank() <= payload[i].rank();
    if (!right) {
      return error(
          op, fmt::format("it delivers {}, not {}", to_string(payload[i]), to_string(delivered)));
    }
  }
  if (!combines) {
    if (!op.regions.empty()) error(op, "it combines nothing, so it has no region");
    return;
  }
  if (op.regions.size() != 1)
    return error(op, "it needs a region that combines two partial results");
  std::vector<Type> arguments = payload;
  arguments.insert(arguments.end(), payload.begin(), payload.end());
  if (arguments_are(op, op.regions[0], arguments)) yields_are(op, op.regions[0], payload);
}

}  // namespace spyre::kernels::ktir
