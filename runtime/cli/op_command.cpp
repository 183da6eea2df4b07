// op
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>

#include "models/diagnostics/diagnostics.h"
#include "runtime/cli/application.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/named_numbers.h"
#include "runtime/cli/op_report.h"
#include "runtime/cli/progress_line.h"
#include "runtime/cli/run_output.h"
#include "runtime/cli/usage.h"
#include "runtime/ops/op_run.h"
#include "traces/atomic_file.h"
#include "traces/result_json.h"

namespace spyre::runtime {
namespace {

using kernels::BatchLayout;

struct OpCommand {
  std::string name;
  std::vector<std::string> sizes, tiles, splits, layouts;
  std::int64_t cores = 0, k_split = 1;
  std::string type = "fp16";
  std::string data = "on";
  std::string numerics = "ieee";
  std::uint64_t seed = 1;
  std::string plan;
  MachineOptions machine;
  OutputOptions output;
};

BatchLayout layout_named(const std::string& word, const std::string& text) {
  if (word == "batch-outer") return BatchLayout::batch_outer;
  if (word == "row-outer") return BatchLayout::row_outer;
  throw models::InputError(
      fmt::format("--layout {}: '{}' is not batch-outer or row-outer", text, word));
}

/// "row-outer" for all three, or "a=row-outer,b=batch-outer".
void set_layouts(const std::vector<std::string>& words, kernels::OpOptions& options) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      options.a = options.b = options.c = layout_named(word, word);
      continue;
    }
    const std::string tensor = word.substr(0, equals);
    const BatchLayout layout = layout_named(word.substr(equals + 1), word);
    if (tensor == "a") {
      options.a = layout;
    } else if (tensor == "b") {
      options.b = layout;
    } else if (tensor == "c") {
      options.c = layout;
    } else {
      throw models::InputError(
          fmt::format("--layout {}: there is no tensor '{}'; give a, b or c", word, tensor));
    }
  }
}

OpRequest request_of(const OpCommand& command, const models::Machine& machine) {
  OpRequest request;
  request.op = &kernels::op_named(command.name);
  request.sizes = named_numbers("--size", command.sizes);
  kernels::OpOptions& options = request.options;
  if (command.cores > machine.cores.count) {
    throw models::InputError(fmt::format("--cores {}: the machine '{}' has 1 to {} cores",
                                         command.cores, machine.name, machine.cores.count));
  }
  options.cores = command.cores == 0 ? machine.cores.count : command.cores;
  options.type = *models::data_type_named(command.type);
  options.k_split = command.k_split;
  set_numbers("--tile", command.tiles,
              {{"ROWS", &options.tile_rows},
               {"COLS", &options.tile_columns},
               {"DEPTH", &options.tile_depth}});
  set_numbers(
      "--split", command.splits,
      {{"BATCH", &options.b_cores}, {"ROWS", &options.m_cores}, {"COLS", &options.n_cores}});
  set_layouts(command.layouts, options);
  request.seed = command.seed;
  request.numerics = *models::numerics_named(command.numerics);
  request.data = command.data == "on";
  return request;
}

/// The op, and what it is compared with.
struct Pair {
  OpOutcome main;
  std::optional<OpOutcome> other;
  std::optional<OpValues> difference;
};

Pair run_pair(const OpRequest& request, const models::MachineDescription& machine,
              const RunOptions& options) {
  Pair pair{run_op(request, machine, options), {}, {}};
  if (request.op->compared_with.empty() || pair.main.result.interrupted) return pair;
  OpRequest other = request;
  other.op = &kernels::op_named(request.op->compared_with);
  RunOptions quiet = options;
  quiet.observers.clear();  // waves are those of the op that was asked for
  quiet.on_start = {};
  pair.other = run_op(other, machine, quiet);
  if (pair.main.values && pair.other->values) {
    pair.difference = compare_outputs(pair.main, *pair.other,
                                      pair.main.values->bound + pair.other->values->bound);
  }
  return pair;
}

bool all_right(const Pair& pair) {
  const auto right = [](const std::optional<OpValues>& values) {
    return !values || values->right();
  };
  return right(pair.main.values) && right(pair.difference) &&
         (!pair.other || right(pair.other->values));
}

std::string json_text(const OpRequest& request, const Pair& pair) {
  nlohmann::ordered_json json =
      nlohmann::ordered_json::parse(traces::write_result_json(pair.main.result));
  json["op"] = request.op->name;
  add_values_json(pair.main.values, json);
  if (pair.other) {
    auto& other = json["compared_with"];
    other = nlohmann::ordered_json::parse(traces::write_result_json(pair.other->result));
    other["op"] = request.op->compared_with;
    add_values_json(pair.other->values, other);
  }
  return json.dump(2) + "\n";
}

