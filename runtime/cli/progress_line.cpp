#include "runtime/cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace spyre::runtime {

std::string progress_text(models::Picoseconds time, std::uint64_t begun, std::uint64_t launches,
                          double elapsed_seconds) {
  std::string text = fmt::format("simulated {:.2f} ms", static_cast<double>(time) * 1e-9);
  if (begun < 2 || launches < begun) return text;
  // The newest launch has only begun.
  const double share = static_cast<double>(begun - 1) / static_cast<double>(launches);
  text += fmt::format(", {:.0f} %", 100 * share);
  if (share >= 0.05) text += fmt::format(", {:.0f} s to go", elapsed_seconds * (1 - share) / share);
  return text;
}

ProgressLine::ProgressLine(bool quiet) : active_(!quiet && isatty(fileno(stderr)) != 0) {}

ProgressLine::~ProgressLine() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::start(std::uint64_t launches) {
  launches_ = launches;
  begun_ = last_ = std::chrono::steady_clock::now();
}

void ProgressLine::update(models::Picoseconds time, std::uint64_t begun) {
  if (!active_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  shown_ = true;
  const std::chrono::duration<double> elapsed = now - begun_;
  fmt::print(stderr, "\r\033[K{}", progress_text(time, begun, launches_, elapsed.count()));
  std::fflush(stderr);
}

}  // namespace spyre::runtime
