#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/ktir/printer_state.h"

namespace spyre::kernels::ktir {

void Printer::print_body(const Operation& op) {
  switch (op.info->form) {
    case OpForm::elementwise:
      text_ += " " + uses(op.operands);
      print_other_attributes(op);
      text_ += " : " + types(op.results);
      return;
    case OpForm::compare:
      taken_.emplace("predicate");
      if (const auto* predicate = value_of<StringValue>(op.attribute("predicate"))) {
        text_ += " " + predicate->text + ",";
      }
      text_ += " " + uses(op.operands);
      print_other_attributes(op);
      text_ += " : " + type(op.operands.front());
      return;
    case OpForm::cast:
      text_ += " " + uses(op.operands);
      print_other_attributes(op);
      text_ += fmt::format(" : {} to {}", types(op.operands), types(op.results));
      return;
    case OpForm::linalg:
      print_other_attributes(op);
      print_ins_outs(op);
      text_ += " -> " + result_types(op);
      return;
    case OpForm::yield:
      if (!op.operands.empty()) {
        text_ += fmt::format(" {} : {}", uses(op.operands), types(op.operands));
      }
      print_other_attributes(op);
      return;
    case OpForm::custom:
      print_custom(op);
  }
}

void Printer::print_custom(const Operation& op) {
  switch (op.code()) {
    case OpCode::arith_constant:
      return print_constant(op);
    case OpCode::arith_select:
      text_ += " " + uses(op.operands);
      print_other_attributes(op);
      text_ += " : ";
      if (!function_->type(op.operands[0]).is_scalar()) text_ += type(op.operands[0]) + ", ";
      text_ += types(op.results);
      return;
    case OpCode::scf_for:
      return print_for(op);
    case OpCode::scf_if:
      return print_if(op);
    case OpCode::linalg_reduce:
    case OpCode::linalg_generic:
    case OpCode::linalg_broadcast:
    case OpCode::linalg_transpose:
      return print_linalg_custom(op);
    case OpCode::linalg_index:
      taken_.emplace("dim");
      if (const auto* dimension = value_of<IntegerValue>(op.attribute("dim"))) {
        text_ += fmt::format(" {}", dimension->value);
      }
      text_ += " : " + types(op.results);
      break;
    case OpCode::tensor_empty:
      text_ += fmt::format("({}) : {}", uses(op.operands), types(op.results));
      break;
    case OpCode::tensor_splat:
    case OpCode::tensor_from_elements:
      text_ += fmt::format(" {} : {}", uses(op.operands), types(op.results));
      break;
    case OpCode::tensor_extract:
      text_ += fmt::format(" {}[{}] : {}", use(op.operands[0]),
                           uses(std::span(op.operands).subspan(1)), type(op.operands[0]));
      break;
    case OpCode::tensor_expand_shape:
    case OpCode::tensor_collapse_shape:
      return print_reassociation(op);
    case OpCode::tensor_reshape:
      text_ += fmt::format(" {}({}) : ({}) -> {}", use(op.operands[0]), use(op.operands[1]),
                           types(op.operands), types(op.results));
      break;
    case OpCode::tensor_generate:
      text_ += " " + uses(op.operands) + (op.operands.empty() ? "" : " ");
      print_region(op.regions[0], true);
      text_ += " : " + types(op.results);
      break;
    case OpCode::tensor_extract_slice:
    case OpCode::tensor_insert_slice:
      return print_slice(op);
    case OpCode::tensor_dim:
    case OpCode::memref_dim:
      text_ += fmt::format(" {} : {}", uses(op.operands), type(op.operands[0]));
      break;
    case OpCode::ktdp_load:
      text_ +=
          fmt::format(" {} : {} -> {}", uses(op.operands), types(op.operands), types(op.results));
      break;
    case OpCode::ktdp_store:
      text_ += fmt::format(" {} : {}", uses(op.operands), types(op.operands));
      break;
    case OpCode::ktdp_get_compute_tile_id:
      text_ += " : " + types(op.results);
      break;
    case OpCode::ktdp_runtime_arg_extract:
      taken_.emplace("field");
      if (const auto* field = value_of<StringValue>(op.attribute("field"))) {
        text_ += " " + field->text;
      }
      text_ += fmt::format(" from {} : {} -> {}", uses(op.operands), types(op.operands),
                           types(op.results));
      break;
    case OpCode::spyreop_softplus:
      text_ += " " + uses(op.operands);
      for (const char* name : {"beta", "threshold"}) {
        if (op.attribute(name)) text_ += fmt::format(" {} {}", name, take(op, name));
      }
      text_ += " : " + types(op.results);
      break;
    case OpCode::ktdp_construct_memory_view:
    case OpCode::ktdp_construct_distributed_memory_view:
      return print_views(op);
    case OpCode::ktdp_construct_access_tile:
      return print_access_tile(op);
    case OpCode::ktdp_construct_indirect_access_tile:
      return print_indirect(op);
    case OpCode::ktdp_inter_tile_produce:
      return print_produce(op);
    default:
      return print_inter_tile(op);
  }
  print_other_attributes(op);
}

void Printer::print_constant(const Operation& op) {
  taken_.emplace("value");
  print_other_attributes(op);
  const AttributePtr value = op.attribute("value");
  const auto* integer = value_of<IntegerValue>(value);
  if (integer != nullptr && integer->type == ScalarType{ScalarKind::integer, 1}) {
    text_ += integer->value != 0 ? " true" : " false";
  } else if (value) {
    text_ += " " + to_string(*value);
  }
}

void Printer::print_ins_outs(const Operation& op) {
  const char* names[] = {"ins", "outs"};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::span<const ValueId> group = op.segment(i);
    if (group.empty() && i == 0) continue;
    text_ += fmt::format(" {}({} : {})", names[i], uses(group), types(group));
  }
}

