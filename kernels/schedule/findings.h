// Collects what a check finds: each fault once, in file order.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {

/// A statement that is wrong on 32 cores in 40 launches is one finding: the first for its rule and
/// place.
class Findings {
 public:
  void error(std::string_view rule, const models::SourcePosition& where, std::string message);
  void warning(std::string_view rule, const models::SourcePosition& where, std::string message);
  /// Of several findings of a rule at one place, which differ in their `subject`.
  void add_about(models::Severity severity, std::string_view rule,
                 const models::SourcePosition& where, const std::string& subject,
                 std::string message);
  /// Whether a finding of this rule at this place would add anything; saves making its message.
  [[nodiscard]] bool is_new(std::string_view rule, const models::SourcePosition& where) const;
  [[nodiscard]] bool has(std::string_view rule) const;
  /// Findings at this very object say `text` as well: where its statement was compiled from.
  void add_origin(const models::SourcePosition& where, std::string text);
  [[nodiscard]] bool has_at(const models::SourcePosition& where) const;
  /// In file order; findings of one place in the order in which they were made.
  [[nodiscard]] std::vector<models::Diagnostic> sorted() const;

 private:
  void add(models::Severity severity, std::string_view rule, const models::SourcePosition& where,
           std::string message);
  void keep(models::Severity severity, std::string_view rule, const models::SourcePosition& where,
            std::string message);

  std::vector<models::Diagnostic> findings_;
  std::map<const models::SourcePosition*, std::string> origins_;
  std::set<std::tuple<std::string, int, int>, std::less<>> seen_;  // rule, line, column
  std::set<std::tuple<int, int, std::string>> subjects_;           // line, column, subject
};

}  // namespace spyre::kernels
