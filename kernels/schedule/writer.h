// Writes a tile schedule as text that reads back to the same schedule.
#pragma once

#include <string>

#include "kernels/schedule/schedule.h"

namespace spyre::kernels {

/// One statement per line in flow style, so that a diagnostic's line is one operation.
[[nodiscard]] std::string write_schedule(const Schedule& schedule);

}  // namespace spyre::kernels
