#include "kernels/ktir/printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/ktir/printer_state.h"

namespace spyre::kernels::ktir {

std::string print_module(const Module& module, const PrintOptions& options) {
  return Printer(options).run(module);
}

std::string Printer::run(const Module& module) {
  text_ = "module";
  if (!module.name.empty()) text_ += " @" + key_text(module.name);
  if (!module.attributes.empty()) {
    text_ += " attributes " + to_string(Attribute{DictionaryValue{module.attributes}});
  }
  text_ += " {\n";
  depth_ = 1;
  for (const Function& function : module.functions) print_function(function);
  return std::move(text_) + "}\n";
}

void Printer::indent() {
  text_.append(static_cast<std::size_t>(2 * depth_), ' ');
}

/// A name of its own for every value: as written, else with the first number that is free.
void Printer::choose_names(const Function& function) {
  std::set<std::string, std::less<>> used;
  std::map<std::string, std::size_t, std::less<>> next;
  names_.clear();
  for (const Value& value : function.values) {
    std::string name = value.name;
    while (name.empty() || used.contains(name)) {
      const std::size_t number = next[value.name]++;
      name = value.name.empty() ? std::to_string(number) : fmt::format("{}_{}", value.name, number);
    }
    used.insert(name);
    names_.push_back(std::move(name));
  }
}

void Printer::print_function(const Function& function) {
  function_ = &function;
  choose_names(function);
  indent();
  text_ += "func.func ";
  if (!function.visibility.empty()) text_ += function.visibility + " ";
  text_ += "@" + key_text(function.name) + "(";
  for (std::size_t i = 0; i < function.body.arguments.size(); ++i) {
    const ValueId id = function.body.arguments[i];
    if (i > 0) text_ += ", ";
    text_ += use(id) + ": " + type(id);
    if (i < function.argument_attributes.size() && !function.argument_attributes[i].empty()) {
      text_ += " " + to_string(Attribute{DictionaryValue{function.argument_attributes[i]}});
    }
    print_location(function.value(id).source);
  }
  text_ += ")";
  if (!function.result_types.empty()) {
    std::vector<std::string> results;
    for (const Type& result : function.result_types) results.push_back(to_string(result));
    text_ += fmt::format(" -> ({})", fmt::join(results, ", "));
  }
  if (!function.attributes.empty()) {
    text_ += " attributes " + to_string(Attribute{DictionaryValue{function.attributes}});
  }
  text_ += " {\n";
  ++depth_;
  print_operations(function.body);
  --depth_;
  indent();
  text_ += "}";
  print_location(function.source);
  text_ += "\n";
}

void Printer::print_operations(const Region& region) {
  for (const Operation& op : region.operations) print_operation(op);
}

void Printer::print_results(const Operation& op) {
  if (op.results.empty()) return;
  text_ += uses(op.results) + " = ";
}

void Printer::print_operation(const Operation& op) {
  indent();
  print_results(op);
  text_ += op.info->code == OpCode::func_return ? "return" : std::string(op.info->name);
  taken_.clear();
  print_body(op);
  print_location(op.source);
  text_ += "\n";
}

void Printer::print_arguments(const Region& region, std::size_t first) {
  std::vector<std::string> arguments;
  for (std::size_t i = first; i < region.arguments.size(); ++i) {
    const ValueId id = region.arguments[i];
    std::string argument = use(id) + ": " + type(id);
    const SourceMappingPtr& source = function_->value(id).source;
    if (options_.locations && source) argument += " " + to_string(*source);
    arguments.push_back(std::move(argument));
  }
  text_ += fmt::format("({})", fmt::join(arguments, ", "));
}

void Printer::print_region(const Region& region, bool with_arguments) {
  text_ += "{\n";
  ++depth_;
  if (with_arguments && !region.arguments.empty()) {
    indent();
    text_ += "^bb0";
    print_arguments(region, 0);
    text_ += ":\n";
  }
  print_operations(region);
  --depth_;
  indent();
  text_ += "}";
}

void Printer::print_location(const SourceMappingPtr& source) {
  if (options_.locations && source) text_ += " " + to_string(*source);
}

std::string Printer::take(const Operation& op, std::string_view attribute) {
  taken_.emplace(attribute);
  const AttributePtr value = op.attribute(attribute);
  return value ? to_string(*value) : std::string();
}

/// The attributes not printed yet, in a dictionary; nothing if there are none.
void Printer::print_other_attributes(const Operation& op) {
  DictionaryValue others;
  for (const NamedAttribute& entry : op.attributes) {
    if (!taken_.contains(entry.first)) others.entries.push_back(entry);
  }
  if (!others.entries.empty()) text_ += " " + to_string(Attribute{std::move(others)});
}

std::string Printer::uses(std::span<const ValueId> ids) const {
  std::vector<std::string> texts;
  for (const ValueId id : ids) texts.push_back(use(id));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string Printer::types(std::span<const ValueId> ids) const {
  std::vector<std::string> texts;
  for (const ValueId id : ids) texts.push_back(type(id));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string Printer::result_types(const Operation& op) const {
  return op.results.size() == 1 ? types(op.results) : "(" + types(op.results) + ")";
}

std::string Printer::mixed(const Operation& op, std::string_view attribute,
                           std::span<const ValueId> values) const {
  std::vector<std::string> texts;
  std::size_t next = 0;
  const auto integers = integers_of(op.attribute(attribute)).value_or(std::vector<std::int64_t>{});
  for (const std::int64_t integer : integers) {
    const bool dynamic = integer == kDynamic && next < values.size();
    texts.push_back(dynamic ? use(values[next++]) : std::to_string(integer));
  }
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string Printer::list(const Operation& op, std::string_view attribute) const {
  return mixed(op, attribute, {});
}

}  // namespace spyre::kernels::ktir
