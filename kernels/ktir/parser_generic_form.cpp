#include <fmt/format.h>

#include <algorithm>

#include "kernels/ktir/parser_state.h"
#include "kernels/ktir/predicates.h"

namespace spyre::kernels::ktir {

/// (%a, %b) <{properties}> ({regions}) {attributes} : (types) -> types
void Parser::parse_generic_form(Draft& draft) {
  Operation& op = draft.op;
  if (!token_.is("(")) fail_expected("'(' and the operands");
  const std::vector<Use> operands = parse_optional_uses("(", ")");
  if (token_.is("[")) fail(token_.where, "successors: branches are scf.for and scf.if");
  if (token_.is("<")) {
    advance();
    parse_optional_dictionary(op);
    expect(">");
  }
  if (accept("(")) {
    const std::size_t values = function_->values.size();
    do {
      op.regions.push_back(parse_region());
    } while (accept(","));
    expect(")");
    if (op.info->form == OpForm::linalg) {  // the body that the name implies
      op.regions.clear();
      function_->values.erase(function_->values.begin() + static_cast<std::ptrdiff_t>(values),
                              function_->values.end());
    }
  }
  parse_optional_dictionary(op);
  const TextPosition where = token_.where;
  expect(":");
  expect("(");
  std::vector<Type> types;
  if (!token_.is(")")) types = parse_type_list();
  expect(")");
  expect("->");
  draft.results = parse_result_types();
  check_types(operands, types, where);
  for (const Use& use : operands) op.operands.push_back(use.id);
  set_segments(op, where);
  normalise(op);
}

/// What the generic form writes in another way than the IR holds it.
void Parser::normalise(Operation& op) {
  if (op.info->form == OpForm::compare) {
    const std::span<const std::string_view> known = predicates_of(op.code());
    const auto* number = value_of<IntegerValue>(op.attribute("predicate"));
    if (number != nullptr && number->value >= 0 &&
        static_cast<std::size_t>(number->value) < known.size()) {
      op.set(
          "predicate",
          make_attribute(StringValue{std::string(known[static_cast<std::size_t>(number->value)])}));
    }
  }
  if (op.is(OpCode::linalg_generic)) {
    const auto* types = value_of<ArrayValue>(op.attribute("iterator_types"));
    if (types == nullptr) return;
    ArrayValue names;
    for (const AttributePtr& type : types->elements) {
      const auto* opaque = value_of<OpaqueValue>(type);
      constexpr std::string_view kPrefix = "#linalg.iterator_type<";
      if (opaque != nullptr && opaque->text.starts_with(kPrefix)) {
        names.elements.push_back(make_attribute(StringValue{
            opaque->text.substr(kPrefix.size(), opaque->text.size() - kPrefix.size() - 1)}));
      } else {
        names.elements.push_back(type);
      }
    }
    op.set("iterator_types", make_attribute(std::move(names)));
  }
}

/// The groups of a generic form's operands: as its attribute says, or as many as the operation
/// needs in each.
void Parser::set_segments(Operation& op, const TextPosition& where) {
  const std::size_t groups = operand_groups(*op.info);
  const std::size_t count = op.operands.size();
  for (const std::string_view name : {"operandSegmentSizes", "operand_segment_sizes"}) {
    const std::optional<std::vector<std::int64_t>> sizes = integers_of(op.attribute(name));
    if (!sizes) continue;
    std::size_t sum = 0;
    for (const std::int64_t size : *sizes) {
      if (size < 0 || static_cast<std::size_t>(size) > count - sum) {
        fail(where, fmt::format("{} does not divide {} operands", name, count));
      }
      sum += static_cast<std::size_t>(size);
      op.segments.push_back(static_cast<std::size_t>(size));
    }
    if (sum != count || (groups > 1 && op.segments.size() != groups)) {
      fail(where, fmt::format("{} must divide {} operands into {} groups", name, count, groups));
    }
    std::erase_if(op.attributes, [&](const NamedAttribute& entry) { return entry.first == name; });
    if (groups == 1) op.segments = {count};
    return;
  }
  if (groups == 1) {
    op.segments = {count};
    return;
  }
  std::size_t first = 1;
  if (op.is(OpCode::scf_for)) first = 3;
  if (op.info->form == OpForm::linalg) first = op.info->operands;
  if (op.is(OpCode::tensor_insert_slice)) first = 2;
  if (op.is(OpCode::linalg_reduce) || op.is(OpCode::linalg_generic)) first = count / 2;
  first = std::min(first, count);
  op.segments.assign(groups, 0);
  op.segments[0] = first;
  op.segments[1] = count - first;
}

}  // namespace spyre::kernels::ktir
