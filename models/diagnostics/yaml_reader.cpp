#include "models/diagnostics/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "models/diagnostics/nearest_name.h"

namespace spyre::models {
namespace {

/// At most 60 characters of a text, on one line.
std::string excerpt(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  std::size_t length = std::min(kLongest, text.size());
  while (length < text.size() && length > 0 && (text[length] & 0xc0) == 0x80)
    --length;  // whole UTF-8 characters
  std::string shown = text.substr(0, length);
  std::ranges::replace_if(
      shown, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return length < text.size() ? shown + "..." : shown;
}

std::string kind_of(const YAML::Node& node) {
  if (node.IsMap()) return "a map";
  if (node.IsSequence()) return "a list";
  if (node.IsNull()) return "nothing";
  if (node.Tag() == "!") return fmt::format("the text '{}'", excerpt(node.Scalar()));
  return fmt::format("'{}'", excerpt(node.Scalar()));
}

template <class Number>
std::string range_text(Number low, Number high) {
  using Limits = std::numeric_limits<Number>;
  if (high >= Limits::max()) return fmt::format("at least {}", low);
  if (low <= Limits::lowest()) return fmt::format("at most {}", high);
  return fmt::format("from {} to {}", low, high);
}

bool is_plain_scalar(const YAML::Node& node) {
  return node.IsScalar() && node.Tag() != "!";
}

/// Notes where a document's content starts and whether there is any; builds nothing.
class DocumentScout : public YAML::EventHandler {
 public:
  [[nodiscard]] const YAML::Mark& start() const { return start_; }
  [[nodiscard]] bool is_null() const { return is_null_; }

  void OnDocumentStart(const YAML::Mark&) override { events_ = 0; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { note(mark, true); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { note(mark, false); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    note(mark, false);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    note(mark, false);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    note(mark, false);
  }
  void OnMapEnd() override {}

 private:
  void note(const YAML::Mark& mark, bool is_null) {
    if (events_++ > 0) return;
    start_ = mark;
    is_null_ = is_null;
  }

  YAML::Mark start_;
  bool is_null_ = false;
  std::size_t events_ = 0;
};

/// YAML::Load reads the first document and drops the rest. YAML::LoadAll never returns from some
/// texts: a stray sign makes an empty document that consumes nothing, again and again. So at most
/// three documents are looked at.
void refuse_more_documents(const std::string& text, const std::string& file) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentScout scout;
  if (!parser.HandleNextDocument(scout) || !parser.HandleNextDocument(scout)) return;
  const SourcePosition where{file, scout.start().line + 1, scout.start().column + 1};
  if (!scout.is_null()) {
    throw InputError(
        "a second document starts here: a file holds one, so remove the '---' before it", where);
  }
  if (parser.HandleNextDocument(
          scout)) {  // a lone "---" or "..." at the end is followed by nothing
    throw InputError("this is not valid YAML: nothing can start or go on here", where);
  }
}

}  // namespace

void DiagnosticSink::error(const YAML::Mark& mark, std::string message) {
  error(position(mark), std::move(message));
}

void DiagnosticSink::error(SourcePosition where, std::string message, std::string rule) {
  diagnostics_.push_back({Severity::error, std::move(rule), std::move(where), std::move(message)});
}

SourcePosition DiagnosticSink::position(const YAML::Mark& mark) const {
  if (mark.line < 0) return {file_, 0, 0};
  return {file_, mark.line + 1, mark.column + 1};
}

void DiagnosticSink::throw_if_any() const {
  if (diagnostics_.empty()) return;
  std::vector<Diagnostic> sorted = diagnostics_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
  });
  throw InputError(std::move(sorted));
}

YAML::Node parse_yaml(const std::string& text, const std::string& file) {
  try {
    YAML::Node document = YAML::Load(text);
    refuse_more_documents(text, file);
    if (!document || document.IsNull()) throw InputError("the file is empty", {file, 1, 1});
    return document;
  } catch (const YAML::Exception& error) {
    throw InputError(fmt::format("this is not valid YAML: {}", error.msg),
                     {file, error.mark.line + 1, error.mark.column + 1});
  }
}

std::string read_text_file(const std::string& path) {
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  // Copying nothing sets failbit, so an empty file is found out first.
  if (stream && stream.peek() != std::ifstream::traits_type::eof()) text << stream.rdbuf();
  if (!stream.is_open() || stream.bad() || text.fail()) {
    throw InputError(fmt::format("cannot read '{}': {}", path,
                                 errno != 0 ? std::strerror(errno) : "it is not a readable file"));
  }
  return std::move(text).str();
}

MapReader::MapReader(const YAML::Node& node, std::string path, DiagnosticSink& sink)
    : node_(node), path_(std::move(path)), sink_(sink) {
  if (node_ && node_.IsMap()) return;
  valid_ = false;
  if (!node_) return;  // required() has reported the missing key
  sink_.error(node_.Mark(),
              fmt::format("{} must be a map of keys and values",
                          path_.empty() ? std::string("the document") : "'" + path_ + "'"));
}

std::string MapReader::name_of(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

bool MapReader::has(const std::string& key) const {
  return valid_ && node_[key].IsDefined();
}

YAML::Node MapReader::required(const std::string& key) {
  if (std::optional<YAML::Node> node = optional(key)) return *node;
  if (valid_) {
    sink_.error(node_.Mark(), fmt::format("missing key '{}'", name_of(key)));
  }
  return YAML::Node(YAML::NodeType::Undefined);
}

std::optional<YAML::Node> MapReader::optional(const std::string& key) {
  known_.push_back(key);
  if (!has(key)) return std::nullopt;
  return node_[key];
}

std::int64_t MapReader::integer(const std::string& key, std::int64_t low, std::int64_t high) {
  const YAML::Node node = required(key);
  if (!node.IsDefined()) return 0;
  return scalar_integer(node, name_of(key), low, high, sink_)
      .value_or(std::max<std::int64_t>(low, 0));
}

std::int64_t MapReader::integer_or(const std::string& key, std::int64_t fallback, std::int64_t low,
                                   std::int64_t high) {
  const std::optional<YAML::Node> node = optional(key);
  if (!node) return fallback;
  return scalar_integer(*node, name_of(key), low, high, sink_).value_or(fallback);
}

double MapReader::number(const std::string& key, double low, double high) {
  const YAML::Node node = required(key);
  if (!node.IsDefined()) return low;
  return scalar_number(node, name_of(key), low, high, sink_).value_or(low);
}

double MapReader::number_or(const std::string& key, double fallback, double low, double high) {
  const std::optional<YAML::Node> node = optional(key);
  if (!node) return fallback;
  return scalar_number(*node, name_of(key), low, high, sink_).value_or(fallback);
}

bool MapReader::boolean_or(const std::string& key, bool fallback) {
  const std::optional<YAML::Node> node = optional(key);
  if (!node) return fallback;
  if (is_plain_scalar(*node)) {
    if (node->Scalar() == "true") return true;
    if (node->Scalar() == "false") return false;
  }
  sink_.error(node->Mark(),
              fmt::format("'{}' is {}: it must be true or false", name_of(key), kind_of(*node)));
  return fallback;
}

std::string MapReader::text(const std::string& key) {
  const YAML::Node node = required(key);
  if (!node.IsDefined()) return {};
  if (node.IsScalar()) return node.Scalar();
  sink_.error(node.Mark(),
              fmt::format("'{}' is {}: it must be a text", name_of(key), kind_of(node)));
  return {};
}

std::string MapReader::text_or(const std::string& key, std::string fallback) {
  return has(key) ? text(key) : (known_.push_back(key), std::move(fallback));
}

void MapReader::finish() {
  if (!valid_) return;
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    const YAML::Mark mark = entry.first.Mark();
    if (!entry.first.IsScalar()) {
      sink_.error(mark, fmt::format("a key of {} is {}: it must be a name",
                                    path_.empty() ? std::string("the document") : "'" + path_ + "'",
                                    kind_of(entry.first)));
      continue;
    }
    const std::string& key = entry.first.Scalar();
    if (!seen.insert(key).second) {
      sink_.error(mark,
                  fmt::format("the key '{}' stands twice in this map", name_of(excerpt(key))));
    } else if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      const std::optional<std::string> nearest = nearest_name(key, known_);
      sink_.error(mark, fmt::format("unknown key '{}'{}", name_of(excerpt(key)),
                                    nearest ? fmt::format(": did you mean '{}'?", *nearest)
                                            : std::string()));
    }
  }
}

