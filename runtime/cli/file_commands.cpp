// run, check, compile: what is done with a tile schedule or a KTIR kernel
#include <fmt/format.h>

#include <memory>

#include "models/diagnostics/yaml_reader.h"
#include "runtime/cli/application.h"
#include "runtime/cli/kernel_options.h"
#include "runtime/cli/run_output.h"
#include "runtime/npy.h"
#include "runtime/schedule_values.h"
#include "traces/atomic_file.h"

namespace spyre::runtime {
namespace {

struct FileCommand {
  std::string file;
  std::string output_file;
  MachineOptions machine;
  OutputOptions output;
  ValueOptions values;

  void add_file_to(CLI::App& command, const char* what) {
    command.add_option("file", file, what)->required()->type_name("FILE");
  }
};

ScheduleRequest schedule_request(const FileCommand& command, const std::string& text) {
  ScheduleRequest request{text, command.file, {}, {}};
  if (command.values.timing != "card") {
    throw models::InputError(
        "--timing ktir-cpu prices the operations of a KTIR kernel: a tile schedule has none");
  }
  for (const std::string& argument : command.values.arguments) {
    request.tensors.push_back(parse_named_spec(argument));
  }
  for (const auto& output : command.values.output_files()) {
    request.read_back.push_back(output.first);
  }
  return request;
}

void write_outputs(const std::map<std::string, std::string>& files,
                   const std::map<std::string, HostArray>& arrays) {
  for (const auto& [name, file] : files) {
    const HostArray& array = arrays.at(name);
    write_npy(file, array);
    const std::string remark = npy_remark(array.element);
    if (!remark.empty()) fmt::print(stderr, "note: {}: {}\n", file, remark);
  }
}

void run(const FileCommand& command, CommandContext& context) {
  const models::MachineDescription machine = command.machine.read();
  const std::string text = models::read_text_file(command.file);
  const std::map<std::string, std::string> outputs = command.values.output_files();
  for (const auto& output : outputs) require_writable(output.second);
  const bool kernel = is_kernel(command.file, text);

  KernelOptions options;
  options.numerics = command.values.chosen_numerics();
  options.timing = command.values.timing == "card" ? Timing::card : Timing::ktir_cpu;
  const bool has_values = kernel || !command.values.arguments.empty() || !outputs.empty();
  options.data = command.values.data.empty() ? has_values : command.values.data == "on";

  KernelOutcome outcome;
  std::function<KernelOutcome()> run_it;
  if (kernel) {
    auto request =
        std::make_shared<KernelRequest>(command.values.kernel_request(text, command.file));
    for (const auto& output : outputs) request->outputs.push_back(output.first);
    run_it = [&, request] { return run_kernel(*request, machine, options); };
  } else {
    const ScheduleRequest request = schedule_request(command, text);
    run_it = [&, request] { return run_schedule_with_values(request, machine, options); };
  }
  run_and_report(
      [&](const RunOptions& run_options) {
        options.run = run_options;
        outcome = run_it();
        return outcome.result;
      },
      machine, command.output, context);
  if (!outcome.result.interrupted) write_outputs(outputs, outcome.arrays);
}

void check(const FileCommand& command, CommandContext& context) {
  const models::MachineDescription machine = command.machine.read();
  const std::string text = models::read_text_file(command.file);
  KernelCheck check{{}, true};
  if (is_kernel(command.file, text)) {
    check = check_kernel(command.values.kernel_request(text, command.file), machine);
  } else {
    check.findings = check_text(text, command.file, machine.machine);
  }
  const std::vector<models::Diagnostic>& findings = check.findings;
  int errors = 0;
  for (const models::Diagnostic& finding : findings) {
    fmt::print("{}\n", models::to_string(finding));
    errors += finding.severity == models::Severity::error ? 1 : 0;
  }
  const int warnings = static_cast<int>(findings.size()) - errors;
  fmt::print("{}: {} error{}, {} warning{}\n", command.file, errors, errors == 1 ? "" : "s",
             warnings, warnings == 1 ? "" : "s");
  if (!check.lowered) {
    fmt::print(
        "only the text was checked: give the arguments (--arg) to check what it is lowered to\n");
  }
  if (errors > 0) context.exit_code = kPlanFailed;
}

void compile(const FileCommand& command) {
  const models::MachineDescription machine = command.machine.read();
  const std::string text = models::read_text_file(command.file);
  if (!is_kernel(command.file, text)) {
    throw models::InputError("this is a tile schedule already, or no KTIR kernel",
                             {command.file, 0, 0});
  }
  require_writable(command.output_file);
  const std::string schedule =
      compile_kernel_text(command.values.kernel_request(text, command.file), machine);
  if (command.output_file.empty()) {
    fmt::print("{}", schedule);
  } else {
    traces::write_file(command.output_file, schedule);
  }
}

}  // namespace

void add_file_commands(CLI::App& application, CommandContext& context) {
  auto to_run = std::make_shared<FileCommand>();
  CLI::App* command = application.add_subcommand("run", "Run a tile schedule or a KTIR kernel");
  to_run->add_file_to(*command,
                      "A schedule (YAML; see docs/schedule.md), or a kernel (.mlir, "
                      ".ktir; see docs/ktir.md)");
  to_run->values.add_to(*command);
  to_run->machine.add_to(*command);
  to_run->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  spyre-emu run step.yaml\n"
      "  spyre-emu run gemm.yaml --ops --json - --set ring.hop_cycles=4\n"
      "  spyre-emu run gemm.yaml --arg x=x.npy --arg w=random(1) --out y=y.npy\n"
      "  spyre-emu run add.mlir --arg x_ptr=random(1) --arg y_ptr=ones --arg output_ptr=zeros "
      "--out output_ptr=sum.npy");
  command->callback([to_run, &context] { run(*to_run, context); });

  auto to_check = std::make_shared<FileCommand>();
  command = application.add_subcommand("check",
                                       "Check a tile schedule or a KTIR kernel without running it");
  to_check->add_file_to(*command, "The schedule or kernel");
  to_check->values.add_arguments_to(*command);
  to_check->machine.add_to(*command);
  command->footer(
      "Examples:\n"
      "  spyre-emu check step.yaml\n"
      "  spyre-emu check softmax.mlir --arg output_ptr=zeros --arg input_ptr=zeros --arg "
      "n_rows=64\n"
      "Exit code 0: clean; 1: findings; 2: not a schedule or kernel.");
  command->callback([to_check, &context] { check(*to_check, context); });

  auto to_compile = std::make_shared<FileCommand>();
  command = application.add_subcommand("compile",
                                       "Write the tile schedule that a KTIR kernel is lowered to");
  to_compile->add_file_to(*command, "The kernel (.mlir, .ktir)");
  to_compile->values.add_arguments_to(*command);
  command
      ->add_option("-o,--output", to_compile->output_file,
                   "The schedule file (default: standard output)")
      ->type_name("FILE");
  to_compile->machine.add_to(*command);
  command->footer(
      "Example:\n"
      "  spyre-emu compile add.mlir --arg x_ptr=zeros --arg y_ptr=zeros --arg output_ptr=zeros -o "
      "add.yaml");
  command->callback([to_compile] { compile(*to_compile); });
}

}  // namespace spyre::runtime
