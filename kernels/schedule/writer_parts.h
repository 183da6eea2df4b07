// The parts of the schedule writer. Internal to it.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/schedule/schedule.h"

namespace spyre::kernels {

/// A scalar as YAML that reads back as the same text: plain where that is safe anywhere in flow
/// style.
[[nodiscard]] std::string scalar(const std::string& text);
[[nodiscard]] std::string quoted(const std::string& text);
[[nodiscard]] std::string list(const std::vector<std::string>& entries);
[[nodiscard]] std::string list(const std::vector<Expression>& expressions);
[[nodiscard]] std::string list(const std::vector<std::int64_t>& numbers);

/// "key: value" pairs of one flow map, in the order of their addition.
class FlowMap {
 public:
  void add(std::string_view key, std::string_view value) {
    text_ += fmt::format("{}{}: {}", text_.empty() ? "" : ", ", key, value);
  }
  void add(std::string_view key, const std::optional<Expression>& value) {
    if (value) add(key, scalar(value->text()));
  }
  void add_rectangle(const std::vector<Expression>& at, const std::vector<Expression>& size) {
    if (!at.empty()) add("at", list(at));
    if (!size.empty()) add("size", list(size));
  }
  [[nodiscard]] std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

/// Adds what the statement's operation says to the map; a loop has nothing to add.
models::Opcode describe(const Statement& statement, FlowMap& map);

}  // namespace spyre::kernels
