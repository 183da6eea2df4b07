#include "runtime/suite/suite_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "traces/number_text.h"

namespace spyre::runtime {
namespace {

using Cells = std::array<std::string, 6>;
using Widths = std::array<std::size_t, 6>;

constexpr std::size_t kGap = 2;
constexpr std::size_t kLongestName = 26;
constexpr std::size_t kNarrowestFile = 12;

Cells cells_of(const SuiteRow& row) {
  return {row.file,
          row.kernel,
          std::string(to_string(row.status)),
          row.max_rel_err ? fmt::format("{:.2e}", *row.max_rel_err) : "-",
          row.cycles ? traces::with_separators(*row.cycles) : "-",
          row.status == SuiteStatus::parsed ? "-" : fmt::format("{:.2f}", row.cpu_s)};
}

/// The end of a path says most: as many folders as fit stay.
std::string cut_front(const std::string& path, std::size_t width) {
  if (path.size() <= width) return path;
  const std::size_t slash = path.find('/', path.size() - width + 2);
  return ".." + path.substr(slash == std::string::npos ? path.size() - width + 2 : slash);
}
std::string cut_end(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 2) + "..";
}

Widths widths_of(const std::vector<Cells>& table) {
  Widths widths{};
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], cells[i].size());
    }
  }
  widths[1] = std::min(widths[1], kLongestName);
  std::size_t others = kGap * (widths.size() - 1);
  for (std::size_t i = 1; i < widths.size(); ++i) others += widths[i];
  const std::size_t room =
      kSuiteColumns > others + kNarrowestFile ? kSuiteColumns - others : kNarrowestFile;
  widths[0] = std::min(widths[0], room);
  return widths;
}

std::string line_of(const Cells& cells, const Widths& widths) {
  return fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>{}}  {:>{}}  {:>{}}\n",
                     cut_front(cells[0], widths[0]), widths[0], cut_end(cells[1], widths[1]),
                     widths[1], cells[2], widths[2], cells[3], widths[3], cells[4], widths[4],
                     cells[5], widths[5]);
}

std::string count_line(const std::vector<SuiteRow>& rows) {
  std::vector<std::string> counts;
  for (const SuiteStatus status : {SuiteStatus::ok, SuiteStatus::ran, SuiteStatus::parsed,
                                   SuiteStatus::refused, SuiteStatus::failed}) {
    const auto count = std::ranges::count(rows, status, &SuiteRow::status);
    if (count > 0) counts.push_back(fmt::format("{} {}", count, to_string(status)));
  }
  return fmt::format("{} run{}: {}\n", rows.size(), rows.size() == 1 ? "" : "s",
                     fmt::join(counts, ", "));
}

nlohmann::ordered_json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? nlohmann::ordered_json(*value)
                                        : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::string suite_text(const std::vector<SuiteRow>& rows) {
  std::vector<Cells> table{{"file", "kernel", "status", "max_rel_err", "cycles", "CPU s"}};
  for (const SuiteRow& row : rows) table.push_back(cells_of(row));
  const Widths widths = widths_of(table);
  std::string text;
  for (const Cells& cells : table) text += line_of(cells, widths);
  for (const SuiteRow& row : rows) {
    if (row.status != SuiteStatus::failed) continue;
    text += fmt::format("\nfailed: {} ({})\n  {}\n", row.file, row.kernel, row.reason);
  }
  return text + "\n" + count_line(rows);
}

std::string suite_json(const KernelSuite& suite, const SuiteOptions& options,
                       const std::vector<SuiteRow>& rows) {
  nlohmann::ordered_json json;
  json["suite"] = suite.file;
  json["directory"] = options.directory;
  json["data"] = options.kernel.data;
  json["numerics"] = std::string(models::to_string(options.kernel.numerics));
  json["as_expected"] = all_as_expected(rows);
  auto& runs = json["runs"] = nlohmann::ordered_json::array();
  for (const SuiteRow& row : rows) {
    runs.push_back({{"file", row.file},
                    {"kernel", row.kernel},
                    {"status", std::string(to_string(row.status))},
                    {"max_rel_err", number(row.max_rel_err)},
                    {"max_abs_err", number(row.max_abs_err)},
                    {"cycles", row.cycles ? nlohmann::ordered_json(*row.cycles) : nullptr},
                    {"cpu_s", row.cpu_s},
                    {"reason", row.reason}});
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace spyre::runtime
