// Index expressions of a schedule: integers, named variables and + - * // % min max, comparisons,
// and or not.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {

/// Names of the variables an expression may use; a variable's index is its place in the value
/// array.
class SymbolTable {
 public:
  std::size_t add(const std::string& name);  ///< returns the index; an existing name keeps its own
  [[nodiscard]] std::ptrdiff_t find(const std::string& name) const;  ///< -1 if unknown
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

/// A parsed expression. Values are 64-bit integers; // and % round towards minus infinity;
/// comparisons give 0 or 1. Cheap to copy; evaluation allocates nothing.
class Expression {
 public:
  Expression() = default;  ///< 0
  explicit Expression(std::int64_t constant);
  /// Parses `text`; names are bound later by bind(). Throws InputError at `where` plus the offset
  /// in the text.
  static Expression parse(const std::string& text, const models::SourcePosition& where);

  /// Resolves names to indices of `symbols`. Throws InputError naming an unknown variable and the
  /// nearest known one.
  void bind(const SymbolTable& symbols);
  /// Division by zero gives 0. `values` is indexed as the bound symbol table.
  [[nodiscard]] std::int64_t evaluate(std::span<const std::int64_t> values) const;

  [[nodiscard]] const std::string& text() const {
    return text_;
  }  ///< as written; what the writer writes
  [[nodiscard]] const models::SourcePosition& where() const { return where_; }
  [[nodiscard]] bool is_constant() const;
  /// Whether the (bound) expression depends on this variable, or is nothing but it.
  [[nodiscard]] bool uses(std::size_t variable) const;
  [[nodiscard]] bool is_variable(std::size_t variable) const;

 private:
  enum class Code : std::uint8_t {
    constant,
    variable,
    add,
    subtract,
    multiply,
    floor_divide,
    modulo,
    minimum,
    maximum,
    negate,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    logical_not
  };
  struct Instruction {
    Code code;
    std::int64_t operand;  ///< constant, or variable index
  };
  friend class ExpressionParser;

  std::vector<Instruction> program_;  ///< postfix
  std::vector<std::string> names_;  ///< variables by first use; `variable` refers here until bound
  std::string text_ = "0";
  models::SourcePosition where_;
};

}  // namespace spyre::kernels
