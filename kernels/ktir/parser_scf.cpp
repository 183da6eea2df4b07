#include <fmt/format.h>

#include "kernels/ktir/parser_state.h"

namespace spyre::kernels::ktir {

/// Adds the terminator that the text may leave out where nothing is yielded.
void Parser::end_region(Region& region, OpCode terminator, const TextPosition& where) {
  if (!region.operations.empty() && region.operations.back().info->is_terminator()) return;
  if (terminator == OpCode::func_return) return;  // never left out: the verifier asks for it
  Operation op;
  op.info = &op_info(terminator);
  op.segments = {0};
  op.where = where;
  region.operations.push_back(std::move(op));
}

/// for %i = %a to %b step %c (iter_args(%x = %init) -> (T))? (: i32)? { ... }
void Parser::parse_for(Draft& draft) {
  const Token variable = expect_kind(TokenKind::value_name, "the loop variable (%name)");
  expect("=");
  std::vector<Use> bounds{parse_use()};
  expect_word("to");
  bounds.push_back(parse_use());
  expect_word("step");
  bounds.push_back(parse_use());

  Type counter = Type::index();
  if (accept(":")) counter = parse_type();
  std::vector<Token> names;
  std::vector<Use> initial;
  const TextPosition where = token_.where;
  if (accept_word("iter_args")) {
    expect("(");
    if (!token_.is(")")) {
      do {
        names.push_back(expect_kind(TokenKind::value_name, "a carried value (%name)"));
        expect("=");
        initial.push_back(parse_use());
      } while (accept(","));
    }
    expect(")");
    expect("->");
    draft.results = parse_result_types();
    if (draft.results.size() != initial.size()) {
      fail(where, fmt::format("{} carried values have {} result types", initial.size(),
                              draft.results.size()));
    }
  }
  if (accept(":")) counter = parse_type();
  for (const Use& bound : bounds) check_type(bound, counter);
  check_types(initial, draft.results, where);
  add_segment(draft.op, bounds);
  add_segment(draft.op, initial);

  std::vector<Argument> arguments;
  arguments.push_back({std::string(variable.text), counter, variable.where, nullptr});
  for (std::size_t i = 0; i < names.size(); ++i) {
    arguments.push_back({std::string(names[i].text), draft.results[i], names[i].where, nullptr});
  }
  const TextPosition body = token_.where;
  draft.op.regions.push_back(parse_region(arguments));
  end_region(draft.op.regions.back(), OpCode::scf_yield, body);
}

/// if %c (-> (T))? { ... } (else { ... })?
void Parser::parse_if(Draft& draft) {
  const std::vector<Use> condition{parse_use()};
  check_type(condition.front(), Type::scalar({ScalarKind::integer, 1}));
  add_segment(draft.op, condition);
  if (accept("->")) draft.results = parse_result_types();
  TextPosition body = token_.where;
  draft.op.regions.push_back(parse_region());
  end_region(draft.op.regions.back(), OpCode::scf_yield, body);
  if (!accept_word("else")) return;
  body = token_.where;
  draft.op.regions.push_back(parse_region());
  end_region(draft.op.regions.back(), OpCode::scf_yield, body);
}

}  // namespace spyre::kernels::ktir
