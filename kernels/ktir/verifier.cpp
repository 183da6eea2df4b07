#include "kernels/ktir/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "kernels/ktir/verifier_state.h"

namespace spyre::kernels::ktir {

using models::Diagnostic;
using models::Severity;

namespace {

constexpr std::size_t kMaxFindings = 200;

}  // namespace

std::vector<Diagnostic> verify(const Module& module) {
  std::vector<Diagnostic> findings;
  std::map<std::string_view, int> names;
  for (const Function& function : module.functions) {
    const auto [place, added] = names.try_emplace(function.name, function.where.line);
    if (!added) {
      findings.push_back({Severity::error, "ktir-function", module.position(function.where),
                          fmt::format("the function '@{}' is already defined in line {}",
                                      function.name.substr(0, 64), place->second)});
    }
    FunctionVerifier(module, function, findings).run();
  }
  std::ranges::stable_sort(findings, {}, [](const Diagnostic& diagnostic) {
    return std::pair(diagnostic.where.line, diagnostic.where.column);
  });
  return findings;
}

FunctionVerifier::FunctionVerifier(const Module& module, const Function& function,
                                   std::vector<Diagnostic>& findings)
    : module_(module),
      function_(function),
      findings_(findings),
      visible_(function.values.size()),
      defined_(function.values.size()) {}

void FunctionVerifier::run() {
  uses_.emplace(function_);
  constants_.emplace(function_);
  check_signature();
  check_region(function_.body, nullptr);
}

void FunctionVerifier::error(const TextPosition& where, std::string message) {
  if (findings_.size() >= kMaxFindings) return;
  findings_.push_back({Severity::error, "", module_.position(where), std::move(message)});
}

void FunctionVerifier::error(const Operation& op, std::string message) {
  error(op.where, fmt::format("'{}': {}", op.info->name, message));
}

void FunctionVerifier::warning(const Operation& op, std::string message) {
  if (findings_.size() >= kMaxFindings) return;
  findings_.push_back({Severity::warning, "", module_.position(op.where),
                       fmt::format("'{}': {}", op.info->name, message)});
}

std::string FunctionVerifier::shown(ValueId id) const {
  return "'%" + function_.value(id).name.substr(0, 64) + "'";
}

bool FunctionVerifier::has_results(const Operation& op, std::size_t results) {
  if (op.results.size() == results) return true;
  error(op, fmt::format("it has {} results, here are {}", results, op.results.size()));
  return false;
}

bool FunctionVerifier::has_counts(const Operation& op, std::size_t operands, std::size_t results,
                                  std::size_t regions) {
  if (op.operands.size() != operands) {
    error(op, fmt::format("it takes {} operands, here are {}", operands, op.operands.size()));
    return false;
  }
  if (op.regions.size() != regions) {
    error(op, fmt::format("it has {} regions, here are {}", regions, op.regions.size()));
    return false;
  }
  return has_results(op, results);
}

bool FunctionVerifier::same(const Operation& op, const Type& found, const Type& wanted,
                            std::string_view what) {
  if (found == wanted) return true;
  error(op, fmt::format("{} is {}, it must be {}", what, to_string(found), to_string(wanted)));
  return false;
}

std::optional<std::vector<std::int64_t>> FunctionVerifier::integers(const Operation& op,
                                                                    std::string_view name) {
  std::optional<std::vector<std::int64_t>> values = integers_of(op.attribute(name));
  if (!values) error(op, fmt::format("the attribute '{}' must be a list of integers", name));
  return values;
}

void FunctionVerifier::check_signature() {
  check_grid();
  for (const ValueId id : function_.body.arguments) {
    const Type& argument = type(id);
    if (argument.kind == TypeKind::tile_future) {
      error(function_.value(id).where, "a future cannot be an argument of a function");
    }
  }
}

void FunctionVerifier::check_grid() {
  const AttributePtr attribute = function_.attribute("grid");
  if (attribute == nullptr) return;  // one core
  const std::optional<std::vector<std::int64_t>> grid = integers_of(attribute);
  if (!grid || grid->empty() || grid->size() > 3) {
    return error(function_.where, "'grid' must be a list of one to three integers");
  }
  std::int64_t cores = 1;
  for (const std::int64_t size : *grid) {
    if (size < 1) return error(function_.where, fmt::format("'grid' holds {}: at least 1", size));
    if (__builtin_mul_overflow(cores, size, &cores)) {
      return error(function_.where, "'grid' has more cores than 64 bits can count");
    }
  }
}

void FunctionVerifier::make_visible(ValueId id) {
  if (defined_[id]) {
    error(function_.value(id).where, fmt::format("{} is defined twice", shown(id)));
  }
  defined_[id] = true;
  visible_[id] = true;
  in_scope_.push_back(id);
}

/// Two definitions of one name in one region. Nested regions may use a name anew.
void FunctionVerifier::check_names(const Region& region) {
  std::map<std::string_view, ValueId> names;
  const auto enter = [&](ValueId id) {
    const Value& value = function_.value(id);
    if (value.name.empty()) return;
    const auto [place, added] = names.try_emplace(value.name, id);
    if (added) return;
    error(value.where, fmt::format("{} is defined twice in this region, first in line {}",
                                   shown(id), function_.value(place->second).where.line));
  };
  for (const ValueId id : region.arguments) enter(id);
  for (const Operation& op : region.operations) {
    const std::string* previous = nullptr;  // %c:2 names two results
    for (const ValueId id : op.results) {
      const Value& value = function_.value(id);
      const bool packed = previous != nullptr && *previous == value.name;
      if (!packed) enter(id);
      previous = &value.name;
    }
  }
}

void FunctionVerifier::check_region(const Region& region, const Operation* owner) {
  const std::size_t outer = in_scope_.size();
  check_names(region);
  for (const ValueId id : region.arguments) make_visible(id);
  for (const Operation& op : region.operations) {
    check_values(op);
    const bool generic = op.is(OpCode::linalg_generic);
    if (generic) {
      const auto* types = value_of<ArrayValue>(op.attribute("iterator_types"));
      generic_loops_.push_back(types == nullptr ? 0 : types->elements.size());
    }
    for (const Region& inner : op.regions) check_region(inner, &op);
    if (generic) generic_loops_.pop_back();
    const auto is_unknown = [this](ValueId id) { return !type(id).is_known(); };
    const std::size_t grouped =
        std::accumulate(op.segments.begin(), op.segments.end(), std::size_t{0});
    if (grouped != op.operands.size()) {
      error(op, fmt::format("its groups hold {} of {} operands", grouped, op.operands.size()));
    } else if (!op.has_faults && std::ranges::none_of(op.operands, is_unknown)) {
      check_operation(op);
    }
    for (const ValueId id : op.results) make_visible(id);
  }
  const TextPosition& where = owner == nullptr ? function_.where : owner->where;
  check_terminator(region, owner, where);
  for (; in_scope_.size() > outer; in_scope_.pop_back()) visible_[in_scope_.back()] = false;
}

void FunctionVerifier::check_values(const Operation& op) {
  for (const ValueId id : op.operands) {
    if (visible_[id]) continue;
    const Value& value = function_.value(id);
    if (uses_->definition(id) == nullptr && !defined_[id]) {
      error(value.where, fmt::format("{} is used here, and nothing before defines it", shown(id)));
    } else {
      error(op, fmt::format("{} is defined in line {}, which does not come before this use",
                            shown(id), value.where.line));
    }
  }
}

std::optional<OpCode> FunctionVerifier::terminator_of(const Operation* owner) const {
  if (owner == nullptr) return OpCode::func_return;
  switch (owner->code()) {
    case OpCode::scf_for:
    case OpCode::scf_if:
      return OpCode::scf_yield;
    case OpCode::linalg_generic:
    case OpCode::linalg_reduce:
      return OpCode::linalg_yield;
    case OpCode::tensor_generate:
      return OpCode::tensor_yield;
    case OpCode::ktdp_inter_tile_produce:
      return OpCode::ktdp_yield_partial;
    case OpCode::ktdp_inter_tile_reduce:
    case OpCode::ktdp_inter_tile_reduce_scatter:
      return OpCode::ktdp_yield_reduced;
    default:
      return std::nullopt;
  }
}

void FunctionVerifier::check_terminator(const Region& region, const Operation* owner,
                                        const TextPosition& where) {
  const std::optional<OpCode> wanted = terminator_of(owner);
  if (!wanted) return error(where, fmt::format("'{}' has no region", owner->info->name));
  const std::string_view name = op_info(*wanted).name;
  if (region.operations.empty() || !region.operations.back().is(*wanted)) {
    return error(region.operations.empty() ? where : region.operations.back().where,
                 fmt::format("this region must end with '{}'", name));
  }
  for (const Operation& op : region.operations) {
    if (op.info->is_terminator() && &op != &region.operations.back()) {
      error(op, "only the last operation of a region ends it");
    }
  }
  if (owner == nullptr) {
    const Operation& end = region.operations.back();
    if (end.operands.size() != function_.result_types.size()) {
      return error(end, fmt::format("the function has {} results, here are {}",
                                    function_.result_types.size(), end.operands.size()));
    }
    for (std::size_t i = 0; i < end.operands.size(); ++i) {
      if (operand(end, i).is_known())
        same(end, operand(end, i), function_.result_types[i], "a result");
    }
  }
}

bool FunctionVerifier::arguments_are(const Operation& op, const Region& region,
                                     const std::vector<Type>& wanted) {
  if (region.arguments.size() != wanted.size()) {
    error(op, fmt::format("its region takes {} arguments, here are {}", wanted.size(),
                          region.arguments.size()));
    return false;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!same(op, type(region.arguments[i]), wanted[i],
              fmt::format("argument {} of its region", i))) {
      return false;
    }
  }
  return true;
}

