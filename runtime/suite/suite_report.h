// The result of a suite as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "runtime/suite/suite_runner.h"

namespace spyre::runtime {

/// No line is wider.
inline constexpr std::size_t kSuiteColumns = 100;

/// A table of the rows, the reasons of the failures, and one line that counts.
[[nodiscard]] std::string suite_text(const std::vector<SuiteRow>& rows);

/// Fields of each run: file, kernel, status, max_rel_err, max_abs_err, cycles, cpu_s, reason. What
/// is not known, and an infinite error, is null. Ends with a newline.
[[nodiscard]] std::string suite_json(const KernelSuite& suite, const SuiteOptions& options,
                                     const std::vector<SuiteRow>& rows);

}  // namespace spyre::runtime
