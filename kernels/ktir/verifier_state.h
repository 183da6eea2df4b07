// The verifier's state; verifier_*.cpp hold the rules by subject.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ktir/analysis.h"
#include "kernels/ktir/verifier.h"

namespace spyre::kernels::ktir {

class FunctionVerifier {
 public:
  FunctionVerifier(const Module& module, const Function& function,
                   std::vector<models::Diagnostic>& findings);
  void run();

 private:
  // Structure (verifier.cpp)
  void check_signature();
  void check_grid();
  void check_region(const Region& region, const Operation* owner);
  void check_names(const Region& region);
  void check_values(const Operation& op);
  void check_terminator(const Region& region, const Operation* owner, const TextPosition& where);
  void check_operation(const Operation& op);
  void make_visible(ValueId id);
  [[nodiscard]] std::optional<OpCode> terminator_of(const Operation* owner) const;

  // Reporting
  void error(const TextPosition& where, std::string message);
  void error(const Operation& op, std::string message);
  void warning(const Operation& op, std::string message);
  /// Reports and gives false unless the operation has these counts.
  bool has_counts(const Operation& op, std::size_t operands, std::size_t results,
                  std::size_t regions = 0);
  bool has_results(const Operation& op, std::size_t results);
  [[nodiscard]] const Type& type(ValueId id) const { return function_.type(id); }
  [[nodiscard]] const Type& operand(const Operation& op, std::size_t i) const {
    return function_.type(op.operands[i]);
  }
  [[nodiscard]] const Type& result(const Operation& op, std::size_t i = 0) const {
    return function_.type(op.results[i]);
  }
  [[nodiscard]] std::string shown(ValueId id) const;
  bool same(const Operation& op, const Type& found, const Type& wanted, std::string_view what);
  /// The attribute's integers; reports and gives nothing if it is absent or no list of integers.
  std::optional<std::vector<std::int64_t>> integers(const Operation& op, std::string_view name);
  bool arguments_are(const Operation& op, const Region& region, const std::vector<Type>& wanted);
  bool yields_are(const Operation& op, const Region& region, const std::vector<Type>& wanted);

  // arith, math, scf (verifier_scalar.cpp)
  void check_elementwise(const Operation& op);
  void check_compare(const Operation& op);
  void check_cast(const Operation& op);
  void check_constant(const Operation& op);
  void check_select(const Operation& op);
  void check_for(const Operation& op);
  void check_if(const Operation& op);

  // linalg (verifier_linalg.cpp)
  bool check_destinations(const Operation& op);
  void check_linalg(const Operation& op);
  void check_matmul(const Operation& op, bool batched);
  void check_broadcast(const Operation& op);
  void check_transpose(const Operation& op);
  void check_reduce(const Operation& op);
  void check_generic(const Operation& op);
  void check_generic_shapes(const Operation& op, std::span<const AttributePtr> maps,
                            std::size_t loops);
  void check_index(const Operation& op);

  // tensor (verifier_tensor.cpp)
  void check_empty(const Operation& op);
  void check_splat(const Operation& op);
  void check_extract(const Operation& op);
  void check_reassociation(const Operation& op);
  void check_reshape(const Operation& op);
  void check_generate(const Operation& op);
  void check_slice(const Operation& op);
  void check_from_elements(const Operation& op);
  void check_dim(const Operation& op);

  // ktdp (verifier_ktdp.cpp, verifier_inter_tile.cpp)
  void check_tile_id(const Operation& op);
  void check_memory_view(const Operation& op);
  void check_coordinate_set(const Operation& op, const Type& view);
  void check_distributed_view(const Operation& op);
  void check_access_tile(const Operation& op);
  void check_inside_view(const Operation& op, const IntegerSet& set);
  void check_indirect_access_tile(const Operation& op);
  void check_index_ranges(const Operation& op, const IntegerSet& set);
  bool check_order(const Operation& op, std::string_view name, std::size_t rank);
  void check_tile_shape(const Operation& op, const IntegerSet& set, std::string_view order_name,
                        std::span<const ValueId> symbols);
  void check_transfer(const Operation& op);
  void check_runtime_arg_extract(const Operation& op);
  void check_produce(const Operation& op);
  void check_delivery(const Operation& op);
  bool check_tile_set(const Operation& op, std::string_view name, std::size_t dimensions,
                      std::size_t symbols);

  const Module& module_;
  const Function& function_;
  std::vector<models::Diagnostic>& findings_;
  std::optional<DefUse> uses_;
  std::optional<Constants> constants_;
  std::vector<bool> visible_;
  std::vector<bool> defined_;
  std::vector<ValueId> in_scope_;
  std::vector<std::size_t>
      generic_loops_;  ///< loops of the linalg.generic bodies around, innermost last
};

}  // namespace spyre::kernels::ktir
