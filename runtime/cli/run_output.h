// What the running commands share: their output options, the progress line, and the run itself.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

#include "models/machine/machine_reader.h"
#include "runtime/cli/commands.h"
#include "runtime/step_pipeline.h"

namespace spyre::runtime {

struct OutputOptions {
  std::string json;   ///< file, or "-" for standard output alone
  std::string waves;  ///< VCD file; a GTKWave save file is written beside it
  std::int32_t waves_layer = 0;
  std::int64_t waves_max_mb = 64;
  bool every_op = false;
  bool no_check = false;
  bool quiet = false;

  void add_to(CLI::App& command);
};

/// Runs something and prints its result as the options say. Sets the context's exit code.
using Run = std::function<traces::RunResult(const RunOptions&)>;
void run_and_report(const Run& run, const models::MachineDescription& machine,
                    const OutputOptions& output, CommandContext& context);

/// Fails before a simulation, not after it, where `path` cannot be written. An empty path is none.
void require_writable(const std::string& path);

}  // namespace spyre::runtime
