#include "runtime/fidelity/fidelity_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "runtime/fidelity/fidelity_statistics.h"

namespace spyre::runtime {
namespace {

constexpr std::size_t kWorstRows = 12;

double error_of(const FidelityRow& row) {
  return relative_error(*row.simulated_us, row.kernel.measured_us);
}

/// A factor of two is as bad in either direction.
double badness(const FidelityRow& row) {
  return std::abs(std::log(*row.simulated_us / row.kernel.measured_us));
}

std::vector<const FidelityRow*> worst_first(const std::vector<FidelityRow>& rows) {
  std::vector<const FidelityRow*> order;
  for (const FidelityRow& row : rows) {
    if (row.simulated_us) order.push_back(&row);
  }
  std::stable_sort(order.begin(), order.end(), [](const FidelityRow* a, const FidelityRow* b) {
    return badness(*a) > badness(*b);
  });
  return order;
}

std::string cell(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

std::string families_text(const std::vector<FidelityFamily>& families,
                          const std::vector<const FidelityRow*>& worst) {
  std::string text = fmt::format("{:<20} {:>5} {:>8} {:>8} {:>9} {:>10}   {}\n", "op", "rows",
                                 "RMS %", "mean %", "Spearman", "IBM RMS %", "worst row");
  for (const FidelityFamily& family : families) {
    std::string row;
    for (const FidelityRow* candidate : worst) {
      if (family.op != "all" && candidate->kernel.op != family.op) continue;
      row = fmt::format("{} {:+.0f} %", candidate->kernel.id, 100 * error_of(*candidate));
      break;
    }
    text += fmt::format("{:<20} {:>5} {:>8} {:>8} {:>9} {:>10}   {}\n", family.op, family.rows,
                        cell(family.rms_pct, "{:.1f}"), cell(family.mean_pct, "{:+.1f}"),
                        cell(family.spearman, "{:.3f}"), cell(family.model_rms_pct, "{:.1f}"), row);
  }
  return text;
}

std::string worst_text(const std::vector<const FidelityRow*>& worst) {
  if (worst.empty()) return {};
  std::string text = fmt::format("\nWorst rows\n{:<42} {:<20} {:>12} {:>12} {:>9}\n", "id", "op",
                                 "simulated us", "measured us", "error");
  for (std::size_t i = 0; i < std::min(worst.size(), kWorstRows); ++i) {
    const FidelityRow& row = *worst[i];
    text +=
        fmt::format("{:<42} {:<20} {:>12.1f} {:>12.1f} {:>+7.0f} %\n", row.kernel.id, row.kernel.op,
                    *row.simulated_us, row.kernel.measured_us, 100 * error_of(row));
  }
  return text;
}

/// Reasons that differ in large numbers only are one.
std::string without_large_numbers(const std::string& reason) {
  constexpr std::size_t kLargeDigits = 4;
  std::string text, digits;
  for (const char letter : reason + ' ') {
    if (letter >= '0' && letter <= '9') {
      digits += letter;
      continue;
    }
    text += digits.size() < kLargeDigits ? digits : "N";
    digits.clear();
    text += letter;
  }
  text.pop_back();
  return text;
}

std::string skipped_text(const std::vector<FidelityRow>& rows) {
  std::map<std::string, std::vector<std::string>> by_reason;
  std::size_t skipped = 0, planned = 0;
  for (const FidelityRow& row : rows) {
    if (row.simulated_us) {
      if (row.planned_split) ++planned;
      continue;
    }
    by_reason[without_large_numbers(row.skipped)].push_back(row.kernel.id);
    ++skipped;
  }
  std::string text = fmt::format("\n{} of {} rows simulated", rows.size() - skipped, rows.size());
  if (planned > 0) {
    text +=
        fmt::format("; {} of them are matmuls whose split is not recorded: ours is taken", planned);
  }
  text += skipped == 0 ? "\n" : fmt::format("\n{} left out:\n", skipped);
  for (const auto& [reason, ids] : by_reason) {
    text += fmt::format("{:>5}  {} ({}{})\n", ids.size(), reason, ids.front(),
                        ids.size() > 1 ? ", .." : "");
  }
  return text;
}

nlohmann::ordered_json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? nlohmann::ordered_json(*value)
                                        : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::string fidelity_text(const std::vector<FidelityRow>& rows) {
  const std::vector<const FidelityRow*> worst = worst_first(rows);
  return families_text(fidelity_families(rows), worst) + worst_text(worst) + skipped_text(rows);
}

std::string fidelity_json(const std::vector<FidelityRow>& rows) {
  nlohmann::ordered_json json;
  auto& list = json["rows"] = nlohmann::ordered_json::array();
  for (const FidelityRow& row : rows) {
    list.push_back({{"id", row.kernel.id},
                    {"op", row.kernel.op},
                    {"simulated_us", number(row.simulated_us)},
                    {"measured_us", row.kernel.measured_us},
                    {"skipped", row.simulated_us ? nlohmann::ordered_json(nullptr)
                                                 : nlohmann::ordered_json(row.skipped)}});
  }
  auto& families = json["families"] = nlohmann::ordered_json::array();
  for (const FidelityFamily& family : fidelity_families(rows)) {
    families.push_back({{"op", family.op},
                        {"rows", family.rows},
                        {"rms_pct", number(family.rms_pct)},
                        {"mean_pct", number(family.mean_pct)},
                        {"spearman", number(family.spearman)},
                        {"ibm_rms_pct", number(family.model_rms_pct)}});
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace spyre::runtime
