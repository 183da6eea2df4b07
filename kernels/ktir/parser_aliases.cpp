#include <fmt/format.h>

#include "kernels/ktir/parser_state.h"

namespace spyre::kernels::ktir {

/// Notes where each top-level alias stands, so that one can be used before its definition.
void Parser::scan_aliases() {
  int braces = 0;
  int others = 0;
  Token previous;
  for (Token token = lexer_.next(); token.kind != TokenKind::end; token = lexer_.next()) {
    if (token.is("{")) ++braces;
    if (token.is("}")) --braces;
    if (token.is("(") || token.is("[")) ++others;
    if (token.is(")") || token.is("]")) --others;
    const bool named =
        previous.kind == TokenKind::hash_name || previous.kind == TokenKind::bang_name;
    if (named && token.is("=") && braces <= 1 && others == 0) {
      Aliases& aliases = previous.kind == TokenKind::bang_name ? type_aliases_ : attribute_aliases_;
      Alias alias;
      alias.start = lexer_.position();
      aliases.try_emplace(std::string(previous.text), std::move(alias));
    }
    previous = token;
  }
  lexer_.seek({});
}

Parser::Alias& Parser::read_alias(const Token& name, Aliases& aliases) {
  const bool is_type = &aliases == &type_aliases_;
  const auto found = aliases.find(name.text);
  if (found == aliases.end()) {
    fail(name.where, fmt::format("{} is not defined: '{}{} = ...' is missing", shown(name),
                                 is_type ? '!' : '#', name.text.substr(0, 64)));
  }
  Alias& alias = found->second;
  if (alias.state == Alias::State::active) {
    fail(name.where, fmt::format("{} is defined by itself", shown(name)));
  }
  if (alias.state == Alias::State::unread) {
    const Nesting nesting(*this);
    alias.state = Alias::State::active;
    const Token next = token_;
    const TextPosition after = lexer_.position();
    const std::size_t charged = charged_;
    lexer_.seek(alias.start);
    advance();
    if (is_type) {
      alias.type = parse_type();
    } else {
      alias.attribute = parse_attribute();
    }
    alias.end = token_.where;
    alias.cost = alias.end.offset - alias.start.offset + (charged_ - charged);
    alias.state = Alias::State::read;
    token_ = next;
    lexer_.seek(after);
  }
  charge(alias.cost, name.where);
  return alias;
}

/// '#name = attribute' or '!name = type'; token_ is the name.
void Parser::parse_alias_definition() {
  const Token name = token_;
  Aliases& aliases = name.kind == TokenKind::bang_name ? type_aliases_ : attribute_aliases_;
  advance();
  if (!token_.is("=")) fail_expected("'=' after the alias");
  const TextPosition start = lexer_.position();
  const auto [place, added] = aliases.try_emplace(std::string(name.text));
  if (added) {
    place->second.start = start;
  } else if (place->second.start.offset != start.offset) {
    fail(name.where,
         fmt::format("{} is already defined in line {}", shown(name), place->second.start.line));
  }
  lexer_.seek(read_alias(name, aliases).end);
  advance();
}

}  // namespace spyre::kernels::ktir
