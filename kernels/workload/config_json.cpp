#include "kernels/workload/config_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace spyre::kernels {
namespace {

using nlohmann::json;

/// Reads characters and leaves behind how many were read, so that a parser callback can tell where
/// it is.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* count_;
};

/// Offset of the quote that opens the string whose closing quote is the last of `end` characters.
std::size_t opening_quote(const std::string& text, std::size_t end) {
  std::size_t at = end - 1;
  while (at > 0) {
    --at;
    if (text[at] != '"') continue;
    std::size_t backslashes = 0;
    while (backslashes < at && text[at - 1 - backslashes] == '\\') ++backslashes;
    if (backslashes % 2 == 0) break;
  }
  return at;
}

/// nlohmann's message without its id and position, which are said elsewhere in our own form.
std::string reason(const json::exception& fault) {
  std::string text = fault.what();
  for (const std::string_view mark : {"] ", ": "}) {
    if (mark == ": " && text.rfind("parse error", 0) != 0) continue;
    if (const std::size_t at = text.find(mark); at != std::string::npos) {
      text.erase(0, at + mark.size());
    }
  }
  return text;
}

std::string shown(const json& value) {
  constexpr std::size_t kLongest = 40;
  std::string text = value.dump();
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

}  // namespace

ConfigJson::ConfigJson(const std::string& text, std::string file) : file_(std::move(file)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
  parse(text);
  if (!root_.is_object()) {
    throw models::InputError(
        fmt::format("a model's configuration is a JSON object of keys and values, this is {}",
                    root_.type_name()),
        position(0));
  }
}

void ConfigJson::parse(const std::string& text) {
  std::size_t count = 0;
  std::vector<std::string> path;             // names of the keys that lead to the current one
  std::vector<std::set<std::string>> known;  // by depth: the keys so far of the object open there
  const auto note_keys = [&](int depth, json::parse_event_t event, json& parsed) {
    const auto level = static_cast<std::size_t>(depth);
    if (event == json::parse_event_t::object_start) {
      known.resize(level + 1);
    } else if (event == json::parse_event_t::object_end) {
      known.resize(level);
    } else if (event == json::parse_event_t::key) {
      const auto name = parsed.get<std::string>();
      path.resize(level);
      path[level - 1] = name;
      const std::size_t offset = opening_quote(text, count);
      if (level <= 2) key_offsets_.try_emplace(fmt::format("{}", fmt::join(path, ".")), offset);
      if (!known[level - 1].insert(name).second) {
        diagnostics_.push_back({models::Severity::error, "", position(offset),
                                fmt::format("'{}' stands twice; remove one", name)});
      }
    }
    return true;
  };
  const char* begin = text.data();
  try {
    root_ = json::parse(CountingIterator(begin, &count),
                        CountingIterator(begin + text.size(), &count), note_keys);
  } catch (const json::parse_error& fault) {
    throw models::InputError(reason(fault), position(fault.byte > 0 ? fault.byte - 1 : 0));
  } catch (const json::exception& fault) {
    throw models::InputError(reason(fault), position(count > 0 ? count - 1 : 0));
  }
}

models::SourcePosition ConfigJson::position(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t start = *std::prev(after);
  return {file_, static_cast<int>(after - line_starts_.begin()),
          static_cast<int>(offset - start) + 1};
}

const json* ConfigJson::find(const std::string& key) const {
  const json* value = &root_;
  std::size_t start = 0;
  while (start <= key.size()) {
    const std::size_t end = std::min(key.find('.', start), key.size());
    if (!value->is_object()) return nullptr;
    const auto member = value->find(key.substr(start, end - start));
    if (member == value->end() || member->is_null()) return nullptr;
    value = &*member;
    start = end + 1;
  }
  return value;
}

void ConfigJson::error(const std::string& key, std::string message) {
  const auto known = key_offsets_.find(key);
  models::SourcePosition where{file_};
  if (known != key_offsets_.end()) where = position(known->second);
  diagnostics_.push_back({models::Severity::error, "", std::move(where), std::move(message)});
}

void ConfigJson::wrong_type(const std::string& key, const json& value, std::string_view needed) {
  error(key, fmt::format("'{}' is {}, but it must be {}", key, shown(value), needed));
}

void ConfigJson::throw_if_failed() const {
  if (diagnostics_.empty()) return;
  std::vector<models::Diagnostic> in_file_order = diagnostics_;
  std::stable_sort(in_file_order.begin(), in_file_order.end(), [](const auto& a, const auto& b) {
    return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
  });
  throw models::InputError(std::move(in_file_order));
}

std::int64_t ConfigJson::integer(const std::string& key, std::int64_t high) {
  if (!has(key)) {
    error(key, fmt::format("'{}' is missing; it must be a whole number from 1 to {}", key, high));
    return 1;
  }
  return integer_or(key, 1, high);
}

std::int64_t ConfigJson::integer_or(const std::string& key, std::int64_t fallback,
                                    std::int64_t high) {
  const json* value = find(key);
  if (value == nullptr) return fallback;
  const bool in_range = value->is_number_unsigned() && value->get<std::uint64_t>() >= 1 &&
                        value->get<std::uint64_t>() <= static_cast<std::uint64_t>(high);
  if (in_range) return value->get<std::int64_t>();
  wrong_type(key, *value, fmt::format("a whole number from 1 to {}", high));
  return 1;
}

double ConfigJson::positive_or(const std::string& key, double fallback) {
  const json* value = find(key);
  if (value == nullptr) return fallback;
  if (value->is_number() && value->get<double>() > 0.0 && std::isfinite(value->get<double>())) {
    return value->get<double>();
  }
  wrong_type(key, *value, "a number above 0");
  return fallback;
}

bool ConfigJson::boolean_or(const std::string& key, bool fallback) {
  const json* value = find(key);
  if (value == nullptr) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  wrong_type(key, *value, "true or false");
  return fallback;
}

std::optional<std::string> ConfigJson::text(const std::string& key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  wrong_type(key, *value, "a text in quotes");
  return std::nullopt;
}

std::optional<std::string> ConfigJson::only_entry(const std::string& key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_array() && value->size() == 1 && value->front().is_string()) {
    return value->front().get<std::string>();
  }
  wrong_type(key, *value, "a list of one name");
  return std::nullopt;
}

}  // namespace spyre::kernels
