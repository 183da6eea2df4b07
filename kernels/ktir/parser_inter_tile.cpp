#include <fmt/format.h>

#include "kernels/ktir/parser_state.h"

namespace spyre::kernels::ktir {

/// inter_tile_produce producer_tiles_per_group = SET (: types)? -> future { region }
void Parser::parse_produce(Draft& draft) {
  add_segment(draft.op, {});
  expect_word("producer_tiles_per_group");
  expect("=");
  draft.op.set("producer_tiles_per_group", make_attribute(parse_set_or_alias()));
  if (accept(":")) parse_result_types();  // the older form repeats the payload
  expect("->");
  draft.results = {parse_type_of(TypeKind::tile_future)};
  draft.op.regions.push_back(parse_region());
}

/// inter_tile_reduce(%f) clause, clause ... : future -> T { region }, and the other deliveries.
/// Clauses: name = attribute, or identity(%a : T).
void Parser::parse_delivery(Draft& draft) {
  const TextPosition start = token_.where;
  if (!token_.is("(")) fail_expected("'(' and the future");
  const std::vector<Use> futures = parse_optional_uses("(", ")");
  if (futures.empty()) fail(start, "expected a future between the parentheses");
  add_segment(draft.op, futures);
  std::vector<Use> identity;
  const auto clause = [&] {
    const Token name = expect_kind(TokenKind::word, "a clause such as consumer_tiles_per_group");
    if (name.text != "identity") {
      expect("=");
      if (token_.is("[")) {
        draft.op.set(name.text, make_attribute(IntegersValue{parse_integer_list()}));
      } else {
        draft.op.set(name.text, parse_attribute());
      }
      return;
    }
    if (!identity.empty()) fail(name.where, "'identity' stands twice here");
    expect("(");
    identity = parse_uses();
    const TextPosition where = token_.where;
    expect(":");
    check_types(identity, parse_type_list(), where);
    expect(")");
  };
  while (token_.kind == TokenKind::word) {
    clause();
    accept(",");
  }
  parse_optional_dictionary(draft.op);
  add_segment(draft.op, identity);
  expect(":");
  for (std::size_t i = 0; i < futures.size(); ++i) {
    if (i > 0) expect(",");
    check_type(futures[i], parse_type_of(TypeKind::tile_future));
  }
  expect("->");
  draft.results = parse_result_types();
  if (token_.is("{") && draft.op.info->regions > 0) draft.op.regions.push_back(parse_region());
}

}  // namespace spyre::kernels::ktir