void Printer::print_for(const Operation& op) {
  const Region& body = op.regions[0];
  const std::span<const ValueId> bounds = op.segment(0);
  const std::span<const ValueId> initial = op.segment(1);
  text_ += fmt::format(" {} = {} to {} step {}", use(body.arguments[0]), use(bounds[0]),
                       use(bounds[1]), use(bounds[2]));
  if (!initial.empty()) {
    std::vector<std::string> carried;
    for (std::size_t i = 0; i < initial.size(); ++i) {
      carried.push_back(use(body.arguments[i + 1]) + " = " + use(initial[i]));
    }
    text_ += fmt::format(" iter_args({}) -> ({})", fmt::join(carried, ", "), types(op.results));
  }
  if (!function_->type(bounds[0]).is_index()) text_ += " : " + type(bounds[0]);
  text_ += " ";
  print_region(body, false);
  taken_.clear();
  print_other_attributes(op);
}

void Printer::print_if(const Operation& op) {
  text_ += " " + uses(op.operands) + " ";
  if (!op.results.empty()) text_ += fmt::format("-> ({}) ", types(op.results));
  print_region(op.regions[0], false);
  if (op.regions.size() > 1) {
    text_ += " else ";
    print_region(op.regions[1], false);
  }
  taken_.clear();
  print_other_attributes(op);
}

void Printer::print_linalg_custom(const Operation& op) {
  if (op.is(OpCode::linalg_generic)) {
    text_ += fmt::format(" {{indexing_maps = {}, iterator_types = {}}}", take(op, "indexing_maps"),
                         take(op, "iterator_types"));
    print_ins_outs(op);
    text_ += " ";
    print_region(op.regions[0], true);
    text_ += " -> " + result_types(op);
    taken_ = {"indexing_maps", "iterator_types"};
    return print_other_attributes(op);
  }
  const char* list_name = op.is(OpCode::linalg_transpose) ? "permutation" : "dimensions";
  print_ins_outs(op);
  text_ += fmt::format(" {} = {}", list_name, list(op, list_name));
  if (op.is(OpCode::linalg_reduce)) {
    text_ += " ";
    print_arguments(op.regions[0], 0);
    text_ += " ";
    print_region(op.regions[0], false);
  }
  taken_ = {list_name};
  print_other_attributes(op);
}

void Printer::print_slice(const Operation& op) {
  const std::span<const ValueId> tensors = op.segment(0);
  const bool insert = op.is(OpCode::tensor_insert_slice);
  text_ += " " + use(tensors[0]);
  if (insert) text_ += " into " + use(tensors[1]);
  std::size_t group = 1;
  for (const char* name : {"static_offsets", "static_sizes", "static_strides"}) {
    text_ += fmt::format("{}{}", group == 1 ? "" : " ", mixed(op, name, op.segment(group)));
    taken_.emplace(name);
    ++group;
  }
  text_ += fmt::format(" : {} {} {}", type(tensors[0]), insert ? "into" : "to", types(op.results));
  print_other_attributes(op);
}

void Printer::print_reassociation(const Operation& op) {
  std::vector<std::string> groups;
  if (const auto* array = value_of<ArrayValue>(op.attribute("reassociation"))) {
    for (const AttributePtr& group : array->elements) {
      const auto members = integers_of(group).value_or(std::vector<std::int64_t>{});
      groups.push_back(fmt::format("[{}]", fmt::join(members, ", ")));
    }
  }
  text_ += fmt::format(" {} [{}]", use(op.operands[0]), fmt::join(groups, ", "));
  if (op.attribute("static_output_shape")) {
    text_ += " output_shape " + mixed(op, "static_output_shape", op.segment(1));
  }
  text_ += fmt::format(" : {} into {}", type(op.operands[0]), types(op.results));
  taken_ = {"reassociation", "static_output_shape"};
  print_other_attributes(op);
}

