#include "kernels/ops/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "models/diagnostics/diagnostics.h"
#include "models/diagnostics/nearest_name.h"

namespace spyre::kernels {
namespace {

std::vector<Op> collect() {
  std::vector<Op> all;
  for (auto part : {matrix_ops(), elementwise_ops(), row_ops(), move_ops(), attention_ops()}) {
    std::ranges::move(part, std::back_inserter(all));
  }
  return all;
}

}  // namespace

std::vector<DataType> OpChoices::types() const {
  using enum DataType;
  if (narrow_types) return {fp16, bf16, dl16, fp32, fp8, fp8_e5m2, int8};
  return {fp16, bf16, dl16, fp32};
}

const std::vector<Op>& all_ops() {
  static const std::vector<Op> all = collect();
  return all;
}

const Op& op_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Op& op : all_ops()) {
    if (op.name == name) return op;
    names.push_back(op.name);
  }
  const auto nearest = models::nearest_name(name, names);
  throw models::InputError(
      fmt::format("there is no op '{}'{}; 'op list' shows all of them", name,
                  nearest ? fmt::format(": did you mean '{}'?", *nearest) : std::string()));
}

OpSizes op_sizes(const Op& op, const OpSizes& given) {
  OpSizes sizes;
  std::vector<std::string> names;
  for (const OpParameter& parameter : op.parameters) {
    sizes[parameter.name] = parameter.value;
    names.push_back(parameter.name);
  }
  for (const auto& [name, value] : given) {
    if (!sizes.contains(name)) {
      throw models::InputError(fmt::format("{} has no size '{}'; its sizes are {}", op.name, name,
                                           fmt::join(names, ", ")));
    }
    sizes[name] = value;
  }
  return sizes;
}

void check_choices(const Op& op, const OpOptions& options) {
  const std::vector<DataType> types = op.choices.types();
  if (std::find(types.begin(), types.end(), options.type) == types.end()) {
    std::vector<std::string_view> names;
    for (const DataType type : types) names.push_back(models::to_string(type));
    throw models::InputError(fmt::format("{} does not take {}; it takes {}", op.name,
                                         models::to_string(options.type), fmt::join(names, ", ")));
  }
  if (options.k_split != 1 && !op.choices.k_split) {
    throw models::InputError(fmt::format("k_split is {}, but {} has no sum that cores could share",
                                         options.k_split, op.name));
  }
  const bool row_outer = options.a == BatchLayout::row_outer ||
                         options.b == BatchLayout::row_outer || options.c == BatchLayout::row_outer;
  if (row_outer && !op.choices.layouts) {
    throw models::InputError(fmt::format(
        "{} has no batch whose layout could be chosen; bmm and bmm-shared have", op.name));
  }
}

Schedule plan_op(const Op& op, const OpSizes& sizes, const OpOptions& options,
                 const models::Machine& machine) {
  check_choices(op, options);
  return op.plan(op_sizes(op, sizes), options, machine);
}

}  // namespace spyre::kernels
