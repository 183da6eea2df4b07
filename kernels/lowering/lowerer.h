// One lowering of one function: the values it has made so far and the program they stand in.
// Internal to this folder; lower.h is the way in.
//
// The operations are spread over files by kind, as the comments among the declarations say.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernels/ktir/analysis.h"
#include "kernels/ktir/arguments.h"
#include "kernels/ktir/ir.h"
#include "kernels/lowering/core_sets.h"
#include "kernels/lowering/last_uses.h"
#include "kernels/lowering/lower.h"
#include "kernels/lowering/program.h"
#include "kernels/lowering/value.h"
#include "models/machine/machine.h"

namespace spyre::kernels::lowering {

using ktir::OpCode;
using ktir::Operation;
using ktir::ScalarKind;
using ktir::ScalarType;
using ktir::ValueId;
using models::VectorFunction;

/// What a tile of a view covers in elements of its memory; without a base, the whole view.
[[nodiscard]] Range covered(const MemoryView& view, const std::vector<Integer>& base = {},
                            const Shape& extent = {});

class Lowerer {
 public:
  Lowerer(const ktir::Module& module, const ktir::Function& function,
          const ktir::BoundArguments& arguments, const models::Machine& machine,
          const LoweringOptions& options);
  Program run();

 private:
  /// What lowering a loop a second time starts from again.
  struct State {
    Program program;
    std::vector<LoweredValue> values;
    /// Tiles that hold another tile's elements in another arrangement.
    struct Arrangement {
      BufferId source = 0;
      std::string key;
      BufferId result = 0;
      std::size_t scope = 0;  ///< gone when that scope ends
    };
    std::vector<Arrangement> arrangements;
    std::size_t scope = 0;
  };
  /// A loop around the current operation.
  struct OpenLoop {
    const Operation* op = nullptr;
    Integer start, stop, step;
    std::string variable;
    std::vector<std::optional<BufferId>> carried;  ///< per carried value, where it is a tensor
    std::size_t outer_scope = 0;                   ///< the program's scope that the loop stands in
    bool conditional = false;                      ///< stands in an scf.if
  };
  using OpHandler = void (Lowerer::*)(const Operation&);

  // lowerer.cpp: dispatch, values, messages
  void lower(const ktir::Region& region);
  void lower(const Operation& op);
  void bind_arguments(const ktir::BoundArguments& arguments);
  [[noreturn]] void fail(const Operation& op, const std::string& message) const;
  [[nodiscard]] Origin origin_of(const Operation& op) const;
  void set(ValueId id, LoweredValue value) { state_.values[id] = std::move(value); }
  [[nodiscard]] bool is_integer(ValueId id) const;
  [[nodiscard]] Integer integer(ValueId id, const Operation& user) const;
  [[nodiscard]] std::int64_t known_integer(ValueId id, const Operation& user,
                                           std::string_view what) const;
  /// A tensor or scalar; integers become numbers.
  [[nodiscard]] TensorValue tensor(ValueId id, const Operation& user) const;
  [[nodiscard]] std::vector<TensorValue> tensors(std::span<const ValueId> ids,
                                                 const Operation& user) const;
  [[nodiscard]] std::string shown(ValueId id) const;
  [[nodiscard]] const ktir::Type& type(ValueId id) const { return function_.type(id); }
  [[nodiscard]] DataType tile_type_of(const ScalarType& element, const Operation& op) const;
  /// The result's shape: of its type, or `known` where the type leaves it open.
  [[nodiscard]] Shape result_shape(const Operation& op, std::size_t index,
                                   const Shape& known) const;

  // integers.cpp
  /// The result of an operation on integers that are formulas; nothing if it has none.
  [[nodiscard]] std::optional<Integer> integer_result(const Operation& op,
                                                      const std::vector<Integer>& operands) const;
  [[nodiscard]] Integer integer_binary(const Operation& op, const Integer& a,
                                       const Integer& b) const;
  [[nodiscard]] Integer integer_compare(const Operation& op, const Integer& a,
                                        const Integer& b) const;
  [[nodiscard]] Integer quotient(const Operation& op, const Integer& a, const Integer& b) const;
  void require_not_negative(const Operation& op, const Integer& value) const;
  [[nodiscard]] Integer integer_select(const Operation& op, const Integer& condition,
                                       const Integer& a, const Integer& b) const;
  /// An affine expression of formulas; nothing where it divides by something unknown.
  [[nodiscard]] static std::optional<Integer> evaluate(const ktir::AffineExpr& expression,
                                                       std::span<const Integer> dimensions,
                                                       std::span<const Integer> symbols);

