#include "runtime/cli/wave_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/diagnostics/diagnostics.h"

namespace spyre::runtime {
namespace {

constexpr std::size_t kNamesShown = 8;

std::string names(const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t n = 0; n < std::min(all.size(), kNamesShown); ++n)
    text += (n == 0 ? "" : ", ") + all[n];
  if (all.size() > kNamesShown) text += fmt::format(" and {} more", all.size() - kNamesShown);
  return text;
}

}  // namespace

std::string wave_plan(const std::vector<PlannedLaunch>& launches,
                      const traces::WaveOptions& options) {
  if (launches.empty()) throw models::InputError("--waves: the run has no launches");
  const std::uint64_t megabytes = options.max_bytes >> 20;
  std::int32_t lowest = -1, highest = -1;
  std::vector<std::string> recorded;
  const std::string prefix = fmt::format("l{}.", options.layer);
  for (const PlannedLaunch& launch : launches) {
    if (launch.layer < 0) continue;
    lowest = lowest < 0 ? launch.layer : std::min(lowest, launch.layer);
    highest = std::max(highest, launch.layer);
    if (launch.layer != options.layer) continue;
    recorded.push_back(launch.name.starts_with(prefix) ? launch.name.substr(prefix.size())
                                                       : launch.name);
  }
  if (lowest < 0) {
    return fmt::format(
        "waves: the first launch ({}), for the launches have no layers; at most {} MB",
        launches.front().name, megabytes);
  }
  if (recorded.empty()) {
    throw models::InputError(
        fmt::format("--waves-layer {}: the run has no such layer; its layers are {} to {}",
                    options.layer, lowest, highest));
  }
  return fmt::format("waves: layer {}, {} {} ({}), at most {} MB", options.layer, recorded.size(),
                     recorded.size() == 1 ? "launch" : "launches", names(recorded), megabytes);
}

}  // namespace spyre::runtime
