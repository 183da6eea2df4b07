#include "runtime/cli/run_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>

#include "models/diagnostics/diagnostics.h"
#include "runtime/cli/application.h"
#include "runtime/cli/progress_line.h"
#include "runtime/cli/usage.h"
#include "runtime/cli/wave_plan.h"
#include "traces/atomic_file.h"
#include "traces/gtkw_writer.h"
#include "traces/result_json.h"
#include "traces/text_report.h"
#include "traces/wave_window.h"

namespace spyre::runtime {
namespace {

/// Someone watches a terminal that knows colours, and has not asked for none (no-color.org).
bool wants_colour() {
  const char* none = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(fileno(stdout)) != 0 && (none == nullptr || *none == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

}  // namespace

// What only shows in writing (a full disk) shows later.
void require_writable(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty()) return;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status))
    throw models::InputError(fmt::format("cannot write '{}': it is a folder", path));
  const bool special = fs::exists(status) && !fs::is_regular_file(status);  // a device, a pipe
  const fs::path folder =
      fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) {
    throw models::InputError(
        fmt::format("cannot write '{}': there is no folder '{}'", path, folder.string()));
  }
  if (access(special ? path.c_str() : folder.c_str(), W_OK) != 0) {
    throw models::InputError(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
  }
}

void OutputOptions::add_to(CLI::App& command) {
  command
      .add_option("--json", json,
                  "Write the result as JSON to FILE; '-' writes it to standard output, alone")
      ->type_name("FILE");
  command
      .add_option("--waves", waves,
                  "Write waveforms of one layer to FILE (.vcd), and a GTKWave save file beside it")
      ->type_name("FILE");
  command.add_option("--waves-layer", waves_layer, "The layer whose waveforms are written")
      ->type_name("N")
      ->capture_default_str()
      ->check(whole_number(0, std::numeric_limits<std::int32_t>::max()));
  command
      .add_option("--waves-max-mb", waves_max_mb, "Stop recording waveforms at this size, in MB")
      ->type_name("MB")
      ->capture_default_str()
      ->check(whole_number(1, 4096));
  command.add_flag("--ops", every_op, "One row per launch in the table of operations");
  command.add_flag("--no-check", no_check, "Run the schedule without checking it first");
  command.add_flag("-q,--quiet", quiet, "No progress line");
}

void run_and_report(const Run& run, const models::MachineDescription& machine,
                    const OutputOptions& output, CommandContext& context) {
  if (output.json != "-") require_writable(output.json);
  require_writable(output.waves);
  std::optional<traces::WaveRecorder> waves;
  RunOptions options;
  options.check = !output.no_check;
  if (!output.waves.empty()) {
    waves.emplace(traces::WaveOptions{output.waves_layer,
                                      static_cast<std::uint64_t>(output.waves_max_mb) << 20});
    options.observers.push_back(&*waves);
  }
  traces::RunResult result;
  {
    ProgressLine progress(output.quiet);
    options.simulation.stop = &context.stop;
    options.on_start = [&](const std::vector<PlannedLaunch>& launches) {
      if (waves) fmt::print(stderr, "{}\n", wave_plan(launches, waves->options()));
      progress.start(launches.size());
    };
    options.simulation.progress = [&](models::Picoseconds time, std::uint32_t launches) {
      progress.update(time, launches);
    };
    result = run(options);
  }
  if (output.json == "-") {
    fmt::print("{}", traces::write_result_json(result));
  } else {
    if (!output.json.empty()) traces::write_file(output.json, traces::write_result_json(result));
    fmt::print("{}", traces::write_text_report(result, {output.every_op, wants_colour()}));
  }
  if (waves) {
    std::fflush(stdout);  // the result stands before what is said about the waves
    fmt::print(stderr, "{}\n", waves->describe());
    // A run that was stopped before its window came has nothing to write.
    if (waves->nothing_recorded().empty())
      traces::write_waves(*waves, machine.machine, output.waves);
  }
  if (result.interrupted) context.exit_code = kInterrupted;
}

}  // namespace spyre::runtime
