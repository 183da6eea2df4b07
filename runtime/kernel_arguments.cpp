#include "runtime/kernel_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/ktir/analysis.h"
#include "models/diagnostics/diagnostics.h"
#include "models/diagnostics/nearest_name.h"

namespace spyre::runtime {

using models::InputError;
namespace ktir = kernels::ktir;

namespace {

constexpr std::uint64_t kArrayAlignment = 4096;

std::vector<std::string> argument_names(const ktir::Function& function) {
  std::vector<std::string> names;
  for (const ktir::ValueId id : function.body.arguments) names.push_back(function.value(id).name);
  return names;
}

/// The views that begin at a value.
std::vector<const ktir::Operation*> views_of(const ktir::DefUse& uses, ktir::ValueId id) {
  std::vector<const ktir::Operation*> views;
  for (const ktir::DefUse::Use& use : uses.uses(id)) {
    if (use.user->is(ktir::OpCode::ktdp_construct_memory_view) && use.operand == 0) {
      views.push_back(use.user);
    }
  }
  return views;
}

/// An integer that is an argument, perhaps converted, or a constant.
std::optional<std::int64_t> integer_of(const ktir::Function& function, const ktir::DefUse& uses,
                                       ktir::ValueId id,
                                       const std::map<std::string, std::int64_t>& integers) {
  const ktir::Operation* definition = uses.definition(id);
  if (definition == nullptr) {
    const auto known = integers.find(function.value(id).name);
    return known == integers.end() ? std::nullopt : std::optional(known->second);
  }
  if (definition->is(ktir::OpCode::arith_index_cast)) {
    return integer_of(function, uses, definition->operands[0], integers);
  }
  if (const auto* constant = ktir::value_of<ktir::IntegerValue>(definition->attribute("value"))) {
    return constant->value;
  }
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> sizes_of(
    const ktir::Function& function, const ktir::DefUse& uses, const ktir::Operation& view,
    const std::map<std::string, std::int64_t>& integers) {
  std::optional<std::vector<std::int64_t>> sizes =
      ktir::integers_of(view.attribute("static_sizes"));
  if (!sizes) return std::nullopt;
  std::size_t next = 0;
  for (std::int64_t& size : *sizes) {
    if (size != ktir::kDynamic) continue;
    const auto known = integer_of(function, uses, view.segment(1)[next++], integers);
    if (!known) return std::nullopt;
    size = *known;
  }
  return sizes;
}

/// Elements from the first to the last of a view; nothing where a size or stride is not known.
std::optional<std::int64_t> extent_of(const ktir::Function& function, const ktir::DefUse& uses,
                                      const ktir::Operation& view,
                                      const std::map<std::string, std::int64_t>& integers) {
  const auto sizes = sizes_of(function, uses, view, integers);
  const auto strides = ktir::integers_of(view.attribute("static_strides"));
  if (!sizes || !strides) return std::nullopt;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    if ((*strides)[i] == ktir::kDynamic) return std::nullopt;
    if ((*sizes)[i] == 0) return 0;
    last += ((*sizes)[i] - 1) * (*strides)[i];
  }
  return last + 1;
}

void check_array(const ktir::Module& module, const ktir::Function& function,
                 const ktir::DefUse& uses, ktir::ValueId id, const HostArray& array,
                 const std::map<std::string, std::int64_t>& integers) {
  const std::string& name = function.value(id).name;
  for (const ktir::Operation* view : views_of(uses, id)) {
    const ktir::Type& type = function.type(view->results[0]);
    const bool same_kind = type.element.kind == array.element.kind;
    const bool both_integers = !type.element.is_float() && !array.element.is_float();
    if (type.element.width != array.element.width || !(same_kind || both_integers)) {
      throw InputError(fmt::format("this view reads '{}' as {}, the array that is given is {}: "
                                   "give one of {}",
                                   name, ktir::to_string(type.element),
                                   ktir::to_string(array.element), ktir::to_string(type.element)),
                       module.position(view->where));
    }
    const auto extent = extent_of(function, uses, *view, integers);
    if (extent && *extent > array.elements()) {
      throw InputError(fmt::format("this view reaches over {} elements of '{}', the array that is "
                                   "given has {}: give a larger one",
                                   *extent, name, array.elements()),
                       module.position(view->where));
    }
  }
}

void check_names(const ktir::Function& function,
                 const std::map<std::string, ArgumentValue>& values) {
  const std::vector<std::string> names = argument_names(function);
  for (const auto& entry : values) {
    if (std::find(names.begin(), names.end(), entry.first) != names.end()) continue;
    const auto nearest = models::nearest_name(entry.first, names);
    const std::string hint = nearest         ? fmt::format("did you mean '{}'?", *nearest)
                             : names.empty() ? std::string("it takes none")
                                             : fmt::format("it takes {}", fmt::join(names, ", "));
    throw InputError(fmt::format("@{} has no argument '{}': {}", function.name, entry.first, hint));
  }
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    if (!values.contains(name)) missing.push_back(name);
  }
  if (!missing.empty()) {
    throw InputError(fmt::format("@{} needs a value for {}: add --arg {}=...", function.name,
                                 fmt::join(missing, ", "), missing.front()));
  }
}

ktir::BoundArgument bound_number(const ktir::Value& argument, const ArgumentValue& value) {
  ktir::BoundArgument bound;
  const bool is_real = argument.type.is_scalar() && argument.type.element.is_float();
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    bound.integer = *integer;
    bound.real = static_cast<double>(*integer);
  } else {
    bound.real = std::get<double>(value);
    bound.integer = static_cast<std::int64_t>(bound.real);
    if (!is_real) {
      throw InputError(fmt::format("the argument '{}' is of type {}: {} is no whole number",
                                   argument.name, ktir::to_string(argument.type), bound.real));
    }
  }
  bound.kind = is_real ? ktir::BoundArgument::Kind::real : ktir::BoundArgument::Kind::integer;
  return bound;
}

