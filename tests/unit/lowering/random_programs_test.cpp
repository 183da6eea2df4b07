// Random kernels of views, elementwise operations, reductions and carried values, lowered and
// carried out, against the same operations on plain arrays: above all that no update in place, no
// shared region and no moved statement changes a number.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <random>

#include "kernels/lowering/value.h"
#include "tests/unit/lowering/lowering_fixture.h"
#include "tests/unit/lowering/schedule_values.h"

namespace spyre::kernels::lowering {
namespace {

struct Array {
  Shape shape;
  std::vector<double> numbers;
};

std::string type_text(const Shape& shape) {
  std::string text = "tensor<";
  for (const std::int64_t size : shape) text += std::to_string(size) + "x";
  return text + "f32>";
}

std::string shape_name(const Shape& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

/// result[i...] = array at the places that `from` gives.
Array picked(const Array& array, const Shape& shape,
             const std::function<std::int64_t(const Shape&)>& from) {
  Array result{shape, {}};
  Shape place(shape.size(), 0);
  for (std::int64_t i = 0; i < elements_of(shape); ++i) {
    result.numbers.push_back(array.numbers.at(static_cast<std::size_t>(from(place))));
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++place[d] < shape[d]) break;
      place[d] = 0;
    }
  }
  return result;
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  struct Step {
    std::string text;
    std::function<void(std::vector<Array>&)> run;
  };
  struct Value {
    std::string name;
    Shape shape;
    double bound = 0;
  };

  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  std::size_t any(const std::vector<Value>& values) {
    return static_cast<std::size_t>(below(static_cast<int>(values.size())));
  }

