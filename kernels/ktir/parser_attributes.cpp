#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kernels/ktir/parser_state.h"

namespace spyre::kernels::ktir {
namespace {

/// The value that an integer's bits mean in its type; nothing if they do not fit.
std::optional<std::int64_t> in_type(std::uint64_t magnitude, bool negative,
                                    const ScalarType& type) {
  const std::uint64_t sign_bit = std::uint64_t{1} << (type.width - 1);
  const std::uint64_t all = sign_bit - 1 + sign_bit;
  if (magnitude > (negative ? sign_bit : all)) return std::nullopt;
  if (negative && type.kind == ScalarKind::unsigned_integer) return std::nullopt;
  if (negative) return static_cast<std::int64_t>(0 - magnitude);
  if (type.width == 1) return static_cast<std::int64_t>(magnitude);
  const bool wraps = type.kind != ScalarKind::unsigned_integer && magnitude >= sign_bit;
  return static_cast<std::int64_t>(wraps ? magnitude - sign_bit - sign_bit : magnitude);
}

}  // namespace

AttributePtr Parser::literal(AttributePtr number, const ScalarType& type,
                             const TextPosition& where) {
  if (const auto* real = value_of<RealValue>(number)) {
    if (!type.is_float()) fail(where, fmt::format("a real number is no {}", to_string(type)));
    return make_attribute(RealValue{real->value, real->bits, type});
  }
  const auto* integer = value_of<IntegerValue>(number);
  if (integer == nullptr) {
    const auto* boolean = value_of<bool>(number);
    if (boolean == nullptr || type != ScalarType{ScalarKind::integer, 1}) {
      fail(where, fmt::format("expected a number of type {}", to_string(type)));
    }
    return make_attribute(IntegerValue{*boolean ? 1 : 0, type});
  }
  if (type.is_float())
    fail(where, fmt::format("an integer is no {}: write a '.'", to_string(type)));
  const bool negative = integer->value < 0;
  const auto bits = static_cast<std::uint64_t>(integer->value);
  const std::optional<std::int64_t> held = in_type(negative ? 0 - bits : bits, negative, type);
  if (!held) fail(where, fmt::format("{} does not fit in {}", integer->value, to_string(type)));
  return make_attribute(IntegerValue{*held, type});
}

/// A number and, if a ':' follows, its type. Hexadecimal digits before a float type are its bits.
AttributePtr Parser::parse_number(bool negative, const TextPosition& start, bool typed) {
  const Token token = token_;
  advance();
  std::optional<ScalarType> type;
  if (typed && accept(":")) type = parse_scalar();
  if (token.kind == TokenKind::real) {
    double value = 0;
    const std::string_view digits = token.text;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec != std::errc{}) {
      fail(start, fmt::format("{} is outside the range of 64-bit floats", shown(token)));
    }
    const AttributePtr real =
        make_attribute(RealValue{negative ? -value : value, std::nullopt, type});
    return type ? literal(real, *type, start) : real;
  }
  const std::uint64_t value = magnitude(token);
  if (type && type->is_float()) {
    if (!token.text.starts_with("0x") || negative) {
      fail(start, "a float is written with a '.' or as hexadecimal bits");
    }
    if (type->width < 64 && value >> type->width != 0) {
      fail(start, fmt::format("{} has more bits than {}", shown(token), to_string(*type)));
    }
    return make_attribute(RealValue{decode_bits(*type, value), value, type});
  }
  const ScalarType wide = type ? *type : ScalarType{ScalarKind::signed_integer, 64};
  const std::optional<std::int64_t> held = in_type(value, negative, wide);
  if (!held || (!type && !negative && *held < 0)) {
    fail(start, fmt::format("{}{} does not fit in {}", negative ? "-" : "", value,
                            type ? to_string(*type) : "a signed 64-bit integer"));
  }
  return make_attribute(IntegerValue{*held, type});
}

void Parser::parse_dense_elements(std::vector<AttributePtr>& elements,
                                  std::vector<std::int64_t>& shape, std::size_t depth) {
  const Nesting nesting(*this);
  const TextPosition where = token_.where;
  if (!accept("[")) {
    if (depth < shape.size()) fail(where, "the lists in dense<...> are not equally deep");
    const bool negative = accept("-");
    if (!negative && (token_.is_word("true") || token_.is_word("false"))) {
      elements.push_back(make_attribute(token_.is_word("true")));
      advance();
      return;
    }
    if (token_.kind != TokenKind::integer && token_.kind != TokenKind::real) {
      fail_expected("a number, 'true', 'false' or '['");
    }
    // Hexadecimal digits stay unsigned until the element type behind the '>' is known.
    if (token_.kind == TokenKind::integer && !negative) {
      elements.push_back(make_attribute(OpaqueValue{std::string(token_.text)}));
      static_cast<void>(magnitude(token_));
      advance();
    } else {
      elements.push_back(parse_number(negative, where));
    }
    return;
  }
  const bool first = depth == shape.size();
  if (first && depth > 0 && !elements.empty()) {
    fail(where, "the lists in dense<...> are not equally deep");
  }
  if (first) shape.push_back(-1);
  if (shape.size() > kMaxRank) fail(where, fmt::format("at most {} dimensions", kMaxRank));
  std::int64_t count = 0;
  if (!token_.is("]")) {
    do {
      parse_dense_elements(elements, shape, depth + 1);
      ++count;
    } while (accept(","));
  }
  expect("]");
  if (shape[depth] >= 0 && shape[depth] != count) {
    fail(where,
         fmt::format("this list has {} entries, the ones before it {}", count, shape[depth]));
  }
  shape[depth] = count;
}

