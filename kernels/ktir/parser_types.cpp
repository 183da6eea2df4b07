#include <fmt/format.h>

#include "kernels/ktir/parser_state.h"

namespace spyre::kernels::ktir {
namespace {

constexpr std::string_view kTypeForms =
    "a type (index, iN, f16, bf16, f32, tensor<...>, memref<...>, !ktdp.access_tile<...>, ...)";

}  // namespace

bool Parser::at_type() const {
  if (token_.kind == TokenKind::bang_name) return true;
  if (token_.kind != TokenKind::word) return false;
  return token_.text == "tensor" || token_.text == "memref" ||
         scalar_type_named(token_.text).has_value();
}

ScalarType Parser::parse_scalar() {
  if (token_.kind == TokenKind::word) {
    if (const std::optional<ScalarType> type = scalar_type_named(token_.text)) {
      advance();
      return *type;
    }
  } else if (token_.kind == TokenKind::bang_name && token_.text == "spyreop.df16") {
    advance();
    return {ScalarKind::df16, 16};
  } else if (token_.kind == TokenKind::bang_name && type_aliases_.contains(token_.text)) {
    const TextPosition where = token_.where;
    const Type type = parse_type_alias();
    if (type.is_scalar()) return type.element;
    fail(where, fmt::format("{} is no element type", to_string(type)));
  }
  fail_expected("an element type (index, iN, siN, uiN, f16, bf16, f32, f64, f8E4M3FN, f8E5M2)");
}

Type Parser::parse_type_alias() {
  const Token name = token_;
  advance();
  return *read_alias(name, type_aliases_).type;
}

/// A dimension list and the element type after it: 4x?xf16. The lexer has no such token, so the
/// digits and each 'x' are cut off by hand.
void Parser::parse_shape(Type& type) {
  while (token_.kind == TokenKind::integer || token_.is("?")) {
    const Token size = token_;
    std::size_t length = 1;
    if (size.is("?")) {
      type.shape.push_back(kDynamic);
    } else {
      while (length < size.text.size() && size.text[length] >= '0' && size.text[length] <= '9') {
        ++length;
      }
      const Token digits{TokenKind::integer, size.text.substr(0, length), size.where};
      const std::uint64_t value = magnitude(digits);
      if (value > (std::uint64_t{1} << 62U)) {
        fail(size.where, fmt::format("the size {} is larger than 2^62", value));
      }
      type.shape.push_back(static_cast<std::int64_t>(value));
    }
    if (type.shape.size() > kMaxRank) {
      fail(size.where, fmt::format("a shape has at most {} dimensions", kMaxRank));
    }
    seek_into(size, length);
    if (token_.kind != TokenKind::word || !token_.text.starts_with('x')) {
      fail_expected("'x' between the sizes and before the element type");
    }
    seek_into(Token(token_), 1);
  }
  type.element = parse_scalar();
}

Type Parser::parse_tensor() {
  Type type;
  type.kind = TypeKind::tensor;
  expect("<");
  parse_shape(type);
  expect(">");
  return type;
}

StridedLayout Parser::parse_strided() {
  StridedLayout layout;
  const auto size = [this] { return accept("?") ? kDynamic : expect_integer("a stride or '?'"); };
  expect("<");
  expect("[");
  if (!token_.is("]")) {
    do {
      layout.strides.push_back(size());
    } while (accept(","));
  }
  expect("]");
  if (accept(",")) {
    expect_word("offset");
    expect(":");
    layout.offset = size();
  }
  expect(">");
  return layout;
}

Type Parser::parse_memref() {
  Type type;
  type.kind = TypeKind::memref;
  expect("<");
  parse_shape(type);
  while (accept(",")) {
    if (accept_word("strided")) {
      type.layout = parse_strided();
      continue;
    }
    const TextPosition where = token_.where;
    if (token_.kind == TokenKind::string) {
      fail(where,
           "memory spaces named by a string stand in scheduled code only: KTIR writes "
           "#ktdp.memory_space<global> or <ct_local>");
    }
    const AttributePtr attribute = parse_attribute();
    const auto* space = value_of<MemorySpace>(attribute);
    if (space == nullptr) fail(where, "expected strided<...> or #ktdp.memory_space<...>");
    type.memory_space = *space;
  }
  expect(">");
  return type;
}

Type Parser::parse_access_tile_body() {
  Type type;
  type.kind = TypeKind::access_tile;
  expect("<");
  const TextPosition where = token_.where;
  parse_shape(type);
  if (type.element.kind != ScalarKind::index) {
    fail(where, fmt::format("the elements of an access tile are 'index', not '{}'",
                            to_string(type.element)));
  }
  expect(">");
  return type;
}

Type Parser::parse_tile_future_body() {
  Type type;
  type.kind = TypeKind::tile_future;
  expect("<");
  const bool listed = accept("(");
  do {
    const TextPosition where = token_.where;
    Type tensor = parse_type();
    if (!tensor.is_tensor() && !tensor.is_scalar()) {
      fail(where, fmt::format("a future carries tensors, not {}", to_string(tensor)));
    }
    type.payload.push_back(std::move(tensor));
  } while (listed && accept(","));
  if (listed) expect(")");
  if (accept(",")) {
    expect_word("groups");
    expect("=");
    type.groups = parse_set_or_alias();
  }
  expect(">");
  return type;
}

Type Parser::parse_runtime_arg_body() {
  Type type;
  type.kind = TypeKind::runtime_arg;
  expect("<");
  type.element = parse_scalar();
  while (accept(",")) {
    const Token name = expect_kind(TokenKind::word, "'granularity' or 'upperbound'");
    expect("=");
    const std::int64_t value = expect_integer("an integer");
    if (name.text == "granularity") {
      type.granularity = value;
    } else if (name.text == "upperbound") {
      type.upper_bound = value;
    } else {
      fail(name.where,
           fmt::format("expected 'granularity' or 'upperbound', found {}", shown(name)));
    }
  }
  expect(">");
  return type;
}

Type Parser::parse_type_of(TypeKind kind) {
  if (!token_.is("<")) return parse_type();
  if (kind == TypeKind::access_tile) return parse_access_tile_body();
  if (kind == TypeKind::tile_future) return parse_tile_future_body();
  return parse_runtime_arg_body();
}

Type Parser::parse_type() {
  const Nesting nesting(*this);
  if (accept_word("tensor")) return parse_tensor();
  if (accept_word("memref")) return parse_memref();
  if (token_.kind == TokenKind::word && scalar_type_named(token_.text)) {
    return Type::scalar(parse_scalar());
  }
  if (token_.kind != TokenKind::bang_name) fail_expected(kTypeForms);
  const std::string_view name = token_.text;
  if (name == "spyreop.df16") return Type::scalar(parse_scalar());
  if (name == "ktdp.access_tile") return advance(), parse_access_tile_body();
  if (name == "ktdp.tile_future") return advance(), parse_tile_future_body();
  if (name == "ktdp.runtime_arg") return advance(), parse_runtime_arg_body();
  return parse_type_alias();
}

std::vector<Type> Parser::parse_type_list() {
  std::vector<Type> types;
  do {
    types.push_back(parse_type());
  } while (accept(","));
  return types;
}

/// T, or (T, U), or ().
std::vector<Type> Parser::parse_result_types() {
  if (!accept("(")) return {parse_type()};
  std::vector<Type> types;
  if (!token_.is(")")) types = parse_type_list();
  expect(")");
  return types;
}

}  // namespace spyre::kernels::ktir
