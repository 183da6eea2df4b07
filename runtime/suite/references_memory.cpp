// Values that are moved and not changed.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/suite/references.h"

namespace spyre::runtime {
namespace {

ReferenceArrays copy(const ReferenceInputs& inputs) {
  return {{"y", inputs.array("x")}};
}

ReferenceArrays concat_columns(const ReferenceInputs& inputs) {
  const ReferenceArray& a = inputs.array("a");
  const ReferenceArray& b = inputs.array("b");
  require_inputs(a.shape.size() == 2 && b.shape.size() == 2 && a.shape[0] == b.shape[0],
                 "a and b must have as many rows");
  ReferenceArray y = ReferenceArray::filled({a.shape[0], a.shape[1] + b.shape[1]});
  for (std::size_t row = 0; row < y.rows(); ++row) {
    for (std::size_t i = 0; i < y.columns(); ++i) {
      y.values[row * y.columns() + i] = i < a.columns()
                                            ? a.values[row * a.columns() + i]
                                            : b.values[row * b.columns() + i - a.columns()];
    }
  }
  return {{"y", y}};
}

ReferenceArrays stack_parts(const ReferenceInputs& inputs) {
  const ReferenceArray& top = inputs.array("top");
  const ReferenceArray& middle = inputs.array("middle");
  const ReferenceArray& bottom = inputs.array("bottom");
  require_inputs(top.shape.size() == 2 && middle.shape.size() == 2 && bottom.shape.size() == 2 &&
                     top.columns() == middle.rows() && top.columns() == bottom.columns(),
                 "top and bottom must have as many columns as middle has rows");
  const std::size_t rows = inputs.count("middle_rows", middle.columns());
  ReferenceArray y{{top.shape[0] + static_cast<std::int64_t>(rows) + bottom.shape[0], top.shape[1]},
                   top.values};
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < top.columns(); ++i) {
      y.values.push_back(middle.values[i * middle.columns() + row]);
    }
  }
  y.values.insert(y.values.end(), bottom.values.begin(), bottom.values.end());
  return {{"y", y}};
}

std::size_t index_at(const ReferenceArray& indices, std::size_t at, std::int64_t size) {
  const double index = indices.values[at];
  require_inputs(index >= 0 && index < static_cast<double>(size),
                 fmt::format("an index is {}, the dimension has {}", index, size));
  return static_cast<std::size_t>(index);
}

/// Where element `at` of the index arrays points to in `target`.
std::size_t place(const ReferenceInputs& inputs, const ReferenceArray& target, std::size_t at) {
  return index_at(inputs.array("rows"), at, target.shape[0]) * target.columns() +
         index_at(inputs.array("columns"), at, target.shape[1]);
}

ReferenceArrays gather(const ReferenceInputs& inputs) {
  const ReferenceArray& x = inputs.array("x");
  require_inputs(x.shape.size() == 2 && inputs.array("rows").shape == inputs.array("columns").shape,
                 "x must have 2 dimensions, rows and columns the same shape");
  ReferenceArray y = ReferenceArray::like(inputs.array("rows"));
  for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = x.values[place(inputs, x, i)];
  return {{"y", y}};
}

ReferenceArrays scatter(const ReferenceInputs& inputs) {
  const ReferenceArray& x = inputs.array("x");
  ReferenceArray y = inputs.array("before");
  require_inputs(y.shape.size() == 2 && inputs.array("rows").shape == x.shape &&
                     inputs.array("columns").shape == x.shape,
                 "before must have 2 dimensions; x, rows and columns the same shape");
  for (std::size_t i = 0; i < x.values.size(); ++i) y.values[place(inputs, y, i)] = x.values[i];
  return {{"y", y}};
}

ReferenceArrays fill_range(const ReferenceInputs& inputs) {
  ReferenceArray y = inputs.array("before");
  const std::size_t first = inputs.count("first", y.values.size());
  const std::size_t count = inputs.count("count", y.values.size() - first);
  std::fill_n(y.values.begin() + static_cast<std::ptrdiff_t>(first), count,
              inputs.array("x").values[0]);
  return {{"y", y}};
}

}  // namespace

std::vector<Reference> memory_references() {
  return {
      {"copy", "y = x", {"x"}, {}, {"y"}, copy},
      {"concat_columns", "y = [a b], side by side", {"a", "b"}, {}, {"y"}, concat_columns},
      {"stack_parts",
       "y = top, then the first `middle_rows` columns of middle as rows, then bottom",
       {"top", "middle", "bottom"},
       {"middle_rows"},
       {"y"},
       stack_parts},
      {"gather", "y[..] = x[rows[..], columns[..]]", {"x", "rows", "columns"}, {}, {"y"}, gather},
      {"scatter",
       "y[rows[..], columns[..]] = x[..], `before` elsewhere; of equal indices the last counts",
       {"x", "rows", "columns", "before"},
       {},
       {"y"},
       scatter},
      {"fill_range",
       "y = `before`, with the first element of x in `count` elements from `first` on",
       {"x", "before"},
       {"first", "count"},
       {"y"},
       fill_range},
  };
}

}  // namespace spyre::runtime