void run_to_json(const OpCommand& command, const OpRequest& request,
                 const models::MachineDescription& machine, CommandContext& context) {
  if (!command.output.waves.empty()) {
    throw models::InputError("--waves with --json -: write the JSON to a file");
  }
  RunOptions options;
  options.check = !command.output.no_check;
  options.simulation.stop = &context.stop;
  const Pair pair = run_pair(request, machine, options);
  fmt::print("{}", json_text(request, pair));
  if (!all_right(pair)) context.exit_code = kPlanFailed;
  if (pair.main.result.interrupted) context.exit_code = kInterrupted;
}

void run(const OpCommand& command, CommandContext& context) {
  if (command.name == "list") {
    fmt::print("{}", op_list_text());
    return;
  }
  const models::MachineDescription machine = command.machine.read();
  const OpRequest request = request_of(command, machine.machine);
  if (!command.plan.empty()) {
    require_writable(command.plan);
    traces::write_file(command.plan, op_plan_text(request, machine.machine));
  }
  if (command.output.json == "-") return run_to_json(command, request, machine, context);
  require_writable(command.output.json);
  Pair pair;
  OutputOptions output = command.output;
  output.json.clear();  // the values belong to it
  run_and_report(
      [&](const RunOptions& options) {
        pair = run_pair(request, machine, options);
        return pair.main.result;
      },
      machine, output, context);
  if (!command.output.json.empty()) {
    traces::write_file(command.output.json, json_text(request, pair));
  }
  fmt::print("\n");
  if (pair.other) {
    fmt::print("{}", side_by_side_text(request.op->name, pair.main, request.op->compared_with,
                                       *pair.other, pair.difference));
  }
  fmt::print("{}", values_text(pair.main.values));
  if (!all_right(pair)) context.exit_code = kPlanFailed;
}

}  // namespace

void add_op_command(CLI::App& application, CommandContext& context) {
  auto options = std::make_shared<OpCommand>();
  CLI::App* command = application.add_subcommand(
      "op", "Plan and run one kernel of our own with random inputs, and check its values");
  command->add_option("name", options->name, "The op; 'list' shows all of them with their sizes")
      ->required()
      ->type_name("NAME");
  command
      ->add_option("--size", options->sizes, "Sizes: M=256,N=512 ('op list' has names, defaults)")
      ->type_name("NAME=N,...")
      ->delimiter(',');
  command->add_option("-c,--cores", options->cores, "Cores to use (default: all of the machine)")
      ->type_name("N")
      ->check(whole_number(1));
  command
      ->add_option("--tile", options->tiles,
                   "Tile in LX, in elements: ROWS=64,COLS=64,DEPTH=64 (default: what fits)")
      ->type_name("NAME=N,...")
      ->delimiter(',');
  command
      ->add_option("--split", options->splits,
                   "Cores along each dimension: BATCH=2,ROWS=4,COLS=4 (default: chosen)")
      ->type_name("NAME=N,...")
      ->delimiter(',');
  command->add_option("--k-split", options->k_split, "Cores that share each sum")
      ->type_name("N")
      ->capture_default_str()
      ->check(whole_number(1));
  command->add_option("--dtype", options->type, "Element type")
      ->type_name("TYPE")
      ->capture_default_str()
      ->check(CLI::IsMember({"fp16", "bf16", "dl16", "fp32", "fp8", "fp8_e5m2", "int8"}));
  command
      ->add_option("--layout", options->layouts,
                   "Device layout of a batch, batch-outer or row-outer: of all, or a=..,b=..,c=..")
      ->type_name("LAYOUT")
      ->delimiter(',');
  command
      ->add_option("--data", options->data,
                   "off: the same cycles without the arithmetic, and nothing is compared")
      ->type_name("on|off")
      ->capture_default_str()
      ->check(CLI::IsMember({"on", "off"}));
  command
      ->add_option("--numerics", options->numerics,
                   "Whose 16-bit floating-point format fp16 stands for")
      ->type_name("ieee|spyre")
      ->capture_default_str()
      ->check(CLI::IsMember({"ieee", "spyre"}));
  command->add_option("--seed", options->seed, "Of the random inputs")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--plan", options->plan, "Also write the plan to FILE, a tile schedule")
      ->type_name("FILE");
  options->machine.add_to(*command);
  options->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  spyre-emu op list\n"
      "  spyre-emu op softmax --size ROWS=4096,COLS=1024\n"
      "  spyre-emu op matmul --size M=130,N=70,K=200 --tile ROWS=64,COLS=64,DEPTH=64 --cores 1\n"
      "  spyre-emu op flash-attention --size QUERIES=1024,KEYS=1024 --numerics spyre\n"
      "Exit code 0: the values are right; 1: they are not, or the plan failed; 2: bad usage.");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace spyre::runtime
