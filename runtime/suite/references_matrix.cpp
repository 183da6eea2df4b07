// Products of matrices.
#include <cmath>

#include "runtime/suite/references.h"

namespace spyre::runtime {
namespace {

ReferenceArray product(const ReferenceArray& a, const ReferenceArray& b) {
  require_inputs(a.shape.size() == 2 && b.shape.size() == 2 && a.shape[1] == b.shape[0],
                 "a matrix product takes [m, k] and [k, n]");
  ReferenceArray c = ReferenceArray::filled({a.shape[0], b.shape[1]});
  const std::size_t m = a.rows(), k = a.columns(), n = b.columns();
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      const double factor = a.values[i * k + p];
      for (std::size_t j = 0; j < n; ++j) c.values[i * n + j] += factor * b.values[p * n + j];
    }
  }
  return c;
}

ReferenceArrays matmul(const ReferenceInputs& inputs) {
  return {{"c", product(inputs.array("a"), inputs.array("b"))}};
}

ReferenceArrays swiglu_ffn(const ReferenceInputs& inputs) {
  const ReferenceArray& x = inputs.array("x");
  const ReferenceArray gate = product(x, inputs.array("gate"));
  ReferenceArray hidden = product(x, inputs.array("up"));
  require_inputs(gate.shape == hidden.shape, "gate and up must have the same shape");
  for (std::size_t i = 0; i < hidden.values.size(); ++i) {
    hidden.values[i] *= gate.values[i] / (1 + std::exp(-gate.values[i]));
  }
  ReferenceArray y = product(hidden, inputs.array("down"));
  require_inputs(y.shape == x.shape, "down must lead back to the shape of x");
  for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] += x.values[i];
  return {{"y", y}};
}

}  // namespace

std::vector<Reference> matrix_references() {
  return {
      {"matmul", "c = a b", {"a", "b"}, {}, {"c"}, matmul},
      {"swiglu_ffn",
       "y = x + (silu(x gate) * (x up)) down",
       {"x", "gate", "up", "down"},
       {},
       {"y"},
       swiglu_ffn},
  };
}

}  // namespace spyre::runtime
