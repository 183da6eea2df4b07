// From an argument specification to its array or number.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <stdexcept>

#include "models/diagnostics/diagnostics.h"
#include "runtime/argument_spec.h"
#include "runtime/host_values.h"
#include "runtime/npy.h"
#include "runtime/random_values.h"

namespace spyre::runtime {
namespace {

using Kind = ArgumentSpec::Kind;
using kernels::ktir::ScalarKind;
using kernels::ktir::ScalarType;
using models::InputError;

constexpr std::int64_t kMostBytes = std::int64_t{1} << 32;

double value_at(const ArgumentSpec& spec, const RandomValues& random, std::int64_t position) {
  const auto index = static_cast<std::uint64_t>(position);
  switch (spec.kind) {
    case Kind::ones:
      return 1;
    case Kind::arange:
      return static_cast<double>(position);
    case Kind::constant:
      return spec.low;
    case Kind::random:
      return spec.high * random.normal(index);
    case Kind::uniform:
      return random.uniform(index, spec.low, spec.high);
    case Kind::integers:
      return static_cast<double>(random.integer(index, spec.integer, spec.last));
    default:
      return 0;
  }
}

void require_size(const std::string& name, const ArgumentSpec& spec, const ArrayType& type) {
  std::int64_t bytes = element_bytes(type.element);
  for (const std::int64_t size : type.shape) {
    if (size < 1) {
      throw InputError(fmt::format(
          "argument '{}' = {}: the kernel does not say the shape of its array ([{}]); write it, as "
          "in {}:{}[4096]",
          name, spec.text, fmt::join(type.shape, ","), spec.text, to_string(type.element)));
    }
    if (bytes > kMostBytes / size) {
      throw InputError(fmt::format(
          "argument '{}' = {}: [{}] of {} is more than {} bytes; a larger "
          "array comes from a .npy file",
          name, spec.text, fmt::join(type.shape, ","), to_string(type.element), kMostBytes));
    }
    bytes *= size;
  }
}

HostArray generate(const std::string& name, const ArgumentSpec& spec, const ArrayType& type) {
  require_size(name, spec, type);
  HostArray array{type.element, type.shape, {}};
  const auto step = static_cast<std::size_t>(element_bytes(type.element));
  const std::int64_t count = array.elements();
  array.bytes.resize(static_cast<std::size_t>(count) * step);
  if (spec.kind == Kind::zeros) return array;
  const RandomValues random(spec.seed);
  for (std::int64_t i = 0; i < count; ++i) {
    encode_element(type.element, value_at(spec, random, i),
                   &array.bytes[static_cast<std::size_t>(i) * step]);
  }
  return array;
}

/// A type that NumPy lacks: its bits come as unsigned integers.
bool takes_bits_of(const ScalarType& wanted, const ScalarType& given) {
  const bool foreign = wanted.kind == ScalarKind::bf16 || wanted.kind == ScalarKind::df16 ||
                       wanted.kind == ScalarKind::f8_e4m3 || wanted.kind == ScalarKind::f8_e5m2;
  return foreign && given.kind == ScalarKind::unsigned_integer && given.width == wanted.width;
}

bool is_whole(const ScalarType& element) {
  return element.is_integer() || element.kind == ScalarKind::index;
}

HostArray load(const std::string& name, const ArgumentSpec& spec,
               const std::optional<ArrayType>& wanted) {
  HostArray array = read_npy(spec.file);
  const std::optional<ScalarType> element =
      spec.element ? spec.element
                   : (wanted ? std::optional<ScalarType>(wanted->element) : std::nullopt);
  if (!element || *element == array.element) return array;
  const bool same_bits =
      takes_bits_of(*element, array.element) ||
      (is_whole(*element) && is_whole(array.element) && element->width == array.element.width);
  if (same_bits) {
    array.element = *element;
    return array;
  }
  if (spec.element) return from_doubles(*element, array.shape, to_doubles(array));
  throw InputError(fmt::format(
      "argument '{}': {} holds {}, but the kernel takes {}; '{}={}:{}' converts the values", name,
      spec.file, to_string(array.element), to_string(*element), name, spec.file,
      to_string(*element)));
}

}  // namespace

ArgumentValue make_argument(const std::string& name, const ArgumentSpec& spec,
                            const ArrayTypeOf& type_of) {
  if (spec.kind == Kind::integer) return spec.integer;
  if (spec.kind == Kind::real) return spec.real;
  const bool complete = spec.element && spec.shape;
  const std::optional<ArrayType> known = complete || !type_of ? std::nullopt : type_of(name);
  if (spec.kind == Kind::file) return load(name, spec, known);
  if (!complete && !known) {
    throw InputError(
        fmt::format("argument '{}' = {}: neither it nor the kernel says {}; write both, as in "
                    "zeros:f16[4096,1024]",
                    name, spec.text,
                    spec.shape     ? "its type"
                    : spec.element ? "its shape"
                                   : "its type and shape"));
  }
  return generate(
      name, spec,
      {spec.element ? *spec.element : known->element, spec.shape ? *spec.shape : known->shape});
}

}  // namespace spyre::runtime
