#include "runtime/cli/application.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>

#include "models/diagnostics/diagnostics.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/usage.h"
#include "runtime/step_pipeline.h"

namespace spyre::runtime {
namespace {

int report(const models::InputError& error, ExitCode code) {
  fmt::print(stderr, "{}\n", error.what());
  return code;
}

int report_usage(const CLI::App& application, const CLI::ParseError& error, int argc, char** argv) {
  std::string sentence = fault_of_words(application, argc, argv);
  if (sentence.empty()) sentence = error.what();
  fmt::print(stderr, "error: {}\nRun with --help for more information.\n", sentence);
  return kBadInput;
}

}  // namespace

void MachineOptions::add_to(CLI::App& command) {
  command
      .add_option("--machine", name,
                  "Machine description: a name (see 'machine list') or a .yaml file")
      ->type_name("MACHINE")
      ->capture_default_str();
  add_overrides(command);
}

void MachineOptions::add_overrides(CLI::App& command) {
  command
      .add_option("--set", overrides,
                  "Change a value of the machine: --set dram.channels=32 (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

models::MachineDescription MachineOptions::read() const {
  return models::read_machine(name, overrides);
}

int run_application(int argc, char** argv, const std::atomic<bool>& stop) {
  CLI::App application("Cycle-approximate emulator of the IBM Spyre accelerator", "spyre-emu");
  application.set_version_flag("--version", "spyre-emu " SPYRE_EMU_VERSION);
  application.require_subcommand(1);
  application.get_formatter()->column_width(28);
  CommandContext context{stop};
  add_step_commands(application, context);
  add_file_commands(application, context);
  add_matmul_command(application, context);
  add_op_command(application, context);
  add_suite_command(application, context);
  add_fidelity_command(application, context);
  add_catalogue_commands(application, context);
  // After the commands, which would inherit it.
  application.footer(
      "Examples:\n"
      "  spyre-emu decode --model granite-3.3-8b     where one token's time goes\n"
      "  spyre-emu prefill --chunk 512               one prefill chunk\n"
      "  spyre-emu machine show spyre                every number of the card, with its source\n"
      "Each command has its own --help. Exit codes: 0 ok, 1 the plan failed, 2 bad usage or "
      "input,\n"
      "3 internal error, 130 interrupted.");
  try {
    application.parse(argc, argv);
    if (std::fflush(stdout) != 0)
      throw std::system_error(errno, std::generic_category(), "cannot write the output");
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return application.exit(error);  // --help, --version
    return report_usage(application, error, argc, argv);
  } catch (const PlanError& error) {
    return report(error, kPlanFailed);
  } catch (const models::InputError& error) {
    return report(error, kBadInput);
  } catch (const std::system_error& error) {  // standard output is full or closed
    fmt::print(stderr, "error: {}\n", error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "internal error: {}\n", error.what());
    return kInternalError;
  }
  return context.exit_code;
}

}  // namespace spyre::runtime
