// The table of every value that a machine description holds: key, unit, range and where it lives in
// Machine.
//
// Reading, --set, writing and showing all go through this table, so a new value of the machine is
// one member in machine.h and one line in machine_fields.cpp. Ranges catch slips of the pen and
// state the limits of the models; what makes sense only in relation to another value is in
// machine_rules.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/machine/machine.h"

namespace spyre::models {

/// One value: a whole number (`number` is set) or one of a few names (`choices` is not empty).
struct MachineField {
  using Number = std::int64_t* (*)(Machine&);

  std::string_view key;   ///< path in the file and in Machine: "dram.timing.rcd"
  std::string_view unit;  ///< the only unit text that the reader accepts
  std::int64_t low = 0;
  std::int64_t high = 0;
  Number number = nullptr;
  std::span<const std::string_view> choices = {};
  void (*set_choice)(Machine&, std::size_t index) = nullptr;
  std::size_t (*choice)(const Machine&) = nullptr;
};

/// Every field, those of one group next to each other, in the order in which they are written and
/// shown.
[[nodiscard]] std::span<const MachineField> machine_fields();

/// Position of `key` in the table.
[[nodiscard]] std::optional<std::size_t> find_machine_field(std::string_view key);

/// The value in effect as it stands in a description file.
[[nodiscard]] std::string value_text(const MachineField& field, const Machine& machine);

}  // namespace spyre::models
