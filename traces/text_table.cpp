#include "traces/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace spyre::traces {
namespace {

constexpr std::size_t kGap = 2;        // before every column
constexpr std::size_t kNarrowest = 6;  // of the first column: a name cut shorter says nothing

std::string cut(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 2) + "..";
}

}  // namespace

std::string bold(const std::string& text, bool colour) {
  return colour ? "\033[1m" + text + "\033[0m" : text;
}

std::string TextTable::text(bool colour) const {
  std::vector<std::size_t> width(header_.size(), 0);
  const auto measure = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < width.size(); ++i) width[i] = std::max(width[i], cells[i].size());
  };
  measure(header_);
  for (const auto& row : rows_) measure(row);
  const std::size_t others = std::accumulate(width.begin() + 1, width.end(), kGap * width.size());
  const std::size_t room =
      kTerminalColumns > others + kNarrowest ? kTerminalColumns - others : kNarrowest;
  width[0] = std::min(width[0], room);

  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = fmt::format("  {:<{}}", cut(cells[0], width[0]), width[0]);
    for (std::size_t i = 1; i < cells.size(); ++i)
      text += fmt::format("  {:>{}}", cells[i], width[i]);
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  std::string text = bold(line(header_), colour) + "\n";
  for (const auto& row : rows_) text += line(row) + "\n";
  return text;
}

}  // namespace spyre::traces