std::map<std::string, std::int64_t> integers_among(
    const std::map<std::string, ArgumentValue>& values) {
  std::map<std::string, std::int64_t> integers;
  for (const auto& [name, value] : values) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) integers[name] = *integer;
  }
  return integers;
}

}  // namespace

const ktir::Function& choose_function(const ktir::Module& module, const std::string& name) {
  std::vector<std::string> names;
  for (const ktir::Function& function : module.functions) names.push_back(function.name);
  if (name.empty() && module.functions.size() == 1) return module.functions.front();
  if (name.empty()) {
    throw InputError(fmt::format("the file has {} functions: choose one with --function ({})",
                                 names.size(), fmt::join(names, ", ")),
                     {module.file, 0, 0});
  }
  if (const ktir::Function* found = module.function(name)) return *found;
  throw InputError(
      fmt::format("there is no function '{}': the file has {}", name, fmt::join(names, ", ")),
      {module.file, 0, 0});
}

KernelBinding bind_arguments(const ktir::Module& module, const ktir::Function& function,
                             const std::map<std::string, ArgumentValue>& values,
                             std::uint64_t first_address) {
  check_names(function, values);
  const ktir::DefUse uses(function);
  const auto integers = integers_among(values);
  KernelBinding binding;
  std::uint64_t next = first_address;
  for (const ktir::ValueId id : function.body.arguments) {
    const ktir::Value& argument = function.value(id);
    const ArgumentValue& value = values.at(argument.name);
    const auto* array = std::get_if<HostArray>(&value);
    if (array == nullptr) {
      binding.arguments.push_back(bound_number(argument, value));
      continue;
    }
    if (!argument.type.is_index()) {
      throw InputError(fmt::format("the argument '{}' is a number of type {}, not an array",
                                   argument.name, ktir::to_string(argument.type)));
    }
    check_array(module, function, uses, id, *array, integers);
    next = (next + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
    const auto element = static_cast<std::uint64_t>(element_bytes(array->element));
    binding.arguments.push_back({ktir::BoundArgument::Kind::pointer,
                                 static_cast<std::int64_t>(next / element), 0,
                                 array->bytes.size()});
    binding.arrays.push_back({argument.name, next, array});
    next += array->bytes.size();
  }
  return binding;
}

std::optional<ArrayType> viewed_as(const ktir::Function& function, const std::string& name,
                                   const std::map<std::string, std::int64_t>& integers) {
  const ktir::DefUse uses(function);
  for (const ktir::ValueId id : function.body.arguments) {
    if (function.value(id).name != name) continue;
    for (const ktir::Operation* view : views_of(uses, id)) {
      if (const auto sizes = sizes_of(function, uses, *view, integers)) {
        return ArrayType{function.type(view->results[0]).element, *sizes};
      }
    }
  }
  return std::nullopt;
}

}  // namespace spyre::runtime
