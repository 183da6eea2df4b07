#include "kernels/schedule/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/schedule/reader_parts.h"

namespace spyre::kernels {
namespace {

constexpr std::int64_t kVersion = 1;

/// Entries of a list of launches, those inside its loops included.
std::size_t count_launches(const YAML::Node& list) {
  if (!list.IsDefined() || !list.IsSequence()) return 0;
  std::size_t count = 0;
  for (const YAML::Node& entry : list) {
    if (entry.IsMap()) {
      count += (entry["kernel"] || entry["do"] ? 1U : 0U) + count_launches(entry["do"]);
    }
  }
  return count;
}

models::SourcePosition end_of(const std::string& text, const std::string& file) {
  const std::size_t end = text.find_last_not_of('\n') + 1;
  const std::size_t line_start = text.rfind('\n', end - 1) + 1;  // npos + 1 is 0
  return {file, 1 + static_cast<int>(std::count(text.begin(), text.begin() + line_start, '\n')),
          1 + static_cast<int>(end - line_start)};
}

/// A file that ends too early says so in one sentence; what its last line lacks is no fault of its
/// own.
void refuse_cut_short(const YAML::Node& root, const std::string& text, const std::string& file) {
  static const std::set<std::string> kSections{"schedule", "machine",  "launch_count", "meta",
                                               "tensors",  "resident", "kernels"};
  if (!root.IsMap()) return;
  if (!root["launches"]) {
    for (const auto& entry : root) {  // 'launches' may stand there under a wrong name
      const bool unfinished_key = entry.second.IsNull();
      if (!entry.first.IsScalar()) return;
      if (!kSections.contains(entry.first.Scalar()) && !unfinished_key) return;
    }
    throw models::InputError("the file ends before its 'launches': it is cut short, write it again",
                             end_of(text, file));
  }
  std::size_t announced = 0;
  const YAML::Node count = root["launch_count"];
  if (!count || !YAML::convert<std::size_t>::decode(count, announced)) return;
  const std::size_t found = count_launches(root["launches"]);
  if (found < announced) {
    throw models::InputError(
        fmt::format("the file ends after {} of the {} entries of its 'launches': it is cut short, "
                    "write it again (or correct 'launch_count')",
                    found, announced),
        end_of(text, file));
  }
}

void read_version(models::MapReader& map, ReadContext& context) {
  const YAML::Node node = map.required("schedule");
  if (!node.IsDefined()) return;
  if (!node.IsScalar() || node.Scalar() != std::to_string(kVersion)) {
    context.error(node, "version",
                  fmt::format("'schedule' must be {}, the version of the language", kVersion));
  }
}

void read_launch_count(models::MapReader& map, ReadContext& context) {
  const std::optional<YAML::Node> node = map.optional("launch_count");
  if (!node) return;
  constexpr auto kMost = static_cast<std::int64_t>(kMaxStatements);
  const auto announced = models::scalar_integer(*node, "launch_count", 0, kMost, context.sink);
  const std::size_t found = count_launches(map.optional("launches").value_or(YAML::Node()));
  if (announced && static_cast<std::size_t>(*announced) < found) {
    context.error(*node, "",
                  fmt::format("'launch_count' is {}: 'launches' has {} entries, loops counted",
                              *announced, found));
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
  ReadContext context{sink, machine, schedule, {}, {}, 0, 0, {}};

  refuse_cut_short(root, text, file);
  models::MapReader map(root, "", sink);
  if (map.valid()) {
    read_version(map, context);
    read_launch_count(map, context);
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
