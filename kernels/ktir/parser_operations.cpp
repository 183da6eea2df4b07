#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "kernels/ktir/parser_state.h"
#include "kernels/ktir/predicates.h"

namespace spyre::kernels::ktir {
namespace {

/// The i1 (or tensor of i1) that comparing values of `type` gives.
Type condition_type(Type type) {
  type.element = {ScalarKind::integer, 1};
  return type;
}

}  // namespace

std::vector<Parser::ResultName> Parser::parse_result_names() {
  std::vector<ResultName> names;
  if (token_.kind != TokenKind::value_name) return names;
  do {
    const Token name = expect_kind(TokenKind::value_name, "a result (%name)");
    ResultName result{std::string(name.text), 1, name.where};
    if (accept(":")) {
      const Token count = expect_kind(TokenKind::integer, "a number of results");
      result.count = magnitude(count);
      if (result.count == 0) fail(count.where, "a name stands for at least one result");
    }
    names.push_back(std::move(result));
  } while (accept(","));
  expect("=");
  return names;
}

void Parser::name_results(Draft& draft, const std::vector<ResultName>& names) {
  std::uint64_t named = 0;
  for (const ResultName& name : names) {
    if (__builtin_add_overflow(named, name.count, &named)) named = ~std::uint64_t{0};
  }
  if (!names.empty() && named != draft.results.size()) {
    note(names.front().where, fmt::format("{} results are named, '{}' has {}", named,
                                          draft.op.info->name, draft.results.size()));
  }
  std::size_t next = 0;
  for (const ResultName& name : names) {
    std::vector<ValueId> ids;
    for (std::uint64_t i = 0; i < name.count && next < draft.results.size(); ++i) {
      ids.push_back(define(name.name, draft.results[next++], name.where));
      draft.op.results.push_back(ids.back());
    }
    if (!ids.empty()) bind(name.name, std::move(ids));
  }
  while (next < draft.results.size()) {
    draft.op.results.push_back(define("", draft.results[next++], draft.op.where));
  }
}

void Parser::parse_operation(std::vector<Operation>& operations) {
  const std::vector<ResultName> names = parse_result_names();
  Draft draft;
  const Token name = token_;
  draft.op.where = name.where;
  const bool generic = name.kind == TokenKind::string;
  if (!generic && name.kind != TokenKind::word) fail_expected("an operation or '}'");
  const std::string text = generic ? string_text(name) : std::string(name.text);
  draft.op.info = find_op(text);
  if (draft.op.info == nullptr) {
    fail(name.where, fmt::format("{} is not supported: {}", shown(name), alternatives_to(text)));
  }
  advance();
  const std::size_t faults = result_.findings.size() - inner_findings_;
  rebound_.clear();
  if (generic) {
    parse_generic_form(draft);
  } else {
    parse_pretty_form(draft);
    parse_optional_dictionary(draft.op);
  }
  const std::string rebound = std::exchange(rebound_, {});
  draft.op.source = parse_optional_location();
  if (names.empty() && !rebound.empty() && draft.results.size() == 1) {
    name_results(draft, {{rebound, 1, name.where}});
    // Printed under a name of its own: in the text the two definitions would clash.
    function_->values[draft.op.results.front()].name = rebound + "_out";
  } else {
    name_results(draft, names);
  }
  draft.op.has_faults = result_.findings.size() - inner_findings_ != faults;
  operations.push_back(std::move(draft.op));
}

void Parser::parse_pretty_form(Draft& draft) {
  switch (draft.op.info->form) {
    case OpForm::elementwise:
      return parse_elementwise(draft);
    case OpForm::compare:
      return parse_compare(draft);
    case OpForm::cast:
      return parse_cast(draft);
    case OpForm::linalg:
      return parse_linalg(draft);
    case OpForm::yield:
      return parse_yield(draft);
    case OpForm::custom:
      return parse_custom_form(draft);
  }
}

void Parser::parse_custom_form(Draft& draft) {
  using Rule = void (Parser::*)(Draft&);
  struct Entry {
    OpCode code;
    Rule rule;
  };
  static constexpr Entry kRules[] = {
      {OpCode::arith_constant, &Parser::parse_constant},
      {OpCode::arith_select, &Parser::parse_select},
      {OpCode::linalg_reduce, &Parser::parse_reduce},
      {OpCode::linalg_generic, &Parser::parse_generic},
      {OpCode::linalg_index, &Parser::parse_index},
      {OpCode::tensor_empty, &Parser::parse_empty},
      {OpCode::tensor_splat, &Parser::parse_splat},
      {OpCode::tensor_extract, &Parser::parse_extract},
      {OpCode::tensor_expand_shape, &Parser::parse_reassociation},
      {OpCode::tensor_collapse_shape, &Parser::parse_reassociation},
      {OpCode::tensor_reshape, &Parser::parse_reshape},
      {OpCode::tensor_generate, &Parser::parse_generate},
      {OpCode::tensor_extract_slice, &Parser::parse_slice},
      {OpCode::tensor_insert_slice, &Parser::parse_slice},
      {OpCode::tensor_from_elements, &Parser::parse_from_elements},
      {OpCode::tensor_dim, &Parser::parse_dim},
      {OpCode::memref_dim, &Parser::parse_dim},
      {OpCode::scf_for, &Parser::parse_for},
      {OpCode::scf_if, &Parser::parse_if},
      {OpCode::ktdp_get_compute_tile_id, &Parser::parse_tile_id},
      {OpCode::ktdp_construct_memory_view, &Parser::parse_memory_view},
      {OpCode::ktdp_construct_distributed_memory_view, &Parser::parse_distributed_view},
      {OpCode::ktdp_construct_access_tile, &Parser::parse_access_tile},
      {OpCode::ktdp_construct_indirect_access_tile, &Parser::parse_indirect_access_tile},
      {OpCode::ktdp_load, &Parser::parse_load},
      {OpCode::ktdp_store, &Parser::parse_store},
      {OpCode::ktdp_runtime_arg_extract, &Parser::parse_runtime_arg_extract},
      {OpCode::ktdp_inter_tile_produce, &Parser::parse_produce},
      {OpCode::ktdp_inter_tile_reduce, &Parser::parse_delivery},
      {OpCode::ktdp_inter_tile_consume, &Parser::parse_delivery},
      {OpCode::ktdp_inter_tile_reduce_scatter, &Parser::parse_delivery},
      {OpCode::ktdp_inter_tile_gather, &Parser::parse_delivery},
      {OpCode::ktdp_inter_tile_all_to_all, &Parser::parse_delivery},
      {OpCode::ktdp_inter_tile_scatter, &Parser::parse_delivery},
      {OpCode::spyreop_softplus, &Parser::parse_softplus},
  };
  if (draft.op.is(OpCode::linalg_broadcast)) return parse_broadcast(draft, "dimensions");
  if (draft.op.is(OpCode::linalg_transpose)) return parse_broadcast(draft, "permutation");
  for (const Entry& entry : kRules) {
    if (entry.code == draft.op.code()) return (this->*entry.rule)(draft);
  }
  fail(draft.op.where, fmt::format("'{}' has the generic form only", draft.op.info->name));
}

/// fastmath<...>, overflow<...> and 'exact' do not change what is computed here.
void Parser::skip_flags(Operation& op) {
  while (token_.is_word("fastmath") || token_.is_word("overflow")) {
    advance();
    if (!token_.is("<")) fail_expected("'<'");
    skip_balanced();
  }
  accept_word("exact");
  parse_optional_dictionary(op);
}

void Parser::parse_elementwise(Draft& draft) {
  const std::vector<Use> uses = parse_uses();
  if (uses.size() != draft.op.info->operands) {
    fail(draft.op.where, fmt::format("'{}' takes {} operands, here are {}", draft.op.info->name,
                                     draft.op.info->operands, uses.size()));
  }
  skip_flags(draft.op);
  expect(":");
  const Type type = parse_type();
  for (const Use& use : uses) check_type(use, type);
  add_segment(draft.op, uses);
  draft.results = {type};
}

void Parser::parse_softplus(Draft& draft) {
  const std::vector<Use> uses{parse_use()};
  for (const std::string_view name : {"beta", "threshold"}) {
    if (!accept_word(name)) continue;
    const TextPosition where = token_.where;
    const bool negative = accept("-");
    if (token_.kind != TokenKind::real) fail_expected("a number with a '.'");
    draft.op.set(name,
                 parse_number(negative, where, false));  // the type behind it is the operand's
  }
  expect(":");
  const Type type = parse_type();
  check_type(uses.front(), type);
  add_segment(draft.op, uses);
  draft.results = {type};
}

void Parser::parse_compare(Draft& draft) {
  const Token predicate = expect_kind(TokenKind::word, "a predicate");
  const std::span<const std::string_view> known = predicates_of(draft.op.code());
  if (std::ranges::find(known, predicate.text) == known.end()) {
    fail(predicate.where, fmt::format("{} is no predicate of '{}': {}", shown(predicate),
                                      draft.op.info->name, fmt::join(known, ", ")));
  }
  draft.op.set("predicate", make_attribute(StringValue{std::string(predicate.text)}));
  expect(",");
  const std::vector<Use> uses = parse_uses();
  skip_flags(draft.op);
  expect(":");
  const Type type = parse_type();
  for (const Use& use : uses) check_type(use, type);
  add_segment(draft.op, uses);
  draft.results = {condition_type(type)};
}

void Parser::parse_cast(Draft& draft) {
  const std::vector<Use> uses{parse_use()};
  skip_flags(draft.op);
  expect(":");
  check_type(uses.front(), parse_type());
  expect_word("to");
  add_segment(draft.op, uses);
  draft.results = {parse_type()};
}

void Parser::parse_yield(Draft& draft) {
  std::vector<Use> uses;
  if (token_.kind == TokenKind::value_name) {
    uses = parse_uses();
    const TextPosition where = token_.where;
    expect(":");
    check_types(uses, parse_type_list(), where);
  }
  add_segment(draft.op, uses);
}

void Parser::parse_constant(Draft& draft) {
  parse_optional_dictionary(draft.op);
  const TextPosition where = token_.where;
  AttributePtr value = parse_attribute();
  if (const auto* dense = value_of<DenseValue>(value)) {
    draft.results = {dense->type};
  } else if (value_of<bool>(value) != nullptr) {
    const ScalarType type{ScalarKind::integer, 1};
    if (accept(":")) parse_scalar();
    value = literal(value, type, where);
    draft.results = {Type::scalar(type)};
  } else {
    const auto* integer = value_of<IntegerValue>(value);
    const auto* real = value_of<RealValue>(value);
    if (integer == nullptr && real == nullptr) {
      fail(where, "a constant is a number, true, false or dense<...>");
    }
    const std::optional<ScalarType> type = integer != nullptr ? integer->type : real->type;
    if (!type) fail(token_.where, "expected ':' and the type of this constant");
    draft.results = {Type::scalar(*type)};
  }
  draft.op.set("value", std::move(value));
  add_segment(draft.op, {});
}

/// select %c, %a, %b : T, or with the condition's type before it: tensor<4xi1>, tensor<4xf16>.
void Parser::parse_select(Draft& draft) {
  const std::vector<Use> uses = parse_uses();
  if (uses.size() != 3) fail(draft.op.where, "'arith.select' takes a condition and two values");
  skip_flags(draft.op);
  expect(":");
  Type type = parse_type();
  if (accept(",")) {
    check_type(uses[0], type);
    type = parse_type();
  } else {
    check_type(uses[0], Type::scalar({ScalarKind::integer, 1}));
  }
  check_type(uses[1], type);
  check_type(uses[2], type);
  add_segment(draft.op, uses);
  draft.results = {type};
}

}  // namespace spyre::kernels::ktir
