#include "kernels/ktir/ir.h"

#include <algorithm>

namespace spyre::kernels::ktir {
namespace {

template <class List>
auto place_of(List& attributes, std::string_view name) {
  return std::lower_bound(attributes.begin(), attributes.end(), name,
                          [](const NamedAttribute& entry, std::string_view wanted) {
                            return entry.first.compare(wanted) < 0;
                          });
}

}  // namespace

AttributePtr find_attribute(const std::vector<NamedAttribute>& attributes, std::string_view name) {
  const auto place = place_of(attributes, name);
  return place != attributes.end() && place->first == name ? place->second : nullptr;
}

std::span<const ValueId> Operation::segment(std::size_t index) const {
  if (index >= segments.size()) return {};
  std::size_t start = 0;
  for (std::size_t i = 0; i < index; ++i) start += segments[i];
  return std::span(operands).subspan(start, segments[index]);
}

AttributePtr Operation::attribute(std::string_view name) const {
  return find_attribute(attributes, name);
}

void Operation::set(std::string_view name, AttributePtr value) {
  const auto place = place_of(attributes, name);
  if (place != attributes.end() && place->first == name) {
    place->second = std::move(value);
  } else {
    attributes.emplace(place, std::string(name), std::move(value));
  }
}

AttributePtr Function::attribute(std::string_view attribute_name) const {
  return find_attribute(attributes, attribute_name);
}

std::vector<std::int64_t> Function::grid() const {
  return integers_of(attribute("grid")).value_or(std::vector<std::int64_t>{});
}

std::int64_t Function::core_count() const {
  std::int64_t count = 1;
  for (const std::int64_t size : grid()) {
    if (size < 1 || __builtin_mul_overflow(count, size, &count)) return 1;
  }
  return count;
}

const Function* Module::function(std::string_view function_name) const {
  const auto found = std::ranges::find(functions, function_name, &Function::name);
  return found == functions.end() ? nullptr : &*found;
}

}  // namespace spyre::kernels::ktir
