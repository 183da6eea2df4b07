// decode, prefill, plan
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "kernels/workload/model_config.h"
#include "runtime/cli/application.h"
#include "runtime/cli/run_output.h"
#include "runtime/cli/usage.h"
#include "traces/atomic_file.h"

namespace spyre::runtime {
namespace {

// The step that the project's figures are about: a context of 4096 tokens, the last 512 of them in
// one prefill chunk.
constexpr std::int64_t kDecodeContext = 4096, kPrefillChunk = 512, kPrefillContext = 3584;

void warn_of_window(const kernels::ModelConfig& config, const kernels::StepOptions& step) {
  if (config.sliding_window == 0 || step.context + step.chunk <= config.sliding_window) return;
  fmt::print(stderr,
             "warning: {} attends to the last {} tokens only, but a window is not modelled: this "
             "step reads and "
             "attends all {} tokens of its context\n",
             config.name, config.sliding_window, step.context);
}

struct StepCommand {
  std::string model = "granite-3.3-8b";
  std::string phase = "decode";
  std::string weight_type = "fp16";
  std::int64_t batch = 1;
  std::optional<std::int64_t> context, chunk;
  std::int64_t cores = 0;  // 0 = all the machine has
  std::string plan_file;
  MachineOptions machine;
  OutputOptions output;

  void add_common_options(CLI::App& command, const char* default_context) {
    command
        .add_option("-m,--model", model,
                    "A shipped model's name (see 'model list'), a config.json, or its folder")
        ->type_name("MODEL")
        ->capture_default_str();
    command
        .add_option(
            "-t,--context", context,
            fmt::format(
                "Tokens already in the KV cache, per sequence (default: {}, or what the model's "
                "positions leave)",
                default_context))
        ->type_name("TOKENS")
        ->check(whole_number(0));
    command
        .add_option("--dtype", weight_type,
                    "Type of the weights; activations and KV cache stay fp16")
        ->type_name("TYPE")
        ->capture_default_str()
        ->check(CLI::IsMember({"fp16", "fp8", "int8", "int4"}));
    command.add_option("-c,--cores", cores, "Cores to use (default: all of the machine)")
        ->type_name("N")
        ->check(whole_number(1));
    machine.add_to(command);
  }
  void add_batch(CLI::App& command) {
    command.add_option("-b,--batch", batch, "Sequences decoded together")
        ->type_name("N")
        ->capture_default_str()
        ->check(whole_number(1));
  }
  void add_chunk(CLI::App& command) {
    command.add_option("--chunk", chunk, "New tokens processed in one prefill step (default: 512)")
        ->type_name("TOKENS")
        ->check(whole_number(1));
  }

  [[nodiscard]] std::string plan(const models::Machine& description) const {
    const std::int64_t available = description.cores.count;
    if (cores > available) {
      throw models::InputError(fmt::format("--cores {}: the machine '{}' has 1 to {} cores", cores,
                                           description.name, available));
    }
    const kernels::ModelConfig config = kernels::find_model(model);
    kernels::StepOptions step;
    const bool prefill = phase == "prefill";
    step.phase = prefill ? kernels::Phase::prefill : kernels::Phase::decode;
    step.batch = batch;
    step.chunk = chunk.value_or(prefill ? std::min(kPrefillChunk, config.max_positions) : 1);
    step.context = context.value_or(std::clamp<std::int64_t>(
        config.max_positions - step.chunk, 0, prefill ? kPrefillContext : kDecodeContext));
    step.weight_type = *models::data_type_named(weight_type);
    warn_of_window(config, step);
    return plan_text(config, step, description, {.cores = cores == 0 ? available : cores});
  }
};

}  // namespace

void add_step_commands(CLI::App& application, CommandContext& context) {
  const auto run = [&context](const std::shared_ptr<StepCommand>& step) {
    return [step, &context] {
      const models::MachineDescription machine = step->machine.read();
      const std::string plan = step->plan(machine.machine);
      run_and_report(
          [&](const RunOptions& options) {
            return run_text(plan, "the plan (see 'spyre-emu plan')", machine, options);
          },
          machine, step->output, context);
    };
  };

  auto decode = std::make_shared<StepCommand>();
  CLI::App* command =
      application.add_subcommand("decode", "Run one decode step of a language model");
  decode->add_common_options(*command, "4096");
  decode->add_batch(*command);
  decode->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  spyre-emu decode --model granite-3.3-8b --batch 1 --context 4096\n"
      "  spyre-emu decode --model llama-3.1-8b --batch 32 --dtype int8 --json step.json\n"
      "  spyre-emu decode --model distilgpt2 --context 512 --waves layer.vcd\n"
      "  spyre-emu decode --set dram.channels=32 --set lx.bytes=4194304");
  command->callback(run(decode));

  auto prefill = std::make_shared<StepCommand>();
  prefill->phase = "prefill";
  command = application.add_subcommand("prefill", "Run one prefill chunk of a language model");
  prefill->add_common_options(*command, "3584");
  prefill->add_chunk(*command);
  prefill->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  spyre-emu prefill --model granite-3.3-8b --chunk 512 --context 3584\n"
      "  spyre-emu prefill --model ./my-model/config.json --chunk 256 --context 0 --ops");
  command->callback(run(prefill));

  auto plan = std::make_shared<StepCommand>();
  command =
      application.add_subcommand("plan", "Write the tile schedule of a step without running it");
  plan->add_common_options(*command, "4096, prefill: 3584");
  plan->add_batch(*command);
  plan->add_chunk(*command);
  command->add_option("--phase", plan->phase, "decode or prefill")
      ->type_name("PHASE")
      ->capture_default_str()
      ->check(CLI::IsMember({"decode", "prefill"}));
  command
      ->add_option("-o,--output", plan->plan_file, "The schedule file (default: standard output)")
      ->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  spyre-emu plan --model granite-3.3-8b -o step.yaml && spyre-emu run step.yaml\n"
      "  spyre-emu plan --model distilgpt2 --phase prefill --chunk 64 --context 0 > chunk.yaml");
  command->callback([plan] {
    const std::string text = plan->plan(plan->machine.read().machine);
    if (plan->plan_file.empty()) {
      fmt::print("{}", text);
    } else {
      traces::write_file(plan->plan_file, text);
    }
  });
}

}  // namespace spyre::runtime
