#include "traces/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace spyre::traces {

std::string TextTable::text() const {
  std::vector<std::size_t> width(header_.size(), 0);
  const auto measure = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < width.size(); ++i) width[i] = std::max(width[i], cells[i].size());
  };
  measure(header_);
  for (const auto& row : rows_) measure(row);

  std::string text;
  const auto write = [&](const std::vector<std::string>& cells) {
    std::string line = fmt::format("  {:<{}}", cells[0], width[0]);
    for (std::size_t i = 1; i < cells.size(); ++i) line += fmt::format("  {:>{}}", cells[i], width[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  write(header_);
  for (const auto& row : rows_) write(row);
  return text;
}

}  // namespace spyre::traces
