#include "kernels/ktir/load.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernels/ktir/parser.h"
#include "kernels/ktir/verifier.h"

namespace spyre::kernels::ktir {

using models::Diagnostic;
using models::InputError;
using models::Severity;

LoadedModule load_module(const std::string& text, const std::string& file) {
  ParsedModule parsed = parse_module(text, file);
  std::vector<Diagnostic> all = std::move(parsed.findings);
  std::vector<Diagnostic> verified = verify(parsed.module);
  std::ranges::move(verified, std::back_inserter(all));
  std::ranges::stable_sort(all, {}, [](const Diagnostic& diagnostic) {
    return std::pair(diagnostic.where.line, diagnostic.where.column);
  });
  const bool refused =
      std::ranges::any_of(all, [](const Diagnostic& d) { return d.severity == Severity::error; });
  if (refused) throw InputError(std::move(all));
  if (parsed.module.functions.empty()) {
    throw InputError("there is no function to run: a kernel is a func.func", {file, 1, 1});
  }
  return {std::move(parsed.module), std::move(all)};
}

}  // namespace spyre::kernels::ktir
