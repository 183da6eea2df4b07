// A plain table for terminals: first column left-aligned, the others right-aligned, two spaces between.
#pragma once

#include <string>
#include <vector>

namespace spyre::traces {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)) {}
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Lines ended by '\n', each indented by two spaces.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace spyre::traces
