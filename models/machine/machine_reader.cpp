#include "models/machine/machine_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "models/diagnostics/nearest_name.h"
#include "models/diagnostics/yaml_reader.h"
#include "models/machine/machine_fields.h"
#include "models/machine/machine_rules.h"

namespace spyre::models {
namespace {

constexpr std::array<std::string_view, 4> kConfidences{"documented", "inferred", "calibrated",
                                                       "assumed"};

std::string listed(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The position of `text` among `names`; reports the names, the nearest first, otherwise.
std::optional<std::size_t> choose(const std::string& text, std::span<const std::string_view> names,
                                  const std::string& what, const SourcePosition& where,
                                  DiagnosticSink& sink) {
  const auto found = std::ranges::find(names, text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::vector<std::string> candidates(names.begin(), names.end());
  const std::optional<std::string> nearest = nearest_name(text, candidates);
  sink.error(where, fmt::format("'{}' is '{}': it must be one of {}{}", what, text, listed(names),
                                nearest ? fmt::format("; did you mean '{}'?", *nearest) : ""));
  return std::nullopt;
}

/// Reads one description: fills machine and entries, and notes every fault in the sink.
class Reading {
 public:
  explicit Reading(const std::string& file)
      : sink_(file), places_(machine_fields().size()), valid_(machine_fields().size(), false) {
    for (const MachineField& field : machine_fields()) {
      description_.entries.push_back({std::string(field.key), "", std::string(field.unit), {}, ""});
    }
  }

  void read(const YAML::Node& document) {
    MapReader top(document, "", sink_);
    if (!top.valid()) return;
    description_.machine.name = top.text("name");
    description_.machine.title = top.text("title");
    read_group(top, 0, machine_fields().size(), 0);
    top.finish();
  }

  void apply(const std::string& option) {
    const SourcePosition where{"--set " + option};
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0) {
      sink_.error(where, "it must be key=value, such as dram.channels=8");
      return;
    }
    const std::string key = option.substr(0, equals);
    const std::optional<std::size_t> index = find_machine_field(key);
    if (!index) {
      sink_.error(where, unknown_key(key));
      return;
    }
    DiagnosticSink found(where.file);
    valid_[*index] = set_value(*index, YAML::Node(option.substr(equals + 1)), found);
    for (const Diagnostic& fault : found.diagnostics()) sink_.error(fault.where, fault.message);
    places_[*index] = where;
    MachineEntry& entry = description_.entries[*index];
    entry.confidence = Confidence::assumed;
    entry.source = "--set";
  }

  /// Judges the values against each other, then throws or returns what was read.
  MachineDescription finish() {
    for (const MachineRule& rule : machine_rules()) judge(rule);
    sink_.throw_if_any();
    for (std::size_t i = 0; i < machine_fields().size(); ++i) {
      description_.entries[i].value = value_text(machine_fields()[i], description_.machine);
    }
    return std::move(description_);
  }

 private:
  /// Fields [first, last) share the first `depth` characters of their keys: the path of `group` and
  /// a dot.
  void read_group(MapReader& group, std::size_t first, std::size_t last, std::size_t depth) {
    const std::span<const MachineField> fields = machine_fields();
    for (std::size_t i = first; i < last;) {
      const std::string name(fields[i].key.substr(depth));
      const std::size_t dot = name.find('.');
      if (dot == std::string::npos) {
        read_field(group.required(name), i++);
        continue;
      }
      const std::string_view prefix = fields[i].key.substr(0, depth + dot + 1);
      std::size_t end = i;
      while (end < last && fields[end].key.starts_with(prefix)) ++end;
      const YAML::Node node = group.required(name.substr(0, dot));
      if (node.IsDefined()) {
        MapReader inner(node, std::string(prefix.substr(0, prefix.size() - 1)), sink_);
        if (inner.valid()) read_group(inner, i, end, prefix.size());
        inner.finish();
      }
      i = end;
    }
  }

  void read_field(const YAML::Node& node, std::size_t index) {
    if (!node.IsDefined()) return;
    const MachineField& field = machine_fields()[index];
    const std::string key(field.key);
    if (!node.IsMap()) {
      sink_.error(node.Mark(),
                  fmt::format("'{}' must be a map such as {{value: ..., unit: {}, source: "
                              "\"...\", confidence: assumed}}",
                              key, field.unit));
      return;
    }
    MapReader map(node, key, sink_);
    const YAML::Node value = map.required("value");
    if (value.IsDefined()) {
      places_[index] = sink_.position(value.Mark());
      valid_[index] = set_value(index, value, sink_);
    }
    read_unit(map, field);
    MachineEntry& entry = description_.entries[index];
    entry.source = map.text("source");
    if (map.has("source") && entry.source.empty()) {
      sink_.error(map.required("source").Mark(),
                  fmt::format("'{}.source' is empty: say where the value comes from", key));
    }
    const YAML::Node confidence = map.required("confidence");
    if (confidence.IsDefined()) {
      const std::string text = confidence.IsScalar() ? confidence.Scalar() : "";
      const auto chosen =
          choose(text, kConfidences, key + ".confidence", sink_.position(confidence.Mark()), sink_);
      if (chosen) entry.confidence = static_cast<Confidence>(*chosen);
    }
    map.finish();
  }

  void read_unit(MapReader& map, const MachineField& field) {
    const YAML::Node unit = map.required("unit");
    if (!unit.IsDefined()) return;
    const std::string text = unit.IsScalar() ? unit.Scalar() : "";
    if (text == field.unit) return;
    sink_.error(unit.Mark(),
                fmt::format("'{}.unit' is '{}': it must be '{}', and the value in that unit",
                            field.key, text, field.unit));
  }

  bool set_value(std::size_t index, const YAML::Node& node, DiagnosticSink& sink) {
    const MachineField& field = machine_fields()[index];
    const std::string key(field.key);
    if (field.number != nullptr) {
      const auto value = scalar_integer(node, key, field.low, field.high, sink);
      if (value) *field.number(description_.machine) = *value;
      return value.has_value();
    }
    const auto chosen = choose(node.IsScalar() ? node.Scalar() : "", field.choices, key,
                               sink.position(node.Mark()), sink);
    if (chosen) field.set_choice(description_.machine, *chosen);
    return chosen.has_value();
  }

  void judge(const MachineRule& rule) {
    std::optional<std::size_t> where;
    for (const std::string_view key : rule.keys) {
      const std::size_t index = find_machine_field(key).value();
      if (!valid_[index]) return;
      // The user's last word is the likeliest culprit.
      const bool overridden = description_.entries[index].source == "--set";
      if (!where || (overridden && description_.entries[*where].source != "--set")) where = index;
    }
    if (const auto fault = rule.broken(description_.machine)) sink_.error(places_[*where], *fault);
  }

  static std::string unknown_key(const std::string& key) {
    std::vector<std::string> keys;
    for (const MachineField& field : machine_fields()) {
      if (field.key.starts_with(key + ".")) {
        return fmt::format("'{}' is a group: name one of its values, such as '{}'", key, field.key);
      }
      keys.emplace_back(field.key);
    }
    std::optional<std::string> nearest = nearest_name(key, keys);
    for (const std::string& known : keys) {  // the last part alone is a common abbreviation
      if (!nearest && known.ends_with("." + key)) nearest = known;
    }
    return fmt::format("unknown key '{}'{}", key,
                       nearest ? fmt::format(": did you mean '{}'?", *nearest)
                               : std::string(": 'spyre-emu machine show' lists the keys"));
  }

  DiagnosticSink sink_;
  MachineDescription description_;
  std::vector<SourcePosition> places_;  ///< of each value, by field
  std::vector<bool> valid_;             ///< the value could be read
};

}  // namespace

std::string_view to_string(Confidence confidence) {
  return kConfidences[static_cast<std::size_t>(confidence)];
}

MachineDescription parse_machine(const std::string& text, const std::string& file,
                                 std::span<const std::string> overrides) {
  Reading reading(file);
  reading.read(parse_yaml(text, file));
  for (const std::string& option : overrides) reading.apply(option);
  return reading.finish();
}

}  // namespace spyre::models