AttributePtr Parser::parse_dense() {
  const TextPosition where = token_.where;
  expect("<");
  if (token_.kind == TokenKind::string)
    fail_expected("a number or a list: hexadecimal data is not read");
  std::vector<AttributePtr> elements;
  std::vector<std::int64_t> shape;
  if (!token_.is(">")) parse_dense_elements(elements, shape, 0);
  expect(">");
  expect(":");
  const TextPosition at_type = token_.where;
  Type type = parse_type();
  if (!type.is_tensor() || !type.is_static()) {
    fail(at_type,
         fmt::format("dense<...> has a tensor type of fixed shape, not {}", to_string(type)));
  }
  const bool splat = shape.empty() && elements.size() == 1;
  if (!splat && shape != type.shape && type.element_count() != std::optional<std::int64_t>(0)) {
    fail(where, fmt::format("the elements form {}, the type says {}",
                            shape.empty() ? "no list" : shape_text(shape), to_string(type)));
  }
  for (AttributePtr& element : elements) {
    const auto* digits = value_of<OpaqueValue>(element);
    if (digits == nullptr) {
      element = literal(element, type.element, where);
      continue;
    }
    const Token token{TokenKind::integer, digits->text, where};
    const bool bits = type.element.is_float() && token.text.starts_with("0x");
    const std::uint64_t value = magnitude(token);
    if (bits && (type.element.width == 64 || value >> type.element.width == 0)) {
      element = make_attribute(RealValue{decode_bits(type.element, value), value, type.element});
      continue;
    }
    const std::optional<std::int64_t> held =
        type.element.is_float() ? std::nullopt : in_type(value, false, type.element);
    if (!held) fail(where, fmt::format("{} is no {}", digits->text, to_string(type.element)));
    element = make_attribute(IntegerValue{*held, type.element});
  }
  return make_attribute(DenseValue{std::move(type), std::move(elements)});
}

std::vector<std::int64_t> Parser::parse_integer_list() {
  std::vector<std::int64_t> values;
  expect("[");
  if (!token_.is("]")) {
    do {
      values.push_back(expect_integer("an integer"));
    } while (accept(","));
  }
  expect("]");
  return values;
}

/// array<i64: 1, 2>, after 'array'.
AttributePtr Parser::parse_integer_array() {
  expect("<");
  const TextPosition where = token_.where;
  const ScalarType type = parse_scalar();
  if (type.is_float()) fail(where, "arrays of integers only are read");
  IntegersValue integers;
  if (accept(":")) {
    do {
      if (accept_word("true")) {
        integers.values.push_back(1);
      } else if (accept_word("false")) {
        integers.values.push_back(0);
      } else {
        integers.values.push_back(expect_integer("an integer"));
      }
    } while (accept(","));
  }
  expect(">");
  return make_attribute(std::move(integers));
}

MemorySpace Parser::parse_memory_space() {
  struct Spelling {
    std::string_view name;
    MemorySpace::Kind kind;
  };
  constexpr Spelling kSpellings[] = {{"global", MemorySpace::Kind::global},
                                     {"HBM", MemorySpace::Kind::global},
                                     {"ct_local", MemorySpace::Kind::ct_local},
                                     {"LX", MemorySpace::Kind::ct_local},
                                     {"L0", MemorySpace::Kind::l0},
                                     {"unspecified", MemorySpace::Kind::unspecified}};
  constexpr std::string_view kExpected = "global, ct_local, HBM, LX, L0 or unspecified";
  expect("<");
  const Token name = expect_kind(TokenKind::word, kExpected);
  const auto* found = std::ranges::find(kSpellings, name.text, &Spelling::name);
  if (found == std::end(kSpellings)) {
    fail(name.where, fmt::format("expected {}, found {}", kExpected, shown(name)));
  }
  MemorySpace space{found->kind, std::nullopt};
  if (accept(",")) {
    const Token key = expect_kind(TokenKind::word, "'ct_id' or 'core'");
    if (key.text != "ct_id" && key.text != "core") {
      fail(key.where, fmt::format("expected 'ct_id' or 'core', found {}", shown(key)));
    }
    if (space.kind != MemorySpace::Kind::ct_local) {
      fail(key.where, fmt::format("'{}' has no core: only ct_local (LX) has", name.text));
    }
    expect("=");
    const TextPosition where = token_.where;
    space.core = expect_integer("a core number");
    if (*space.core < 0) fail(where, "a core number is not negative");
  }
  expect(">");
  return space;
}

