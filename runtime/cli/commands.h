// One function per command family: adds its subcommands to the application.
#pragma once

#include <CLI/CLI.hpp>

#include <atomic>
#include <string>
#include <vector>

#include "models/machine/machine_reader.h"

namespace spyre::runtime {

/// What every command shares.
struct CommandContext {
  const std::atomic<bool>& stop;
  int exit_code = 0;
};

/// --machine and --set.
struct MachineOptions {
  std::string name = "spyre";
  std::vector<std::string> overrides;

  void add_to(CLI::App& command);
  void add_overrides(CLI::App& command);
  [[nodiscard]] models::MachineDescription read() const;
};

void add_step_commands(CLI::App& application, CommandContext& context);  // decode, prefill, plan
void add_file_commands(CLI::App& application, CommandContext& context);  // run, check, compile
void add_matmul_command(CLI::App& application, CommandContext& context);
void add_op_command(CLI::App& application, CommandContext& context);
void add_suite_command(CLI::App& application, CommandContext& context);       // ktir-suite
void add_fidelity_command(CLI::App& application, CommandContext& context);    // fidelity
void add_catalogue_commands(CLI::App& application, CommandContext& context);  // machine, model

}  // namespace spyre::runtime
