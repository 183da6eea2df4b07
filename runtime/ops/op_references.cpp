#include "runtime/ops/op_references.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

#include "kernels/ops/row_ops.h"

namespace spyre::runtime {
namespace {

using kernels::OpSizes;

std::size_t size(const OpSizes& sizes, const char* name) {
  return static_cast<std::size_t>(sizes.at(name));
}

ReferenceArrays from_suite(const char* name, const ReferenceArrays& inputs,
                           std::map<std::string, double> scalars = {}) {
  return compute_reference(reference_named(name), {inputs, std::move(scalars)});
}

ReferenceArrays rows(const char* name, const ReferenceArrays& inputs) {
  ReferenceArrays all = from_suite(name, inputs, {{"epsilon", kernels::kOpEpsilon}});
  return {{"y", all.at("y")}};
}

/// c[b] = a[b] b[b], or a[b] b where b has no batch.
ReferenceArrays batched_matmul(const ReferenceArrays& inputs, const OpSizes&) {
  const ReferenceArray& a = inputs.at("a");
  const ReferenceArray& b = inputs.at("b");
  const auto batch = static_cast<std::size_t>(a.shape[0]);
  const auto m = static_cast<std::size_t>(a.shape[1]);
  const auto k = static_cast<std::size_t>(a.shape[2]);
  const std::size_t n = b.columns();
  ReferenceArray c = ReferenceArray::filled({a.shape[0], a.shape[1], b.shape.back()});
  const bool shared = b.shape.size() == 2;
  for (std::size_t p = 0; p < batch; ++p) {
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t q = 0; q < k; ++q) {
        const double factor = a.values[(p * m + i) * k + q];
        const double* row = &b.values[((shared ? 0 : p) * k + q) * n];
        for (std::size_t j = 0; j < n; ++j) c.values[(p * m + i) * n + j] += factor * row[j];
      }
    }
  }
  return {{"c", c}};
}

ReferenceArrays rope(const ReferenceArrays& inputs, const OpSizes& sizes) {
  const ReferenceArray& x = inputs.at("x");
  const ReferenceArray& angles = inputs.at("angles");
  const std::size_t head = size(sizes, "HEAD_DIM");
  const std::size_t half = head / 2;
  ReferenceArray y = ReferenceArray::like(x);
  for (std::size_t row = 0; row < x.rows(); ++row) {
    for (std::size_t i = 0; i < x.columns(); ++i) {
      const std::size_t at = i % head;
      const double cosine = angles.values[row * head + at % half];
      const double sine = angles.values[row * head + half + at % half];
      const std::size_t place = row * x.columns() + i;
      y.values[place] = at < half ? x.values[place] * cosine - x.values[place + half] * sine
                                  : x.values[place] * cosine + x.values[place - half] * sine;
    }
  }
  return {{"y", y}};
}

enum class Fold { sum, mean, max };

OpReference fold(Fold kind, bool along_rows) {
  return [=](const ReferenceArrays& inputs, const OpSizes&) -> ReferenceArrays {
    const ReferenceArray& x = inputs.at("x");
    const double start = kind == Fold::max ? -std::numeric_limits<double>::infinity() : 0;
    ReferenceArray y = along_rows ? ReferenceArray::filled({x.shape[0], 1}, start)
                                  : ReferenceArray::filled({1, x.shape[1]}, start);
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      double& result = y.values[along_rows ? i / x.columns() : i % x.columns()];
      result = kind == Fold::max ? std::max(result, x.values[i]) : result + x.values[i];
    }
    if (kind == Fold::mean) {
      for (double& value : y.values) value /= static_cast<double>(x.columns());
    }
    return {{"y", y}};
  };
}

ReferenceArrays transpose(const ReferenceArrays& inputs, const OpSizes&) {
  const ReferenceArray& x = inputs.at("x");
  ReferenceArray y = ReferenceArray::filled({x.shape[1], x.shape[0]});
  for (std::size_t r = 0; r < x.rows(); ++r) {
    for (std::size_t c = 0; c < x.columns(); ++c) {
      y.values[c * x.rows() + r] = x.values[r * x.columns() + c];
    }
  }
  return {{"y", y}};
}

