// Along rows: the last dimension is a row.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "runtime/suite/references.h"

namespace spyre::runtime {
namespace {

/// A weight of one row serves all rows.
double weight_at(const ReferenceArray& weight, std::size_t index) {
  return weight.values[index % weight.values.size()];
}

void require_weight(const ReferenceInputs& inputs, const std::string& role) {
  const ReferenceArray& x = inputs.array("x");
  const std::size_t size = inputs.array(role).values.size();
  require_inputs(size == x.columns() || size == x.values.size(),
                 role + " must have the shape of x or of one row of it");
}

ReferenceArrays softmax_rows(const ReferenceInputs& inputs) {
  const ReferenceArray& x = inputs.array("x");
  ReferenceArray y = ReferenceArray::like(x);
  const std::size_t n = x.columns();
  for (std::size_t row = 0; row < x.rows(); ++row) {
    const std::span<const double> from(&x.values[row * n], n);
    const double largest = *std::ranges::max_element(from);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += y.values[row * n + i] = std::exp(from[i] - largest);
    for (std::size_t i = 0; i < n; ++i) y.values[row * n + i] /= sum;
  }
  return {{"y", y}};
}

ReferenceArrays layer_norm(const ReferenceInputs& inputs) {
  require_weight(inputs, "weight");
  require_weight(inputs, "bias");
  const ReferenceArray& x = inputs.array("x");
  const std::size_t n = x.columns();
  require_inputs(!x.shape.empty(), "x must have a dimension");
  std::vector<std::int64_t> outer = x.shape;
  outer.pop_back();
  ReferenceArray y = ReferenceArray::like(x);
  ReferenceArray means = ReferenceArray::filled(outer), deviations = means;
  for (std::size_t row = 0; row < x.rows(); ++row) {
    const std::span<const double> from(&x.values[row * n], n);
    double sum = 0;
    for (const double value : from) sum += value;
    const double mean = sum / static_cast<double>(n);
    double squares = 0;
    for (const double value : from) squares += (value - mean) * (value - mean);
    const double reciprocal =
        1 / std::sqrt(squares / static_cast<double>(n) + inputs.scalar("epsilon"));
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = row * n + i;
      y.values[at] = (from[i] - mean) * reciprocal * weight_at(inputs.array("weight"), at) +
                     weight_at(inputs.array("bias"), at);
    }
    means.values[row] = mean;
    deviations.values[row] = reciprocal;
  }
  return {{"y", y}, {"mean", means}, {"reciprocal_deviation", deviations}};
}

ReferenceArrays rms_norm(const ReferenceInputs& inputs) {
  require_weight(inputs, "weight");
  const ReferenceArray& x = inputs.array("x");
  const std::size_t n = x.columns();
  ReferenceArray y = ReferenceArray::like(x);
  for (std::size_t row = 0; row < x.rows(); ++row) {
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) squares += x.values[row * n + i] * x.values[row * n + i];
    const double root = std::sqrt(squares / static_cast<double>(n) + inputs.scalar("epsilon"));
    for (std::size_t at = row * n; at < (row + 1) * n; ++at) {
      y.values[at] = x.values[at] / root * weight_at(inputs.array("weight"), at);
    }
  }
  return {{"y", y}};
}

ReferenceArrays sum_groups(const ReferenceInputs& inputs) {
  const ReferenceArray& x = inputs.array("x");
  const std::size_t group = inputs.count("group", x.rows());
  require_inputs(x.shape.size() == 2 && group > 0 && x.rows() % group == 0,
                 "x must have rows, a multiple of 'group' of them");
  ReferenceArray y = ReferenceArray::filled(
      {static_cast<std::int64_t>(x.rows() / group), static_cast<std::int64_t>(x.columns())});
  for (std::size_t row = 0; row < x.rows(); ++row) {
    for (std::size_t i = 0; i < x.columns(); ++i) {
      y.values[row / group * x.columns() + i] += x.values[row * x.columns() + i];
    }
  }
  for (double& value : y.values) value *= inputs.scalar("times");
  return {{"y", y}};
}

ReferenceArrays sum_of_row(const ReferenceInputs& inputs) {
  const ReferenceArray& x = inputs.array("x");
  ReferenceArray y = ReferenceArray::like(x);
  for (std::size_t row = 0; row < x.rows(); ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < x.columns(); ++i) sum += x.values[row * x.columns() + i];
    for (std::size_t i = 0; i < x.columns(); ++i) y.values[row * x.columns() + i] = sum;
  }
  return {{"y", y}};
}

}  // namespace

std::vector<Reference> row_references() {
  return {
      {"softmax_rows", "y = exp(x - max) / sum, by row", {"x"}, {}, {"y"}, softmax_rows},
      {"layer_norm",
       "y = (x - mean) / sqrt(variance + epsilon) * weight + bias, by row",
       {"x", "weight", "bias"},
       {"epsilon"},
       {"y", "mean", "reciprocal_deviation"},
       layer_norm},
      {"rms_norm",
       "y = x / sqrt(mean of squares + epsilon) * weight, by row",
       {"x", "weight"},
       {"epsilon"},
       {"y"},
       rms_norm},
      {"sum_groups",
       "row g of y = `times` the sum of rows g * group ... of x",
       {"x"},
       {"group", "times"},
       {"y"},
       sum_groups},
      {"sum_of_row",
       "every element of a row of y = the sum of that row of x",
       {"x"},
       {},
       {"y"},
       sum_of_row},
  };
}

}  // namespace spyre::runtime
