// The printer's state; printer_operations.cpp holds what follows an operation's name.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ktir/printer.h"

namespace spyre::kernels::ktir {

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}
  std::string run(const Module& module);

 private:
  // Structure (printer.cpp)
  void print_function(const Function& function);
  void print_operations(const Region& region);
  void print_operation(const Operation& op);
  void print_results(const Operation& op);
  void print_region(const Region& region, bool with_arguments);
  void print_arguments(const Region& region, std::size_t first);
  void print_location(const SourceMappingPtr& source);
  void print_other_attributes(const Operation& op);
  void indent();
  void choose_names(const Function& function);

  // Pieces
  [[nodiscard]] std::string use(ValueId id) const { return "%" + names_[id]; }
  [[nodiscard]] std::string uses(std::span<const ValueId> ids) const;
  [[nodiscard]] std::string type(ValueId id) const { return to_string(function_->type(id)); }
  [[nodiscard]] std::string types(std::span<const ValueId> ids) const;
  [[nodiscard]] std::string result_types(const Operation& op) const;
  /// [1, %n]: the attribute's integers, with values for the dynamic ones.
  [[nodiscard]] std::string mixed(const Operation& op, std::string_view attribute,
                                  std::span<const ValueId> values) const;
  [[nodiscard]] std::string list(const Operation& op, std::string_view attribute) const;
  /// The text of an attribute; it is then not printed among the others.
  std::string take(const Operation& op, std::string_view attribute);

  // Operations (printer_operations.cpp)
  void print_body(const Operation& op);
  void print_custom(const Operation& op);
  void print_constant(const Operation& op);
  void print_ins_outs(const Operation& op);
  void print_for(const Operation& op);
  void print_if(const Operation& op);
  void print_linalg_custom(const Operation& op);
  void print_slice(const Operation& op);
  void print_reassociation(const Operation& op);
  void print_views(const Operation& op);
  void print_access_tile(const Operation& op);
  void print_indirect(const Operation& op);
  void print_inter_tile(const Operation& op);
  void print_produce(const Operation& op);

  PrintOptions options_;
  std::string text_;
  const Function* function_ = nullptr;
  std::vector<std::string> names_;  ///< per value
  std::set<std::string, std::less<>>
      taken_;  ///< attributes of the current operation written so far
  int depth_ = 0;
};

}  // namespace spyre::kernels::ktir
