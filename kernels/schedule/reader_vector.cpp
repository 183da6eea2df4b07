// Vector operations: their operands, and the numbers among them.
#include <fmt/format.h>

#include <limits>

#include "kernels/schedule/number_text.h"
#include "kernels/schedule/reader_parts.h"

namespace spyre::kernels {

using models::MapReader;
using models::VectorFunction;

namespace {

double literal_value(const YAML::Node& node, ReadContext& context) {
  const std::optional<double> value = number_of(node.Scalar());
  if (!value) {
    context.error(node, "expression",
                  fmt::format("the number {} is beyond those of 64 bits: write 0, .inf or -.inf if "
                              "that is meant",
                              node.Scalar()));
  }
  return value.value_or(0);
}

/// One entry of `from`: a tile, or a number.
class OperandReader {
 public:
  OperandReader(std::string name, KernelScope& scope, ReadContext& context,
                VectorStatement& statement)
      : name_(std::move(name)), scope_(scope), context_(context), statement_(statement) {}

  void add(const YAML::Node& node) {
    if (!is_number(node)) {
      statement_.from.push_back(read_buffer_tile(node, name_, scope_, context_));
      return;
    }
    if (statement_.number) {
      context_.error(
          node, "operand-count",
          fmt::format("'{}' holds a second number: an operation has at most one", name_));
    }
    NumberOperand number;
    number.place = statement_.from.size();
    if (is_number_text(node.Scalar()) && !is_quoted(node)) {
      number.constant = literal_value(node, context_);
    } else {
      number.expression = read_expression(node, name_, scope_.variables, context_);
    }
    statement_.number = number;
  }

 private:
  /// Names are buffers where there is one of that name; those that are nothing at all are taken for
  /// a buffer's that is misspelt.
  [[nodiscard]] bool is_number(const YAML::Node& node) const {
    if (!node.IsDefined() || !node.IsScalar()) return false;
    const std::string& text = node.Scalar();
    for (const std::string& buffer : scope_.buffer_names) {
      if (text == buffer) return false;
    }
    return !is_object_name(text) || reads_as_expression(text, scope_.variables);
  }

