// run, check, matmul
#include <fmt/format.h>

#include <limits>
#include <memory>

#include "kernels/planner/planner.h"
#include "kernels/schedule/writer.h"
#include "models/diagnostics/yaml_reader.h"
#include "runtime/cli/application.h"
#include "runtime/cli/run_output.h"
#include "runtime/cli/usage.h"

namespace spyre::runtime {
namespace {

// Rows and columns are 32 bits wide in the instruction set.
constexpr std::int64_t kLargest = std::numeric_limits<std::uint32_t>::max();

struct ScheduleCommand {
  std::string file;
  MachineOptions machine;
  OutputOptions output;
};

struct MatmulCommand {
  std::int64_t m = 0, n = 0, k = 0;
  std::string type = "fp16";
  std::int64_t cores = 0, k_split = 1;
  MachineOptions machine;
  OutputOptions output;
};

}  // namespace

void add_schedule_commands(CLI::App& application, CommandContext& context) {
  auto run = std::make_shared<ScheduleCommand>();
  CLI::App* command = application.add_subcommand("run", "Run a tile schedule");
  command->add_option("schedule", run->file, "The schedule (YAML; see docs/schedule.md)")
      ->required()
      ->type_name("FILE");
  run->machine.add_to(*command);
  run->output.add_to(*command);
  command->footer(
      "Examples:\n  spyre-emu run step.yaml\n  spyre-emu run gemm.yaml --ops --json - --set "
      "ring.hop_cycles=4");
  command->callback([run, &context] {
    const models::MachineDescription machine = run->machine.read();
    run_and_report(models::read_text_file(run->file), run->file, machine, run->output, context);
  });

  auto check = std::make_shared<ScheduleCommand>();
  command = application.add_subcommand("check", "Check a tile schedule without running it");
  command->add_option("schedule", check->file, "The schedule")->required()->type_name("FILE");
  check->machine.add_to(*command);
  command->footer(
      "Example:\n  spyre-emu check step.yaml\nExit code 0: clean; 1: findings; 2: not a schedule.");
  command->callback([check, &context] {
    const auto findings =
        check_text(models::read_text_file(check->file), check->file, check->machine.read().machine);
    int errors = 0;
    for (const models::Diagnostic& finding : findings) {
      fmt::print("{}\n", models::to_string(finding));
      errors += finding.severity == models::Severity::error ? 1 : 0;
    }
    const int warnings = static_cast<int>(findings.size()) - errors;
    fmt::print("{}: {} error{}, {} warning{}\n", check->file, errors, errors == 1 ? "" : "s",
               warnings, warnings == 1 ? "" : "s");
    if (errors > 0) context.exit_code = kPlanFailed;
  });

  auto matmul = std::make_shared<MatmulCommand>();
  command = application.add_subcommand("matmul",
                                       "Plan and run C[M,N] = A[M,K] B[K,N], all operands in DRAM");
  command->add_option("M", matmul->m, "Rows of A and C")
      ->required()
      ->check(whole_number(1, kLargest));
  command->add_option("N", matmul->n, "Columns of B and C")
      ->required()
      ->check(whole_number(1, kLargest));
  command->add_option("K", matmul->k, "Columns of A, rows of B")
      ->required()
      ->check(whole_number(1, kLargest));
  command->add_option("--dtype", matmul->type, "Element type of A and B")
      ->type_name("TYPE")
      ->capture_default_str()
      ->check(CLI::IsMember({"fp16", "fp8", "int8"}));
  command->add_option("-c,--cores", matmul->cores, "Cores to use (default: all of the machine)")
      ->type_name("N")
      ->check(whole_number(1));
  command->add_option("--k-split", matmul->k_split, "Cores that share the K of one output tile")
      ->type_name("N")
      ->capture_default_str()
      ->check(whole_number(1));
  matmul->machine.add_to(*command);
  matmul->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  spyre-emu matmul 2048 4096 4096 --cores 8\n"
      "  spyre-emu matmul 1 4096 4096 --dtype int8 --json -");
  command->callback([matmul, &context] {
    const models::MachineDescription machine = matmul->machine.read();
    const std::int64_t available = machine.machine.cores.count;
    if (matmul->cores > available) {
      throw models::InputError(fmt::format("--cores {}: the machine '{}' has 1 to {} cores",
                                           matmul->cores, machine.machine.name, available));
    }
    const kernels::Schedule schedule = kernels::plan_matmul(
        matmul->m, matmul->n, matmul->k, *models::data_type_named(matmul->type), machine.machine,
        {.cores = matmul->cores == 0 ? available : matmul->cores, .k_split = matmul->k_split});
    run_and_report(kernels::write_schedule(schedule), "the plan", machine, matmul->output, context);
  });
}

}  // namespace spyre::runtime
