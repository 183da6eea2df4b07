// A plain table for terminals: first column left-aligned, the others right-aligned, two spaces
// between.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace spyre::traces {

/// The width that everything printed for people keeps to.
inline constexpr std::size_t kTerminalColumns = 80;

/// ANSI bold, or `text` as it is.
[[nodiscard]] std::string bold(const std::string& text, bool colour);

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)) {}

  /// One cell per column of the header. Cells are ASCII.
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// Lines ended by '\n', each indented by two spaces. Where a line would be wider than the
  /// terminal, the first column is cut, its end replaced by "..". `colour` prints the header in
  /// bold.
  [[nodiscard]] std::string text(bool colour = false) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace spyre::traces
