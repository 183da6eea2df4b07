#include <fmt/format.h>

#include <charconv>

#include "kernels/ktir/parser_state.h"

namespace spyre::kernels::ktir {

/// A new value. Names become visible by bind().
ValueId Parser::define(std::string_view name, const Type& type, const TextPosition& where,
                       SourceMappingPtr source) {
  function_->values.push_back({type, std::string(name), where, std::move(source)});
  return static_cast<ValueId>(function_->values.size() - 1);
}

void Parser::bind(std::string_view name, std::vector<ValueId> ids) {
  scopes_.back().insert_or_assign(std::string(name), std::move(ids));
}

/// %name or %name#2. A name without a definition becomes a value that nothing defines: the verifier
/// reports it.
Parser::Use Parser::parse_use() {
  const Token name = expect_kind(TokenKind::value_name, "a value (%name)");
  Use use{0, std::string(name.text), name.where};
  std::size_t index = 0;
  const std::size_t end = name.where.offset + 1 + name.text.size();
  if (token_.kind == TokenKind::hash_name && token_.where.offset == end) {
    const std::string_view digits = token_.text;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (parsed.ec != std::errc{} || parsed.ptr != digits.data() + digits.size()) {
      fail_expected("the number of a result behind '#'");
    }
    use.name += "#" + std::string(digits);
    advance();
  }
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->find(name.text);
    if (found == scope->end()) continue;
    if (index >= found->second.size()) {
      note(use.where, fmt::format("'%{}' has {} results, so there is no number {}",
                                  name.text.substr(0, 64), found->second.size(), index));
      index = 0;
    }
    use.id = found->second[index];
    return use;
  }
  use.id = define(name.text, Type{}, name.where);
  return use;
}

std::vector<Parser::Use> Parser::parse_uses() {
  std::vector<Use> uses;
  do {
    uses.push_back(parse_use());
  } while (accept(","));
  return uses;
}

/// (%a, %b), [%a] ... or nothing at all.
std::vector<Parser::Use> Parser::parse_optional_uses(std::string_view open,
                                                     std::string_view close) {
  std::vector<Use> uses;
  if (!accept(open)) return uses;
  if (!token_.is(close)) uses = parse_uses();
  expect(close);
  return uses;
}

void Parser::check_type(const Use& use, const Type& type) {
  Value& value = function_->values[use.id];
  if (!value.type.is_known()) {
    value.type = type;
  } else if (!(value.type == type)) {
    note(use.where,
         fmt::format("'%{}' is used as {}, but line {} defines it as {}", use.name.substr(0, 64),
                     to_string(type), value.where.line, to_string(value.type)));
  }
}

void Parser::check_types(const std::vector<Use>& uses, const std::vector<Type>& types,
                         const TextPosition& where) {
  if (uses.size() != types.size()) {
    return note(where, fmt::format("{} values have {} types", uses.size(), types.size()));
  }
  for (std::size_t i = 0; i < uses.size(); ++i) check_type(uses[i], types[i]);
}

void Parser::add_segment(Operation& op, const std::vector<Use>& uses) {
  for (const Use& use : uses) op.operands.push_back(use.id);
  op.segments.push_back(uses.size());
}

Parser::MixedList Parser::parse_mixed_list() {
  MixedList list;
  expect("[");
  if (!token_.is("]")) {
    do {
      if (token_.kind == TokenKind::value_name) {
        list.values.push_back(parse_use());
        check_type(list.values.back(), Type::index());
        list.fixed.push_back(kDynamic);
        continue;
      }
      const TextPosition where = token_.where;
      list.fixed.push_back(expect_integer("an integer or a value (%name)"));
      if (list.fixed.back() < 0) fail(where, "this number must not be negative");
    } while (accept(","));
  }
  expect("]");
  return list;
}

}  // namespace spyre::kernels::ktir
