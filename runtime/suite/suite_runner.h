// Runs a suite: every run by itself, so that one that fails does not stop the others, and its
// values against its reference.
//
// What runs a kernel is given by the caller. CPU seconds are those of the kernel's run alone, not
// of its inputs and reference.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernel_pipeline.h"
#include "runtime/suite/suite.h"

namespace spyre::runtime {

using KernelRunner =
    std::function<KernelOutcome(const KernelRequest& request, const KernelOptions& options)>;

enum class SuiteStatus {
  ok,       ///< ran, and the values are right
  ran,      ///< ran; nothing was compared
  parsed,   ///< was to be parsed only, and reads back from its canonical text
  refused,  ///< was to be refused, and was
  failed,   ///< anything else
};
[[nodiscard]] std::string_view to_string(SuiteStatus status);

struct SuiteRow {
  std::string file;
  std::string kernel;
  SuiteStatus status = SuiteStatus::failed;
  std::optional<double> max_rel_err, max_abs_err;  ///< over all compared outputs
  std::optional<std::uint64_t> cycles;
  double cpu_s = 0;
  std::string reason;  ///< of a failure, or what a refusal said
};

struct SuiteOptions {
  std::string directory;  ///< of the kernels
  std::string only;       ///< shell pattern of files or names; empty: all
  KernelOptions kernel;
  std::function<void(const SuiteRow&)> on_row;  ///< after each run; may be empty
};

/// Under `spyre` numerics fp16 has a fraction bit less, and inputs are rounded to it: the tolerance
/// is 4 times as large, its relative part at least 2^-8.
[[nodiscard]] SuiteTolerance tolerance_for(SuiteTolerance tolerance, models::Numerics numerics);

/// One row per run, up to where the user interrupted. Throws models::InputError when `only` matches
/// nothing or the folder does not exist.
[[nodiscard]] std::vector<SuiteRow> run_suite(const KernelSuite& suite, const KernelRunner& runner,
                                              const SuiteOptions& options);

[[nodiscard]] bool all_as_expected(const std::vector<SuiteRow>& rows);

}  // namespace spyre::runtime
