// A machine description as a table for people: `spyre-emu machine show`.
#pragma once

#include <string>

#include "models/machine/machine_reader.h"

namespace spyre::models {

/// Every value with unit and confidence, what follows from the values, and the list of sources.
/// Text of at most 100 columns, lines ended by '\n'.
[[nodiscard]] std::string format_machine(const MachineDescription& description);

}  // namespace spyre::models
