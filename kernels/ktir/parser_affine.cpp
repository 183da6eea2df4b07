#include <fmt/format.h>

#include <algorithm>

#include "kernels/ktir/parser_state.h"

namespace spyre::kernels::ktir {
namespace {

/// More dimensions and symbols than any shape needs, and few enough to keep boxes cheap.
constexpr std::size_t kMaxNames = 64;

}  // namespace

/// (d0, d1)[s0] - any names.
Parser::AffineNames Parser::parse_affine_names() {
  AffineNames names;
  const auto read = [&](std::vector<std::string>& list, std::string_view close) {
    if (!token_.is(close)) {
      do {
        const Token name = expect_kind(TokenKind::word, "a dimension or symbol name");
        const auto is_taken = [&](const std::vector<std::string>& known) {
          return std::ranges::find(known, name.text) != known.end();
        };
        if (is_taken(names.dimensions) || is_taken(names.symbols)) {
          fail(name.where, fmt::format("the name {} stands twice here", shown(name)));
        }
        list.emplace_back(name.text);
        if (list.size() > kMaxNames) {
          fail(name.where, fmt::format("at most {} names can stand here", kMaxNames));
        }
      } while (accept(","));
    }
    expect(close);
  };
  expect("(");
  read(names.dimensions, ")");
  if (accept("[")) read(names.symbols, "]");
  return names;
}

AffineMapPtr Parser::parse_affine_map() {
  expect_word("affine_map");
  expect("<");
  AffineNames names = parse_affine_names();
  expect("->");
  expect("(");
  AffineMap map{names.dimensions.size(), names.symbols.size(), {}};
  if (!token_.is(")")) {
    do {
      map.results.push_back(parse_sum(names));
    } while (accept(","));
  }
  expect(")");
  expect(">");
  return std::make_shared<const AffineMap>(std::move(map));
}

IntegerSetPtr Parser::parse_integer_set() {
  expect_word("affine_set");
  expect("<");
  AffineNames names = parse_affine_names();
  expect(":");
  expect("(");
  IntegerSet set{names.dimensions.size(), names.symbols.size(), {}};
  if (!token_.is(")")) {
    do {
      set.constraints.push_back(parse_constraint(names));
    } while (accept(","));
  }
  expect(")");
  expect(">");
  return std::make_shared<const IntegerSet>(std::move(set));
}

IntegerSetPtr Parser::parse_set_or_alias() {
  const TextPosition where = token_.where;
  const AttributePtr attribute = parse_attribute();
  const auto* set = value_of<IntegerSetPtr>(attribute);
  if (set == nullptr) fail(where, "expected affine_set<...> or an alias of one");
  return *set;
}

AffineMapPtr Parser::parse_map_or_alias() {
  const TextPosition where = token_.where;
  const AttributePtr attribute = parse_attribute();
  const auto* map = value_of<AffineMapPtr>(attribute);
  if (map == nullptr) fail(where, "expected affine_map<...> or an alias of one");
  return *map;
}

AffineConstraint Parser::parse_constraint(AffineNames& names) {
  AffineExpr left = parse_sum(names);
  const Token sign = token_;
  if (!accept(">=") && !accept("<=") && !accept("==")) fail_expected("'>=', '<=' or '=='");
  AffineExpr right = parse_sum(names);
  if (sign.is("<=")) std::swap(left, right);
  const bool zero = right.as_constant() == std::optional<std::int64_t>(0);
  return {zero ? std::move(left)
               : AffineExpr::binary(AffineKind::subtract, std::move(left), std::move(right)),
          sign.is("==")};
}

AffineExpr Parser::parse_sum(AffineNames& names) {
  AffineExpr left = parse_product(names);
  while (token_.is("+") || token_.is("-")) {
    const AffineKind kind = token_.is("+") ? AffineKind::add : AffineKind::subtract;
    advance();
    left = AffineExpr::binary(kind, std::move(left), parse_product(names));
  }
  return left;
}

AffineExpr Parser::parse_product(AffineNames& names) {
  AffineExpr left = parse_factor(names);
  while (true) {
    AffineKind kind = AffineKind::multiply;
    if (token_.is_word("floordiv")) {
      kind = AffineKind::floor_divide;
    } else if (token_.is_word("ceildiv")) {
      kind = AffineKind::ceil_divide;
    } else if (token_.is_word("mod")) {
      kind = AffineKind::modulo;
    } else if (!token_.is("*")) {
      return left;
    }
    advance();
    const TextPosition where = token_.where;
    AffineExpr right = parse_factor(names);
    if (kind == AffineKind::multiply) {
      if (left.uses_dimensions() && right.uses_dimensions()) {
        fail(where, "the product of two dimensions is not affine");
      }
    } else if (right.uses_dimensions()) {
      fail(where, "division by a dimension is not affine");
    } else if (right.as_constant().value_or(1) <= 0) {
      fail(where, fmt::format("the divisor is {}: it must be positive", *right.as_constant()));
    }
    left = AffineExpr::binary(kind, std::move(left), std::move(right));
  }
}

AffineExpr Parser::parse_factor(AffineNames& names) {
  const Nesting nesting(*this);
  if (accept("-")) return AffineExpr::negated(parse_factor(names));
  if (accept("(")) {
    AffineExpr inner = parse_sum(names);
    expect(")");
    return inner;
  }
  if (token_.kind == TokenKind::integer) {
    return AffineExpr::constant(expect_integer("an integer"));
  }
  if (token_.kind == TokenKind::value_name && names.captured != nullptr)
    return parse_ssa_leaf(names);
  const Token name = expect_kind(TokenKind::word, names.captured != nullptr
                                                      ? "a value (%name), an integer or '('"
                                                      : "a dimension, a symbol, an integer or '('");
  const auto dimension = std::ranges::find(names.dimensions, name.text);
  if (dimension != names.dimensions.end() && names.captured == nullptr) {
    return AffineExpr::dimension(static_cast<std::size_t>(dimension - names.dimensions.begin()));
  }
  const auto symbol = std::ranges::find(names.symbols, name.text);
  if (symbol != names.symbols.end() && names.captured == nullptr) {
    return AffineExpr::symbol(static_cast<std::size_t>(symbol - names.symbols.begin()));
  }
  fail(name.where, fmt::format("{} is no dimension or symbol of this expression", shown(name)));
}

/// %name in a subscript: an intermediate variable of the operation, or a value from outside.
AffineExpr Parser::parse_ssa_leaf(AffineNames& names) {
  const auto dimension = std::ranges::find(names.dimensions, token_.text);
  if (dimension != names.dimensions.end()) {
    advance();
    return AffineExpr::dimension(static_cast<std::size_t>(dimension - names.dimensions.begin()));
  }
  const Use use = parse_use();
  std::vector<Use>& captured = *names.captured;
  auto place = std::ranges::find(captured, use.id, &Use::id);
  if (place == captured.end()) {
    if (captured.size() == kMaxNames) {
      fail(use.where, fmt::format("at most {} values can stand in subscripts", kMaxNames));
    }
    check_type(use, Type::index());
    captured.push_back(use);
    place = captured.end() - 1;
  }
  const auto index = static_cast<std::size_t>(place - captured.begin());
  return names.captured_are_symbols ? AffineExpr::symbol(index) : AffineExpr::dimension(index);
}

/// [a, b + 1] - affine expressions over values.
std::vector<AffineExpr> Parser::parse_subscripts(AffineNames& names) {
  std::vector<AffineExpr> subscripts;
  expect("[");
  if (!token_.is("]")) {
    do {
      subscripts.push_back(parse_sum(names));
      if (subscripts.size() > kMaxRank) {
        fail(token_.where, fmt::format("at most {} subscripts can stand here", kMaxRank));
      }
    } while (accept(","));
  }
  expect("]");
  return subscripts;
}

}  // namespace spyre::kernels::ktir
