// fidelity
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>
#include <thread>

#include "models/diagnostics/diagnostics.h"
#include "runtime/cli/application.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/run_output.h"
#include "runtime/cli/usage.h"
#include "runtime/fidelity/fidelity_report.h"
#include "traces/atomic_file.h"

namespace spyre::runtime {
namespace {

struct FidelityCommand {
  std::string table;
  std::vector<std::string> ops;
  std::string json;
  int jobs = 0;  // as many as processors
  bool quiet = false;
  MachineOptions machine;
};

/// Throws InputError for an op that no row has.
void keep_only(const std::vector<std::string>& ops, std::vector<MeasuredKernel>& kernels) {
  if (ops.empty()) return;
  std::set<std::string> known;
  for (const MeasuredKernel& kernel : kernels) known.insert(kernel.op);
  for (const std::string& op : ops) {
    if (known.contains(op)) continue;
    std::string names;
    for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
    throw models::InputError(
        fmt::format("--op {}: the table has no such op; it has {}", op, names));
  }
  std::erase_if(kernels, [&](const MeasuredKernel& kernel) {
    return std::find(ops.begin(), ops.end(), kernel.op) == ops.end();
  });
}

void run(const FidelityCommand& command, CommandContext& context) {
  const models::MachineDescription machine = command.machine.read();
  std::vector<MeasuredKernel> kernels = read_kernel_table(command.table);
  keep_only(command.ops, kernels);
  if (command.json != "-") require_writable(command.json);
  FidelityOptions options;
  options.jobs =
      command.jobs != 0 ? command.jobs : static_cast<int>(std::thread::hardware_concurrency());
  options.stop = &context.stop;
  const bool progress = !command.quiet && isatty(STDERR_FILENO) == 1;
  if (progress) {
    options.on_progress = [](std::size_t done, std::size_t all) {
      fmt::print(stderr, "\r{} of {} rows{}", done, all, done == all ? "\n" : "");
    };
  }
  const std::vector<FidelityRow> rows = run_fidelity(kernels, machine, options);
  if (progress && context.stop) fmt::print(stderr, "\n");
  if (command.json == "-") {
    fmt::print("{}", fidelity_json(rows));
  } else {
    if (!command.json.empty()) traces::write_file(command.json, fidelity_json(rows));
    fmt::print("{}", fidelity_text(rows));
  }
  if (context.stop) context.exit_code = kInterrupted;
}

}  // namespace

void add_fidelity_command(CLI::App& application, CommandContext& context) {
  auto options = std::make_shared<FidelityCommand>();
  CLI::App* command = application.add_subcommand(
      "fidelity", "Compare simulated kernels with measured kernel times of a card");
  command
      ->add_option("table", options->table,
                   "Measured kernels, comma-separated values (see docs/fidelity.md)")
      ->required()
      ->type_name("FILE");
  command->add_option("--op", options->ops, "Only rows of these ops of the table (repeatable)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      ->add_option("--json", options->json,
                   "Write the results as JSON to FILE; '-' writes them to standard output, alone")
      ->type_name("FILE");
  command
      ->add_option("-j,--jobs", options->jobs, "Simulations at a time (default: one per processor)")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  command->add_flag("-q,--quiet", options->quiet, "No progress line");
  options->machine.add_to(*command);
  command->footer(
      "Examples:\n"
      "  spyre-emu fidelity spyre_kernels.csv --jobs 2 --json fidelity.json\n"
      "  spyre-emu fidelity spyre_kernels.csv --op mmwd --op softmax_row_tiling\n"
      "  spyre-emu fidelity spyre_kernels.csv --op copy --set load_store.outstanding_requests=4\n"
      "Exit code 0: compared, whatever the errors; 2: bad usage or table; 130: interrupted.");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace spyre::runtime
