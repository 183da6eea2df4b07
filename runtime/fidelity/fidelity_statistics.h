// How far predicted times are from measured ones. The error of a row is predicted / measured - 1:
// half the time is -50 %, twice the time +100 %.
#pragma once

#include <string>
#include <vector>

#include "runtime/fidelity/fidelity_runner.h"

namespace spyre::runtime {

[[nodiscard]] double relative_error(double predicted, double measured);
/// Root of the mean square, and mean, in percent. Nothing for no errors.
[[nodiscard]] std::optional<double> rms_percent(const std::vector<double>& errors);
[[nodiscard]] std::optional<double> mean_percent(const std::vector<double>& errors);
/// Spearman's rank correlation; equal values share the mean of their ranks. Nothing for fewer than
/// two pairs, or if all values of one side are equal.
[[nodiscard]] std::optional<double> spearman(const std::vector<double>& a,
                                             const std::vector<double>& b);

struct FidelityFamily {
  std::string op;
  std::size_t rows = 0;
  std::optional<double> rms_pct, mean_pct, spearman;
  std::optional<double> model_rms_pct;  ///< the fitted model on the same rows
  std::size_t planned_splits = 0;       ///< matmuls with our division over cores
};

/// One per op with a simulated row, in the order of the alphabet, and "all" at the end.
[[nodiscard]] std::vector<FidelityFamily> fidelity_families(const std::vector<FidelityRow>& rows);

}  // namespace spyre::runtime
