#include <fmt/format.h>

#include "kernels/ktir/parser_state.h"

namespace spyre::kernels::ktir {

/// empty(%n) : T
void Parser::parse_empty(Draft& draft) {
  if (!token_.is("(")) fail_expected("'('");
  const std::vector<Use> sizes = parse_optional_uses("(", ")");
  for (const Use& size : sizes) check_type(size, Type::index());
  add_segment(draft.op, sizes);
  expect(":");
  draft.results = {parse_type()};
}

/// splat %s : T
void Parser::parse_splat(Draft& draft) {
  const std::vector<Use> uses{parse_use()};
  expect(":");
  draft.results = {parse_type()};
  check_type(uses.front(), Type::scalar(draft.results.front().element));
  add_segment(draft.op, uses);
}

/// extract %t[%i, %j] : T
void Parser::parse_extract(Draft& draft) {
  std::vector<Use> uses{parse_use()};
  if (!token_.is("[")) fail_expected("'[' and one index per dimension");
  const std::vector<Use> indices = parse_optional_uses("[", "]");
  for (const Use& index : indices) check_type(index, Type::index());
  expect(":");
  const Type type = parse_type();
  check_type(uses.front(), type);
  uses.insert(uses.end(), indices.begin(), indices.end());
  add_segment(draft.op, uses);
  draft.results = {Type::scalar(type.element)};
}

/// expand_shape %t [[0, 1], [2]] (output_shape [1, %n])? : T into U; collapse_shape without sizes.
void Parser::parse_reassociation(Draft& draft) {
  const std::vector<Use> uses{parse_use()};
  ArrayValue groups;
  expect("[");
  if (!token_.is("]")) {
    do {
      groups.elements.push_back(make_attribute(IntegersValue{parse_integer_list()}));
    } while (accept(","));
  }
  expect("]");
  draft.op.set("reassociation", make_attribute(std::move(groups)));
  MixedList sizes;
  if (draft.op.is(OpCode::tensor_expand_shape) && accept_word("output_shape")) {
    sizes = parse_mixed_list();
    draft.op.set("static_output_shape", make_attribute(IntegersValue{sizes.fixed}));
  }
  expect(":");
  check_type(uses.front(), parse_type());
  expect_word("into");
  draft.results = {parse_type()};
  add_segment(draft.op, uses);
  if (draft.op.is(OpCode::tensor_expand_shape)) add_segment(draft.op, sizes.values);
}

/// reshape %t(%shape) : (T, S) -> U
void Parser::parse_reshape(Draft& draft) {
  std::vector<Use> uses{parse_use()};
  expect("(");
  uses.push_back(parse_use());
  expect(")");
  const TextPosition where = token_.where;
  expect(":");
  expect("(");
  check_types(uses, parse_type_list(), where);
  expect(")");
  expect("->");
  add_segment(draft.op, uses);
  draft.results = {parse_type()};
}

/// generate (%n)? { ^bb0(%i: index): ... tensor.yield %v : f16 } : T
void Parser::parse_generate(Draft& draft) {
  std::vector<Use> sizes;
  if (token_.kind == TokenKind::value_name) sizes = parse_uses();
  for (const Use& size : sizes) check_type(size, Type::index());
  add_segment(draft.op, sizes);
  draft.op.regions.push_back(parse_region());
  expect(":");
  draft.results = {parse_type()};
}

/// extract_slice %t[0, %i] [1, 64] [1, 1] : T to U; insert_slice %t into %u[...] [...] [...] : T
/// into U
void Parser::parse_slice(Draft& draft) {
  const bool insert = draft.op.is(OpCode::tensor_insert_slice);
  std::vector<Use> tensors{parse_use()};
  if (insert) {
    expect_word("into");
    tensors.push_back(parse_use());
  }
  const MixedList offsets = parse_mixed_list();
  const MixedList sizes = parse_mixed_list();
  const MixedList strides = parse_mixed_list();
  draft.op.set("static_offsets", make_attribute(IntegersValue{offsets.fixed}));
  draft.op.set("static_sizes", make_attribute(IntegersValue{sizes.fixed}));
  draft.op.set("static_strides", make_attribute(IntegersValue{strides.fixed}));
  expect(":");
  check_type(tensors.front(), parse_type());
  expect_word(insert ? "into" : "to");
  draft.results = {parse_type()};
  if (insert) check_type(tensors[1], draft.results.front());
  add_segment(draft.op, tensors);
  add_segment(draft.op, offsets.values);
  add_segment(draft.op, sizes.values);
  add_segment(draft.op, strides.values);
}

/// from_elements %a, %b : T
void Parser::parse_from_elements(Draft& draft) {
  std::vector<Use> uses;
  if (token_.kind == TokenKind::value_name) uses = parse_uses();
  expect(":");
  draft.results = {parse_type()};
  for (const Use& use : uses) check_type(use, Type::scalar(draft.results.front().element));
  add_segment(draft.op, uses);
}

/// dim %t, %c0 : T
void Parser::parse_dim(Draft& draft) {
  std::vector<Use> uses{parse_use()};
  expect(",");
  uses.push_back(parse_use());
  check_type(uses[1], Type::index());
  expect(":");
  check_type(uses[0], parse_type());
  add_segment(draft.op, uses);
  draft.results = {Type::index()};
}

}  // namespace spyre::kernels::ktir
