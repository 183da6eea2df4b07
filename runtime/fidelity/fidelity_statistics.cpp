#include "runtime/fidelity/fidelity_statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace spyre::runtime {
namespace {

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      result[order[i]] = static_cast<double>(begin + end - 1) / 2;
    }
    begin = end;
  }
  return result;
}

FidelityFamily family_of(const std::string& op, const std::vector<const FidelityRow*>& rows) {
  std::vector<double> simulated, measured, errors, model_errors;
  FidelityFamily family;
  family.op = op;
  family.rows = rows.size();
  for (const FidelityRow* row : rows) {
    simulated.push_back(*row->simulated_us);
    measured.push_back(row->kernel.measured_us);
    errors.push_back(relative_error(*row->simulated_us, row->kernel.measured_us));
    model_errors.push_back(relative_error(row->model_us, row->kernel.measured_us));
    if (row->planned_split) ++family.planned_splits;
  }
  family.rms_pct = rms_percent(errors);
  family.mean_pct = mean_percent(errors);
  family.spearman = spearman(simulated, measured);
  family.model_rms_pct = rms_percent(model_errors);
  return family;
}

}  // namespace

double relative_error(double predicted, double measured) {
  return predicted / measured - 1;
}

std::optional<double> rms_percent(const std::vector<double>& errors) {
  if (errors.empty()) return std::nullopt;
  const double squares = std::inner_product(errors.begin(), errors.end(), errors.begin(), 0.0);
  return 100 * std::sqrt(squares / static_cast<double>(errors.size()));
}

std::optional<double> mean_percent(const std::vector<double>& errors) {
  if (errors.empty()) return std::nullopt;
  return 100 * std::accumulate(errors.begin(), errors.end(), 0.0) /
         static_cast<double>(errors.size());
}

std::optional<double> spearman(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size() || a.size() < 2) return std::nullopt;
  const std::vector<double> rank_a = ranks(a), rank_b = ranks(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double both = 0, square_a = 0, square_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (rank_a[i] - mean) * (rank_b[i] - mean);
    square_a += (rank_a[i] - mean) * (rank_a[i] - mean);
    square_b += (rank_b[i] - mean) * (rank_b[i] - mean);
  }
  if (square_a == 0 || square_b == 0) return std::nullopt;
  return both / std::sqrt(square_a * square_b);
}

std::vector<FidelityFamily> fidelity_families(const std::vector<FidelityRow>& rows) {
  std::map<std::string, std::vector<const FidelityRow*>> by_op;
  std::vector<const FidelityRow*> all;
  for (const FidelityRow& row : rows) {
    if (!row.simulated_us) continue;
    by_op[row.kernel.op].push_back(&row);
    all.push_back(&row);
  }
  std::vector<FidelityFamily> families;
  for (const auto& [op, members] : by_op) families.push_back(family_of(op, members));
  if (!all.empty()) families.push_back(family_of("all", all));
  return families;
}

}  // namespace spyre::runtime
