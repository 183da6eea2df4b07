// The one reader of machine descriptions, and the writer that goes with it.
//
// A description is YAML: `name`, `title`, and the groups of struct Machine with one map
// {value, unit, source, confidence} per value (docs/machine.md).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/machine/machine.h"

namespace spyre::models {

enum class Confidence { documented, inferred, calibrated, assumed };
[[nodiscard]] std::string_view to_string(Confidence confidence);

/// One value of a description as it stands in effect.
struct MachineEntry {
  std::string key;  ///< "dram.timing.rcd"
  std::string value;
  std::string unit;
  Confidence confidence = Confidence::assumed;
  std::string
      source;  ///< where the number comes from; "--set" for a value given on the command line
};

struct MachineDescription {
  Machine machine;
  std::vector<MachineEntry> entries;  ///< every value, in the order of the field table
};

/// Reads a description and applies `overrides` ("key=value" each, the last one for a key counts).
/// `name_or_path`: a name found in the machine directories, or a path: anything with a '/' or
/// ending in .yaml. Throws InputError with every fault: unknown keys with the nearest name, wrong
/// types, wrong units, missing keys, values out of range, values that contradict each other; each
/// with file:line:column, or the option's text.
[[nodiscard]] MachineDescription read_machine(const std::string& name_or_path,
                                              std::span<const std::string> overrides = {});

/// The same from text; `file` names it in messages.
[[nodiscard]] MachineDescription parse_machine(const std::string& text, const std::string& file,
                                               std::span<const std::string> overrides = {});

/// Names of the descriptions in the machine directories, sorted.
[[nodiscard]] std::vector<std::string> machine_names();

/// Where names are looked up, first match first: $SPYRE_EMU_MACHINES (directories separated by
/// ':'), the source tree the program was built from, the directory it was installed to. Those that
/// do not exist are left out.
[[nodiscard]] std::vector<std::string> machine_directories();

/// A complete description file that reads back to the same values.
[[nodiscard]] std::string write_machine(const MachineDescription& description);

}  // namespace spyre::models
