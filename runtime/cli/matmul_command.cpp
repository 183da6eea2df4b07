// matmul
#include <fmt/format.h>

#include <limits>
#include <memory>

#include "kernels/planner/planner.h"
#include "kernels/schedule/writer.h"
#include "runtime/cli/application.h"
#include "runtime/cli/run_output.h"
#include "runtime/cli/usage.h"

namespace spyre::runtime {
namespace {

// Rows and columns are 32 bits wide in the instruction set.
constexpr std::int64_t kLargest = std::numeric_limits<std::uint32_t>::max();

struct MatmulCommand {
  std::int64_t m = 0, n = 0, k = 0;
  std::string type = "fp16";
  std::int64_t cores = 0, k_split = 1;
  MachineOptions machine;
  OutputOptions output;
};

}  // namespace

void add_matmul_command(CLI::App& application, CommandContext& context) {
  auto matmul = std::make_shared<MatmulCommand>();
  CLI::App* command = application.add_subcommand(
      "matmul", "Plan and run C[M,N] = A[M,K] B[K,N], all operands in DRAM");
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
    const std::string plan = kernels::write_schedule(schedule);
    run_and_report(
        [&](const RunOptions& options) { return run_text(plan, "the plan", machine, options); },
        machine, matmul->output, context);
  });
}

}  // namespace spyre::runtime
