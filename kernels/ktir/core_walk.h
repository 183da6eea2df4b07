// One core's way through a kernel: integer values, loops and conditions are followed, everything
// else is priced from its type.
//
// Modelled: what sum_of_costs.h says. Not modelled: the contents of tensors, except integers that
// were loaded unchanged, splats and dense splat constants.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/ktir/access_tile.h"
#include "kernels/ktir/op_price.h"
#include "kernels/ktir/sum_of_costs.h"

namespace spyre::kernels::ktir {

/// What the walks of all cores of one run share.
struct WalkContext {
  const Module& module;
  const Function& function;
  const BoundArguments& arguments;
  const ReadInteger& read;
  std::int64_t cores = 1;
  std::int64_t work = 0;  ///< operations met and points gone through so far, by all cores
  std::int64_t hbm_bytes = 0;
  std::int64_t flops = 0;
  /// How many cores produce for a group, by operation and group.
  std::map<std::pair<const Operation*, std::int64_t>, std::int64_t> producers;
};

class CoreWalk {
 public:
  CoreWalk(WalkContext& context, std::int64_t core);
  SumOfCosts::Core run();

 private:
  /// A tensor of integers as it was loaded: `tile` says where each lies.
  struct LoadedIntegers {
    AccessTilePtr tile;
    std::vector<std::int64_t> shape;  ///< when loaded; reshaping keeps the row-major order
  };
  /// What is known of a value: nothing, an integer (of a tensor: of all its elements), a view, a
  /// tile, a tensor of integers, or the operation that made a future.
  using Binding = std::variant<std::monostate, std::int64_t, MemoryViewPtr, AccessTilePtr,
                               std::shared_ptr<const LoadedIntegers>, const Operation*>;

  // Control flow and values (core_walk.cpp)
  void walk(const Region& region);
  void visit(const Operation& op);
  void visit_for(const Operation& op);
  void visit_if(const Operation& op);
  void bind_tile_id(const Operation& op);
  void bind_constant(const Operation& op);
  void bind_runtime_argument(const Operation& op);
  void bind_select(const Operation& op);
  void bind_extract(const Operation& op);
  void bind_dimension(const Operation& op);
  void bind_integer(const Operation& op);

  // Views, tiles and transfers (core_walk_memory.cpp)
  void bind_view(const Operation& op);
  void bind_distributed_view(const Operation& op);
  void bind_tile(const Operation& op);
  void visit_transfer(const Operation& op);

  // Prices (core_walk_prices.cpp)
  void charge(PriceClass price, std::int64_t elements, const Operation& op);
  void charge_elementwise(const Operation& op, bool is_scalar, std::int64_t elements);
  void charge_matmul(const Operation& op);
  /// The operations of a body that runs once per point of a space; `extents` are the space's, and
  /// body_loops_ says on which of its loops each region argument depends.
  void charge_body(const Region& region, std::span<const std::int64_t> extents);
  void visit_reduce(const Operation& op);
  void visit_generic(const Operation& op);
  void visit_generate(const Operation& op);
  void visit_produce(const Operation& op);
  void visit_inter_tile_reduce(const Operation& op);
  /// The group of the core in a set over cores with the group as its symbol.
  [[nodiscard]] std::optional<std::int64_t> group_in(const Operation& op, std::string_view name,
                                                     const IntegerSet& groups) const;
  std::int64_t producers_of(const Operation& produce, std::int64_t group);

  // Values
  [[nodiscard]] const Type& type(ValueId id) const { return context_.function.type(id); }
  [[nodiscard]] Site site(const Operation& op) const { return {context_.module, op}; }
  template <class Alternative>
  [[nodiscard]] const Alternative* bound(ValueId id) const {
    return std::get_if<Alternative>(&values_[id]);
  }
  /// Fails where it is not known.
  [[nodiscard]] std::int64_t integer(const Operation& op, ValueId id) const;
  [[nodiscard]] std::vector<std::int64_t> integers(const Operation& op,
                                                   std::span<const ValueId> ids) const;
  [[nodiscard]] const MemoryViewPtr& view(const Operation& op, ValueId id) const;
  /// Elements of a tensor, 1 for a scalar; fails for a dynamic shape.
  [[nodiscard]] std::int64_t elements_of(const Operation& op, const Type& of) const;
  /// Bounds the work of a walk.
  void count_work(const Operation& op, std::int64_t steps = 1);
  void add_to(std::int64_t& total, std::int64_t amount, const Operation& op) const;

  WalkContext& context_;
  std::int64_t core_;
  SumOfCosts::Core costs_;
  std::vector<Binding> values_;
  std::vector<Binding> yielded_;  ///< by the region walked last
  std::vector<std::uint64_t> body_loops_;
};

}  // namespace spyre::kernels::ktir
