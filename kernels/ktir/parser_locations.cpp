#include <limits>

#include "kernels/ktir/parser_state.h"

namespace spyre::kernels::ktir {

SourceMappingPtr Parser::parse_optional_location() {
  if (!accept_word("loc")) return nullptr;
  expect("(");
  SourceMappingPtr mapping = parse_location_body();
  expect(")");
  return mapping;
}

SourceMappingPtr Parser::parse_location_body() {
  const Nesting nesting(*this);
  const TextPosition where = token_.where;
  if (token_.kind == TokenKind::hash_name) {
    const AttributePtr attribute = parse_hash_attribute();
    const auto* mapping = value_of<SourceMappingPtr>(attribute);
    if (mapping == nullptr) fail(where, "this alias is no location");
    return *mapping;
  }
  if (accept_word("unknown")) return nullptr;
  if (token_.kind == TokenKind::string) {
    const std::string text = string_text(token_);
    advance();
    if (accept("(")) {
      const SourceMappingPtr inner = parse_location_body();
      expect(")");
      SourceMapping named = inner ? *inner : SourceMapping{};
      named.name = text;
      return std::make_shared<const SourceMapping>(std::move(named));
    }
    if (!accept(":")) return std::make_shared<const SourceMapping>(SourceMapping{"", 0, 0, text});
    const auto number = [this] {
      const TextPosition at = token_.where;
      const std::int64_t value = expect_integer("a line or column number");
      if (value < 0 || value > std::numeric_limits<int>::max()) fail(at, "no line has this number");
      return static_cast<int>(value);
    };
    SourceMapping place{text, number(), 0, ""};
    expect(":");
    place.column = number();
    if (accept_word("to")) {  // the end of a range is read and dropped
      if (token_.kind == TokenKind::integer) number();
      expect(":");
      number();
    }
    if (place.file.empty()) return nullptr;
    return std::make_shared<const SourceMapping>(std::move(place));
  }
  if (accept_word("fused")) {
    if (token_.is("<")) skip_balanced();
    expect("[");
    SourceMappingPtr first;
    if (!token_.is("]")) {
      do {
        const SourceMappingPtr part = parse_location_body();
        if (!first) first = part;
      } while (accept(","));
    }
    expect("]");
    return first;
  }
  if (accept_word("callsite")) {
    expect("(");
    SourceMappingPtr callee = parse_location_body();
    expect_word("at");
    const SourceMappingPtr caller = parse_location_body();
    expect(")");
    return callee ? callee : caller;
  }
  fail_expected("a location: \"file\":line:column, \"name\"(...), unknown, fused[...] or #alias");
}

}  // namespace spyre::kernels::ktir
