// Affine expressions, maps and integer sets, as written in affine_map<...> and affine_set<...>.
//
// An expression is a tree laid out flat with children before parents, so evaluation, printing and
// destruction are loops. Products of two dimensions and division by anything but a positive
// constant or a symbol do not occur.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spyre::kernels::ktir {

enum class AffineKind {
  constant,
  dimension,
  symbol,
  negate,
  add,
  subtract,
  multiply,
  floor_divide,
  ceil_divide,
  modulo,
};

struct AffineNode {
  AffineKind kind = AffineKind::constant;
  std::int64_t value = 0;  ///< constant, or index of the dimension or symbol
  std::uint32_t left = 0;  ///< operand of negate, left operand of the binary kinds
  std::uint32_t right = 0;

  bool operator==(const AffineNode&) const = default;
};

/// What an expression adds up to: constant + sum of coefficient * dimension.
struct LinearForm {
  std::int64_t constant = 0;
  std::vector<std::int64_t> coefficients;  ///< one per dimension
};

class AffineExpr {
 public:
  static AffineExpr constant(std::int64_t value);
  static AffineExpr dimension(std::size_t index);
  static AffineExpr symbol(std::size_t index);
  static AffineExpr negated(AffineExpr operand);
  static AffineExpr binary(AffineKind kind, AffineExpr left, AffineExpr right);

  [[nodiscard]] const std::vector<AffineNode>& nodes() const { return nodes_; }
  [[nodiscard]] std::optional<std::int64_t> as_constant() const;
  [[nodiscard]] std::optional<std::size_t> as_dimension() const;
  [[nodiscard]] bool uses_dimensions() const;
  /// Nothing on overflow, on division by zero or less, and where an index has no value.
  [[nodiscard]] std::optional<std::int64_t> evaluate(std::span<const std::int64_t> dimensions,
                                                     std::span<const std::int64_t> symbols) const;
  /// Nothing if the expression is not linear in its dimensions once the symbols have values.
  [[nodiscard]] std::optional<LinearForm> linear_form(std::size_t dimensions,
                                                      std::span<const std::int64_t> symbols) const;
  /// Infix text; `dimension_names` and `symbol_names` give the leaves' names.
  [[nodiscard]] std::string text(std::span<const std::string> dimension_names,
                                 std::span<const std::string> symbol_names) const;

  bool operator==(const AffineExpr&) const = default;

 private:
  std::vector<AffineNode> nodes_;  ///< the last one is the root
};

struct AffineMap {
  std::size_t dimensions = 0;
  std::size_t symbols = 0;
  std::vector<AffineExpr> results;

  static AffineMap identity(std::size_t rank);
  /// For a map whose results are its dimensions, each once: their indices, outermost first.
  [[nodiscard]] std::optional<std::vector<std::size_t>> as_permutation() const;
  bool operator==(const AffineMap&) const = default;
};

/// expression >= 0 or expression == 0; other right sides are subtracted when read.
struct AffineConstraint {
  AffineExpr expression;
  bool is_equality = false;

  bool operator==(const AffineConstraint&) const = default;
};

/// An axis-parallel box: per dimension the lowest and the highest coordinate.
struct IndexBox {
  std::vector<std::int64_t> low;
  std::vector<std::int64_t> high;

  /// high - low + 1 per dimension, 0 for an empty range.
  [[nodiscard]] std::vector<std::int64_t> extents() const;
  bool operator==(const IndexBox&) const = default;
};

struct IntegerSet {
  std::size_t dimensions = 0;
  std::size_t symbols = 0;
  std::vector<AffineConstraint> constraints;

  /// False also where a constraint has no value.
  [[nodiscard]] bool contains(std::span<const std::int64_t> point,
                              std::span<const std::int64_t> symbol_values) const;
  /// The box the set equals, if each constraint bounds one dimension and all are bounded.
  [[nodiscard]] std::optional<IndexBox> box(std::span<const std::int64_t> symbol_values) const;
  bool operator==(const IntegerSet&) const = default;
};

using AffineMapPtr = std::shared_ptr<const AffineMap>;
using IntegerSetPtr = std::shared_ptr<const IntegerSet>;

/// "affine_map<(d0, d1)[s0] -> (d0, d1 + s0)>".
[[nodiscard]] std::string to_string(const AffineMap& map);
/// "affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>".
[[nodiscard]] std::string to_string(const IntegerSet& set);

/// Rounding towards minus and plus infinity, the remainder in [0, divisor). divisor > 0.
[[nodiscard]] std::int64_t floor_divide(std::int64_t value, std::int64_t divisor);
[[nodiscard]] std::int64_t ceil_divide(std::int64_t value, std::int64_t divisor);
[[nodiscard]] std::int64_t modulo(std::int64_t value, std::int64_t divisor);

}  // namespace spyre::kernels::ktir