  /// One more operation on the values so far; nothing if the dice fall badly.
  std::optional<Step> step(std::vector<Value>& values) {
    const std::size_t a = any(values);
    const Value x = values[a];
    const std::string name = fmt::format("v{}", next_++);
    const std::string type = type_text(x.shape);
    switch (below(7)) {
      case 0: {  // elementwise of two
        std::size_t b = any(values);
        for (int i = 0; i < 20 && values[b].shape != x.shape; ++i) b = any(values);
        if (values[b].shape != x.shape || x.bound + values[b].bound > kLargest) return {};
        const bool adds = below(2) == 0;
        values.push_back({name, x.shape, x.bound + values[b].bound});
        return Step{fmt::format("    %{} = arith.{} %{}, %{} : {}\n", name,
                                adds ? "subf" : "maximumf", x.name, values[b].name, type),
                    [=](std::vector<Array>& all) {
                      Array r = all[a];
                      for (std::size_t i = 0; i < r.numbers.size(); ++i) {
                        const double y = all[b].numbers[i];
                        r.numbers[i] = adds ? r.numbers[i] - y : std::max(r.numbers[i], y);
                      }
                      all.push_back(r);
                    }};
      }
      case 1:  // elementwise of one
        values.push_back({name, x.shape, x.bound});
        return Step{fmt::format("    %{} = arith.negf %{} : {}\n", name, x.name, type),
                    [=](std::vector<Array>& all) {
                      Array r = all[a];
                      for (double& number : r.numbers) number = -number;
                      all.push_back(r);
                    }};
      case 2: {  // transpose
        if (x.shape.size() < 2) return {};
        std::vector<std::size_t> order(x.shape.size());
        std::iota(order.begin(), order.end(), 0U);
        std::shuffle(order.begin(), order.end(), random_);
        Shape shape;
        for (const std::size_t d : order) shape.push_back(x.shape[d]);
        values.push_back({name, shape, x.bound});
        return Step{
            fmt::format("    %{0}e = tensor.empty() : {1}\n    %{0} = linalg.transpose ins(%{2} "
                        ": {3}) outs(%{0}e : {1}) permutation = [{4}]\n",
                        name, type_text(shape), x.name, type, fmt::join(order, ", ")),
            [=](std::vector<Array>& all) {
              const Array& source = all[a];
              const Shape strides = dense_strides(source.shape);
              all.push_back(picked(source, shape, [&](const Shape& place) {
                std::int64_t at = 0;
                for (std::size_t d = 0; d < order.size(); ++d) {
                  at += place[d] * strides[order[d]];
                }
                return at;
              }));
            }};
      }
      case 3: {  // collapse two dimensions, or split one
        std::string groups;
        Shape shape;
        const bool collapse = x.shape.size() == 3;
        if (!collapse && (x.shape.size() != 2 || x.shape[0] % 2 != 0)) return {};
        if (collapse) {
          shape = {x.shape[0] * x.shape[1], x.shape[2]};
        } else {
          shape = {2, x.shape[0] / 2, x.shape[1]};
        }
        values.push_back({name, shape, x.bound});
        return Step{
            fmt::format("    %{} = tensor.{}_shape %{} [[0, 1], [2]]{} : {} into {}\n", name,
                        collapse ? "collapse" : "expand", x.name,
                        collapse ? "" : fmt::format(" output_shape [{}]", fmt::join(shape, ", ")),
                        type, type_text(shape)),
            [=](std::vector<Array>& all) {
              all.push_back({shape, all[a].numbers});
            }};
      }
      case 4: {  // a slice, and its place in something else
        const auto d = static_cast<std::size_t>(below(static_cast<int>(x.shape.size())));
        if (x.shape[d] < 2) return {};
        Shape shape = x.shape;
        shape[d] /= 2;
        const std::int64_t offset = below(static_cast<int>(x.shape[d] - shape[d] + 1));
        Shape offsets(x.shape.size(), 0);
        offsets[d] = offset;
        const Shape ones(x.shape.size(), 1);
        values.push_back({name, shape, x.bound});
        return Step{fmt::format("    %{} = tensor.extract_slice %{}[{}] [{}] [{}] : {} to {}\n",
                                name, x.name, fmt::join(offsets, ", "), fmt::join(shape, ", "),
                                fmt::join(ones, ", "), type, type_text(shape)),
                    [=](std::vector<Array>& all) {
                      const Array& source = all[a];
                      const Shape strides = dense_strides(source.shape);
                      all.push_back(picked(source, shape, [&](const Shape& place) {
                        std::int64_t at = offset * strides[d];
                        for (std::size_t i = 0; i < place.size(); ++i) at += place[i] * strides[i];
                        return at;
                      }));
                    }};
      }
      case 5: {  // reduce one dimension
        if (x.shape.size() < 2) return {};
        const auto d = static_cast<std::size_t>(below(static_cast<int>(x.shape.size())));
        const double bound = x.bound * static_cast<double>(x.shape[d]);
        if (bound > kLargest) return {};
        Shape shape = x.shape;
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d));
        values.push_back({name, shape, bound});
        return Step{
            fmt::format("    %{0}z = arith.constant dense<0.0> : {1}\n    %{0} = linalg.reduce {{ "
                        "arith.addf }} ins(%{2} : {3}) outs(%{0}z : {1}) dimensions = [{4}]\n",
                        name, type_text(shape), x.name, type, d),
            [=](std::vector<Array>& all) {
              const Array& source = all[a];
              const Shape strides = dense_strides(source.shape);
              Array sum{shape, std::vector<double>(static_cast<std::size_t>(elements_of(shape)))};
              for (std::int64_t i = 0; i < source.shape[d]; ++i) {
                const Array part = picked(source, shape, [&](const Shape& place) {
                  std::int64_t at = i * strides[d];
                  for (std::size_t k = 0; k < place.size(); ++k) {
                    at += place[k] * strides[k < d ? k : k + 1];
                  }
                  return at;
                });
                for (std::size_t k = 0; k < part.numbers.size(); ++k) {
                  sum.numbers[k] += part.numbers[k];
                }
              }
              all.push_back(sum);
            }};
      }
      default: {  // repeat along a new dimension
        if (x.shape.size() > 2 || elements_of(x.shape) > 256) return {};
        const auto d = static_cast<std::size_t>(below(static_cast<int>(x.shape.size() + 1)));
        Shape shape = x.shape;
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(d), 4);
        values.push_back({name, shape, x.bound});
        return Step{
            fmt::format("    %{0}e = tensor.empty() : {1}\n    %{0} = linalg.broadcast ins(%{2} "
                        ": {3}) outs(%{0}e : {1}) dimensions = [{4}]\n",
                        name, type_text(shape), x.name, type, d),
            [=](std::vector<Array>& all) {
              const Shape strides = dense_strides(all[a].shape);
              all.push_back(picked(all[a], shape, [&](const Shape& place) {
                std::int64_t at = 0;
                for (std::size_t k = 0; k < strides.size(); ++k) {
                  at += place[k < d ? k : k + 1] * strides[k];
                }
                return at;
              }));
            }};
      }
    }
  }

 private:
  static constexpr double kLargest = 1 << 20;
  std::mt19937 random_;
  int next_ = 0;
};

constexpr std::int64_t kInputs = 3;
constexpr std::int64_t kInputSize = 8 * 16;

std::string input(std::int64_t i) {
  const std::string n = std::to_string(i);
  return view_text("A" + n, "p" + n, "8x16", "f32") +
         tile_text_of("t" + n, "A" + n, "8x16xf32", "0, 0", "8x16") +
         load_text("in" + n, "t" + n, "8x16", "f32");
}

std::string output(const std::string& name, const Generator::Value& value,
                   const std::string& base) {
  const std::string sizes = shape_name(value.shape);
  std::string zeros;
  for (std::size_t d = 0; d < value.shape.size(); ++d) zeros += d == 0 ? "0" : ", 0";
  return "    %b" + name + " = arith.constant " + base + " : index\n" +
         view_text("Y" + name, "b" + name, sizes, "f32") +
         tile_text_of("u" + name, "Y" + name, sizes + "xf32", zeros, sizes) +
         store_text(value.name, "u" + name, sizes, "f32");
}

