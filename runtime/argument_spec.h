// What an argument of a kernel is given as: the VALUE of `--arg NAME=VALUE`, and of a suite file.
//
//   x.npy                    an array from a file; x.npy:f16 converts its elements
//   zeros  ones  arange      arange counts 0, 1, 2, ... in row-major order
//   constant(value)
//   random(seed)             standard normal; random(seed, scale) times scale
//   uniform(low, high, seed)
//   integers(low, high, seed)   whole numbers, both ends included
//   12   0.5                 a number
//
// The generated ones take a type and a shape, "zeros:f16[4096,1024]"; what is left out comes from
// the kernel. A file of u2 or u1 gives its bits to a type that NumPy lacks (bf16, DLFloat16, 8-bit
// floats). Random numbers are the same on every machine (random_values.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/host_array.h"

namespace spyre::runtime {

struct ArgumentSpec {
  enum class Kind { file, zeros, ones, arange, constant, random, uniform, integers, integer, real };
  Kind kind = Kind::integer;
  std::string text;  ///< as it was written
  std::string file;
  std::uint64_t seed = 0;
  double low = 0,
         high = 0;  ///< uniform; the value of constant is `low`, the scale of random `high`
  std::int64_t integer = 0;  ///< the number itself, or the low end of integers
  std::int64_t last = 0;     ///< high end of integers
  double real = 0;
  std::optional<kernels::ktir::ScalarType> element;
  std::optional<std::vector<std::int64_t>> shape;

  [[nodiscard]] bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
  [[nodiscard]] bool is_generated() const { return !is_number() && kind != Kind::file; }
};

struct NamedSpec {
  std::string name;
  ArgumentSpec spec;
};

struct ArrayType {
  kernels::ktir::ScalarType element;
  std::vector<std::int64_t> shape;
};

/// What the kernel takes an argument's array as; nothing where it does not say.
using ArrayTypeOf = std::function<std::optional<ArrayType>(const std::string& argument)>;
using ArgumentValue = std::variant<HostArray, std::int64_t, double>;

/// Throws models::InputError, which lists the forms.
[[nodiscard]] ArgumentSpec parse_argument_spec(const std::string& text);
/// "NAME=VALUE".
[[nodiscard]] NamedSpec parse_named_spec(const std::string& text);

/// Reads or generates the value of argument `name`; `type_of` may be empty. Throws
/// models::InputError.
[[nodiscard]] ArgumentValue make_argument(const std::string& name, const ArgumentSpec& spec,
                                          const ArrayTypeOf& type_of = {});

}  // namespace spyre::runtime
