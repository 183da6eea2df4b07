// Typed reading of a JSON object (a model's config.json) with a position in every message.
//
// nlohmann-json keeps the last of two equal keys and forgets where a key stood; this reader reports
// the former and remembers the latter. Faults are collected, so that one pass over a file names all
// of them.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {

class ConfigJson {
 public:
  /// Throws models::InputError at once for a syntax error and for text that is no object.
  ConfigJson(const std::string& text, std::string file);

  /// Keys may name a member of a member: "rope_parameters.rope_theta".
  /// A key whose value is null counts as absent.
  [[nodiscard]] bool has(const std::string& key) const { return find(key) != nullptr; }
  [[nodiscard]] bool is_null(const std::string& key) const {
    return !has(key) && key_offsets_.contains(key);
  }

  std::int64_t integer(const std::string& key, std::int64_t high);
  std::int64_t integer_or(const std::string& key, std::int64_t fallback, std::int64_t high);
  /// A finite number above 0.
  double positive_or(const std::string& key, double fallback);
  bool boolean_or(const std::string& key, bool fallback);
  /// A text; nothing when the key is absent, or of another type, which is reported.
  std::optional<std::string> text(const std::string& key);
  /// The only entry of a list of names; nothing when the key is absent, or anything else, which is
  /// reported.
  std::optional<std::string> only_entry(const std::string& key);

  /// Notes a finding at `key`, or at the file when the key is absent.
  void error(const std::string& key, std::string message);
  [[nodiscard]] bool failed() const { return !diagnostics_.empty(); }
  void throw_if_failed() const;

 private:
  [[nodiscard]] const nlohmann::json* find(const std::string& key) const;
  void wrong_type(const std::string& key, const nlohmann::json& value, std::string_view needed);
  [[nodiscard]] models::SourcePosition position(std::size_t offset) const;
  void parse(const std::string& text);

  std::string file_;
  std::vector<std::size_t> line_starts_;
  nlohmann::json root_;
  std::map<std::string, std::size_t> key_offsets_;
  std::vector<models::Diagnostic> diagnostics_;
};

}  // namespace spyre::kernels
