// What the parts of the schedule reader share: names, lists, expressions, and how faults in them
// are told. Internal to the reader.
#pragma once

#include <yaml-cpp/yaml.h>

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/schedule/schedule.h"
#include "kernels/schedule/tile_geometry.h"
#include "models/diagnostics/yaml_reader.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

/// Limits of the text form itself: far above any real schedule, low enough that aliases cannot blow
/// it up.
inline constexpr std::size_t kMaxTensors =
    65'534;  // TileOp::tensor is 16 bits, one value means none
inline constexpr std::size_t kMaxStatements = 100'000;
inline constexpr std::size_t kMaxLoopDepth = 16;
inline constexpr std::size_t kMaxIndexValues = 1 << 22;
inline constexpr std::int64_t kMaxSlots = 65'534;  // SlotId is 16 bits, one value means none

/// Sizes beyond this many elements are no tensor of any card, strides no distance in it, and both
/// keep every product of sizes inside 64 bits.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 48;

/// One pass over one file.
struct ReadContext {
  models::DiagnosticSink& sink;
  const models::Machine& machine;
  Schedule& schedule;
  std::vector<std::string> tensor_names;
  std::vector<std::string> resident_names;
  std::size_t statements = 0;
  std::size_t index_values = 0;
  std::set<std::string> unknown_names;  ///< those of the current kernel that have been reported

  void error(const YAML::Node& node, std::string_view rule, std::string message);
};

/// The variables an expression may use: those in scope, and their places in the value array.
struct VariableScope {
  SymbolTable places;                ///< every variable seen so far; only grows
  std::vector<std::string> visible;  ///< those that may be used here
};

/// Letters, digits and '_', no digit first: the only names that expressions can speak of.
[[nodiscard]] bool is_variable_name(std::string_view name);
/// As a variable name, with '.', '-' and '/' allowed after the first letter.
[[nodiscard]] bool is_object_name(std::string_view name);

/// "; did you mean 'x'?", or the list of names when it is short.
[[nodiscard]] std::string suggestion(std::string_view name, std::span<const std::string> known);

/// The place of `name` in `known`; reports "unknown <what>" and returns nothing otherwise. A kernel
/// hears of an unknown name once, at its first use.
std::optional<std::size_t> look_up(const YAML::Node& node, std::string_view what,
                                   std::span<const std::string> known, ReadContext& context);

/// Calls `visit` for each entry of a map with text keys; reports what is no map, and keys that
/// stand twice.
void each_entry(const YAML::Node& node, const std::string& path, ReadContext& context,
                const std::function<void(const YAML::Node& key, const YAML::Node& value)>& visit);

/// Adds a variable to the scope; reports a bad name, a reserved one and one that is taken.
bool declare_variable(const YAML::Node& key, std::string_view what, VariableScope& scope,
                      ReadContext& context);

/// The text of a scalar; reports and returns nothing otherwise.
std::optional<std::string> scalar_text(const YAML::Node& node, std::string_view what,
                                       ReadContext& context);

/// Whether the text is an expression whose variables may all be used here.
[[nodiscard]] bool reads_as_expression(const std::string& text, const VariableScope& scope);
/// A bound expression; 0 after reporting a fault.
Expression read_expression(const YAML::Node& node, const std::string& name,
                           const VariableScope& scope, ReadContext& context);
/// A list of bound expressions. When `count` is given, another length is reported, with `unit` as
/// its explanation.
std::vector<Expression> read_expressions(const YAML::Node& node, const std::string& name,
                                         std::optional<std::size_t> count, const std::string& unit,
                                         const VariableScope& scope, ReadContext& context);

/// One name or a list of names, each out of `known` and at most once.
std::vector<std::string> read_names_of(const YAML::Node& node, const std::string& name,
                                       std::string_view what, std::span<const std::string> known,
                                       ReadContext& context);

/// How many entries a list of numbers has, and the range that each lies in.
struct ListLimits {
  std::size_t least = 1, most = 1;
  std::int64_t low = 0, high = 0;
};
/// A list of whole numbers; harmless ones stand in for what is reported as a fault.
std::vector<std::int64_t> read_integers(const YAML::Node& node, const std::string& name,
                                        const ListLimits& limits, ReadContext& context);

/// Whether a scalar stands in quotes.
[[nodiscard]] bool is_quoted(const YAML::Node& node);

/// Whether the padded tensor stays below kMaxElements: every stick counts whole, so does every row
/// of one element.
[[nodiscard]] bool is_small_enough(const std::vector<std::int64_t>& shape, std::int64_t per_stick);

/// How far apart the first and the last element lie, in elements, kMaxElements + 1 for more than
/// that. `sizes` and `strides` are equally long.
[[nodiscard]] std::int64_t span_of(const std::vector<std::int64_t>& sizes,
                                   const std::vector<std::int64_t>& strides);

/// What an address must be a multiple of.
struct AddressUnit {
  std::int64_t bytes = 1;
  std::string_view of;  ///< "a stick"
};
std::optional<std::int64_t> read_address(models::MapReader& map, std::int64_t limit,
                                         const AddressUnit& unit, ReadContext& context);
void check_object_name(const YAML::Node& key, std::string_view what, ReadContext& context);

DataType read_data_type(models::MapReader& map, ReadContext& context);
/// A list of 1 to `max_rank` positive sizes.
std::vector<std::int64_t> read_shape(models::MapReader& map, std::size_t max_rank,
                                     ReadContext& context);

}  // namespace spyre::kernels