ReferenceArrays transpose_outer(const ReferenceArrays& inputs, const OpSizes&) {
  const ReferenceArray& x = inputs.at("x");
  ReferenceArray y = ReferenceArray::filled({x.shape[1], x.shape[0], x.shape[2]});
  const auto outer = static_cast<std::size_t>(x.shape[0]);
  const auto middle = static_cast<std::size_t>(x.shape[1]);
  const std::size_t columns = x.columns();
  for (std::size_t r = 0; r < outer; ++r) {
    for (std::size_t m = 0; m < middle; ++m) {
      for (std::size_t c = 0; c < columns; ++c) {
        y.values[(m * outer + r) * columns + c] = x.values[(r * middle + m) * columns + c];
      }
    }
  }
  return {{"y", y}};
}

ReferenceArrays concat(const ReferenceArrays& inputs, const OpSizes& sizes) {
  const std::size_t parts = size(sizes, "PARTS");
  const std::size_t height = size(sizes, "ROWS");
  const std::size_t width = size(sizes, "COLS");
  const bool below = sizes.at("AXIS") == 0;
  const auto signed_size = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  const std::size_t row = below ? width : width * parts;
  ReferenceArray y =
      ReferenceArray::filled({signed_size(below ? height * parts : height), signed_size(row)});
  for (std::size_t part = 0; part < parts; ++part) {
    const ReferenceArray& x = inputs.at("x" + std::to_string(part));
    for (std::size_t r = 0; r < height; ++r) {
      const std::size_t to = below ? (part * height + r) * row : r * row + part * width;
      for (std::size_t c = 0; c < width; ++c) y.values[to + c] = x.values[r * width + c];
    }
  }
  return {{"y", y}};
}

ReferenceArrays embedding(const ReferenceArrays& inputs, const OpSizes&) {
  const ReferenceArray& table = inputs.at("table");
  const ReferenceArray& ids = inputs.at("ids");
  ReferenceArray y = ReferenceArray::filled({ids.shape[0], table.shape[1]});
  for (std::size_t t = 0; t < ids.values.size(); ++t) {
    const auto row = static_cast<std::size_t>(ids.values[t]);
    for (std::size_t c = 0; c < table.columns(); ++c) {
      y.values[t * table.columns() + c] = table.values[row * table.columns() + c];
    }
  }
  return {{"y", y}};
}

std::map<std::string, OpReference> collect() {
  std::map<std::string, OpReference> all;
  for (const auto& part :
       {array_op_references(), elementwise_op_references(), attention_op_references()}) {
    all.insert(part.begin(), part.end());
  }
  return all;
}

}  // namespace

std::vector<NamedOpReference> array_op_references() {
  return {
      {"matmul",
       [](const ReferenceArrays& in, const OpSizes&) { return from_suite("matmul", in); }},
      {"bmm", batched_matmul},
      {"softmax",
       [](const ReferenceArrays& in, const OpSizes&) { return rows("softmax_rows", in); }},
      {"layernorm",
       [](const ReferenceArrays& in, const OpSizes&) { return rows("layer_norm", in); }},
      {"rmsnorm", [](const ReferenceArrays& in, const OpSizes&) { return rows("rms_norm", in); }},
      {"rope", rope},
      {"sum-rows", fold(Fold::sum, true)},
      {"mean-rows", fold(Fold::mean, true)},
      {"max-rows", fold(Fold::max, true)},
      {"sum-columns", fold(Fold::sum, false)},
      {"max-columns", fold(Fold::max, false)},
      {"transpose", transpose},
      {"transpose_outer", transpose_outer},
      {"concat", concat},
      {"embedding", embedding},
  };
}

const OpReference& op_reference(const std::string& name) {
  static const std::map<std::string, OpReference> all = collect();
  const auto found = all.find(name);
  if (found == all.end()) throw std::invalid_argument("no reference '" + name + "'");
  return found->second;
}

}  // namespace spyre::runtime
