#include <fmt/format.h>

#include <utility>

#include "kernels/ktir/parser_state.h"

namespace spyre::kernels::ktir {

/// ins(%a, %b : T, U) outs(%c : V). Gives the types of the outs.
std::vector<Type> Parser::parse_ins_outs(Draft& draft) {
  std::vector<Type> types;
  for (const std::string_view group : {"ins", "outs"}) {
    if (group == "ins" && !token_.is_word("ins")) {
      add_segment(draft.op, {});
      continue;
    }
    expect_word(group);
    expect("(");
    std::vector<Use> uses;
    types.clear();
    if (!token_.is(")")) {
      uses = parse_uses();
      const TextPosition where = token_.where;
      expect(":");
      types = parse_type_list();
      check_types(uses, types, where);
    }
    expect(")");
    add_segment(draft.op, uses);
    const bool plain = uses.size() == 1 && uses.front().name.find('#') == std::string::npos;
    if (group == "outs" && plain) rebound_ = uses.front().name;
  }
  return types;
}

/// Named operations: without '-> T' the result has the type of the outs, and without a name for it
/// the name of the outs stands for the result from there on.
void Parser::parse_linalg(Draft& draft) {
  parse_optional_dictionary(draft.op);
  draft.results = parse_ins_outs(draft);
  if (accept("->")) draft.results = parse_result_types();
}

void Parser::parse_broadcast(Draft& draft, std::string_view attribute) {
  draft.results = parse_ins_outs(draft);
  expect_word(attribute);
  expect("=");
  draft.op.set(attribute, make_attribute(IntegersValue{parse_integer_list()}));
}

/// { arith.addf } in place of a region.
Region Parser::short_combiner(const OpInfo& combiner, const TextPosition& where,
                              const std::vector<Type>& types) {
  Region region;
  const auto element_of = [&](std::size_t index) {
    return index < types.size() ? Type::scalar(types[index].element) : Type{};
  };
  region.arguments.push_back(define("in", element_of(0), where));
  region.arguments.push_back(define("init", element_of(1), where));
  Operation op;
  op.info = &combiner;
  op.where = where;
  op.operands = {region.arguments[1], region.arguments[0]};
  op.segments = {2};
  op.results = {define("combined", element_of(1), where)};
  Operation yield;
  yield.info = &op_info(OpCode::linalg_yield);
  yield.where = where;
  yield.operands = op.results;
  yield.segments = {1};
  region.operations.push_back(std::move(op));
  region.operations.push_back(std::move(yield));
  return region;
}

void Parser::parse_reduce(Draft& draft) {
  const OpInfo* combiner = nullptr;
  const TextPosition where = token_.where;
  if (accept("{")) {
    const Token name = expect_kind(TokenKind::word, "the combining operation");
    combiner = find_op(name.text);
    if (combiner == nullptr || combiner->form != OpForm::elementwise || combiner->operands != 2) {
      fail(name.where, fmt::format("expected an operation of two operands such as arith.addf or "
                                   "arith.maximumf, found {}",
                                   shown(name)));
    }
    if (token_.is("{")) skip_balanced();
    expect("}");
  }
  draft.results = parse_ins_outs(draft);
  expect_word("dimensions");
  expect("=");
  draft.op.set("dimensions", make_attribute(IntegersValue{parse_integer_list()}));
  rebound_.clear();
  if (combiner != nullptr) {
    std::vector<Type> types;
    for (const ValueId operand : draft.op.operands) types.push_back(function_->type(operand));
    draft.op.regions.push_back(short_combiner(*combiner, where, types));
    return;
  }
  if (!token_.is("(")) fail_expected("'(' and the arguments of the combiner");
  const std::vector<Argument> arguments = parse_arguments();
  draft.op.regions.push_back(parse_region(arguments));
}

void Parser::parse_generic(Draft& draft) {
  if (!token_.is("{")) fail_expected("'{' with indexing_maps and iterator_types");
  merge(draft.op, parse_dictionary());
  parse_ins_outs(draft);
  if (accept_word("attrs")) {
    expect("=");
    parse_optional_dictionary(draft.op);
  }
  draft.op.regions.push_back(parse_region());
  rebound_.clear();
  if (accept("->")) draft.results = parse_result_types();
  normalise(draft.op);
}

void Parser::parse_index(Draft& draft) {
  const TextPosition where = token_.where;
  const std::int64_t dimension = expect_integer("a loop number");
  if (dimension < 0) fail(where, "loops are numbered from 0");
  draft.op.set("dim", make_attribute(IntegerValue{dimension, ScalarType{ScalarKind::integer, 64}}));
  add_segment(draft.op, {});
  expect(":");
  draft.results = {parse_type()};
}

}  // namespace spyre::kernels::ktir
