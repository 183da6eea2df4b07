#include "kernels/schedule/writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/schedule/layout.h"
#include "kernels/schedule/writer_parts.h"

namespace spyre::kernels {
namespace {

/// Launches and loops, at every depth.
std::size_t count_entries(const std::vector<LaunchItem>& launches) {
  std::size_t count = launches.size();
  for (const LaunchItem& entry : launches) {
    if (const auto* loop = std::get_if<LaunchLoop>(&entry.item)) count += count_entries(loop->body);
  }
  return count;
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
    map.add("shape", list(tensor.shape));
    if (!tensor.strides.empty()) {
      map.add("strides", list(tensor.strides));
    } else if (!has_default_layout(tensor)) {
      map.add("layout", layout_text(tensor));
    }
    if (tensor.lx_core) map.add("lx_core", std::to_string(*tensor.lx_core));
    if (tensor.address) map.add("address", std::to_string(*tensor.address));
    if (!tensor.values.empty()) map.add("values", list(tensor.values));
    line(1, fmt::format("{}: {}", scalar(tensor.name), map.text()));
  }

  void write_buffer(int depth, const Buffer& buffer) {
    FlowMap map;
    map.add("dtype", models::to_string(buffer.type));
    map.add("shape", list(buffer.shape));
    if (buffer.slots != 1) map.add("slots", std::to_string(buffer.slots));
    if (buffer.address) map.add("address", std::to_string(*buffer.address));
    if (!buffer.region.empty()) map.add("region", scalar(buffer.region));
    line(depth, fmt::format("{}: {}", scalar(buffer.name), map.text()));
  }

  static std::string groups_text(const Kernel& kernel) {
    FlowMap map;
    for (const NamedGroups& named : kernel.groups) {
      std::vector<std::string> groups;
      for (const std::vector<std::int64_t>& cores : named.groups) groups.push_back(list(cores));
      map.add(scalar(named.name), list(groups));
    }
    return map.text();
  }

  void write_kernel(const Kernel& kernel) {
    line(1, scalar(kernel.name) + ":");
    FlowMap grid;
    for (const auto& [name, size] : kernel.grid) grid.add(scalar(name), std::to_string(size));
    line(2, "cores: " + grid.text());
    if (!kernel.groups.empty()) line(2, "groups: " + groups_text(kernel));
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
      if (statement.line != 0) line(depth + 1, fmt::format("line: {}", statement.line));
      line(depth + 1, loop->body.empty() ? "do: []" : "do:");
      for (const Statement& inner : loop->body) write_statement(depth + 2, inner);
      return;
    }
    FlowMap map;
    const models::Opcode opcode = describe(statement, map);
    map.add("when", statement.when);
    if (statement.line != 0) map.add("line", std::to_string(statement.line));
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