std::optional<std::int64_t> scalar_integer(const YAML::Node& node, const std::string& name,
                                           std::int64_t low, std::int64_t high,
                                           DiagnosticSink& sink) {
  const std::string& text = node.IsScalar() ? node.Scalar() : std::string();
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool leading_zero = text.size() > 1 && (text[0] == '0' || text.starts_with("-0"));
  const bool whole = end == text.data() + text.size() && !text.empty();
  if (!is_plain_scalar(node) || failure == std::errc::invalid_argument || !whole || leading_zero) {
    sink.error(node.Mark(),
               fmt::format("'{}' is {}: it must be a whole number", name, kind_of(node)));
    return std::nullopt;
  }
  if (failure != std::errc{} || value < low || value > high) {
    sink.error(node.Mark(), fmt::format("'{}' is {}: it must be {}", name, excerpt(text),
                                        range_text(low, high)));
    return std::nullopt;
  }
  return value;
}

std::optional<double> scalar_number(const YAML::Node& node, const std::string& name, double low,
                                    double high, DiagnosticSink& sink) {
  const std::string text = node.IsScalar() ? node.Scalar() : std::string();
  double value = 0;
  // Unlike strtod this reads no hexadecimal and knows no locale.
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!is_plain_scalar(node) || failure != std::errc{} || end != text.data() + text.size() ||
      !std::isfinite(value)) {
    sink.error(node.Mark(), fmt::format("'{}' is {}: it must be a number", name, kind_of(node)));
    return std::nullopt;
  }
  if (value < low || value > high) {
    sink.error(node.Mark(),
               fmt::format("'{}' is {}: it must be {}", name, text, range_text(low, high)));
    return std::nullopt;
  }
  return value;
}

}  // namespace spyre::models
