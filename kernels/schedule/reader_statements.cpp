#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/schedule/reader_parts.h"

namespace spyre::kernels {

using models::MapReader;
using models::Opcode;

namespace {

constexpr std::array kOpcodes{Opcode::load,    Opcode::store,  Opcode::gather, Opcode::scatter,
                              Opcode::matmul,  Opcode::vector, Opcode::send,   Opcode::multicast,
                              Opcode::receive, Opcode::reduce, Opcode::signal, Opcode::wait,
                              Opcode::barrier};

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const Opcode opcode : kOpcodes) names.emplace_back(models::to_string(opcode));
  names.emplace_back("for");
  return names;
}

/// The size of a range of constants must fit the machine's loop counter; others are judged when
/// they run.
void check_loop_bounds(const YAML::Node& node, const ForStatement& loop, ReadContext& context) {
  const std::int64_t step = loop.step && loop.step->is_constant() ? loop.step->evaluate({}) : 1;
  if (step == 0) {
    context.error(node, "loop-limit",
                  fmt::format("the loop of '{}' has step 0 and would not end", loop.variable));
    return;
  }
  if (!loop.start.is_constant() || !loop.stop.is_constant() ||
      (loop.step && !loop.step->is_constant())) {
    return;
  }
  const std::int64_t start = loop.start.evaluate({});
  const std::int64_t stop = loop.stop.evaluate({});
  if (step > 0 ? start >= stop : start <= stop) return;
  // Distances of 64-bit numbers fit in 64 bits without sign.
  const auto low = static_cast<std::uint64_t>(std::min(start, stop));
  const std::uint64_t distance = static_cast<std::uint64_t>(std::max(start, stop)) - low;
  const std::uint64_t by =
      step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const std::uint64_t iterations = distance / by + (distance % by != 0 ? 1U : 0U);
  const std::int64_t limit = context.machine.limits.loop_iterations;
  if (iterations > static_cast<std::uint64_t>(limit)) {
    context.error(
        node, "loop-limit",
        fmt::format("the loop of '{}' has {} iterations: the machine counts to {}; split it "
                    "into two loops",
                    loop.variable, iterations, limit));
  }
}

ForStatement read_for(const YAML::Node& header, MapReader& statement, KernelScope& scope,
                      ReadContext& context) {
  ForStatement loop;
  const YAML::Node body = statement.required("do");
  if (!header.IsMap() || header.size() != 1 || !header.begin()->first.IsScalar()) {
    context.error(header, "", "'for' must be a map of one variable: {k: [0, 8]}");
    return loop;
  }
  const YAML::Node key = header.begin()->first;
  const YAML::Node range = header.begin()->second;
  loop.variable = key.Scalar();
  if (!range.IsSequence() || range.size() < 2 || range.size() > 3) {
    context.error(range, "arity",
                  fmt::format("the range of '{}' must be [start, stop] or [start, stop, step]",
                              loop.variable));
  } else {
    const std::string name = "for." + loop.variable;
    loop.start = read_expression(range[0], name, scope.variables, context);
    loop.stop = read_expression(range[1], name, scope.variables, context);
    if (range.size() == 3) loop.step = read_expression(range[2], name, scope.variables, context);
    check_loop_bounds(range, loop, context);
  }
  if (scope.loop_depth == kMaxLoopDepth) {
    context.error(key, "limit", fmt::format("loops are nested deeper than {}", kMaxLoopDepth));
    return loop;
  }
  const bool declared = declare_variable(key, "loop variable", scope.variables, context);
  ++scope.loop_depth;
  loop.body = read_body(body, scope, context);
  --scope.loop_depth;
  if (declared) scope.variables.visible.pop_back();
  return loop;
}

void read_operation(Opcode opcode, MapReader& map, KernelScope& scope, ReadContext& context,
                    Statement& statement) {
  switch (opcode) {
    case Opcode::load:
    case Opcode::store:
    case Opcode::gather:
    case Opcode::scatter:
      statement.action = read_transfer(opcode, map, scope, context);
      break;
    case Opcode::matmul:
      statement.action = read_matmul(map, scope, context);
      break;
    case Opcode::vector:
      statement.action = read_vector(map, scope, context);
      break;
    case Opcode::send:
    case Opcode::multicast:
    case Opcode::receive:
    case Opcode::reduce:
      statement.action = read_ring(opcode, map, scope, context);
      break;
    case Opcode::signal:
    case Opcode::wait:
    case Opcode::barrier:
      statement.action = read_sync(opcode, map, scope, context);
      break;
  }
}

