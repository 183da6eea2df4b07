// Typed reading of YAML maps with a position in every message.
//
// A MapReader takes the keys of one map one by one; what is missing, of the wrong type or out of
// range is noted in a shared Diagnostics list, so that one pass reports every fault of a file.
// finish() reports the keys nobody asked for, with the nearest valid name. yaml-cpp accepts
// duplicate keys: the reader does not.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models/diagnostics/diagnostics.h"

namespace spyre::models {

/// Collects findings about one file.
class DiagnosticSink {
 public:
  explicit DiagnosticSink(std::string file) : file_(std::move(file)) {}

  void error(const YAML::Mark& mark, std::string message);
  void error(SourcePosition where, std::string message, std::string rule = {});
  [[nodiscard]] SourcePosition position(const YAML::Mark& mark) const;
  [[nodiscard]] bool empty() const { return diagnostics_.empty(); }
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  /// Throws InputError with everything found, in file order, if anything was found.
  void throw_if_any() const;

 private:
  std::string file_;
  std::vector<Diagnostic> diagnostics_;
};

/// Reads YAML text. A syntax error, an empty text, a truncated file or a second document becomes an
/// InputError with its position.
[[nodiscard]] YAML::Node parse_yaml(const std::string& text, const std::string& file);

/// Reads a whole file. Throws InputError("cannot read <file>: <reason>").
[[nodiscard]] std::string read_text_file(const std::string& path);

class MapReader {
 public:
  /// `path` names the map in messages ("dram.timing"); empty at the top. A node that is no map is
  /// reported; an undefined one is not: required() has done so.
  MapReader(const YAML::Node& node, std::string path, DiagnosticSink& sink);

  [[nodiscard]] bool valid() const { return valid_; }
  [[nodiscard]] bool has(const std::string& key) const;
  /// The node behind `key`, or an undefined node after reporting "missing key".
  YAML::Node required(const std::string& key);
  /// The node behind `key`, or nothing when it is absent.
  std::optional<YAML::Node> optional(const std::string& key);

  std::int64_t integer(const std::string& key,
                       std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t high = std::numeric_limits<std::int64_t>::max());
  std::int64_t integer_or(const std::string& key, std::int64_t fallback,
                          std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                          std::int64_t high = std::numeric_limits<std::int64_t>::max());
  double number(const std::string& key, double low, double high);
  double number_or(const std::string& key, double fallback, double low, double high);
  bool boolean_or(const std::string& key, bool fallback);
  std::string text(const std::string& key);
  std::string text_or(const std::string& key, std::string fallback);

  /// Reports every key of the map that was never asked for, and keys that stand twice.
  void finish();

  [[nodiscard]] std::string name_of(const std::string& key) const;
  [[nodiscard]] YAML::Mark mark() const { return node_.Mark(); }
  [[nodiscard]] DiagnosticSink& sink() { return sink_; }

 private:
  YAML::Node node_;
  std::string path_;
  DiagnosticSink& sink_;
  bool valid_ = true;
  std::vector<std::string> known_;
};

/// A scalar as an integer in [low, high]; reports and returns nothing otherwise. Rejects quoted
/// numbers, octal look-alikes ("010") and underscores; `name` is used in the message.
std::optional<std::int64_t> scalar_integer(const YAML::Node& node, const std::string& name,
                                           std::int64_t low, std::int64_t high,
                                           DiagnosticSink& sink);
std::optional<double> scalar_number(const YAML::Node& node, const std::string& name, double low,
                                    double high, DiagnosticSink& sink);

}  // namespace spyre::models
