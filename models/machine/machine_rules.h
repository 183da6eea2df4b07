// Which values of a machine contradict each other.
//
// A rule names the fields that it compares; the reader judges it only when all of them could be
// read, so that one slip does not draw a tail of further messages.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/machine/machine.h"

namespace spyre::models {

struct MachineRule {
  std::vector<std::string_view> keys;  ///< the first one is where the fault is reported
  /// What is wrong and which values would do; nothing when the values agree.
  std::function<std::optional<std::string>(const Machine&)> broken;
};

[[nodiscard]] const std::vector<MachineRule>& machine_rules();

}  // namespace spyre::models
