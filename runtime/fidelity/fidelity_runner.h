// Simulates the kernels of a table, each in a process of its own.
//
// A process, because the simulation kernel can run once in each; several at a time, because they
// share nothing. Results stand in the order of the table, whichever ends first.
//
// Compared with the measurement is the time of the launches, from the command processor taking the
// kernel up to its last core ending: the device time of the kernel. The launch of the job by the
// host comes before it and is left out.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/fidelity/kernel_mapping.h"

namespace spyre::runtime {

struct FidelityRow {
  MeasuredKernel kernel;
  std::optional<double> simulated_us;
  std::string skipped;  ///< why there is no simulated time; empty with one
  bool planned_split = false;
  double model_us = 0;  ///< the fitted model, for all kernels of the row
};

struct FidelityOptions {
  int jobs = 1;
  const std::atomic<bool>* stop = nullptr;
  /// After each simulation: how many are over, of how many.
  std::function<void(std::size_t done, std::size_t all)> on_progress;
};

/// Rows that were still to come or under way at a stop are skipped as "interrupted".
[[nodiscard]] std::vector<FidelityRow> run_fidelity(const std::vector<MeasuredKernel>& kernels,
                                                    const models::MachineDescription& machine,
                                                    const FidelityOptions& options);

}  // namespace spyre::runtime
