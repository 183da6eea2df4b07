#include "kernels/schedule/findings.h"

#include <algorithm>
#include <utility>

namespace spyre::kernels {

using models::Diagnostic;
using models::Severity;
using models::SourcePosition;

void Findings::error(std::string_view rule, const SourcePosition& where, std::string message) {
  add(Severity::error, rule, where, std::move(message));
}

void Findings::warning(std::string_view rule, const SourcePosition& where, std::string message) {
  add(Severity::warning, rule, where, std::move(message));
}

bool Findings::is_new(std::string_view rule, const SourcePosition& where) const {
  // Without a place nothing tells two findings apart but what they say.
  return where.line == 0 || !seen_.contains(std::tuple{rule, where.line, where.column});
}

void Findings::add_origin(const SourcePosition& where, std::string text) {
  origins_.emplace(&where, std::move(text));
}

bool Findings::has(std::string_view rule) const {
  return std::any_of(findings_.begin(), findings_.end(),
                     [rule](const Diagnostic& finding) { return finding.rule == rule; });
}

bool Findings::has_at(const SourcePosition& where) const {
  return std::any_of(findings_.begin(), findings_.end(), [&](const Diagnostic& finding) {
    return finding.where.line == where.line && finding.where.column == where.column;
  });
}

void Findings::add(Severity severity, std::string_view rule, const SourcePosition& where,
                   std::string message) {
  if (!is_new(rule, where)) return;
  seen_.emplace(std::string(rule), where.line, where.column);
  keep(severity, rule, where, std::move(message));
}

void Findings::add_about(Severity severity, std::string_view rule, const SourcePosition& where,
                         const std::string& subject, std::string message) {
  if (where.line != 0 && !subjects_.emplace(where.line, where.column, subject).second) return;
  keep(severity, rule, where, std::move(message));
}

void Findings::keep(Severity severity, std::string_view rule, const SourcePosition& where,
                    std::string message) {
  if (const auto origin = origins_.find(&where); origin != origins_.end()) {
    message += " " + origin->second;
  }
  if (where.line == 0) {
    for (const Diagnostic& known : findings_) {
      if (known.rule == rule && known.message == message) return;
    }
  }
  findings_.push_back({severity, std::string(rule), where, std::move(message)});
}

std::vector<Diagnostic> Findings::sorted() const {
  std::vector<Diagnostic> result = findings_;
  std::stable_sort(result.begin(), result.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.line, a.where.column) < std::tie(b.where.line, b.where.column);
  });
  return result;
}

}  // namespace spyre::kernels