bool FunctionVerifier::yields_are(const Operation& op, const Region& region,
                                  const std::vector<Type>& wanted) {
  if (region.operations.empty() || !region.operations.back().info->is_terminator()) return false;
  const Operation& end = region.operations.back();
  if (end.operands.size() != wanted.size()) {
    error(end, fmt::format("'{}' needs {} values, here are {}", op.info->name, wanted.size(),
                           end.operands.size()));
    return false;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!operand(end, i).is_known()) return false;
    if (!same(end, operand(end, i), wanted[i], fmt::format("value {}", i))) return false;
  }
  return true;
}

void FunctionVerifier::check_operation(const Operation& op) {
  switch (op.info->form) {
    case OpForm::elementwise:
      return check_elementwise(op);
    case OpForm::compare:
      return check_compare(op);
    case OpForm::cast:
      return check_cast(op);
    case OpForm::linalg:
      return check_linalg(op);
    case OpForm::yield:
      return static_cast<void>(has_counts(op, op.operands.size(), 0));
    case OpForm::custom:
      break;
  }
  using Rule = void (FunctionVerifier::*)(const Operation&);
  struct Entry {
    OpCode code;
    Rule rule;
  };
  static constexpr Entry kRules[] = {
      {OpCode::arith_constant, &FunctionVerifier::check_constant},
      {OpCode::arith_select, &FunctionVerifier::check_select},
      {OpCode::spyreop_softplus, &FunctionVerifier::check_elementwise},
      {OpCode::linalg_broadcast, &FunctionVerifier::check_broadcast},
      {OpCode::linalg_transpose, &FunctionVerifier::check_transpose},
      {OpCode::linalg_reduce, &FunctionVerifier::check_reduce},
      {OpCode::linalg_generic, &FunctionVerifier::check_generic},
      {OpCode::linalg_index, &FunctionVerifier::check_index},
      {OpCode::tensor_empty, &FunctionVerifier::check_empty},
      {OpCode::tensor_splat, &FunctionVerifier::check_splat},
      {OpCode::tensor_extract, &FunctionVerifier::check_extract},
      {OpCode::tensor_expand_shape, &FunctionVerifier::check_reassociation},
      {OpCode::tensor_collapse_shape, &FunctionVerifier::check_reassociation},
      {OpCode::tensor_reshape, &FunctionVerifier::check_reshape},
      {OpCode::tensor_generate, &FunctionVerifier::check_generate},
      {OpCode::tensor_extract_slice, &FunctionVerifier::check_slice},
      {OpCode::tensor_insert_slice, &FunctionVerifier::check_slice},
      {OpCode::tensor_from_elements, &FunctionVerifier::check_from_elements},
      {OpCode::tensor_dim, &FunctionVerifier::check_dim},
      {OpCode::memref_dim, &FunctionVerifier::check_dim},
      {OpCode::scf_for, &FunctionVerifier::check_for},
      {OpCode::scf_if, &FunctionVerifier::check_if},
      {OpCode::ktdp_get_compute_tile_id, &FunctionVerifier::check_tile_id},
      {OpCode::ktdp_construct_memory_view, &FunctionVerifier::check_memory_view},
      {OpCode::ktdp_construct_distributed_memory_view, &FunctionVerifier::check_distributed_view},
      {OpCode::ktdp_construct_access_tile, &FunctionVerifier::check_access_tile},
      {OpCode::ktdp_construct_indirect_access_tile, &FunctionVerifier::check_indirect_access_tile},
      {OpCode::ktdp_load, &FunctionVerifier::check_transfer},
      {OpCode::ktdp_store, &FunctionVerifier::check_transfer},
      {OpCode::ktdp_runtime_arg_extract, &FunctionVerifier::check_runtime_arg_extract},
      {OpCode::ktdp_inter_tile_produce, &FunctionVerifier::check_produce},
  };
  for (const Entry& entry : kRules) {
    if (entry.code == op.code()) return (this->*entry.rule)(op);
  }
  check_delivery(op);
}

}  // namespace spyre::kernels::ktir
