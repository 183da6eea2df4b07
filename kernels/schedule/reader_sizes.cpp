// Lists of sizes and strides, and how much they add up to.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/schedule/reader_fields.h"

namespace spyre::kernels {

std::vector<std::int64_t> read_shape(models::MapReader& map, std::size_t max_rank,
                                     ReadContext& context) {
  const YAML::Node node = map.required("shape");
  if (!node.IsDefined()) return {};
  const std::string name = map.name_of("shape");
  if (!node.IsSequence() || node.size() < 1 || node.size() > max_rank) {
    context.error(node, "arity",
                  fmt::format("'{}' must be a list of 1 to {} sizes", name, max_rank));
    return {};
  }
  std::vector<std::int64_t> shape;
  for (const YAML::Node& entry : node) {
    constexpr std::int64_t kMaxSize = std::numeric_limits<std::int32_t>::max();
    shape.push_back(models::scalar_integer(entry, name, 1, kMaxSize, context.sink).value_or(1));
  }
  return shape;
}

std::vector<std::int64_t> read_integers(const YAML::Node& node, const std::string& name,
                                        const ListLimits& limits, ReadContext& context) {
  if (!node.IsDefined()) return {};
  const bool fixed = limits.least == limits.most;
  const std::int64_t fallback = std::clamp<std::int64_t>(0, limits.low, limits.high);
  if (!node.IsSequence() || node.size() < limits.least || node.size() > limits.most) {
    const std::string count =
        fixed ? fmt::format("{}", limits.most) : fmt::format("{} to {}", limits.least, limits.most);
    context.error(node, "arity",
                  fmt::format("'{}' must be a list of {} whole number{}", name, count,
                              limits.most == 1 ? "" : "s"));
    return std::vector<std::int64_t>(limits.least, fallback);
  }
  std::vector<std::int64_t> numbers;
  for (const YAML::Node& entry : node) {
    numbers.push_back(models::scalar_integer(entry, name, limits.low, limits.high, context.sink)
                          .value_or(fallback));
  }
  return numbers;
}

bool is_small_enough(const std::vector<std::int64_t>& shape, std::int64_t per_stick) {
  std::int64_t product = per_stick;
  for (const std::int64_t size : shape) {
    if (size > kMaxElements / product) return false;
    product *= size;
  }
  return true;
}

std::int64_t span_of(const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides) {
  std::int64_t span = 0;
  for (std::size_t i = 0; i < std::min(sizes.size(), strides.size()); ++i) {
    const std::int64_t stride = strides[i] < 0 ? -strides[i] : strides[i];
    const std::int64_t steps = sizes[i] - 1;
    if (stride != 0 && steps > (kMaxElements - span) / stride) return kMaxElements + 1;
    span += steps * stride;
  }
  return span;
}

}  // namespace spyre::kernels
