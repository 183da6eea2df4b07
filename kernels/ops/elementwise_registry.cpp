// Element by element: each function of the vector unit by its name, chains of adds, broadcasts.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/ops/pointwise.h"
#include "kernels/ops/registry.h"

namespace spyre::kernels {
namespace {

using models::VectorFunction;

struct Function {
  VectorFunction function;
  const char* summary;
  OpInput::Fill fill = OpInput::Fill::normal;
};

/// Functions whose results jump (floor, ceil, rem, comparisons) are left out: a rounding error of
/// the last bit would be one of a whole unit.
const Function kFunctions[] = {
    {VectorFunction::copy, "y = a"},
    {VectorFunction::neg, "y = -a"},
    {VectorFunction::abs, "y = |a|"},
    {VectorFunction::add, "y = a + b"},
    {VectorFunction::sub, "y = a - b"},
    {VectorFunction::mul, "y = a * b"},
    {VectorFunction::div, "y = a / b", OpInput::Fill::positive},
    {VectorFunction::max, "y = the larger of a and b"},
    {VectorFunction::min, "y = the smaller of a and b"},
    {VectorFunction::fma, "y = a * b + c"},
    {VectorFunction::sqrt, "y = the square root of a", OpInput::Fill::positive},
    {VectorFunction::rsqrt, "y = 1 / sqrt(a)", OpInput::Fill::positive},
    {VectorFunction::reciprocal, "y = 1 / a", OpInput::Fill::positive},
    {VectorFunction::exp, "y = exp(a)"},
    {VectorFunction::log, "y = the natural logarithm of a", OpInput::Fill::positive},
    {VectorFunction::tanh, "y = tanh(a)"},
    {VectorFunction::erf, "y = erf(a)"},
    {VectorFunction::sigmoid, "y = 1 / (1 + exp(-a))"},
    {VectorFunction::silu, "y = a * sigmoid(a)"},
    {VectorFunction::gelu, "y = gelu(a), tanh form"},
    {VectorFunction::silu_mul, "y = silu(a) * b"},
};

const std::vector<OpParameter> kMatrix{{"ROWS", 1024, "rows"}, {"COLS", 1024, "columns"}};

std::string title(const std::string& name, const OpSizes& sizes) {
  return fmt::format("{} {} x {}", name, sizes.at("ROWS"), sizes.at("COLS"));
}

Op function_op(const Function& entry) {
  const VectorFunction function = entry.function;
  const std::string name(models::info(function).name);
  Op op{name, "elementwise", entry.summary, kMatrix, {}, {}, {"y"}, "elementwise." + name, 2, {},
        {}};
  for (const PointwiseInput& input : elementwise_shape(function, 1, 1).inputs) {
    op.inputs.push_back({input.name, entry.fill, {}});
  }
  op.plan = [function, name](const OpSizes& sizes, const OpOptions& options,
                             const models::Machine& machine) {
    return plan_pointwise(title(name, sizes),
                          elementwise_shape(function, sizes.at("ROWS"), sizes.at("COLS")), options,
                          machine);
  };
  return op;
}

constexpr std::int64_t kMostAdds = 8;

/// "a0", "a1" ... for each of the letters.
std::vector<OpInput> numbered(const char* letters, std::int64_t count, OpInput::Fill fill) {
  std::vector<OpInput> inputs;
  for (std::int64_t i = 0; i < count; ++i) {
    for (const char* letter = letters; *letter != '\0'; ++letter) {
      inputs.push_back({*letter + std::to_string(i), fill, {}});
    }
  }
  return inputs;
}

/// The inputs are those of the longest chain; a shorter one leaves the rest out. They are positive,
/// so that no sum is small beside the rounding errors of those before it.
Op chain_op(const char* name, const char* summary, bool fused) {
  Op op{name,    "elementwise",
        summary, kMatrix,
        {},      numbered("a", kMostAdds + 1, OpInput::Fill::positive),
        {"y"},   "add_chain",
        4,       {},
        {}};
  op.parameters.push_back({"ADDS", 2, "adds, one after the other"});
  op.plan = [fused, name](const OpSizes& sizes, const OpOptions& options,
                          const models::Machine& machine) {
    check_size("ADDS", sizes.at("ADDS"), 1, kMostAdds);
    PointwiseShape shape = add_chain_shape(sizes.at("ADDS"), sizes.at("ROWS"), sizes.at("COLS"));
    shape.fused = fused;
    return plan_pointwise(title(name, sizes), shape, options, machine);
  };
  return op;
}

Op independent_op() {
  Op op{"add-independent",
        "elementwise",
        "y0 = a0 + b0, y1 = a1 + b1 in one kernel",
        kMatrix,
        {},
        numbered("ab", 2, OpInput::Fill::normal),
        {"y0", "y1"},
        "independent_adds",
        2,
        {},
        {}};
  op.plan = [](const OpSizes& sizes, const OpOptions& options, const models::Machine& machine) {
    return plan_pointwise(title("add-independent", sizes),
                          independent_adds_shape(2, sizes.at("ROWS"), sizes.at("COLS")), options,
                          machine);
  };
  return op;
}

Op broadcast_op(const char* name, const char* summary, OperandShape b) {
  Op op{name,    "elementwise",
        summary, kMatrix,
        {},      {{"a", OpInput::Fill::normal, {}}, {"b", OpInput::Fill::normal, {}}},
        {"y"},   "broadcast_add",
        2,       {},
        {}};
  op.plan = [name, b](const OpSizes& sizes, const OpOptions& options,
                      const models::Machine& machine) {
    return plan_pointwise(
        title(name, sizes),
        broadcast_shape(VectorFunction::add, b, sizes.at("ROWS"), sizes.at("COLS")), options,
        machine);
  };
  return op;
}

}  // namespace

std::vector<Op> elementwise_ops() {
  std::vector<Op> ops;
  for (const Function& entry : kFunctions) ops.push_back(function_op(entry));
  ops.push_back(chain_op("add-chain", "y = a0 + a1 + ... in one kernel", true));
  ops.push_back(chain_op("add-separate", "y = a0 + a1 + ... with one kernel per add", false));
  ops.push_back(independent_op());
  ops.push_back(broadcast_op("add-row", "y = a + b, b one row", OperandShape::row));
  ops.push_back(broadcast_op("add-column", "y = a + b, b one column", OperandShape::column));
  return ops;
}

}  // namespace spyre::kernels