/// The key of a statement that says what it does; reports a statement without one, or with two.
std::optional<std::size_t> find_operation(const YAML::Node& node, MapReader& map,
                                          const std::vector<std::string>& names,
                                          ReadContext& context) {
  std::optional<std::size_t> operation;
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) continue;
    const std::string& key = entry.first.Scalar();
    if (key == "when" || key == "line" || key == "do") continue;
    const auto found = std::find(names.begin(), names.end(), key);
    if (found == names.end()) {
      context.error(entry.first, "unknown-operation",
                    fmt::format("unknown operation '{}'{}", key, suggestion(key, names)));
      map.optional(key);
    } else if (operation && names[*operation] != key) {
      context.error(entry.first, "unknown-operation",
                    fmt::format("a statement is one operation: '{}' stands beside '{}'", key,
                                names[*operation]));
      map.optional(key);
    } else {
      operation = static_cast<std::size_t>(found - names.begin());
    }
  }
  if (!operation && node.size() == 0) {
    context.error(node, "unknown-operation", "a statement is missing: the map is empty");
  }
  return operation;
}

/// `when` and `line`, which stand beside the operation or inside it.
class CommonKeys {
 public:
  explicit CommonKeys(MapReader& outer)
      : when_(outer.optional("when")), line_(outer.optional("line")) {}

  void look_inside(MapReader& inner, ReadContext& context) {
    take(inner, "when", when_, context);
    take(inner, "line", line_, context);
  }

  void read_into(Statement& statement, const KernelScope& scope, ReadContext& context) const {
    if (when_) statement.when = read_expression(*when_, "when", scope.variables, context);
    constexpr std::int64_t kLastLine = std::numeric_limits<std::int32_t>::max();
    if (line_) {
      statement.line =
          models::scalar_integer(*line_, "line", 1, kLastLine, context.sink).value_or(0);
    }
  }

 private:
  static void take(MapReader& inner, const std::string& key, std::optional<YAML::Node>& outer,
                   ReadContext& context) {
    std::optional<YAML::Node> own = inner.optional(key);
    if (!own) return;
    if (outer) {
      context.error(*own, "name-taken",
                    fmt::format("'{}' stands twice, beside the operation and inside it", key));
    }
    outer = std::move(own);
  }

  std::optional<YAML::Node> when_, line_;
};

std::optional<Statement> read_statement(const YAML::Node& node, KernelScope& scope,
                                        ReadContext& context) {
  static const std::vector<std::string> kNames = operation_names();
  Statement statement;
  statement.position = context.sink.position(node.Mark());
  if (!node.IsMap()) {
    context.error(node, "unknown-operation",
                  "a statement must be a map with one operation: '- load: {...}'");
    return std::nullopt;
  }
  MapReader outer(node, "", context.sink);
  const std::optional<std::size_t> operation = find_operation(node, outer, kNames, context);
  CommonKeys common(outer);
  if (!operation) {
    outer.optional("do");
    outer.finish();
    return std::nullopt;
  }
  const YAML::Node body = outer.required(kNames[*operation]);
  if (*operation == kOpcodes.size()) {
    common.read_into(statement, scope, context);
    statement.action = read_for(body, outer, scope, context);
  } else {
    MapReader inner(body, kNames[*operation], context.sink);
    if (inner.valid()) {
      common.look_inside(inner, context);
      common.read_into(statement, scope, context);
      read_operation(kOpcodes[*operation], inner, scope, context, statement);
      inner.finish();
    }
  }
  outer.finish();
  return statement;
}

}  // namespace

std::vector<Statement> read_body(const YAML::Node& node, KernelScope& scope, ReadContext& context) {
  std::vector<Statement> body;
  if (!node.IsDefined()) return body;
  if (!node.IsSequence()) {
    context.error(node, "", "a body must be a list of statements");
    return body;
  }
  for (const YAML::Node& entry : node) {
    if (context.statements == kMaxStatements) {
      context.error(entry, "limit",
                    fmt::format("a schedule may have at most {} statements", kMaxStatements));
      ++context.statements;
    }
    if (context.statements > kMaxStatements) return body;
    ++context.statements;
    if (std::optional<Statement> statement = read_statement(entry, scope, context)) {
      body.push_back(std::move(*statement));
    }
  }
  return body;
}

}  // namespace spyre::kernels