  // elementwise.cpp, apply.cpp
  void lower_elementwise(const Operation& op);
  [[nodiscard]] TensorValue elementwise(const Operation& op, std::vector<TensorValue> operands);
  [[nodiscard]] TensorValue compare(const Operation& op, std::vector<TensorValue> operands);
  [[nodiscard]] TensorValue cast(const Operation& op, const TensorValue& operand);
  [[nodiscard]] TensorValue integer_division(const Operation& op,
                                             std::vector<TensorValue> operands);
  /// One vector function over whole tensors of one shape.
  [[nodiscard]] TensorValue apply(const Operation& op, VectorFunction function,
                                  std::vector<TensorValue> operands, const ScalarType& element);
  [[nodiscard]] static std::optional<double> folded(VectorFunction function,
                                                    std::span<const TensorValue> operands,
                                                    const ScalarType& element);
  [[nodiscard]] std::vector<std::string> combined_cut(const Operation& op,
                                                      std::span<const TensorValue> operands) const;
  [[nodiscard]] Geometry best_geometry(const Shape& shape,
                                       std::span<const TensorValue> operands) const;
  [[nodiscard]] std::optional<BufferId> reusable(std::span<const VectorOperand> operands,
                                                 DataType type, const Geometry& geometry) const;

  [[nodiscard]] bool is_stored_late(ValueId id) const;

  // arrangement.cpp: tensors as tiles of a wanted geometry
  [[nodiscard]] LxRectangle arranged(const Operation& op, const TensorValue& value,
                                     const Geometry& wanted, bool repeating = false);
  [[nodiscard]] BufferId rearranged(const Operation& op, const TensorValue& value,
                                    const Geometry& wanted);
  void move_elements(const Operation& op, const TensorValue& value, const Geometry& wanted,
                     BufferTile into);
  [[nodiscard]] BufferId filled(const Operation& op, const TensorValue& value,
                                const Geometry& geometry);
  /// The tensor dense in a buffer of its own geometry of that kind.
  [[nodiscard]] TensorValue in_tile(const Operation& op, const TensorValue& value);
  [[nodiscard]] BufferId new_buffer(const Operation& op, DataType type, const Geometry& geometry);
  void copy_into(const Operation& op, const TensorValue& value, BufferId target);
  /// Nothing after the current operation reads the buffer.
  [[nodiscard]] bool is_dead(BufferId buffer) const;
  /// The buffer gets new contents: what was derived from the old ones is gone.
  void overwritten(BufferId buffer);
  [[nodiscard]] TensorValue dense(const ScalarType& element, const Shape& shape,
                                  BufferId buffer) const;

  // constants.cpp, views.cpp
  void lower_constant(const Operation& op);
  void lower_dense_constant(const Operation& op, const ktir::DenseValue& dense);
  void lower_empty(const Operation& op);
  void lower_splat(const Operation& op);
  void lower_extract(const Operation& op);
  void lower_reshape(const Operation& op);
  void lower_extract_slice(const Operation& op);
  void lower_insert_slice(const Operation& op);
  void lower_from_elements(const Operation& op);
  void lower_dim(const Operation& op);
  void lower_tensor_cast(const Operation& op);
  void lower_fill(const Operation& op);
  void lower_broadcast(const Operation& op);
  void lower_transpose(const Operation& op);
  [[nodiscard]] TensorValue reshaped(const Operation& op, const TensorValue& value,
                                     const Shape& shape);
  [[nodiscard]] std::vector<Integer> mixed(const Operation& op, std::string_view attribute,
                                           std::size_t segment) const;

  // reductions.cpp
  void lower_reduce(const Operation& op);
  /// `value` without the dimensions, combined with what `init` holds.
  [[nodiscard]] TensorValue reduced(const Operation& op, VectorFunction function,
                                    const TensorValue& value,
                                    const std::vector<std::int64_t>& dimensions,
                                    const TensorValue& init);
  /// The reduction whose step makes `yielded` of a and b.
  [[nodiscard]] std::optional<VectorFunction> combiner(ValueId yielded, ValueId a, ValueId b) const;

  // contractions.cpp
  void lower_matmul(const Operation& op);
  [[nodiscard]] TensorValue product(const Operation& op, const TensorValue& a, const TensorValue& b,
                                    const TensorValue& init);

  // generic.cpp
  void lower_linalg(const Operation& op);
  void lower_generic(const Operation& op);
  void lower_generate(const Operation& op);
  void lower_index(const Operation& op);
  [[nodiscard]] TensorValue over_iterations(const Operation& op, const TensorValue& value,
                                            const ktir::AffineMap& map, const Shape& loops);
  [[nodiscard]] TensorValue counter(const Operation& op, const Shape& loops, std::size_t loop);
  void lower_body(const ktir::Region& region);
  bool lower_contraction(const Operation& op, const Shape& loops);

