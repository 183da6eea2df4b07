#include "kernels/schedule/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/schedule/reader_parts.h"

namespace spyre::kernels {
namespace {

constexpr std::int64_t kVersion = 1;

void read_version(models::MapReader& map, ReadContext& context) {
  const YAML::Node node = map.required("schedule");
  if (!node.IsDefined()) return;
  if (!node.IsScalar() || node.Scalar() != std::to_string(kVersion)) {
    context.error(node, "version",
                  fmt::format("'schedule' must be {}, the version of the language", kVersion));
  }
}

void read_machine(models::MapReader& map, ReadContext& context) {
  const std::optional<YAML::Node> node = map.optional("machine");
  if (!node) return;
  const auto name = scalar_text(*node, "the machine's name", context);
  if (!name) return;
  context.schedule.machine = *name;
  if (*name != context.machine.name) {
    context.error(*node, "machine-mismatch",
                  fmt::format("this schedule is for the machine '{}', not for '{}': choose that "
                              "machine, or plan again for this one",
                              *name, context.machine.name));
  }
}

void read_meta(models::MapReader& map, ReadContext& context) {
  const std::optional<YAML::Node> node = map.optional("meta");
  if (!node) return;
  each_entry(*node, "meta", context, [&](const YAML::Node& key, const YAML::Node& value) {
    if (const auto text = scalar_text(value, "a text", context)) {
      context.schedule.meta[key.Scalar()] = *text;
    }
  });
}

void add_loop_variables(const std::vector<Statement>& body, SymbolTable& symbols) {
  for (const Statement& statement : body) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.action)) {
      symbols.add(loop->variable);
      add_loop_variables(loop->body, symbols);
    }
  }
}

}  // namespace

SymbolTable kernel_symbols(const Kernel& kernel) {
  SymbolTable symbols;
  for (const auto& dim : kernel.grid) symbols.add(dim.first);
  symbols.add("core");
  symbols.add("cores");
  for (const std::string& param : kernel.params) symbols.add(param);
  add_loop_variables(kernel.body, symbols);
  return symbols;
}

Schedule parse_schedule(const std::string& text, const std::string& file,
                        const models::Machine& machine) {
  const YAML::Node root = models::parse_yaml(text, file);
  models::DiagnosticSink sink(file);
  Schedule schedule;
  schedule.file = file;
  ReadContext context{sink, machine, schedule, {}, {}, 0, 0};

  models::MapReader map(root, "", sink);
  if (map.valid()) {
    read_version(map, context);
    read_machine(map, context);
    read_meta(map, context);
    if (const auto tensors = map.optional("tensors")) read_tensors(*tensors, context);
    if (const auto resident = map.optional("resident")) {
      schedule.resident = read_buffers(*resident, "resident", {}, context);
      for (const Buffer& buffer : schedule.resident) context.resident_names.push_back(buffer.name);
    }
    read_kernels(map.required("kernels"), context);
    read_launches(map.required("launches"), context);
    map.finish();
  }
  sink.throw_if_any();
  return schedule;
}

Schedule read_schedule(const std::string& path, const models::Machine& machine) {
  return parse_schedule(models::read_text_file(path), path, machine);
}

}  // namespace spyre::kernels
