#include "models/diagnostics/diagnostics.h"

#include <fmt/format.h>

namespace spyre::models {
namespace {

std::string join(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += to_string(diagnostic);
  }
  return text;
}

}  // namespace

std::string to_string(const SourcePosition& position) {
  if (position.line <= 0) return position.file;
  return fmt::format("{}:{}:{}", position.file, position.line, position.column);
}

std::string to_string(const Diagnostic& diagnostic) {
  const std::string place = to_string(diagnostic.where);
  return fmt::format("{}{}{}: {}{}", place, place.empty() ? "" : ": ",
                     diagnostic.severity == Severity::error ? "error" : "warning",
                     diagnostic.message,
                     diagnostic.rule.empty() ? "" : fmt::format(" [{}]", diagnostic.rule));
}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(diagnostics)), diagnostics_(std::move(diagnostics)) {}

InputError::InputError(std::string message, SourcePosition where)
    : InputError(
          std::vector<Diagnostic>{{Severity::error, "", std::move(where), std::move(message)}}) {}

}  // namespace spyre::models
