#include "kernels/schedule/writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/schedule/layout.h"

namespace spyre::kernels {
namespace {

using models::Opcode;

bool is_plain_character(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') ||
         std::string_view("_.-+*/%()<>= ").find(c) != std::string_view::npos;
}

bool is_null_word(std::string_view text) {
  return text == "null" || text == "Null" || text == "NULL";
}

/// A scalar as YAML that reads back as the same text: plain where that is safe anywhere in flow
/// style.
std::string scalar(const std::string& text) {
  const bool plain =
      !text.empty() && !is_null_word(text) && text.back() != ' ' &&
      std::all_of(text.begin(), text.end(), is_plain_character) &&
      (std::isalnum(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_' || text[0] == '(' ||
       (text[0] == '-' && text.size() > 1 && text[1] >= '0' && text[1] <= '9'));
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string list(const std::vector<std::string>& entries) {
  return fmt::format("[{}]", fmt::join(entries, ", "));
}

std::string list(const std::vector<Expression>& expressions) {
  std::vector<std::string> entries;
  for (const Expression& expression : expressions) entries.push_back(scalar(expression.text()));
  return list(entries);
}

/// Launches and loops, at every depth.
std::size_t count_entries(const std::vector<LaunchItem>& launches) {
  std::size_t count = launches.size();
  for (const LaunchItem& entry : launches) {
    if (const auto* loop = std::get_if<LaunchLoop>(&entry.item)) count += count_entries(loop->body);
  }
  return count;
}

/// "key: value" pairs of one flow map, in the order of their addition.
class FlowMap {
 public:
  void add(std::string_view key, std::string_view value) {
    text_ += fmt::format("{}{}: {}", text_.empty() ? "" : ", ", key, value);
  }
  void add(std::string_view key, const std::optional<Expression>& value) {
    if (value) add(key, scalar(value->text()));
  }
  void add_rectangle(const std::vector<Expression>& at, const std::vector<Expression>& size) {
    if (!at.empty()) add("at", list(at));
    if (!size.empty()) add("size", list(size));
  }
  [[nodiscard]] std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

std::string tile(const BufferTile& buffer) {
  if (buffer.at.empty() && buffer.size.empty()) return scalar(buffer.buffer);
  FlowMap map;
  map.add("buffer", scalar(buffer.buffer));
  map.add_rectangle(buffer.at, buffer.size);
  return map.text();
}

std::string tile(const TensorTile& tensor) {
  if (tensor.at.empty() && tensor.size.empty()) return scalar(tensor.tensor);
  FlowMap map;
  map.add("tensor", scalar(tensor.tensor));
  map.add_rectangle(tensor.at, tensor.size);
  return map.text();
}

Opcode describe(const TransferStatement& statement, FlowMap& map) {
  const bool reads_dram = statement.opcode == Opcode::load || statement.opcode == Opcode::gather;
  map.add(reads_dram ? "into" : "from", tile(statement.local));
  map.add(reads_dram ? "from" : "to", scalar(statement.remote.tensor));
  if (!statement.index.tensor.empty()) map.add("index", tile(statement.index));
  map.add_rectangle(statement.remote.at, statement.remote.size);
  if (statement.share.size() == 1) map.add("share", scalar(statement.share[0]));
  if (statement.share.size() > 1) map.add("share", list(statement.share));
  return statement.opcode;
}

Opcode describe(const MatmulStatement& statement, FlowMap& map) {
  map.add("into", tile(statement.into));
  map.add("a", tile(statement.a));
  map.add("b", tile(statement.b));
  map.add("accumulate", statement.accumulate);
  if (statement.corelets) map.add("corelets", std::to_string(*statement.corelets));
  return Opcode::matmul;
}

Opcode describe(const VectorStatement& statement, FlowMap& map) {
  map.add("op", models::info(statement.function).name);
  map.add("into", tile(statement.into));
  std::vector<std::string> sources;
  for (const BufferTile& source : statement.from) sources.push_back(tile(source));
  map.add("from", sources.size() == 1 ? sources[0] : list(sources));
  return Opcode::vector;
}

Opcode describe(const RingStatement& statement, FlowMap& map) {
  if (statement.opcode != Opcode::receive) map.add("from", tile(statement.from));
  map.add("into", tile(statement.into));
  map.add("to", statement.to);
  if (!statement.over.empty()) map.add("over", list(statement.over));
  map.add("count", statement.count);
  return statement.opcode;
}

Opcode describe(const SyncStatement& statement, FlowMap& map) {
  if (statement.opcode == Opcode::barrier) return statement.opcode;
  map.add("semaphore", scalar(statement.semaphore));
  map.add("to", statement.to);
  // A signal to every core says so: `over: []`.
  if (statement.opcode == Opcode::signal && !statement.to) map.add("over", list(statement.over));
  map.add("count", statement.count);
  return statement.opcode;
}

Opcode describe(const ForStatement& /*loop*/, FlowMap& /*map*/) {
  return Opcode::barrier;
}

class Writer {
 public:
  std::string run(const Schedule& schedule) {
    line(0, "schedule: 1");
    if (!schedule.machine.empty()) line(0, "machine: " + scalar(schedule.machine));
    line(0, fmt::format("launch_count: {}", count_entries(schedule.launches)));
    if (!schedule.meta.empty()) line(0, "meta:");
    for (const auto& [key, value] : schedule.meta) {
      line(1, fmt::format("{}: {}", scalar(key), scalar(value)));
    }
    if (!schedule.tensors.empty()) line(0, "tensors:");
    for (const Tensor& tensor : schedule.tensors) write_tensor(tensor);
    if (!schedule.resident.empty()) line(0, "resident:");
    for (const Buffer& buffer : schedule.resident) write_buffer(1, buffer);
    line(0, schedule.kernels.empty() ? "kernels: {}" : "kernels:");
    for (const Kernel& kernel : schedule.kernels) write_kernel(kernel);
    line(0, schedule.launches.empty() ? "launches: []" : "launches:");
    for (const LaunchItem& item : schedule.launches) write_launch(1, item);
    return std::move(text_);
  }

 private:
  void line(int depth, std::string_view content) {
    text_.append(static_cast<std::size_t>(2 * depth), ' ');
    text_ += content;
    text_ += '\n';
  }

  static std::string layout_text(const Tensor& tensor) {
    std::vector<std::string> entries;
    std::int64_t stick = 0;
    for (const LayoutDim& entry : tensor.layout) {
      const std::string& name = tensor.dims[entry.dim];
      entries.push_back(entry.tile == 1 ? name : fmt::format("{}/{}", name, entry.tile));
      stick = std::max(stick, entry.tile);
    }
    entries.push_back(std::to_string(stick));
    return list(entries);
  }

  static bool has_default_layout(const Tensor& tensor) {
    if (tensor.layout.empty()) return true;
    const auto same = [](const LayoutDim& a, const LayoutDim& b) {
      return a.dim == b.dim && (a.tile == 1) == (b.tile == 1);
    };
    const std::vector<LayoutDim> usual = default_layout(tensor.shape.size(), 2);
    return std::equal(usual.begin(), usual.end(), tensor.layout.begin(), tensor.layout.end(), same);
  }

  static bool has_default_dims(const Tensor& tensor) {
    for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
      if (tensor.dims[i] != fmt::format("d{}", i)) return false;
    }
    return true;
  }

  void write_tensor(const Tensor& tensor) {
    FlowMap map;
    map.add("dtype", models::to_string(tensor.type));
    if (tensor.kind != TensorKind::activation) map.add("kind", to_string(tensor.kind));
    if (!has_default_dims(tensor)) map.add("dims", list(tensor.dims));
    map.add("shape", fmt::format("[{}]", fmt::join(tensor.shape, ", ")));
    if (!has_default_layout(tensor)) map.add("layout", layout_text(tensor));
    if (tensor.address) map.add("address", std::to_string(*tensor.address));
    if (!tensor.values.empty())
      map.add("values", fmt::format("[{}]", fmt::join(tensor.values, ", ")));
    line(1, fmt::format("{}: {}", scalar(tensor.name), map.text()));
  }

  void write_buffer(int depth, const Buffer& buffer) {
    FlowMap map;
    map.add("dtype", models::to_string(buffer.type));
    map.add("shape", fmt::format("[{}]", fmt::join(buffer.shape, ", ")));
    if (buffer.slots != 1) map.add("slots", std::to_string(buffer.slots));
    if (buffer.address) map.add("address", std::to_string(*buffer.address));
    line(depth, fmt::format("{}: {}", scalar(buffer.name), map.text()));
  }

  void write_kernel(const Kernel& kernel) {
    line(1, scalar(kernel.name) + ":");
    FlowMap grid;
    for (const auto& [name, size] : kernel.grid) grid.add(scalar(name), std::to_string(size));
    line(2, "cores: " + grid.text());
    if (!kernel.params.empty()) {
      std::vector<std::string> params;
      for (const std::string& param : kernel.params) params.push_back(scalar(param));
      line(2, "params: " + list(params));
    }
    if (!kernel.buffers.empty()) line(2, "buffers:");
    for (const Buffer& buffer : kernel.buffers) write_buffer(3, buffer);
    line(2, kernel.body.empty() ? "body: []" : "body:");
    for (const Statement& statement : kernel.body) write_statement(3, statement);
  }

  void write_statement(int depth, const Statement& statement) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.action)) {
      std::vector<Expression> range{loop->start, loop->stop};
      if (loop->step) range.push_back(*loop->step);
      line(depth, fmt::format("- for: {{{}: {}}}", scalar(loop->variable), list(range)));
      if (statement.when) line(depth + 1, "when: " + scalar(statement.when->text()));
      line(depth + 1, loop->body.empty() ? "do: []" : "do:");
      for (const Statement& inner : loop->body) write_statement(depth + 2, inner);
      return;
    }
    FlowMap map;
    const Opcode opcode =
        std::visit([&](const auto& action) { return describe(action, map); }, statement.action);
    map.add("when", statement.when);
    line(depth, fmt::format("- {}: {}", models::to_string(opcode), map.text()));
  }

  void write_launch(int depth, const LaunchItem& item) {
    if (const auto* loop = std::get_if<LaunchLoop>(&item.item)) {
      line(depth,
           fmt::format("- for: {{{}: [{}, {}]}}", scalar(loop->variable), loop->start, loop->stop));
      line(depth + 1, loop->body.empty() ? "do: []" : "do:");
      for (const LaunchItem& inner : loop->body) write_launch(depth + 2, inner);
      return;
    }
    const auto& launch = std::get<KernelLaunch>(item.item);
    FlowMap map;
    map.add("kernel", scalar(launch.kernel));
    if (!launch.arguments.empty()) {
      FlowMap arguments;
      for (const auto& [name, value] : launch.arguments) {
        arguments.add(scalar(name), scalar(value.text()));
      }
      map.add("with", arguments.text());
    }
    if (!launch.name.empty() && launch.name != launch.kernel) map.add("name", scalar(launch.name));
    if (launch.layer) map.add("layer", scalar(*launch.layer));
    line(depth, "- " + map.text());
  }

  std::string text_;
};

}  // namespace

std::string write_schedule(const Schedule& schedule) {
  return Writer().run(schedule);
}

}  // namespace spyre::kernels
