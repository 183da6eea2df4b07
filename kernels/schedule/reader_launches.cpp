#include <fmt/format.h>

#include <algorithm>

#include "kernels/schedule/reader_parts.h"

namespace spyre::kernels {

using models::MapReader;

namespace {

class LaunchReader {
 public:
  explicit LaunchReader(ReadContext& context) : context_(context) {
    for (const Kernel& kernel : context.schedule.kernels) kernel_names_.push_back(kernel.name);
  }

  std::vector<LaunchItem> read_list(const YAML::Node& node, const std::string& name) {
    std::vector<LaunchItem> items;
    if (!node.IsDefined()) return items;
    if (!node.IsSequence()) {
      context_.error(node, "", fmt::format("'{}' must be a list of launches", name));
      return items;
    }
    for (const YAML::Node& entry : node) {
      if (context_.statements > kMaxStatements) break;
      if (context_.statements == kMaxStatements) {
        context_.error(entry, "limit",
                       fmt::format("a schedule may have at most {} statements", kMaxStatements));
      }
      ++context_.statements;
      items.push_back(read_item(entry));
    }
    return items;
  }

 private:
  LaunchItem read_item(const YAML::Node& node) {
    LaunchItem item;
    item.position = context_.sink.position(node.Mark());
    MapReader map(node, "launch", context_.sink);
    if (!map.valid()) return item;
    if (map.has("for")) {
      item.item = read_loop(map);
    } else {
      item.item = read_launch(map);
    }
    map.finish();
    return item;
  }

  LaunchLoop read_loop(MapReader& map) {
    LaunchLoop loop;
    const YAML::Node header = map.required("for");
    const YAML::Node body = map.required("do");
    if (!header.IsMap() || header.size() != 1 || !header.begin()->first.IsScalar()) {
      context_.error(header, "", "'for' must be a map of one variable: {l: [0, 40]}");
      return loop;
    }
    const YAML::Node key = header.begin()->first;
    const YAML::Node range = header.begin()->second;
    loop.variable = key.Scalar();
    if (!range.IsSequence() || range.size() != 2) {
      context_.error(range, "arity",
                     fmt::format("the range of '{}' must be [start, stop]", loop.variable));
    } else {
      constexpr std::int64_t kHighest = std::int64_t{1} << 31;
      const std::string name = "for." + loop.variable;
      loop.start = models::scalar_integer(range[0], name, 0, kHighest, context_.sink).value_or(0);
      loop.stop = models::scalar_integer(range[1], name, 0, kHighest, context_.sink).value_or(0);
    }
    if (depth_ == kMaxLoopDepth) {
      context_.error(key, "limit", fmt::format("loops are nested deeper than {}", kMaxLoopDepth));
      return loop;
    }
    const bool declared = declare_variable(key, "loop variable", variables_, context_);
    ++depth_;
    loop.body = read_list(body, "do");
    --depth_;
    if (declared) variables_.visible.pop_back();
    return loop;
  }

  KernelLaunch read_launch(MapReader& map) {
    KernelLaunch launch;
    const YAML::Node kernel_node = map.required("kernel");
    std::optional<std::size_t> kernel;
    if (kernel_node.IsDefined()) kernel = look_up(kernel_node, "kernel", kernel_names_, context_);
    if (kernel) launch.kernel = kernel_names_[*kernel];
    const auto arguments = map.optional("with");
    if (kernel) read_arguments(map, arguments, context_.schedule.kernels[*kernel], launch);
    launch.name = map.text_or("name", launch.kernel);
    if (const auto layer = map.optional("layer")) {
      const auto index = look_up(*layer, "launch loop variable", variables_.visible, context_);
      if (index) launch.layer = variables_.visible[*index];
    }
    return launch;
  }

  /// Every parameter of the kernel gets one argument; they are kept in the kernel's order.
  void read_arguments(MapReader& map, const std::optional<YAML::Node>& node, const Kernel& kernel,
                      KernelLaunch& launch) {
    std::vector<std::optional<Expression>> arguments(kernel.params.size());
    if (node) {
      each_entry(*node, "with", context_, [&](const YAML::Node& key, const YAML::Node& value) {
        const auto param = look_up(key, "parameter", kernel.params, context_);
        // Launch arguments see the active loop variables only, numbered from the outermost.
        VariableScope scope;
        scope.visible = variables_.visible;
        for (const std::string& variable : variables_.visible) scope.places.add(variable);
        const Expression argument = read_expression(value, "with." + key.Scalar(), scope, context_);
        if (param) arguments[*param] = argument;
      });
    }
    for (std::size_t i = 0; i < kernel.params.size(); ++i) {
      if (arguments[i]) {
        launch.arguments.emplace_back(kernel.params[i], *arguments[i]);
      } else if (!node || node->IsMap()) {
        context_.sink.error(
            context_.sink.position(map.mark()),
            fmt::format("the kernel '{}' needs the parameter '{}': add it to 'with'", kernel.name,
                        kernel.params[i]),
            "arity");
      }
    }
  }

  ReadContext& context_;
  std::vector<std::string> kernel_names_;
  VariableScope variables_;
  std::size_t depth_ = 0;
};

}  // namespace

void read_launches(const YAML::Node& node, ReadContext& context) {
  context.unknown_names.clear();
  context.schedule.launches = LaunchReader(context).read_list(node, "launches");
}

}  // namespace spyre::kernels