AttributePtr Parser::parse_hash_attribute() {
  const Token name = token_;
  advance();
  if (name.text == "ktdp.memory_space" || name.text == "ktdp.spyre_memory_space") {
    return make_attribute(parse_memory_space());
  }
  if (attribute_aliases_.contains(name.text)) return read_alias(name, attribute_aliases_).attribute;
  if (name.text.find('.') == std::string_view::npos) read_alias(name, attribute_aliases_);
  std::size_t end = name.where.offset + 1 + name.text.size();
  if (token_.is("<")) {
    skip_balanced();
    end = token_.where.offset;
  }
  std::string_view text =
      std::string_view(text_).substr(name.where.offset, end - name.where.offset);
  while (!text.ends_with('>') && text.size() > name.text.size() + 1) text.remove_suffix(1);
  if (text.find("//") != std::string_view::npos || text.find('\n') != std::string_view::npos) {
    // Kept on one line and without comments, token by token.
    std::string joined;
    Lexer again(text);
    for (Token token = again.next(); token.kind != TokenKind::end; token = again.next()) {
      const std::size_t stop = again.position().offset;
      if (!joined.empty()) joined += ' ';
      joined += text.substr(token.where.offset, stop - token.where.offset);
    }
    return make_attribute(OpaqueValue{std::move(joined)});
  }
  return make_attribute(OpaqueValue{std::string(text)});
}

std::vector<NamedAttribute> Parser::parse_dictionary() {
  const Nesting nesting(*this);
  std::vector<NamedAttribute> entries;
  const TextPosition where = token_.where;
  expect("{");
  while (!token_.is("}")) {
    const Token key = token_;
    if (key.kind != TokenKind::word && key.kind != TokenKind::string) {
      fail_expected("an attribute name or '}'");
    }
    advance();
    std::string name = key.kind == TokenKind::word ? std::string(key.text) : string_text(key);
    entries.emplace_back(std::move(name),
                         accept("=") ? parse_attribute() : make_attribute(UnitValue{}));
    if (!accept(",")) break;
  }
  expect("}");
  std::ranges::stable_sort(entries, {}, &NamedAttribute::first);
  const auto twice = std::ranges::adjacent_find(entries, {}, &NamedAttribute::first);
  if (twice != entries.end()) {
    fail(where, fmt::format("the attribute '{}' stands twice here", twice->first.substr(0, 64)));
  }
  return entries;
}

void Parser::merge(Operation& op, std::vector<NamedAttribute> entries) {
  if (op.attributes.empty()) {
    op.attributes = std::move(entries);
    return;
  }
  for (auto& [name, value] : entries) op.set(name, std::move(value));
}

void Parser::parse_optional_dictionary(Operation& op) {
  if (token_.is("{")) merge(op, parse_dictionary());
}

AttributePtr Parser::parse_attribute() {
  const Nesting nesting(*this);
  const TextPosition start = token_.where;
  if (token_.kind == TokenKind::hash_name) return parse_hash_attribute();
  if (token_.kind == TokenKind::integer || token_.kind == TokenKind::real) {
    return parse_number(false, start);
  }
  if (accept("-")) {
    if (token_.kind != TokenKind::integer && token_.kind != TokenKind::real) {
      fail_expected("a number");
    }
    return parse_number(true, start);
  }
  if (token_.kind == TokenKind::string) {
    const Token token = token_;
    advance();
    return make_attribute(StringValue{string_text(token)});
  }
  if (token_.kind == TokenKind::symbol_name) return make_attribute(SymbolValue{parse_symbol()});
  if (token_.is("{")) return make_attribute(DictionaryValue{parse_dictionary()});
  if (accept("[")) {
    ArrayValue array;
    if (!token_.is("]")) {
      do {
        array.elements.push_back(parse_attribute());
      } while (accept(","));
    }
    expect("]");
    return make_attribute(std::move(array));
  }
  if (token_.is_word("loc")) return make_attribute(parse_optional_location());
  if (token_.is_word("affine_map")) return make_attribute(parse_affine_map());
  if (token_.is_word("affine_set")) return make_attribute(parse_integer_set());
  if (accept_word("dense")) return parse_dense();
  if (accept_word("array")) return parse_integer_array();
  if (accept_word("true")) return make_attribute(true);
  if (accept_word("false")) return make_attribute(false);
  if (accept_word("unit")) return make_attribute(UnitValue{});
  if (at_type()) return make_attribute(parse_type());
  fail_expected("an attribute value (number, string, list, affine_map, affine_set, #alias, type)");
}

}  // namespace spyre::kernels::ktir