  std::string name_;
  KernelScope& scope_;
  ReadContext& context_;
  VectorStatement& statement_;
};

/// Functions whose operands all are tables or tiles of a given form: no number can stand for one.
bool wants_tiles(VectorFunction function) {
  switch (function) {
    case VectorFunction::rope:
    case VectorFunction::softmax_step:
    case VectorFunction::softmax_finish:
    case VectorFunction::rescale_add:
      return true;
    default:
      return models::info(function).sources == 1 && function != VectorFunction::fill;
  }
}

void check_operand_count(const YAML::Node& node, const VectorStatement& statement,
                         ReadContext& context) {
  const models::VectorFunctionInfo& info = models::info(statement.function);
  const auto sources = static_cast<std::size_t>(info.sources);
  const std::size_t tiles = statement.from.size();
  const std::size_t named = node.IsSequence() ? node.size() : 1;
  const bool number_follows = statement.number && statement.number->place == sources &&
                              tiles == sources && info.optional_numbers > 0;
  if (named != sources && !number_follows) {
    context.error(node, "operand-count",
                  fmt::format("'{}' reads {} operand{}{}, and 'vector.from' names {}", info.name,
                              sources, sources == 1 ? "" : "s",
                              info.optional_numbers > 0 ? " and perhaps a number" : "", named));
  } else if (statement.number && !number_follows && wants_tiles(statement.function)) {
    context.error(
        node, "operand-count",
        fmt::format("'{}' reads tiles, not a number: 'fill' makes a tile of one", info.name));
  }
}

void read_axis(MapReader& map, VectorStatement& statement, ReadContext& context) {
  const auto node = map.optional("axis");
  if (!node) return;
  statement.axis =
      models::scalar_integer(*node, map.name_of("axis"), 0, 1, context.sink).value_or(1);
  if (models::is_reduction(statement.function) || statement.function == VectorFunction::iota) {
    return;
  }
  context.error(*node, "operand-count",
                fmt::format("'{}' has no axis: only reduce_sum, reduce_max, reduce_min and iota do",
                            models::info(statement.function).name));
}

void read_pattern(const YAML::Node& node, const std::string& name, KernelScope& scope,
                  VectorStatement& statement, ReadContext& context) {
  PatternText pattern;
  MapReader map(node, name, context.sink);
  if (!map.valid()) return;
  constexpr std::int64_t kMaxSize = std::numeric_limits<std::int32_t>::max();
  pattern.sizes = read_integers(map.required("sizes"), map.name_of("sizes"),
                                {1, models::Pattern::kMaxRank, 1, kMaxSize}, context);
  const std::size_t rank = pattern.sizes.size();
  pattern.strides = read_integers(map.required("strides"), map.name_of("strides"),
                                  {rank, rank, -kMaxElements, kMaxElements}, context);
  pattern.offset = optional_expression(map, "offset", scope, context);
  if (!is_small_enough(pattern.sizes, 1) ||
      span_of(pattern.sizes, pattern.strides) > kMaxElements) {
    context.error(node, "limit", fmt::format("'{}' has more than 2^48 elements", name));
  }
  map.finish();
  statement.pattern = std::move(pattern);
}

void read_pattern_of(MapReader& map, KernelScope& scope, VectorStatement& statement,
                     ReadContext& context) {
  if (statement.function == VectorFunction::rearrange) {
    const YAML::Node node = map.required("pattern");
    if (node.IsDefined()) read_pattern(node, map.name_of("pattern"), scope, statement, context);
    return;
  }
  const auto node = map.optional("pattern");
  if (!node) return;
  if (statement.function == VectorFunction::transpose) {
    read_pattern(*node, map.name_of("pattern"), scope, statement, context);
    return;
  }
  context.error(*node, "operand-count",
                fmt::format("'{}' has no pattern: only rearrange and transpose do",
                            models::info(statement.function).name));
}

std::optional<VectorFunction> read_function(const YAML::Node& node, ReadContext& context) {
  if (!node.IsDefined()) return std::nullopt;
  const auto name = scalar_text(node, "the name of a vector function", context);
  if (!name) return std::nullopt;
  const auto function = models::vector_function_named(*name);
  if (function) return function;
  std::vector<std::string> known;
  for (const auto& entry : models::kVectorFunctions) known.emplace_back(entry.name);
  std::string rest = suggestion(*name, known);
  if (rest.empty()) rest = ": docs/schedule.md lists those there are";
  if (*name == "scale") rest = ": 'mul' takes a number";
  context.error(node, "unknown-operation",
                fmt::format("unknown vector function '{}'{}", *name, rest));
  return std::nullopt;
}

}  // namespace

VectorStatement read_vector(MapReader& map, KernelScope& scope, ReadContext& context) {
  VectorStatement statement;
  const auto function = read_function(map.required("op"), context);
  statement.function = function.value_or(VectorFunction::copy);
  statement.into = buffer_operand(map, "into", scope, context);
  const bool may_lack = function && models::info(*function).sources == 0;
  const YAML::Node from =
      may_lack && !map.has("from") ? YAML::Node(YAML::NodeType::Undefined) : map.required("from");
  OperandReader operands(map.name_of("from"), scope, context, statement);
  if (from.IsDefined() && from.IsSequence()) {
    for (const YAML::Node& entry : from) operands.add(entry);
  } else if (from.IsDefined()) {
    operands.add(from);
  }
  if (!function) {
    map.optional("axis");
    map.optional("pattern");
    return statement;
  }
  if (from.IsDefined()) check_operand_count(from, statement, context);
  read_axis(map, statement, context);
  read_pattern_of(map, scope, statement, context);
  return statement;
}

}  // namespace spyre::kernels
