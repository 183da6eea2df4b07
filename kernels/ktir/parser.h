// Reads KTIR text: hand-written recursive descent with a limit on nesting.
//
// Read: modules and bare functions, aliases before and after use, both memory-space spellings,
// elided ktdp types, loc(...) anywhere, the pretty and the generic form of every operation of
// op_table.h. Not read: several blocks in a region, other dialects (a device description is
// skipped), scheduled code (ktdf, memory space names as strings).
#pragma once

#include <string>
#include <vector>

#include "kernels/ktir/ir.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels::ktir {

/// Deepest nesting of regions, attributes and expressions together.
inline constexpr int kMaxNesting = 64;
/// Longest text that is read, in bytes.
inline constexpr std::size_t kMaxTextSize = std::size_t{64} << 20U;

struct ParsedModule {
  Module module;
  /// Faults that do not stop the parser: types that contradict the definition, wrong counts.
  std::vector<models::Diagnostic> findings;
};

/// `file` is used in messages only. Throws InputError at the first syntax error, with the findings
/// made before it.
[[nodiscard]] ParsedModule parse_module(const std::string& text, const std::string& file);

}  // namespace spyre::kernels::ktir
