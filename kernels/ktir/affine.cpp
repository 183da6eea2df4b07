#include "kernels/ktir/affine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace spyre::kernels::ktir {
namespace {

std::optional<std::int64_t> combine(AffineKind kind, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  switch (kind) {
    case AffineKind::add:
      return __builtin_add_overflow(left, right, &result) ? std::nullopt : std::optional(result);
    case AffineKind::subtract:
      return __builtin_sub_overflow(left, right, &result) ? std::nullopt : std::optional(result);
    case AffineKind::multiply:
      return __builtin_mul_overflow(left, right, &result) ? std::nullopt : std::optional(result);
    default:
      break;
  }
  if (right <= 0) return std::nullopt;
  if (kind == AffineKind::floor_divide) return floor_divide(left, right);
  if (kind == AffineKind::ceil_divide) return ceil_divide(left, right);
  return modulo(left, right);
}

std::optional<std::int64_t> at(std::span<const std::int64_t> values, std::int64_t index) {
  const auto position = static_cast<std::size_t>(index);
  return position < values.size() ? std::optional(values[position]) : std::nullopt;
}

std::vector<std::string> numbered(char prefix, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", prefix, i));
  return names;
}

bool is_constant(const LinearForm& form) {
  return std::ranges::all_of(form.coefficients, [](std::int64_t c) { return c == 0; });
}

std::optional<LinearForm> combine(AffineKind kind, LinearForm left, LinearForm right) {
  if (kind == AffineKind::add || kind == AffineKind::subtract) {
    const std::optional<std::int64_t> constant = combine(kind, left.constant, right.constant);
    if (!constant) return std::nullopt;
    left.constant = *constant;
    for (std::size_t i = 0; i < left.coefficients.size(); ++i) {
      const auto sum = combine(kind, left.coefficients[i], right.coefficients[i]);
      if (!sum) return std::nullopt;
      left.coefficients[i] = *sum;
    }
    return left;
  }
  if (kind == AffineKind::multiply) {
    if (!is_constant(right)) std::swap(left, right);
    if (!is_constant(right)) return std::nullopt;
    const auto constant = combine(kind, left.constant, right.constant);
    if (!constant) return std::nullopt;
    left.constant = *constant;
    for (std::int64_t& coefficient : left.coefficients) {
      const auto product = combine(kind, coefficient, right.constant);
      if (!product) return std::nullopt;
      coefficient = *product;
    }
    return left;
  }
  if (!is_constant(left) || !is_constant(right)) return std::nullopt;
  const auto constant = combine(kind, left.constant, right.constant);
  if (!constant) return std::nullopt;
  left.constant = *constant;
  return left;
}

/// Text of one node with the strength of its outermost operator.
struct Piece {
  std::string text;
  int strength = 0;
};

constexpr int kSum = 1;
constexpr int kProduct = 2;
constexpr int kAtom = 3;

std::string wrapped(Piece piece, int needed) {
  return piece.strength >= needed ? std::move(piece.text) : "(" + piece.text + ")";
}

Piece joined(AffineKind kind, Piece left, Piece right) {
  const bool sum = kind == AffineKind::add || kind == AffineKind::subtract;
  const int strength = sum ? kSum : kProduct;
  const char* sign = " mod ";
  if (kind == AffineKind::add) sign = " + ";
  if (kind == AffineKind::subtract) sign = " - ";
  if (kind == AffineKind::multiply) sign = " * ";
  if (kind == AffineKind::floor_divide) sign = " floordiv ";
  if (kind == AffineKind::ceil_divide) sign = " ceildiv ";
  std::string text = wrapped(std::move(left), strength);
  text += sign;
  text += wrapped(std::move(right), strength + 1);
  return {std::move(text), strength};
}

}  // namespace

std::int64_t floor_divide(std::int64_t value, std::int64_t divisor) {
  const std::int64_t quotient = value / divisor;
  return quotient - (value % divisor < 0 ? 1 : 0);
}

std::int64_t ceil_divide(std::int64_t value, std::int64_t divisor) {
  const std::int64_t quotient = value / divisor;
  return quotient + (value % divisor > 0 ? 1 : 0);
}

std::int64_t modulo(std::int64_t value, std::int64_t divisor) {
  const std::int64_t remainder = value % divisor;
  return remainder < 0 ? remainder + divisor : remainder;
}

AffineExpr AffineExpr::constant(std::int64_t value) {
  AffineExpr expression;
  expression.nodes_.push_back({AffineKind::constant, value});
  return expression;
}

AffineExpr AffineExpr::dimension(std::size_t index) {
  AffineExpr expression;
  expression.nodes_.push_back({AffineKind::dimension, static_cast<std::int64_t>(index)});
  return expression;
}

AffineExpr AffineExpr::symbol(std::size_t index) {
  AffineExpr expression;
  expression.nodes_.push_back({AffineKind::symbol, static_cast<std::int64_t>(index)});
  return expression;
}

