// How far a run has come, for somebody who watches: one line on standard error, rewritten a few
// times a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "models/machine/machine.h"

namespace spyre::runtime {

/// "simulated 41.20 ms, 32 %, 4 s to go". The share is that of the launches that have begun and,
/// with it, the time to go: both appear when there is something to go by.
[[nodiscard]] std::string progress_text(models::Picoseconds time, std::uint64_t begun,
                                        std::uint64_t launches, double elapsed_seconds);

class ProgressLine {
 public:
  /// Silent when `quiet`, or when standard error is no terminal.
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void start(std::uint64_t launches);
  void update(models::Picoseconds time, std::uint64_t begun);

 private:
  bool active_;
  bool shown_ = false;
  std::uint64_t launches_ = 0;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_ = begun_;
};

}  // namespace spyre::runtime
