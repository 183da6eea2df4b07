#include "kernels/schedule/reader_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "kernels/schedule/expression_text.h"
#include "models/diagnostics/nearest_name.h"

namespace spyre::kernels {

using models::InputError;

namespace {

constexpr std::array<std::string_view, 9> kReserved{"and",  "or",    "not",  "min",  "max",
                                                    "core", "cores", "true", "false"};
constexpr std::size_t kShortList = 24;  // names that still make one readable sentence

/// Where the text of a scalar begins: behind the quote, if there is one.
SourcePosition text_position(const YAML::Node& node, ReadContext& context) {
  SourcePosition where = context.sink.position(node.Mark());
  if (is_quoted(node)) ++where.column;
  return where;
}

}  // namespace

bool is_quoted(const YAML::Node& node) {
  return node.Tag() == "!";
}

void ReadContext::error(const YAML::Node& node, std::string_view rule, std::string message) {
  sink.error(sink.position(node.Mark()), std::move(message), std::string(rule));
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && is_name_start(name[0]) &&
         std::all_of(name.begin(), name.end(), is_name_part);
}

bool is_object_name(std::string_view name) {
  return !name.empty() && is_name_start(name[0]) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_name_part(c) || c == '.' || c == '-' || c == '/'; });
}

std::string suggestion(std::string_view name, std::span<const std::string> known) {
  if (const auto nearest = models::nearest_name(name, known)) {
    return fmt::format(": did you mean '{}'?", *nearest);
  }
  if (known.empty()) return ": there are none here";
  if (known.size() <= kShortList) return fmt::format(": known here: {}", fmt::join(known, ", "));
  return {};
}

std::optional<std::size_t> look_up(const YAML::Node& node, std::string_view what,
                                   std::span<const std::string> known, ReadContext& context) {
  const std::optional<std::string> name = scalar_text(node, what, context);
  if (!name) return std::nullopt;
  const auto found = std::find(known.begin(), known.end(), *name);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  if (context.unknown_names.insert(fmt::format("{} {}", what, *name)).second) {
    context.error(node, "unknown-name",
                  fmt::format("unknown {} '{}'{}", what, *name, suggestion(*name, known)));
  }
  return std::nullopt;
}

void each_entry(const YAML::Node& node, const std::string& path, ReadContext& context,
                const std::function<void(const YAML::Node& key, const YAML::Node& value)>& visit) {
  if (!node.IsDefined()) return;
  if (!node.IsMap()) {
    context.error(node, "", fmt::format("'{}' must be a map of names and values", path));
    return;
  }
  std::set<std::string> seen;
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) {
      context.error(entry.first, "name-syntax", fmt::format("a key of '{}' must be a name", path));
    } else if (!seen.insert(entry.first.Scalar()).second) {
      context.error(entry.first, "name-taken",
                    fmt::format("the key '{}' stands twice in '{}'", entry.first.Scalar(), path));
    } else {
      visit(entry.first, entry.second);
    }
  }
}

bool declare_variable(const YAML::Node& key, std::string_view what, VariableScope& scope,
                      ReadContext& context) {
  const std::string& name = key.Scalar();
  if (!is_variable_name(name)) {
    context.error(key, "name-syntax",
                  fmt::format("'{}' cannot name a {}: use letters, digits and '_', no digit first",
                              name, what));
    return false;
  }
  if (std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end()) {
    context.error(
        key, "name-taken",
        fmt::format("'{}' cannot name a {}: the word has a meaning of its own", name, what));
    return false;
  }
  if (std::find(scope.visible.begin(), scope.visible.end(), name) != scope.visible.end()) {
    context.error(key, "name-taken",
                  fmt::format("the {} '{}' hides another variable of that name: rename one of them",
                              what, name));
    return false;
  }
  scope.visible.push_back(name);
  scope.places.add(name);
  return true;
}

std::optional<std::string> scalar_text(const YAML::Node& node, std::string_view what,
                                       ReadContext& context) {
  if (node.IsDefined() && node.IsScalar()) return node.Scalar();
  if (node.IsDefined()) {
    context.error(node, "",
                  fmt::format("{} is expected here, not {}", what,
                              node.IsMap()        ? "a map"
                              : node.IsSequence() ? "a list"
                                                  : "nothing"));
  }
  return std::nullopt;
}

bool reads_as_expression(const std::string& text, const VariableScope& scope) {
  SymbolTable visible;
  for (const std::string& variable : scope.visible) visible.add(variable);
  try {
    Expression::parse(text, {}).bind(visible);
  } catch (const InputError&) {
    return false;
  }
  return true;
}