class RandomPrograms : public testing::TestWithParam<unsigned> {};

TEST_P(RandomPrograms, ComputeWhatTheirOperationsSay) {
  Generator generator(GetParam());
  std::vector<Generator::Value> values;
  std::vector<Array> arrays;
  std::string text =
      "module {\n  func.func @random(%p0: index, %p1: index, %p2: index) attributes {grid = [1]} "
      "{\n"
      "    %c0 = arith.constant 0 : index\n    %c1 = arith.constant 1 : index\n"
      "    %turns = arith.constant 3 : index\n";
  for (std::int64_t i = 0; i < kInputs; ++i) {
    text += input(i);
    values.push_back({fmt::format("in{}", i), {8, 16}, 8});
    Array numbers{{8, 16}, {}};
    for (std::int64_t k = 0; k < kInputSize; ++k)
      numbers.numbers.push_back(generator.below(17) - 8);
    arrays.push_back(numbers);
  }
  const std::vector<Array> inputs = arrays;
  const auto grow = [&](int count, std::vector<Generator::Value>& known,
                        std::vector<Generator::Step>& steps) {
    for (int i = 0; i < count; ++i) {
      if (auto step = generator.step(known)) steps.push_back(std::move(*step));
    }
  };
  std::vector<Generator::Step> before;
  grow(8, values, before);
  for (const auto& step : before) {
    text += step.text;
    step.run(arrays);
  }
  // A loop that carries two of them.
  const std::size_t c = generator.any(values);
  const std::size_t d = generator.any(values);
  std::vector<Generator::Value> inside = values;
  for (Generator::Value& value : inside) value.bound *= 64;  // grows from turn to turn
  inside.push_back({"k0", values[c].shape, values[c].bound * 64});
  inside.push_back({"k1", values[d].shape, values[d].bound * 64});
  std::vector<Generator::Step> body;
  grow(10, inside, body);
  const auto yielded = [&](const Shape& shape, std::size_t otherwise) {
    for (std::size_t i = inside.size(); i-- > values.size();) {
      if (inside[i].shape == shape && generator.below(3) != 0) return i;
    }
    return otherwise;
  };
  const std::size_t y0 = yielded(values[c].shape, values.size());
  const std::size_t y1 = yielded(values[d].shape, values.size() + 1);
  const std::string types =
      fmt::format("{}, {}", type_text(values[c].shape), type_text(values[d].shape));
  text += fmt::format(
      "    %r:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%k0 = %{}, %k1 = %{}) "
      "-> ({}) {{\n",
      values[c].name, values[d].name, types);
  for (const auto& step : body) text += step.text;
  text +=
      fmt::format("    scf.yield %{}, %{} : {}\n    }}\n", inside[y0].name, inside[y1].name, types);
  Array k0 = arrays[c];
  Array k1 = arrays[d];
  for (int turn = 0; turn < 3; ++turn) {
    std::vector<Array> all = arrays;
    all.push_back(k0);
    all.push_back(k1);
    for (const auto& step : body) step.run(all);
    k0 = all[y0];
    k1 = all[y1];
  }
  std::vector<std::pair<Generator::Value, Array>> outputs{{{"r#0", values[c].shape}, k0},
                                                          {{"r#1", values[d].shape}, k1},
                                                          {values.back(), arrays.back()},
                                                          {values[c], arrays[c]}};
  std::int64_t next = 16384;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    text += output(std::to_string(i), outputs[i].first, std::to_string(next));
    next += elements_of(outputs[i].first.shape);
  }
  text += "    return\n  }\n}\n";
  SCOPED_TRACE(text);
  for (const bool all_options : {true, false}) {
    LoweringOptions options;
    options.hoist_loads = options.delay_stores = options.double_buffer = all_options;
    const Schedule schedule = lowered(text, {pointer(0), pointer(1024), pointer(2048)}, options);
    SCOPED_TRACE(body_text(schedule));
    ScheduleValues run(schedule, (next + 16) * 4);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      for (std::size_t k = 0; k < inputs[i].numbers.size(); ++k) {
        run.memory[(i * 1024 + k) * 4] = inputs[i].numbers[k];
      }
    }
    try {
      run.run();
    } catch (const std::runtime_error& error) {
      FAIL() << error.what();
    }
    std::size_t at = 16384;
    for (const auto& [value, wanted] : outputs) {
      for (const double number : wanted.numbers) {
        ASSERT_EQ(run.memory.at(at * 4), number) << value.name;
        ++at;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(0U, 200U));

}  // namespace
}  // namespace spyre::kernels::lowering
