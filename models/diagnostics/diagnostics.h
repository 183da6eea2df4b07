// What is said about bad input: one sentence with file:line:column, and the exception that carries
// it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace spyre::models {

/// A place in an input file. Lines and columns count from 1; 0 means "not known".
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;
};

/// "file:line:column", without the parts that are not known.
[[nodiscard]] std::string to_string(const SourcePosition& position);

enum class Severity { error, warning };

/// One finding. `rule` is a short stable id ("lx-capacity"), empty for plain syntax and range
/// errors.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string rule;
  SourcePosition where;
  std::string message;  ///< one sentence: the value, the limit and the remedy
};

/// "file:line:column: error: message [rule]".
[[nodiscard]] std::string to_string(const Diagnostic& diagnostic);

/// Thrown when input cannot be used. Carries every finding of the pass, not only the first. Exit
/// code 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  explicit InputError(std::string message, SourcePosition where = {});
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace spyre::models