AffineExpr AffineExpr::negated(AffineExpr operand) {
  AffineNode& root = operand.nodes_.back();
  if (root.kind == AffineKind::constant && root.value != std::numeric_limits<std::int64_t>::min()) {
    root.value = -root.value;
    return operand;
  }
  const auto index = static_cast<std::uint32_t>(operand.nodes_.size() - 1);
  operand.nodes_.push_back({AffineKind::negate, 0, index, 0});
  return operand;
}

AffineExpr AffineExpr::binary(AffineKind kind, AffineExpr left, AffineExpr right) {
  const auto shift = static_cast<std::uint32_t>(left.nodes_.size());
  for (AffineNode node : right.nodes_) {
    node.left += shift;
    node.right += shift;
    if (node.kind <= AffineKind::symbol) node.left = node.right = 0;
    if (node.kind == AffineKind::negate) node.right = 0;
    left.nodes_.push_back(node);
  }
  const auto last = static_cast<std::uint32_t>(left.nodes_.size() - 1);
  left.nodes_.push_back({kind, 0, shift - 1, last});
  return left;
}

std::optional<std::int64_t> AffineExpr::as_constant() const {
  if (nodes_.back().kind != AffineKind::constant) return std::nullopt;
  return nodes_.back().value;
}

std::optional<std::size_t> AffineExpr::as_dimension() const {
  if (nodes_.back().kind != AffineKind::dimension) return std::nullopt;
  return static_cast<std::size_t>(nodes_.back().value);
}

bool AffineExpr::uses_dimensions() const {
  return std::ranges::any_of(
      nodes_, [](const AffineNode& node) { return node.kind == AffineKind::dimension; });
}

std::optional<std::int64_t> AffineExpr::evaluate(std::span<const std::int64_t> dimensions,
                                                 std::span<const std::int64_t> symbols) const {
  std::vector<std::int64_t> values(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const AffineNode& node = nodes_[i];
    std::optional<std::int64_t> value = node.value;
    if (node.kind == AffineKind::dimension) {
      value = at(dimensions, node.value);
    } else if (node.kind == AffineKind::symbol) {
      value = at(symbols, node.value);
    } else if (node.kind == AffineKind::negate) {
      value = combine(AffineKind::subtract, 0, values[node.left]);
    } else if (node.kind != AffineKind::constant) {
      value = combine(node.kind, values[node.left], values[node.right]);
    }
    if (!value) return std::nullopt;
    values[i] = *value;
  }
  return values.back();
}

std::optional<LinearForm> AffineExpr::linear_form(std::size_t dimensions,
                                                  std::span<const std::int64_t> symbols) const {
  std::vector<LinearForm> forms(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const AffineNode& node = nodes_[i];
    LinearForm leaf{node.value, std::vector<std::int64_t>(dimensions)};
    std::optional<LinearForm> form;
    if (node.kind == AffineKind::dimension) {
      if (static_cast<std::size_t>(node.value) >= dimensions) return std::nullopt;
      leaf.constant = 0;
      leaf.coefficients[static_cast<std::size_t>(node.value)] = 1;
      form = std::move(leaf);
    } else if (node.kind == AffineKind::symbol) {
      const std::optional<std::int64_t> value = at(symbols, node.value);
      if (!value) return std::nullopt;
      leaf.constant = *value;
      form = std::move(leaf);
    } else if (node.kind == AffineKind::constant) {
      form = std::move(leaf);
    } else if (node.kind == AffineKind::negate) {  // the leaf is all zeros here
      form = combine(AffineKind::subtract, std::move(leaf), std::move(forms[node.left]));
    } else {
      form = combine(node.kind, std::move(forms[node.left]), std::move(forms[node.right]));
    }
    if (!form) return std::nullopt;
    forms[i] = std::move(*form);
  }
  return std::move(forms.back());
}

std::string AffineExpr::text(std::span<const std::string> dimension_names,
                             std::span<const std::string> symbol_names) const {
  std::vector<Piece> pieces(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const AffineNode& node = nodes_[i];
    if (node.kind == AffineKind::constant) {
      pieces[i] = {std::to_string(node.value), kAtom};
    } else if (node.kind == AffineKind::dimension) {
      pieces[i] = {dimension_names[static_cast<std::size_t>(node.value)], kAtom};
    } else if (node.kind == AffineKind::symbol) {
      pieces[i] = {symbol_names[static_cast<std::size_t>(node.value)], kAtom};
    } else if (node.kind == AffineKind::negate) {
      pieces[i] = {"-" + wrapped(std::move(pieces[node.left]), kAtom), kAtom};
    } else {
      pieces[i] = joined(node.kind, std::move(pieces[node.left]), std::move(pieces[node.right]));
    }
  }
  return std::move(pieces.back().text);
}

