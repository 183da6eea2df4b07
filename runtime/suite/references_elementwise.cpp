// Element by element.
#include <cmath>

#include "runtime/suite/references.h"

namespace spyre::runtime {
namespace {

void require_same_shape(const ReferenceInputs& inputs, const std::string& a, const std::string& b) {
  require_inputs(inputs.array(a).shape == inputs.array(b).shape,
                 a + " and " + b + " must have the same shape");
}

ReferenceArrays add(const ReferenceInputs& inputs) {
  require_same_shape(inputs, "a", "b");
  ReferenceArray y = inputs.array("a");
  for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] += inputs.array("b").values[i];
  return {{"y", y}};
}

ReferenceArrays add_first(const ReferenceInputs& inputs) {
  require_same_shape(inputs, "a", "b");
  ReferenceArray y = inputs.array("before");
  const std::size_t count = inputs.count("count", y.values.size());
  require_inputs(count <= inputs.array("a").values.size(), "a and b must have 'count' elements");
  for (std::size_t i = 0; i < count; ++i) {
    y.values[i] = inputs.array("a").values[i] + inputs.array("b").values[i];
  }
  return {{"y", y}};
}

ReferenceArrays multiply_add_sqrt(const ReferenceInputs& inputs) {
  require_same_shape(inputs, "a", "b");
  require_same_shape(inputs, "a", "c");
  require_same_shape(inputs, "a", "before");
  ReferenceArray y = inputs.array("before");
  const std::size_t row = inputs.count("row", y.rows() - 1);
  for (std::size_t i = row * y.columns(); i < (row + 1) * y.columns(); ++i) {
    y.values[i] = inputs.array("a").values[i] * inputs.array("b").values[i] +
                  std::sqrt(inputs.array("c").values[i]);
  }
  return {{"y", y}};
}

ReferenceArrays broadcast_scalar(const ReferenceInputs& inputs) {
  require_inputs(inputs.array("x").values.size() == 1, "x must have one element");
  return {{"y", ReferenceArray::like(inputs.array("before"), inputs.array("x").values[0])}};
}

ReferenceArrays constant(const ReferenceInputs& inputs) {
  return {{"y", ReferenceArray::like(inputs.array("before"), inputs.scalar("value"))}};
}

ReferenceArrays rope(const ReferenceInputs& inputs) {
  const ReferenceArray& x = inputs.array("x");
  const ReferenceArray& cosines = inputs.array("cos");
  const ReferenceArray& sines = inputs.array("sin");
  const std::size_t half = x.columns() / 2;
  require_inputs(x.columns() % 2 == 0 && cosines.columns() == half && sines.columns() == half,
                 "cos and sin must have half as many columns as x");
  require_inputs(
      cosines.rows() == sines.rows() && cosines.rows() > 0 && x.rows() % cosines.rows() == 0,
      "the rows of x must be those of cos and sin, once or several times");
  ReferenceArray y = ReferenceArray::like(x);
  for (std::size_t row = 0; row < x.rows(); ++row) {
    for (std::size_t i = 0; i < half; ++i) {
      const std::size_t at = row * x.columns() + i;
      const std::size_t angle = row % cosines.rows() * half + i;
      const double a = x.values[at], b = x.values[at + half];
      y.values[at] = a * cosines.values[angle] - b * sines.values[angle];
      y.values[at + half] = b * cosines.values[angle] + a * sines.values[angle];
    }
  }
  return {{"y", y}};
}

}  // namespace

std::vector<Reference> elementwise_references() {
  return {
      {"add", "y = a + b", {"a", "b"}, {}, {"y"}, add},
      {"add_first",
       "y = a + b in the first `count` elements, `before` in the others",
       {"a", "b", "before"},
       {"count"},
       {"y"},
       add_first},
      {"multiply_add_sqrt",
       "y = a * b + sqrt(c) in row `row`, `before` in the others",
       {"a", "b", "c", "before"},
       {"row"},
       {"y"},
       multiply_add_sqrt},
      {"broadcast_scalar",
       "every element of y = the one of x; y has the shape of `before`",
       {"x", "before"},
       {},
       {"y"},
       broadcast_scalar},
      {"constant",
       "every element of y = value; y has the shape of `before`",
       {"before"},
       {"value"},
       {"y"},
       constant},
      {"rope",
       "halves a, b of each row of x become a cos - b sin, b cos + a sin",
       {"x", "cos", "sin"},
       {},
       {"y"},
       rope},
  };
}

}  // namespace spyre::runtime
