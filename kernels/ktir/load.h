// From the text of a kernel to a verified module.
#pragma once

#include <string>
#include <vector>

#include "kernels/ktir/ir.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels::ktir {

struct LoadedModule {
  Module module;
  std::vector<models::Diagnostic> warnings;
};

/// Parses and verifies. Throws InputError with everything found, in the order of the text; also
/// where there is no function to run.
[[nodiscard]] LoadedModule load_module(const std::string& text, const std::string& file);

}  // namespace spyre::kernels::ktir