void Printer::print_views(const Operation& op) {
  if (op.is(OpCode::ktdp_construct_distributed_memory_view)) {
    text_ +=
        fmt::format(" ({} : {}) : {}", uses(op.operands), types(op.operands), types(op.results));
    return print_other_attributes(op);
  }
  text_ += fmt::format(" {}, sizes: {}, strides: {}", uses(op.segment(0)),
                       mixed(op, "static_sizes", op.segment(1)),
                       mixed(op, "static_strides", op.segment(2)));
  taken_ = {"static_sizes", "static_strides"};
  print_other_attributes(op);
  text_ += " : " + types(op.results);
}

void Printer::print_access_tile(const Operation& op) {
  std::vector<std::string> names;
  for (const ValueId id : op.segment(1)) names.push_back(use(id));
  std::vector<std::string> subscripts;
  if (const auto* map = value_of<AffineMapPtr>(op.attribute("base_map"))) {
    for (const AffineExpr& result : (*map)->results) subscripts.push_back(result.text(names, {}));
  }
  text_ += fmt::format(" {}[{}]", use(op.operands[0]), fmt::join(subscripts, ", "));
  if (!op.segment(2).empty()) text_ += fmt::format(" symbols({})", uses(op.segment(2)));
  taken_ = {"base_map"};
  print_other_attributes(op);
  text_ += fmt::format(" : {} -> {}", type(op.operands[0]), types(op.results));
}

void Printer::print_indirect(const Operation& op) {
  std::vector<std::string> captured;
  for (const ValueId id : op.segment(2)) captured.push_back(use(id));
  const auto* maps = value_of<ArrayValue>(op.attribute("subscript_maps"));
  const auto views = integers_of(op.attribute("index_views")).value_or(std::vector<std::int64_t>{});
  std::size_t count = 0;
  if (const auto* set = value_of<IntegerSetPtr>(op.attribute("variables_space_set"))) {
    count = (*set)->dimensions;
  }
  std::vector<std::string> variables;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name = fmt::format("%d{}", i);
    while (std::ranges::find(captured, name) != captured.end()) name += '_';
    variables.push_back(std::move(name));
  }
  std::vector<std::string> subscripts;
  for (std::size_t i = 0; maps != nullptr && i < maps->elements.size(); ++i) {
    std::vector<std::string> results;
    for (const AffineExpr& result : (*value_of<AffineMapPtr>(maps->elements[i]))->results) {
      results.push_back(result.text(variables, captured));
    }
    const std::string inside = fmt::format("{}", fmt::join(results, ", "));
    subscripts.push_back(
        views[i] < 0 ? fmt::format("({})", inside)
                     : fmt::format("ind({}[{}])",
                                   use(op.segment(1)[static_cast<std::size_t>(views[i])]), inside));
  }
  text_ += fmt::format(" intermediate_variables({}) {}[{}]", fmt::join(variables, ", "),
                       use(op.operands[0]), fmt::join(subscripts, ", "));
  if (!op.segment(3).empty()) text_ += fmt::format(" symbols({})", uses(op.segment(3)));
  taken_ = {"subscript_maps", "index_views"};
  print_other_attributes(op);
  text_ += " : " + type(op.operands[0]);
  if (!op.segment(1).empty()) text_ += ", " + types(op.segment(1));
  text_ += " -> " + types(op.results);
}

void Printer::print_produce(const Operation& op) {
  text_ += fmt::format(" producer_tiles_per_group = {} -> {} ",
                       take(op, "producer_tiles_per_group"), types(op.results));
  print_region(op.regions[0], true);
  taken_ = {"producer_tiles_per_group"};
  print_other_attributes(op);
}

void Printer::print_inter_tile(const Operation& op) {
  text_ += fmt::format("({})", uses(op.segment(0)));
  std::vector<std::string> clauses;
  for (const auto& [name, value] : op.attributes) {
    if (key_text(name) != name || name == "identity") continue;
    clauses.push_back(fmt::format("{} = {}", name, to_string(*value)));
    taken_.insert(name);
  }
  if (!op.segment(1).empty()) {
    clauses.push_back(fmt::format("identity({} : {})", uses(op.segment(1)), types(op.segment(1))));
  }
  if (!clauses.empty()) text_ += fmt::format(" {}", fmt::join(clauses, ", "));
  print_other_attributes(op);
  text_ += fmt::format(" : {} -> {}", types(op.segment(0)), result_types(op));
  if (!op.regions.empty()) {
    text_ += " ";
    print_region(op.regions[0], true);
  }
}

}  // namespace spyre::kernels::ktir