  // control.cpp, carried.cpp
  void lower_for(const Operation& op);
  void lower_if(const Operation& op);
  void lower_single_turn(const Operation& op, const Integer& start);
  /// Wanted geometries of the carried values; they become those that the body makes.
  using Geometries = std::vector<std::optional<Geometry>>;
  /// False if the body yields values in other geometries than wanted, unless they are final: then
  /// lower it again.
  bool lower_loop(const Operation& op, OpenLoop loop, Geometries& geometries, bool final);
  void begin_carried(const Operation& op, OpenLoop& loop, std::size_t index,
                     const std::optional<Geometry>& wanted);
  bool matches(const OpenLoop& loop, const Operation& yield, Geometries& geometries) const;
  void end_carried(const OpenLoop& loop, const Operation& yield, BufferId first_of_body);
  [[nodiscard]] bool can_rename(BufferId from, BufferId to) const;
  [[nodiscard]] Integer carried_integer(const Operation& op, std::size_t index,
                                        const Integer& turns) const;
  void begin_scope();
  void end_scope();

  // memory.cpp, hoisting.cpp
  void lower_tile_id(const Operation& op);
  void lower_memory_view(const Operation& op);
  void lower_access_tile(const Operation& op);
  void lower_load(const Operation& op);
  void lower_store(const Operation& op);
  void lower_runtime_arg(const Operation& op);
  /// One transfer of a part of a view: rectangle `at`, `size` in the dimensions of the tile.
  void transfer(const Operation& op, const MemoryView& view, const std::vector<std::size_t>& order,
                const std::vector<Integer>& at, const std::vector<Integer>& size, BufferTile local,
                std::optional<std::size_t> scope = std::nullopt);
  [[nodiscard]] std::string memory_tensor(const Operation& op, const MemoryView& view,
                                          const Shape& shape, const Shape& strides,
                                          std::optional<std::int64_t> core, TensorKind kind);
  [[nodiscard]] std::vector<std::string> cut_of(const DirectTile& tile) const;
  [[nodiscard]] std::optional<std::size_t> hoisted_scope(const Operation& op) const;
  [[nodiscard]] bool may_alias(const Operation& load, const Operation& store) const;

  // distributed.cpp
  void lower_distributed_view(const Operation& op);
  void transfer_distributed(const Operation& op, const DirectTile& tile, BufferId buffer);

  // indirect.cpp
  void lower_indirect_tile(const Operation& op);
  void load_indirect(const Operation& op, const IndirectTile& tile);
  void store_indirect(const Operation& op, const IndirectTile& tile, const TensorValue& value);
  [[nodiscard]] TransferStatement indirect_transfer(const Operation& op, const IndirectTile& tile);

  // inter_tile.cpp
  void lower_produce(const Operation& op);
  void lower_delivery(const Operation& op);
  /// One exchange: the partials of every producer in a buffer on every core of its group.
  struct Exchange {
    Groups producers, consumers, members;
    std::vector<BufferId> gathered;  ///< per partial: one block of rows after the other
    std::vector<TensorValue> partials;
    std::int64_t blocks = 0;
  };
  [[nodiscard]] Exchange exchange(const Operation& op, const Future& future);
  void require_uniform(const Operation& op, const Groups& groups) const;
  [[nodiscard]] bool is_uniform(const Integer& value, const Groups& groups) const;
  [[nodiscard]] TensorValue block(const Exchange& exchange, std::size_t partial,
                                  const Integer& index) const;
  [[nodiscard]] std::vector<TensorValue> fold(const Operation& op, const Exchange& exchange);
  [[nodiscard]] bool starts_from_first(const Operation& op) const;
  [[nodiscard]] TensorValue own_piece(const Operation& op, const Exchange& exchange,
                                      const TensorValue& value, std::string_view attribute) const;
  [[nodiscard]] TensorValue joined_blocks(const Operation& op, const Exchange& exchange,
                                          std::size_t partial, std::string_view attribute);
  [[nodiscard]] std::size_t single_dimension(const Operation& op, std::string_view attribute) const;

  const ktir::Module& module_;
  const ktir::Function& function_;
  const models::Machine& machine_;
  const LoweringOptions& options_;
  LastUses last_uses_;
  ktir::DefUse uses_;
  State state_;
  std::vector<OpenLoop> loops_;
  std::size_t conditions_ = 0;  ///< how many scf.if stand around, within the innermost loop
  std::int64_t position_ = 0;
  /// The tensor that the operation being lowered results in, where it is known.
  std::optional<ValueId> target_;
  std::vector<BufferId> pinned_;  ///< not to be overwritten by the current operation
  std::vector<Shape> generic_loops_;
  /// Values of a body that become the result of the operation around it.
  std::map<ValueId, ValueId> yields_to_;
};

}  // namespace spyre::kernels::lowering