AffineMap AffineMap::identity(std::size_t rank) {
  AffineMap map{rank, 0, {}};
  for (std::size_t i = 0; i < rank; ++i) map.results.push_back(AffineExpr::dimension(i));
  return map;
}

std::optional<std::vector<std::size_t>> AffineMap::as_permutation() const {
  if (results.size() != dimensions) return std::nullopt;
  std::vector<std::size_t> order;
  std::vector<bool> seen(dimensions);
  for (const AffineExpr& result : results) {
    const std::optional<std::size_t> dimension = result.as_dimension();
    if (!dimension || *dimension >= dimensions || seen[*dimension]) return std::nullopt;
    seen[*dimension] = true;
    order.push_back(*dimension);
  }
  return order;
}

std::vector<std::int64_t> IndexBox::extents() const {
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < low.size(); ++i) {
    std::int64_t span = 0;  // a range wider than 64 bits is taken for the widest one
    if (__builtin_sub_overflow(high[i], low[i], &span) ||
        span == std::numeric_limits<std::int64_t>::max()) {
      span = high[i] < low[i] ? -1 : std::numeric_limits<std::int64_t>::max() - 1;
    }
    sizes.push_back(span < 0 ? 0 : span + 1);
  }
  return sizes;
}

bool IntegerSet::contains(std::span<const std::int64_t> point,
                          std::span<const std::int64_t> symbol_values) const {
  return std::ranges::all_of(constraints, [&](const AffineConstraint& constraint) {
    const std::optional<std::int64_t> value = constraint.expression.evaluate(point, symbol_values);
    return value && (constraint.is_equality ? *value == 0 : *value >= 0);
  });
}

std::optional<IndexBox> IntegerSet::box(std::span<const std::int64_t> symbol_values) const {
  using Limits = std::numeric_limits<std::int64_t>;
  constexpr std::int64_t kFar = Limits::max() / 4;  // a bound that far away is none
  IndexBox result{std::vector<std::int64_t>(dimensions, -kFar),
                  std::vector<std::int64_t>(dimensions, kFar)};
  bool empty = false;
  for (const AffineConstraint& constraint : constraints) {
    const auto form = constraint.expression.linear_form(dimensions, symbol_values);
    if (!form || form->constant <= -kFar || form->constant >= kFar) return std::nullopt;
    const auto& coefficients = form->coefficients;
    const auto used = [](std::int64_t c) { return c != 0; };
    const auto first = std::ranges::find_if(coefficients, used);
    if (first == coefficients.end()) {
      const std::int64_t value = form->constant;
      empty = empty || (constraint.is_equality ? value != 0 : value < 0);
      continue;
    }
    if (std::ranges::count_if(coefficients, used) > 1 || *first <= -kFar || *first >= kFar) {
      return std::nullopt;
    }
    // coefficient * d + constant >= 0
    const auto d = static_cast<std::size_t>(first - coefficients.begin());
    const std::int64_t c = *first;
    const std::int64_t low =
        c > 0 ? ceil_divide(-form->constant, c) : ceil_divide(form->constant, -c);
    const std::int64_t high =
        c > 0 ? floor_divide(-form->constant, c) : floor_divide(form->constant, -c);
    if (c > 0 || constraint.is_equality) result.low[d] = std::max(result.low[d], low);
    if (c < 0 || constraint.is_equality) result.high[d] = std::min(result.high[d], high);
  }
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (result.low[d] == -kFar || result.high[d] == kFar) return std::nullopt;
    if (empty) result.high[d] = result.low[d] - 1;
  }
  return result;
}

std::string to_string(const AffineMap& map) {
  const std::vector<std::string> dimensions = numbered('d', map.dimensions);
  const std::vector<std::string> symbols = numbered('s', map.symbols);
  std::vector<std::string> results;
  for (const AffineExpr& result : map.results) results.push_back(result.text(dimensions, symbols));
  return fmt::format("affine_map<({}){} -> ({})>", fmt::join(dimensions, ", "),
                     symbols.empty() ? "" : fmt::format("[{}]", fmt::join(symbols, ", ")),
                     fmt::join(results, ", "));
}

std::string to_string(const IntegerSet& set) {
  const std::vector<std::string> dimensions = numbered('d', set.dimensions);
  const std::vector<std::string> symbols = numbered('s', set.symbols);
  std::vector<std::string> constraints;
  for (const AffineConstraint& constraint : set.constraints) {
    constraints.push_back(constraint.expression.text(dimensions, symbols) +
                          (constraint.is_equality ? " == 0" : " >= 0"));
  }
  return fmt::format("affine_set<({}){} : ({})>", fmt::join(dimensions, ", "),
                     symbols.empty() ? "" : fmt::format("[{}]", fmt::join(symbols, ", ")),
                     fmt::join(constraints, ", "));
}

}  // namespace spyre::kernels::ktir
