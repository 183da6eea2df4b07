// Reads a tile schedule (docs/schedule.md).
#pragma once

#include <string>

#include "kernels/schedule/schedule.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

/// Reads and binds a schedule: every name resolved, every expression bound to the symbols of its
/// scope. Throws models::InputError with every fault found and its file:line:column.
[[nodiscard]] Schedule read_schedule(const std::string& path, const models::Machine& machine);
[[nodiscard]] Schedule parse_schedule(const std::string& text, const std::string& file,
                                      const models::Machine& machine);

/// The symbols that a kernel's expressions see, in the order of the expander's value array:
/// grid dims, "core", "cores", params, then loop variables in order of appearance.
[[nodiscard]] SymbolTable kernel_symbols(const Kernel& kernel);

}  // namespace spyre::kernels
