#include "runtime/suite/references.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "models/diagnostics/diagnostics.h"
#include "models/diagnostics/nearest_name.h"

namespace spyre::runtime {
namespace {

std::vector<Reference> all_references() {
  std::vector<Reference> all;
  for (auto part : {elementwise_references(), row_references(), matrix_references(),
                    attention_references(), memory_references()}) {
    std::ranges::move(part, std::back_inserter(all));
  }
  std::ranges::sort(all, {}, &Reference::name);
  return all;
}

}  // namespace

ReferenceArray ReferenceArray::like(const ReferenceArray& other, double value) {
  return {other.shape, std::vector<double>(other.values.size(), value)};
}

ReferenceArray ReferenceArray::filled(std::vector<std::int64_t> shape, double value) {
  const auto count =
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  return {std::move(shape), std::vector<double>(static_cast<std::size_t>(count), value)};
}

std::size_t ReferenceArray::columns() const {
  return shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
}

std::size_t ReferenceArray::rows() const {
  return columns() == 0 ? 0 : values.size() / columns();
}

std::size_t ReferenceInputs::count(const std::string& role, std::size_t most) const {
  const double value = scalar(role);
  require_inputs(
      value >= 0 && value <= static_cast<double>(most) && value == std::floor(value),
      fmt::format("{} is {}; it must be a whole number from 0 to {}", role, value, most));
  return static_cast<std::size_t>(value);
}

void require_inputs(bool holds, const std::string& rule) {
  if (!holds) throw models::InputError("the inputs of the reference do not fit: " + rule);
}

const std::vector<Reference>& references() {
  static const std::vector<Reference> all = all_references();
  return all;
}

const Reference& reference_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Reference& reference : references()) {
    if (reference.name == name) return reference;
    names.push_back(reference.name);
  }
  const auto nearest = models::nearest_name(name, names);
  throw models::InputError(fmt::format(
      "there is no reference '{}'{}; known are {}", name,
      nearest ? fmt::format(" (did you mean '{}'?)", *nearest) : "", fmt::join(names, ", ")));
}

ReferenceArrays compute_reference(const Reference& reference, const ReferenceInputs& inputs) {
  for (const std::string& role : reference.arrays) {
    require_inputs(inputs.arrays.contains(role),
                   fmt::format("{} needs the array '{}'", reference.name, role));
    require_inputs(!inputs.array(role).values.empty(),
                   fmt::format("the array '{}' of {} is empty", role, reference.name));
  }
  for (const std::string& role : reference.scalars) {
    require_inputs(inputs.scalars.contains(role),
                   fmt::format("{} needs the number '{}'", reference.name, role));
  }
  return reference.compute(inputs);
}

}  // namespace spyre::runtime
