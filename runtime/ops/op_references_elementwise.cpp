// Element by element.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "runtime/ops/op_references.h"

namespace spyre::runtime {
namespace {

using kernels::OpSizes;

using Function = double (*)(const std::array<double, 3>& x);

double silu(double x) {
  return x / (1 + std::exp(-x));
}

double gelu(double x) {
  const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}

struct Entry {
  const char* name;
  Function function;
};

const Entry kFunctions[] = {
    {"copy", [](const auto& x) { return x[0]; }},
    {"neg", [](const auto& x) { return -x[0]; }},
    {"abs", [](const auto& x) { return std::fabs(x[0]); }},
    {"add", [](const auto& x) { return x[0] + x[1]; }},
    {"sub", [](const auto& x) { return x[0] - x[1]; }},
    {"mul", [](const auto& x) { return x[0] * x[1]; }},
    {"div", [](const auto& x) { return x[0] / x[1]; }},
    {"max", [](const auto& x) { return std::max(x[0], x[1]); }},
    {"min", [](const auto& x) { return std::min(x[0], x[1]); }},
    {"fma", [](const auto& x) { return x[0] * x[1] + x[2]; }},
    {"sqrt", [](const auto& x) { return std::sqrt(x[0]); }},
    {"rsqrt", [](const auto& x) { return 1 / std::sqrt(x[0]); }},
    {"reciprocal", [](const auto& x) { return 1 / x[0]; }},
    {"exp", [](const auto& x) { return std::exp(x[0]); }},
    {"log", [](const auto& x) { return std::log(x[0]); }},
    {"tanh", [](const auto& x) { return std::tanh(x[0]); }},
    {"erf", [](const auto& x) { return std::erf(x[0]); }},
    {"sigmoid", [](const auto& x) { return 1 / (1 + std::exp(-x[0])); }},
    {"silu", [](const auto& x) { return silu(x[0]); }},
    {"gelu", [](const auto& x) { return gelu(x[0]); }},
    {"silu_mul", [](const auto& x) { return silu(x[0]) * x[1]; }},
};

OpReference elementwise(Function function) {
  return [function](const ReferenceArrays& inputs, const OpSizes&) -> ReferenceArrays {
    const ReferenceArray& a = inputs.at("a");
    ReferenceArray y = ReferenceArray::like(a);
    for (std::size_t i = 0; i < y.values.size(); ++i) {
      std::array<double, 3> x{};
      std::size_t place = 0;
      for (const auto& input : inputs) x[place++] = input.second.values[i];  // a, b, c
      y.values[i] = function(x);
    }
    return {{"y", y}};
  };
}

ReferenceArray sum(const ReferenceArray& a, const ReferenceArray& b) {
  ReferenceArray y = ReferenceArray::like(a);
  for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = a.values[i] + b.values[i];
  return y;
}

ReferenceArrays add_chain(const ReferenceArrays& inputs, const OpSizes& sizes) {
  ReferenceArray y = inputs.at("a0");
  for (std::int64_t i = 1; i <= sizes.at("ADDS"); ++i) {
    y = sum(y, inputs.at("a" + std::to_string(i)));
  }
  return {{"y", y}};
}

ReferenceArrays independent_adds(const ReferenceArrays& inputs, const OpSizes&) {
  return {{"y0", sum(inputs.at("a0"), inputs.at("b0"))},
          {"y1", sum(inputs.at("a1"), inputs.at("b1"))}};
}

/// b is one row or one column.
ReferenceArrays broadcast_add(const ReferenceArrays& inputs, const OpSizes&) {
  const ReferenceArray& a = inputs.at("a");
  const ReferenceArray& b = inputs.at("b");
  ReferenceArray y = ReferenceArray::like(a);
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    const std::size_t row = b.rows() == 1 ? 0 : i / a.columns();
    const std::size_t column = b.columns() == 1 ? 0 : i % a.columns();
    y.values[i] = a.values[i] + b.values[row * b.columns() + column];
  }
  return {{"y", y}};
}

}  // namespace

std::vector<NamedOpReference> elementwise_op_references() {
  std::vector<NamedOpReference> all{{"add_chain", add_chain},
                                    {"independent_adds", independent_adds},
                                    {"broadcast_add", broadcast_add}};
  for (const Entry& entry : kFunctions) {
    all.emplace_back(std::string("elementwise.") + entry.name, elementwise(entry.function));
  }
  return all;
}

}  // namespace spyre::runtime
