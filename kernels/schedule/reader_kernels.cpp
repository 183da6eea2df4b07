#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "kernels/schedule/reader_parts.h"

namespace spyre::kernels {
namespace {

void read_grid(const YAML::Node& node, const std::string& path, Kernel& kernel, KernelScope& scope,
               ReadContext& context) {
  const std::int64_t limit = std::min(context.machine.cores.count, models::kMaxCores);
  std::int64_t cores = 1;
  each_entry(node, path, context, [&](const YAML::Node& key, const YAML::Node& value) {
    const bool usable = declare_variable(key, "grid dim", scope.variables, context);
    const std::int64_t size =
        models::scalar_integer(value, path + "." + key.Scalar(), 1, limit, context.sink)
            .value_or(1);
    if (!usable) return;
    kernel.grid.emplace_back(key.Scalar(), size);
    scope.grid_dims.push_back(key.Scalar());
    cores = std::min(cores * size, limit + 1);
  });
  if (cores > limit) {
    std::string product;
    for (const auto& [name, size] : kernel.grid) {
      product += fmt::format("{}{}", product.empty() ? "" : " x ", size);
    }
    context.error(node, "cores",
                  fmt::format("'{}' asks for {} cores: the machine '{}' has {}", path, product,
                              context.machine.name, limit));
  }
}

std::int64_t cores_of(const Kernel& kernel) {
  std::int64_t cores = 1;
  for (const auto& dim : kernel.grid) cores = std::min(cores * dim.second, models::kMaxCores);
  return cores;
}

/// One group: cores of the grid, ascending, none of which is in a group before it.
std::vector<std::int64_t> read_group(const YAML::Node& node, const std::string& name,
                                     std::int64_t cores, std::vector<bool>& taken,
                                     ReadContext& context) {
  const auto most = static_cast<std::size_t>(cores);
  const std::size_t faults = context.sink.diagnostics().size();
  std::vector<std::int64_t> group = read_integers(node, name, {1, most, 0, cores - 1}, context);
  if (context.sink.diagnostics().size() != faults) return group;
  if (std::adjacent_find(group.begin(), group.end(), std::greater_equal<>()) != group.end()) {
    context.error(node, "group",
                  fmt::format("the cores of a group of '{}' must stand in ascending order", name));
    return group;
  }
  for (const std::int64_t core : group) {
    if (taken[static_cast<std::size_t>(core)]) {
      context.error(node, "group",
                    fmt::format("core {} is in two groups of '{}': it may be in one", core, name));
    }
    taken[static_cast<std::size_t>(core)] = true;
  }
  return group;
}

void read_groups(const YAML::Node& node, const std::string& path, Kernel& kernel,
                 KernelScope& scope, ReadContext& context) {
  const std::int64_t cores = cores_of(kernel);
  each_entry(node, path, context, [&](const YAML::Node& key, const YAML::Node& value) {
    NamedGroups groups{key.Scalar(), {}};
    const std::string name = path + "." + groups.name;
    if (!is_variable_name(groups.name)) {
      context.error(key, "name-syntax",
                    fmt::format("'{}' cannot name a group: use letters, digits and '_', no digit "
                                "first",
                                groups.name));
    }
    if (std::find(scope.grid_dims.begin(), scope.grid_dims.end(), groups.name) !=
        scope.grid_dims.end()) {
      context.error(key, "name-taken",
                    fmt::format("'{}' is a grid dim already: rename the group", groups.name));
    }
    if (!value.IsSequence() || value.size() == 0) {
      context.error(value, "arity", fmt::format("'{}' must be a list of groups of cores", name));
      return;
    }
    std::vector<bool> taken(static_cast<std::size_t>(cores), false);
    for (const YAML::Node& entry : value) {
      groups.groups.push_back(read_group(entry, name, cores, taken, context));
    }
    scope.group_names.push_back(groups.name);
    kernel.groups.push_back(std::move(groups));
  });
}

void read_params(const YAML::Node& node, Kernel& kernel, KernelScope& scope, ReadContext& context) {
  if (!node.IsSequence()) {
    context.error(node, "",
                  fmt::format("'kernels.{}.params' must be a list of names", kernel.name));
    return;
  }
  for (const YAML::Node& entry : node) {
    if (!scalar_text(entry, "the name of a parameter", context)) continue;
    if (declare_variable(entry, "parameter", scope.variables, context)) {
      kernel.params.push_back(entry.Scalar());
    }
  }
}

/// A wait that nothing signals would wait for ever.
void check_semaphores(const KernelScope& scope, ReadContext& context) {
  for (const YAML::Node& node : scope.waited) {
    const std::string& name = node.Scalar();
    if (std::find(scope.signalled.begin(), scope.signalled.end(), name) != scope.signalled.end()) {
      continue;
    }
    context.error(node, "unknown-name",
                  fmt::format("nothing in this kernel signals the semaphore '{}'{}", name,
                              suggestion(name, scope.signalled)));
  }
}

void add_core_variables(VariableScope& variables) {
  for (const char* name : {"core", "cores"}) {
    variables.visible.emplace_back(name);
    variables.places.add(name);
  }
}

Kernel read_kernel(const YAML::Node& key, const YAML::Node& node, ReadContext& context) {
  Kernel kernel;
  kernel.name = key.Scalar();
  kernel.position = context.sink.position(key.Mark());
  if (!is_object_name(kernel.name)) {
    context.error(
        key, "name-syntax",
        fmt::format("'{}' cannot name a kernel: use letters, digits, '_', '.', '-' and '/', "
                    "a letter or '_' first",
                    kernel.name));
  }
  const std::string path = "kernels." + kernel.name;
  models::MapReader map(node, path, context.sink);
  if (!map.valid()) return kernel;

  context.unknown_names.clear();
  KernelScope scope{kernel, {}, {}, {}, {}, {}, 0, {}, {}};
  read_grid(map.required("cores"), path + ".cores", kernel, scope, context);
  if (const auto groups = map.optional("groups")) {
    read_groups(*groups, path + ".groups", kernel, scope, context);
  }
  add_core_variables(scope.variables);
  if (const auto params = map.optional("params")) read_params(*params, kernel, scope, context);
  if (const auto buffers = map.optional("buffers")) {
    kernel.buffers = read_buffers(*buffers, path + ".buffers", context.resident_names, context);
  }
  for (const auto* list : {&context.schedule.resident, &kernel.buffers}) {
    for (const Buffer& buffer : *list) {
      scope.buffers.push_back(&buffer);
      scope.buffer_names.push_back(buffer.name);
    }
  }
  kernel.body = read_body(map.required("body"), scope, context);
  check_semaphores(scope, context);
  map.finish();
  return kernel;
}

}  // namespace

void read_kernels(const YAML::Node& node, ReadContext& context) {
  each_entry(node, "kernels", context, [&](const YAML::Node& key, const YAML::Node& value) {
    context.schedule.kernels.push_back(read_kernel(key, value, context));
  });
}

}  // namespace spyre::kernels
