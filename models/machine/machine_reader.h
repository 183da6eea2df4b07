// The one reader of machine descriptions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/machine/machine.h"

namespace spyre::models {

enum class Confidence { documented, inferred, calibrated, assumed };
[[nodiscard]] std::string_view to_string(Confidence confidence);

/// One value of a description as it stands in effect.
struct MachineEntry {
  std::string key;     ///< "dram.timing.rcd"
  std::string value;
  std::string unit;
  Confidence confidence = Confidence::assumed;
  std::string source;  ///< where the number comes from; "--set" for a value given on the command line
};

struct MachineDescription {
  Machine machine;
  std::vector<MachineEntry> entries;  ///< every value, in the order of the field table
};

/// Reads a description and applies `overrides` ("key=value" each).
/// `name_or_path`: a name found in the machine directories, or a path ending in .yaml.
/// Throws InputError with every fault: unknown keys with the nearest name, wrong types, wrong units, missing keys,
/// values out of range, values that contradict each other; each with file:line:column.
[[nodiscard]] MachineDescription read_machine(const std::string& name_or_path,
                                              std::span<const std::string> overrides = {});

/// The same from text; `file` names it in messages.
[[nodiscard]] MachineDescription parse_machine(const std::string& text, const std::string& file,
                                               std::span<const std::string> overrides = {});

/// Names of the descriptions that ship with the program, sorted.
[[nodiscard]] std::vector<std::string> machine_names();

/// A complete description file that reads back to the same values.
[[nodiscard]] std::string write_machine(const MachineDescription& description);

}  // namespace spyre::models
