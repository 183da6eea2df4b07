// The command line: subcommands, their options, and what they print. docs/commands.md shows each
// with real output.
#pragma once

#include <atomic>

namespace spyre::runtime {

/// Exit codes of the program.
enum ExitCode : int {
  kOk = 0,
  kPlanFailed = 1,  ///< the plan or the comparison failed
  kBadInput = 2,    ///< bad usage or input
  kInternalError = 3,
  kInterrupted = 130,  ///< stopped by Ctrl-C; what was printed is what had happened by then
};

/// Runs one command. Results go to standard output, everything else to standard error. `stop` turns
/// true on Ctrl-C.
[[nodiscard]] int run_application(int argc, char** argv, const std::atomic<bool>& stop);

}  // namespace spyre::runtime
