#include "runtime/cli/run_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>

#include "runtime/cli/application.h"
#include "traces/atomic_file.h"
#include "traces/result_json.h"
#include "traces/text_report.h"
#include "traces/wave_window.h"
#include "traces/gtkw_writer.h"

namespace spyre::runtime {
namespace {

/// One line on standard error, rewritten a few times a second; silent when nobody watches.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet) : active_(!quiet && isatty(fileno(stderr)) != 0) {}
  ~ProgressLine() {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(models::Picoseconds time, std::uint32_t launches) {
    if (!active_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(200)) return;
    const std::chrono::duration<double> elapsed = now - begun_;
    last_ = now;
    shown_ = true;
    const double simulated_ms = static_cast<double>(time) * 1e-9;
    fmt::print(stderr, "\r\033[Ksimulated {:.2f} ms, {} launches, {:.1f} ms per second", simulated_ms, launches,
               elapsed.count() > 0 ? simulated_ms / elapsed.count() : 0.0);
    std::fflush(stderr);
  }

 private:
  bool active_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_ = begun_;
};

}  // namespace

void OutputOptions::add_to(CLI::App& command) {
  command.add_option("--json", json, "Write the result as JSON to FILE; '-' writes it to standard output, alone")
      ->type_name("FILE");
  command.add_option("--waves", waves, "Write waveforms of one layer to FILE.vcd, with a GTKWave save file beside it")
      ->type_name("FILE");
  command.add_option("--waves-layer", waves_layer, "The layer whose waveforms are written")
      ->type_name("N")->capture_default_str()->check(CLI::NonNegativeNumber);
  command.add_option("--waves-max-mb", waves_max_mb, "Stop recording waveforms at this size, in MB")
      ->type_name("MB")->capture_default_str()->check(CLI::Range(1, 4096));
  command.add_flag("--ops", every_op, "One row per launch in the table of operations");
  command.add_flag("--no-check", no_check, "Run the schedule without checking it first");
  command.add_flag("-q,--quiet", quiet, "No progress line");
}

void run_and_report(const std::string& text, const std::string& file, const models::MachineDescription& machine,
                    const OutputOptions& output, CommandContext& context) {
  std::optional<traces::WaveRecorder> waves;
  RunOptions options;
  options.check = !output.no_check;
  if (!output.waves.empty()) {
    waves.emplace(traces::WaveOptions{output.waves_layer, static_cast<std::uint64_t>(output.waves_max_mb) << 20});
    options.observers.push_back(&*waves);
  }
  traces::RunResult result;
  {
    ProgressLine progress(output.quiet);
    options.simulation.stop = &context.stop;
    options.simulation.progress = [&](models::Picoseconds time, std::uint32_t launches) {
      progress.update(time, launches);
    };
    result = run_text(text, file, machine, options);
  }
  if (waves) {
    fmt::print(stderr, "{}\n", waves->describe());
    traces::write_waves(*waves, machine.machine, output.waves);
  }
  if (output.json == "-") {
    fmt::print("{}", traces::write_result_json(result));
  } else {
    if (!output.json.empty()) traces::write_file(output.json, traces::write_result_json(result));
    fmt::print("{}", traces::write_text_report(result, {output.every_op}));
  }
  if (result.interrupted) context.exit_code = kInterrupted;
}

}  // namespace spyre::runtime
