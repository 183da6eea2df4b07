// machine list | show, model list | show
#include <fmt/format.h>

#include <memory>

#include "kernels/workload/graph.h"
#include "kernels/workload/model_config.h"
#include "models/machine/machine_show.h"
#include "runtime/cli/commands.h"
#include "traces/number_text.h"
#include "traces/text_table.h"

namespace spyre::runtime {
namespace {

std::string count(std::int64_t value) {
  return traces::with_separators(static_cast<std::uint64_t>(value));
}

void add_machine_commands(CLI::App& application) {
  CLI::App* machine = application.add_subcommand("machine", "Machine descriptions: list, show");
  machine->require_subcommand(1);
  machine->add_subcommand("list", "The descriptions that ship with the program")->callback([] {
    for (const std::string& name : models::machine_names()) {
      fmt::print("{:<12} {}\n", name, models::read_machine(name).machine.title);
    }
  });
  auto options = std::make_shared<MachineOptions>();
  CLI::App* show =
      machine->add_subcommand("show", "Every number of a machine with unit, confidence and source");
  show->add_option("machine", options->name, "A name or a .yaml file")
      ->type_name("MACHINE")
      ->capture_default_str();
  options->add_overrides(*show);
  show->footer("Example:\n  spyre-emu machine show spyre --set cores.count=16");
  show->callback([options] { fmt::print("{}", models::format_machine(options->read())); });
}

void add_model_commands(CLI::App& application) {
  CLI::App* model = application.add_subcommand("model", "Model architectures: list, show");
  model->require_subcommand(1);
  model->add_subcommand("list", "The models that ship with the program")->callback([] {
    traces::TextTable table(
        {"model", "layers", "hidden", "heads", "KV heads", "vocabulary", "parameters"});
    for (const std::string& name : kernels::model_names()) {
      const kernels::ModelConfig config = kernels::find_model(name);
      table.add_row({name, count(config.layers), count(config.hidden), count(config.heads),
                     count(config.kv_heads), count(config.vocabulary), count(config.parameters())});
    }
    fmt::print("{}", table.text());
  });
  auto name = std::make_shared<std::string>("granite-3.3-8b");
  CLI::App* show =
      model->add_subcommand("show", "One model's dimensions, and what one decode step reads");
  show->add_option("model", *name, "A shipped name, a config.json or its folder")
      ->type_name("MODEL")
      ->capture_default_str();
  show->footer(
      "Examples:\n  spyre-emu model show llama-3.1-8b\n  spyre-emu model show "
      "./my-model/config.json");
  show->callback([name] {
    const kernels::ModelConfig config = kernels::find_model(*name);
    kernels::StepOptions step;
    const kernels::StepLedger ledger = kernels::step_ledger(kernels::build_graph(config, step));
    traces::TextTable table({config.name, ""});
    table.add_row({"architecture", config.architecture});
    table.add_row({"layers", count(config.layers)});
    table.add_row({"hidden size", count(config.hidden)});
    table.add_row(
        {"query heads / KV heads", fmt::format("{} / {}", config.heads, config.kv_heads)});
    table.add_row({"head dimension", count(config.head_dim)});
    table.add_row({"intermediate size", count(config.intermediate)});
    table.add_row({"vocabulary", count(config.vocabulary)});
    table.add_row({"positions", count(config.max_positions)});
    table.add_row({"tied embeddings", config.tied_embeddings ? "yes" : "no"});
    table.add_row({"parameters", count(config.parameters())});
    table.add_row({"weights read per step, fp16, B", traces::with_separators(ledger.weight_bytes)});
    table.add_row({"KV cache per token, fp16, B", traces::with_separators(ledger.kv_write_bytes)});
    fmt::print("{}", table.text());
  });
}

}  // namespace

void add_catalogue_commands(CLI::App& application, CommandContext&) {
  add_machine_commands(application);
  add_model_commands(application);
}

}  // namespace spyre::runtime