Expression read_expression(const YAML::Node& node, const std::string& name,
                           const VariableScope& scope, ReadContext& context) {
  const std::optional<std::string> text =
      scalar_text(node, fmt::format("an expression ('{}')", name), context);
  if (!text) return Expression(0);
  if (*text == "true" || *text == "false") {
    context.error(node, "expression",
                  fmt::format("'{}' is '{}': expressions are numbers, write {}", name, *text,
                              *text == "true" ? 1 : 0));
    return Expression(0);
  }
  SymbolTable visible;
  for (const std::string& variable : scope.visible) visible.add(variable);
  Expression expression;
  try {
    expression = Expression::parse(*text, text_position(node, context));
  } catch (const InputError& error) {
    const models::Diagnostic& first = error.diagnostics().front();
    context.sink.error(first.where, fmt::format("'{}': {}", name, first.message), "expression");
    return Expression(0);
  }
  try {
    expression.bind(visible);
    expression.bind(scope.places);
  } catch (const InputError& error) {
    const models::Diagnostic& first = error.diagnostics().front();
    context.sink.error(first.where, fmt::format("'{}': {}", name, first.message), "unknown-name");
    return Expression(0);
  }
  return expression;
}

std::vector<Expression> read_expressions(const YAML::Node& node, const std::string& name,
                                         std::optional<std::size_t> count, const std::string& unit,
                                         const VariableScope& scope, ReadContext& context) {
  std::vector<Expression> expressions;
  if (!node.IsDefined()) return expressions;
  if (!node.IsSequence()) {
    context.error(node, "arity", fmt::format("'{}' must be a list of expressions", name));
    return expressions;
  }
  if (count && node.size() != *count) {
    context.error(node, "arity",
                  fmt::format("'{}' has {} entries: {} needs {}", name, node.size(), unit, *count));
  }
  for (const YAML::Node& entry : node) {
    expressions.push_back(read_expression(entry, name, scope, context));
  }
  return expressions;
}

std::vector<std::string> read_names_of(const YAML::Node& node, const std::string& name,
                                       std::string_view what, std::span<const std::string> known,
                                       ReadContext& context) {
  std::vector<std::string> names;
  const auto add = [&](const YAML::Node& entry) {
    const std::optional<std::size_t> index = look_up(entry, what, known, context);
    if (!index) return;
    if (std::find(names.begin(), names.end(), known[*index]) != names.end()) {
      context.error(entry, "name-taken", fmt::format("'{}' names '{}' twice", name, known[*index]));
      return;
    }
    names.push_back(known[*index]);
  };
  if (!node.IsDefined()) return names;
  if (!node.IsSequence()) {
    add(node);
    return names;
  }
  for (const YAML::Node& entry : node) add(entry);
  return names;
}

DataType read_data_type(models::MapReader& map, ReadContext& context) {
  const YAML::Node node = map.required("dtype");
  if (!node.IsDefined()) return DataType::fp16;
  static constexpr std::array kTypes{DataType::fp32,  DataType::fp16, DataType::bf16,
                                     DataType::dl16,  DataType::fp8,  DataType::fp8_e5m2,
                                     DataType::int32, DataType::int8, DataType::int4};
  std::vector<std::string> known;
  for (const DataType type : kTypes) known.emplace_back(models::to_string(type));
  const std::optional<std::size_t> index = look_up(node, "dtype", known, context);
  return index ? kTypes[*index] : DataType::fp16;
}

std::optional<std::int64_t> read_address(models::MapReader& map, std::int64_t limit,
                                         const AddressUnit& unit, ReadContext& context) {
  const std::optional<YAML::Node> node = map.optional("address");
  if (!node) return std::nullopt;
  const auto address =
      models::scalar_integer(*node, map.name_of("address"), 0, limit, context.sink);
  if (address && *address % unit.bytes != 0) {
    context.error(*node, "alignment",
                  fmt::format("'{}' is {}: it must be a multiple of {}, the bytes of {}",
                              map.name_of("address"), *address, unit.bytes, unit.of));
  }
  return address;
}

void check_object_name(const YAML::Node& key, std::string_view what, ReadContext& context) {
  if (!key.IsScalar() || is_object_name(key.Scalar())) return;
  context.error(key, "name-syntax",
                fmt::format("'{}' cannot name a {}: use letters, digits, '_', '.', '-' and '/', a "
                            "letter or '_' first",
                            key.Scalar(), what));
}

}  // namespace spyre::kernels
