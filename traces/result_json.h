// A RunResult as JSON. docs/results.md lists every field; fields are only ever added.
#pragma once

#include <string>

#include "traces/run_result.h"

namespace spyre::traces {

/// Indented, keys in a fixed order, the same bytes for the same result; ends with a newline.
[[nodiscard]] std::string write_result_json(const RunResult& result);

}  // namespace spyre::traces
