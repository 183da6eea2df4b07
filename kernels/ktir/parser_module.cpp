#include <fmt/format.h>

#include <algorithm>

#include "kernels/ktir/parser_state.h"

namespace spyre::kernels::ktir {

void Parser::parse_top_level() {
  bool has_module = false;
  while (token_.kind != TokenKind::end) {
    if (token_.is_word("module") || token_.is_word("builtin.module")) {
      if (has_module) fail(token_.where, "a second module: a file holds one");
      has_module = true;
      advance();
      parse_module_body();
    } else if (token_.is_word("func.func")) {
      parse_function();
    } else if (token_.kind == TokenKind::hash_name || token_.kind == TokenKind::bang_name) {
      parse_alias_definition();
    } else if (token_.is_word("ktdf_arch.device")) {
      skip_device();
    } else {
      fail_expected("'module', 'func.func' or an alias (#name = ..., !name = ...)");
    }
  }
}

void Parser::parse_module_body() {
  Module& module = result_.module;
  if (token_.kind == TokenKind::symbol_name) module.name = parse_symbol();
  if (accept_word("attributes")) module.attributes = parse_dictionary();
  expect("{");
  while (!token_.is("}")) {
    if (token_.is_word("func.func")) {
      parse_function();
    } else if (token_.kind == TokenKind::hash_name || token_.kind == TokenKind::bang_name) {
      parse_alias_definition();
    } else if (token_.is_word("ktdf_arch.device")) {
      skip_device();
    } else {
      fail_expected("'func.func', an alias or '}'");
    }
  }
  expect("}");
  parse_optional_location();
}

/// A description of the machine for the origin's compiler: nothing in it is used, and no file it
/// names is opened.
void Parser::skip_device() {
  advance();
  if (token_.kind == TokenKind::symbol_name) advance();
  if (accept_word("attributes")) skip_balanced();
  if (accept_word("import")) {
    if (!token_.is("(")) fail_expected("'('");
    skip_balanced();
  }
  if (token_.is("{")) skip_balanced();
  parse_optional_location();
}

std::string Parser::parse_symbol() {
  const Token token = expect_kind(TokenKind::symbol_name, "a name (@name)");
  std::string name = token.text.starts_with('"') ? string_text(token) : std::string(token.text);
  return name;
}

void Parser::parse_function() {
  const TextPosition start = token_.where;
  advance();
  result_.module.functions.emplace_back();
  Function& function = result_.module.functions.back();
  function_ = &function;
  function.where = start;
  if (token_.is_word("private") || token_.is_word("public")) {
    function.visibility = std::string(token_.text);
    advance();
  }
  function.name = parse_symbol();
  scopes_.assign(1, {});
  parse_function_arguments(function);
  if (accept("->")) function.result_types = parse_result_types();
  if (accept_word("attributes")) function.attributes = parse_dictionary();
  if (!token_.is("{")) fail_expected("'{' and the body: a kernel is no mere declaration");
  const TextPosition body = token_.where;
  advance();
  parse_operations(function.body.operations);
  end_region(function.body, OpCode::func_return, body);
  expect("}");
  function.source = parse_optional_location();
  scopes_.clear();
}

void Parser::parse_function_arguments(Function& function) {
  expect("(");
  if (!token_.is(")")) {
    do {
      const Token name = expect_kind(TokenKind::value_name, "an argument (%name) or ')'");
      expect(":");
      const Type type = parse_type();
      function.argument_attributes.push_back(token_.is("{") ? parse_dictionary()
                                                            : std::vector<NamedAttribute>{});
      SourceMappingPtr source = parse_optional_location();
      function.body.arguments.push_back(define(name.text, type, name.where, std::move(source)));
      bind(name.text, {function.body.arguments.back()});
    } while (accept(","));
  }
  expect(")");
}

/// (%a: f16, %b: f16)
std::vector<Parser::Argument> Parser::parse_arguments() {
  std::vector<Argument> arguments;
  expect("(");
  if (!token_.is(")")) {
    do {
      const Token name = expect_kind(TokenKind::value_name, "an argument (%name)");
      expect(":");
      Argument argument{std::string(name.text), parse_type(), name.where, nullptr};
      argument.source = parse_optional_location();
      arguments.push_back(std::move(argument));
    } while (accept(","));
  }
  expect(")");
  return arguments;
}

/// '{', a block label with arguments if there is one, operations, '}'.
Region Parser::parse_region(const std::vector<Argument>& given) {
  const Nesting nesting(*this);
  const std::size_t before = result_.findings.size() - inner_findings_;
  expect("{");
  Region region;
  scopes_.emplace_back();
  const auto enter = [&](const std::vector<Argument>& arguments) {
    for (const Argument& argument : arguments) {
      const ValueId id = define(argument.name, argument.type, argument.where, argument.source);
      region.arguments.push_back(id);
      bind(argument.name, {id});
    }
  };
  enter(given);
  if (token_.kind == TokenKind::block_name) {
    const TextPosition where = token_.where;
    advance();
    if (token_.is("(")) {
      if (!given.empty()) fail(where, "this region's arguments stand before its '{'");
      enter(parse_arguments());
    }
    expect(":");
  }
  parse_operations(region.operations);
  expect("}");
  scopes_.pop_back();
  inner_findings_ = result_.findings.size() - before;
  return region;
}

void Parser::parse_operations(std::vector<Operation>& operations) {
  while (!token_.is("}")) {
    if (token_.kind == TokenKind::block_name) {
      fail(token_.where,
           "a second block: a region has one, loops and branches are scf.for and scf.if");
    }
    parse_operation(operations);
  }
}

}  // namespace spyre::kernels::ktir
