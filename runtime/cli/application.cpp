#include "runtime/cli/application.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "models/diagnostics/diagnostics.h"
#include "models/diagnostics/nearest_name.h"
#include "runtime/cli/commands.h"
#include "runtime/step_pipeline.h"

namespace spyre::runtime {
namespace {

/// "Did you mean ...?" for a command or an option that does not exist.
std::string suggestion(const CLI::App& application, int argc, char** argv) {
  const CLI::App* command = &application;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    std::vector<std::string> known;
    if (word.starts_with("--")) {
      for (const CLI::Option* option : command->get_options()) {
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      }
    } else if (!word.starts_with("-")) {
      for (const CLI::App* sub : command->get_subcommands([](const CLI::App*) { return true; })) {
        if (sub->get_name() == word) {
          command = sub;
          known.clear();
          break;
        }
        known.push_back(sub->get_name());
      }
      if (command->get_name() == word) continue;
    }
    const std::string name = word.substr(0, word.find('='));
    if (known.empty() || std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (const auto nearest = models::nearest_name(name, known)) return fmt::format("did you mean '{}'?\n", *nearest);
  }
  return {};
}

int report(const models::InputError& error, ExitCode code) {
  fmt::print(stderr, "{}\n", error.what());
  return code;
}

}  // namespace

void MachineOptions::add_to(CLI::App& command) {
  command.add_option("--machine", name, "Machine description: a name (see 'machine list') or a .yaml file")
      ->type_name("MACHINE")->capture_default_str();
  command.add_option("--set", overrides, "Change a value of the machine: --set dram.channels=32 (repeatable)")
      ->type_name("KEY=VALUE")->allow_extra_args(false);
}

models::MachineDescription MachineOptions::read() const { return models::read_machine(name, overrides); }

int run_application(int argc, char** argv, const std::atomic<bool>& stop) {
  CLI::App application("Cycle-approximate emulator of the IBM Spyre accelerator", "spyre-emu");
  application.set_version_flag("--version", "spyre-emu " SPYRE_EMU_VERSION);
  application.require_subcommand(1);
  application.get_formatter()->column_width(28);
  application.footer(
      "Examples:\n"
      "  spyre-emu decode --model granite-3.3-8b     where one token's time goes\n"
      "  spyre-emu prefill --chunk 512               one prefill chunk\n"
      "  spyre-emu machine show spyre                every number of the card, with its source\n"
      "Each command has its own --help. Exit codes: 0 ok, 1 the plan failed, 2 bad usage or input,\n"
      "3 internal error.");
  CommandContext context{stop};
  add_step_commands(application, context);
  add_schedule_commands(application, context);
  add_catalogue_commands(application, context);
  try {
    application.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return application.exit(error);  // --help, --version
    fmt::print(stderr, "error: {}\n{}Run with --help for more information.\n", error.what(),
               suggestion(application, argc, argv));
    return kBadInput;
  } catch (const PlanError& error) {
    return report(error, kPlanFailed);
  } catch (const models::InputError& error) {
    return report(error, kBadInput);
  } catch (const std::exception& error) {
    fmt::print(stderr, "internal error: {}\n", error.what());
    return kInternalError;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fmt::print(stderr, "error: cannot write to standard output\n");
    return kBadInput;
  }
  return context.exit_code;
}

}  // namespace spyre::runtime
