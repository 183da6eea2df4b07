// A KTIR module in memory: functions, regions, operations and values.
//
// Values are numbers into their function's value table, so the IR copies and moves freely. Every
// region has one block; branches between blocks do not occur in KTIR. Operations of every form
// (pretty or generic text) become the same Operation: operands in segments, attributes by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ktir/attribute.h"
#include "kernels/ktir/op_table.h"
#include "kernels/ktir/source.h"
#include "kernels/ktir/type.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels::ktir {

using ValueId = std::uint32_t;

struct Value {
  Type type;
  std::string name;  ///< as written, without '%'; empty for a result nobody names
  TextPosition where;
  SourceMappingPtr source;  ///< of arguments; an operation carries its results' mapping
};

struct Region;

struct Operation {
  const OpInfo* info = nullptr;
  std::vector<ValueId> operands;
  /// Lengths of the operand groups that op_table.h names; they add up to operands.size().
  std::vector<std::size_t> segments;
  std::vector<ValueId> results;
  std::vector<NamedAttribute> attributes;  ///< sorted by name
  std::vector<Region> regions;
  TextPosition where;
  SourceMappingPtr source;
  bool has_faults = false;  ///< the parser has reported it: the verifier does not do so again

  [[nodiscard]] OpCode code() const { return info->code; }
  [[nodiscard]] bool is(OpCode other) const { return info->code == other; }
  /// The operands of group `index`; empty if there is no such group.
  [[nodiscard]] std::span<const ValueId> segment(std::size_t index) const;
  /// nullptr if there is none of that name.
  [[nodiscard]] AttributePtr attribute(std::string_view name) const;
  void set(std::string_view name, AttributePtr value);
};

struct Region {
  std::vector<ValueId> arguments;
  std::vector<Operation> operations;
};

struct Function {
  std::string name;
  std::string visibility;  ///< "", "private" or "public"
  Region body;
  std::vector<std::vector<NamedAttribute>> argument_attributes;  ///< one list per argument
  std::vector<Type> result_types;
  std::vector<NamedAttribute> attributes;
  std::vector<Value> values;
  TextPosition where;
  SourceMappingPtr source;

  [[nodiscard]] const Value& value(ValueId id) const { return values[id]; }
  [[nodiscard]] const Type& type(ValueId id) const { return values[id].type; }
  [[nodiscard]] AttributePtr attribute(std::string_view attribute_name) const;
  /// Entries of the attribute 'grid', first entry fastest; empty without one (a single core).
  [[nodiscard]] std::vector<std::int64_t> grid() const;
  /// The number of cores the function runs on: the product of grid(). At least 1.
  [[nodiscard]] std::int64_t core_count() const;
};

struct Module {
  std::string file;
  std::string name;
  std::vector<NamedAttribute> attributes;
  std::vector<Function> functions;

  [[nodiscard]] models::SourcePosition position(const TextPosition& where) const {
    return {file, where.line, where.column};
  }
  /// nullptr if there is none of that name.
  [[nodiscard]] const Function* function(std::string_view function_name) const;
};

/// The entry of that name in a list sorted by name, or nullptr.
[[nodiscard]] AttributePtr find_attribute(const std::vector<NamedAttribute>& attributes,
                                          std::string_view name);

}  // namespace spyre::kernels::ktir
