// ktir-suite
#include <fmt/format.h>

#include <memory>

#include "runtime/cli/application.h"
#include "runtime/cli/commands.h"
#include "runtime/kernel_pipeline.h"
#include "runtime/suite/suite_report.h"
#include "runtime/suite/suite_runner.h"
#include "traces/atomic_file.h"

namespace spyre::runtime {
namespace {

struct SuiteCommand {
  std::string directory;
  std::string suite;  // empty: the shipped one
  std::string only;
  std::string json;
  std::string data = "on";
  std::string numerics = "ieee";
  bool quiet = false;
  MachineOptions machine;
};

SuiteOptions options_of(const SuiteCommand& command, const CommandContext& context) {
  SuiteOptions options;
  options.directory = command.directory;
  options.only = command.only;
  options.kernel.data = command.data == "on";
  options.kernel.numerics = models::numerics_named(command.numerics).value();
  options.kernel.run.simulation.stop = &context.stop;
  if (!command.quiet) {
    options.on_row = [](const SuiteRow& row) {
      fmt::print(stderr, "{} ({}): {}\n", row.file, row.kernel, to_string(row.status));
    };
  }
  return options;
}

void run(const SuiteCommand& command, CommandContext& context) {
  const models::MachineDescription machine = command.machine.read();
  const KernelSuite suite = read_suite(command.suite.empty() ? shipped_suite() : command.suite);
  const SuiteOptions options = options_of(command, context);
  const auto runner = [&](const KernelRequest& request, const KernelOptions& kernel) {
    return run_kernel(request, machine, kernel);
  };
  const std::vector<SuiteRow> rows = run_suite(suite, runner, options);
  const std::string json = suite_json(suite, options, rows);
  if (command.json == "-") {
    fmt::print("{}", json);
  } else {
    if (!command.json.empty()) traces::write_file(command.json, json);
    fmt::print("{}", suite_text(rows));
  }
  if (!all_as_expected(rows)) context.exit_code = kPlanFailed;
  if (context.stop) context.exit_code = kInterrupted;
}

}  // namespace

void add_suite_command(CLI::App& application, CommandContext& context) {
  auto options = std::make_shared<SuiteCommand>();
  CLI::App* command = application.add_subcommand(
      "ktir-suite", "Run a suite of KTIR kernels and compare their results with references");
  command->add_option("directory", options->directory, "The folder that the kernels lie in")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--suite", options->suite,
                   "The suite (YAML; see docs/ktir_suite.md; default: the public KTIR files)")
      ->type_name("FILE");
  command
      ->add_option("--only", options->only,
                   "Run only files or names that match this shell pattern: --only '*softmax*'")
      ->type_name("GLOB");
  command
      ->add_option("--json", options->json,
                   "Write the results as JSON to FILE; '-' writes them to standard output, alone")
      ->type_name("FILE");
  command
      ->add_option("--data", options->data,
                   "off: the same cycles without the arithmetic, and nothing is compared")
      ->type_name("on|off")
      ->capture_default_str()
      ->check(CLI::IsMember({"on", "off"}));
  command
      ->add_option("--numerics", options->numerics,
                   "Whose 16-bit floating-point format f16 stands for")
      ->type_name("ieee|spyre")
      ->capture_default_str()
      ->check(CLI::IsMember({"ieee", "spyre"}));
  command->add_flag("-q,--quiet", options->quiet, "No line for each run as it ends");
  options->machine.add_to(*command);
  command->footer(
      "Examples:\n"
      "  spyre-emu ktir-suite kernels/ --json results.json\n"
      "  spyre-emu ktir-suite kernels/ --only '*softmax*' --numerics spyre\n"
      "Exit code 0: every run as the suite expects; 1: one is not; 2: bad usage or input.");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace spyre::runtime
