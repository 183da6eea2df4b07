#include <fmt/format.h>

#include <array>

#include "kernels/ktir/parser_state.h"

namespace spyre::kernels::ktir {

void Parser::parse_tile_id(Draft& draft) {
  expect(":");
  draft.results = parse_type_list();
  add_segment(draft.op, {});
}

/// The attributes an operation cannot do without stand in a dictionary.
void Parser::require_attribute_dictionary(Draft& draft) {
  if (!token_.is("{")) fail_expected("'{' and the attributes");
  merge(draft.op, parse_dictionary());
}

/// construct_memory_view %offset, sizes: [..], strides: [..] {..} : memref<..>
void Parser::parse_memory_view(Draft& draft) {
  const std::vector<Use> offset{parse_use()};
  check_type(offset.front(), Type::index());
  std::array<MixedList, 2> lists;
  const std::array<std::string_view, 2> names{"sizes", "strides"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    expect(",");
    expect_word(names[i]);
    expect(":");
    lists[i] = parse_mixed_list();
    draft.op.set(fmt::format("static_{}", names[i]), make_attribute(IntegersValue{lists[i].fixed}));
  }
  require_attribute_dictionary(draft);
  expect(":");
  draft.results = {parse_type()};
  add_segment(draft.op, offset);
  add_segment(draft.op, lists[0].values);
  add_segment(draft.op, lists[1].values);
}

/// construct_distributed_memory_view (%a, %b : T, U) : V
void Parser::parse_distributed_view(Draft& draft) {
  expect("(");
  const std::vector<Use> parts = parse_uses();
  const TextPosition where = token_.where;
  expect(":");
  check_types(parts, parse_type_list(), where);
  expect(")");
  expect(":");
  draft.results = {parse_type()};
  add_segment(draft.op, parts);
}

/// symbols(%a, %b), or nothing.
void Parser::parse_symbols(Draft& draft) {
  std::vector<Use> symbols;
  if (accept_word("symbols")) {
    if (!token_.is("(")) fail_expected("'('");
    symbols = parse_optional_uses("(", ")");
    for (const Use& symbol : symbols) check_type(symbol, Type::index());
  }
  add_segment(draft.op, symbols);
}

/// construct_access_tile %view[expr, ...] (symbols(..))? {..} : memref<..> -> !ktdp.access_tile<..>
void Parser::parse_access_tile(Draft& draft) {
  const std::vector<Use> view{parse_use()};
  std::vector<Use> captured;
  AffineNames names;
  names.captured = &captured;
  AffineMap base{0, 0, parse_subscripts(names)};
  base.dimensions = captured.size();
  add_segment(draft.op, view);
  add_segment(draft.op, captured);
  parse_symbols(draft);
  require_attribute_dictionary(draft);
  draft.op.set("base_map", make_attribute(AffineMapPtr(std::make_shared<const AffineMap>(base))));
  expect(":");
  check_type(view.front(), parse_type());
  expect("->");
  draft.results = {parse_type_of(TypeKind::access_tile)};
}

/// ind(%view[expr, ...]), (expr) or expr
Parser::Subscript Parser::parse_indirect_subscript(AffineNames& names, std::vector<Use>& views) {
  Subscript subscript;
  subscript.map.dimensions = names.dimensions.size();
  if (accept_word("ind")) {
    expect("(");
    subscript.index_view = views.size();
    views.push_back(parse_use());
    subscript.map.results = parse_subscripts(names);
    expect(")");
  } else {
    subscript.map.results.push_back(parse_sum(names));
  }
  return subscript;
}

/// construct_indirect_access_tile intermediate_variables(%m, ..) %X[ind(%I[%m]), (%k), ..] ...
void Parser::parse_indirect_access_tile(Draft& draft) {
  AffineNames names;
  std::vector<Use> captured;
  names.captured = &captured;
  names.captured_are_symbols = true;
  expect_word("intermediate_variables");
  expect("(");
  if (!token_.is(")")) {
    do {
      const Token name = expect_kind(TokenKind::value_name, "a variable (%name)");
      names.dimensions.emplace_back(name.text);
      if (names.dimensions.size() > kMaxRank) {
        fail(name.where, fmt::format("at most {} variables can stand here", kMaxRank));
      }
    } while (accept(","));
  }
  expect(")");
  std::vector<Use> uses{parse_use()};
  std::vector<Use> views;
  std::vector<Subscript> subscripts;
  expect("[");
  if (!token_.is("]")) {
    do {
      subscripts.push_back(parse_indirect_subscript(names, views));
      if (subscripts.size() > kMaxRank) {
        fail(token_.where, fmt::format("at most {} subscripts can stand here", kMaxRank));
      }
    } while (accept(","));
  }
  expect("]");
  add_segment(draft.op, uses);
  add_segment(draft.op, views);
  add_segment(draft.op, captured);
  parse_symbols(draft);
  require_attribute_dictionary(draft);

  ArrayValue maps;
  IntegersValue index_views;  // -1 for a direct subscript
  for (Subscript& subscript : subscripts) {
    subscript.map.symbols = captured.size();
    const auto& view = subscript.index_view;
    index_views.values.push_back(view ? static_cast<std::int64_t>(*view) : -1);
    maps.elements.push_back(
        make_attribute(AffineMapPtr(std::make_shared<const AffineMap>(std::move(subscript.map)))));
  }
  draft.op.set("subscript_maps", make_attribute(std::move(maps)));
  draft.op.set("index_views", make_attribute(std::move(index_views)));
  uses.insert(uses.end(), views.begin(), views.end());
  const TextPosition where = token_.where;
  expect(":");
  check_types(uses, parse_type_list(), where);
  expect("->");
  draft.results = {parse_type_of(TypeKind::access_tile)};
}

/// load %tile : !ktdp.access_tile<..> -> tensor<..>
void Parser::parse_load(Draft& draft) {
  const std::vector<Use> tile{parse_use()};
  expect(":");
  check_type(tile.front(), parse_type_of(TypeKind::access_tile));
  expect("->");
  draft.results = {parse_type()};
  add_segment(draft.op, tile);
}

/// store %data, %tile : tensor<..>, !ktdp.access_tile<..>
void Parser::parse_store(Draft& draft) {
  std::vector<Use> uses{parse_use()};
  expect(",");
  uses.push_back(parse_use());
  expect(":");
  check_type(uses[0], parse_type());
  expect(",");
  check_type(uses[1], parse_type_of(TypeKind::access_tile));
  add_segment(draft.op, uses);
}

/// runtime_arg_extract value|granularity|upperbound from %s : <..> -> index
void Parser::parse_runtime_arg_extract(Draft& draft) {
  const Token field = expect_kind(TokenKind::word, "'value', 'granularity' or 'upperbound'");
  if (field.text != "value" && field.text != "granularity" && field.text != "upperbound") {
    fail(field.where,
         fmt::format("expected 'value', 'granularity' or 'upperbound', found {}", shown(field)));
  }
  draft.op.set("field", make_attribute(StringValue{std::string(field.text)}));
  expect_word("from");
  const std::vector<Use> argument{parse_use()};
  expect(":");
  check_type(argument.front(), parse_type_of(TypeKind::runtime_arg));
  expect("->");
  draft.results = {parse_type()};
  add_segment(draft.op, argument);
}

}  // namespace spyre::kernels::ktir
