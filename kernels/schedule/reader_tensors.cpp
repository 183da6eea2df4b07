#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "kernels/schedule/layout.h"
#include "kernels/schedule/reader_parts.h"

namespace spyre::kernels {
namespace {

// Sizes beyond this many elements are no tensor of any card, and keep every product of sizes inside
// 64 bits.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 48;

/// Whether the padded tensor stays below kMaxElements: every stick counts whole, so does every row
/// of one element.
bool is_small_enough(const std::vector<std::int64_t>& shape, std::int64_t per_stick) {
  std::int64_t product = per_stick;
  for (const std::int64_t size : shape) {
    if (size > kMaxElements / product) return false;
    product *= size;
  }
  return true;
}

void check_object_name(const YAML::Node& key, std::string_view what, ReadContext& context) {
  if (is_object_name(key.Scalar())) return;
  context.error(key, "name-syntax",
                fmt::format("'{}' cannot name a {}: use letters, digits, '_', '.', '-' and '/', a "
                            "letter or '_' first",
                            key.Scalar(), what));
}

TensorKind read_kind(models::MapReader& map, ReadContext& context) {
  const std::optional<YAML::Node> node = map.optional("kind");
  if (!node) return TensorKind::activation;
  static constexpr std::array kKinds{TensorKind::weight,    TensorKind::kv_cache,
                                     TensorKind::embedding, TensorKind::activation,
                                     TensorKind::constant,  TensorKind::index};
  std::vector<std::string> known;
  for (const TensorKind kind : kKinds) known.emplace_back(to_string(kind));
  const std::optional<std::size_t> index = look_up(*node, "kind", known, context);
  return index ? kKinds[*index] : TensorKind::activation;
}

void read_dims(models::MapReader& map, Tensor& tensor, ReadContext& context) {
  const std::optional<YAML::Node> node = map.optional("dims");
  if (node && node->IsSequence() && node->size() == tensor.shape.size()) {
    for (const YAML::Node& entry : *node) {
      const std::optional<std::string> name = scalar_text(entry, "the name of a dim", context);
      if (name && !is_variable_name(*name)) {
        context.error(
            entry, "name-syntax",
            fmt::format("'{}' cannot name a dim: use letters, digits and '_', no digit first",
                        *name));
      } else if (name &&
                 std::find(tensor.dims.begin(), tensor.dims.end(), *name) != tensor.dims.end()) {
        context.error(entry, "name-taken", fmt::format("two dims are called '{}'", *name));
      }
      tensor.dims.push_back(name.value_or(""));
    }
    return;
  }
  if (node && !tensor.shape.empty()) {
    context.error(*node, "arity",
                  fmt::format("'{}' must list one name per dim of the shape: {}",
                              map.name_of("dims"), tensor.shape.size()));
  }
  for (std::size_t i = 0; i < tensor.shape.size(); ++i)
    tensor.dims.push_back(fmt::format("d{}", i));
}

/// The layout that would be right for this tensor, for messages.
std::string default_layout_text(const Tensor& tensor, std::int64_t per_stick) {
  std::vector<std::string> entries;
  for (const LayoutDim& entry : default_layout(tensor.dims.size(), per_stick)) {
    entries.push_back(entry.tile == 1 ? tensor.dims[entry.dim]
                                      : fmt::format("{}/{}", tensor.dims[entry.dim], entry.tile));
  }
  return fmt::format("[{}, {}]", fmt::join(entries, ", "), per_stick);
}

/// One entry but the last: "k" or "n/64". False after reporting a fault.
bool read_layout_entry(const YAML::Node& node, std::int64_t per_stick, Tensor& tensor,
                       std::vector<bool>& placed, ReadContext& context) {
  const std::optional<std::string> text = scalar_text(node, "an entry of the layout", context);
  if (!text) return false;
  const std::size_t slash = text->find('/');
  const std::string name = text->substr(0, slash);
  const auto found = std::find(tensor.dims.begin(), tensor.dims.end(), name);
  if (found == tensor.dims.end()) {
    context.error(node, "unknown-name",
                  fmt::format("unknown dim '{}'{}", name, suggestion(name, tensor.dims)));
    return false;
  }
  const auto dim = static_cast<std::size_t>(found - tensor.dims.begin());
  if (placed[dim]) {
    context.error(node, "layout", fmt::format("the dim '{}' stands twice in the layout", name));
    return false;
  }
  placed[dim] = true;
  LayoutDim entry{dim, 1};
  if (slash != std::string::npos) {
    if (text->substr(slash + 1) != std::to_string(per_stick)) {
      context.error(node, "layout",
                    fmt::format("'{}' cuts '{}' by other than a stick: one stick holds {} elements "
                                "of {}",
                                *text, name, per_stick, models::to_string(tensor.type)));
      return false;
    }
    entry.tile = per_stick;
  }
  tensor.layout.push_back(entry);
  return true;
}

void read_layout(models::MapReader& map, Tensor& tensor, ReadContext& context) {
  const std::size_t rank = tensor.shape.size();
  const std::int64_t per_stick = elements_per_stick(tensor.type, context.machine);
  const std::optional<YAML::Node> node = map.optional("layout");
  if (!node || rank == 0) {
    tensor.layout = default_layout(rank, per_stick);
    tensor.stick_dim = rank == 0 ? 0 : rank - 1;
    return;
  }
  if (!node->IsSequence() || node->size() != rank + 1) {
    context.error(*node, "layout",
                  fmt::format("'{}' must list every dim once and then one stick, as in {}",
                              map.name_of("layout"), default_layout_text(tensor, per_stick)));
    return;
  }
  std::vector<bool> placed(rank, false);
  bool clean = true;
  for (std::size_t i = 0; i < rank; ++i) {
    clean = read_layout_entry((*node)[i], per_stick, tensor, placed, context) && clean;
  }
  const YAML::Node last = (*node)[rank];
  if (!last.IsScalar() || last.Scalar() != std::to_string(per_stick)) {
    context.error(last, "layout",
                  fmt::format("the last entry of '{}' must be one stick: {} elements of {}",
                              map.name_of("layout"), per_stick, models::to_string(tensor.type)));
  }
  if (!clean) return;
  const auto is_stick = [](const LayoutDim& entry) { return entry.tile != 1; };
  if (std::count_if(tensor.layout.begin(), tensor.layout.end(), is_stick) != 1) {
    context.error(*node, "layout",
                  fmt::format("exactly one dim of '{}' must be cut into sticks, as in {}",
                              map.name_of("layout"), default_layout_text(tensor, per_stick)));
    return;
  }
  tensor.stick_dim = std::find_if(tensor.layout.begin(), tensor.layout.end(), is_stick)->dim;
}

std::optional<std::int64_t> read_address(models::MapReader& map, std::int64_t limit,
                                         ReadContext& context) {
  const std::optional<YAML::Node> node = map.optional("address");
  if (!node) return std::nullopt;
  const auto address =
      models::scalar_integer(*node, map.name_of("address"), 0, limit, context.sink);
  const std::int64_t stick = context.machine.limits.stick_bytes;
  if (address && *address % stick != 0) {
    context.error(*node, "alignment",
                  fmt::format("'{}' is {}: it must be a multiple of {}, the bytes of a stick",
                              map.name_of("address"), *address, stick));
  }
  return address;
}

void read_values(models::MapReader& map, Tensor& tensor, ReadContext& context) {
  const std::optional<YAML::Node> node = map.optional("values");
  if (!node) return;
  const std::string name = map.name_of("values");
  if (tensor.kind != TensorKind::index) {
    context.error(*node, "values",
                  fmt::format("'{}' is for tensors of kind index only, and this one is {}", name,
                              to_string(tensor.kind)));
    return;
  }
  std::int64_t elements = tensor.shape.empty() ? 0 : 1;
  for (const std::int64_t size : tensor.shape) elements *= size;
  if (!node->IsSequence() || node->size() != static_cast<std::size_t>(elements)) {
    context.error(
        *node, "values",
        fmt::format("'{}' must list one index per element of the shape: {}", name, elements));
    return;
  }
  context.index_values += node->size();
  if (context.index_values > kMaxIndexValues) {
    context.error(*node, "limit",
                  fmt::format("a schedule may hold at most {} index values", kMaxIndexValues));
    return;
  }
  const std::int64_t bits = models::bits(tensor.type);
  const std::int64_t high = (std::int64_t{1} << (bits - 1)) - 1;
  tensor.values.reserve(node->size());
  for (const YAML::Node& entry : *node) {
    tensor.values.push_back(
        models::scalar_integer(entry, name, -high - 1, high, context.sink).value_or(0));
  }
}

Tensor read_tensor(const YAML::Node& key, const YAML::Node& node, ReadContext& context) {
  Tensor tensor;
  tensor.name = key.Scalar();
  tensor.position = context.sink.position(key.Mark());
  check_object_name(key, "tensor", context);
  models::MapReader map(node, "tensors." + tensor.name, context.sink);
  if (!map.valid()) return tensor;
  tensor.type = read_data_type(map, context);
  tensor.kind = read_kind(map, context);
  tensor.shape = read_shape(map, kMaxTensorRank, context);
  const std::int64_t per_stick = elements_per_stick(tensor.type, context.machine);
  if (!is_small_enough(tensor.shape, per_stick)) {
    context.error(node, "limit",
                  fmt::format("'tensors.{}.shape' has more than 2^48 elements", tensor.name));
    tensor.shape.assign(tensor.shape.size(), 1);
  }
  read_dims(map, tensor, context);
  read_layout(map, tensor, context);
  if (const auto address = read_address(map, kMaxElements, context)) {
    tensor.address = static_cast<std::uint64_t>(*address);
  }
  read_values(map, tensor, context);
  map.finish();
  return tensor;
}

Buffer read_buffer(const YAML::Node& key, const YAML::Node& node, const std::string& path,
                   ReadContext& context) {
  Buffer buffer;
  buffer.name = key.Scalar();
  buffer.position = context.sink.position(key.Mark());
  check_object_name(key, "buffer", context);
  models::MapReader map(node, path + "." + buffer.name, context.sink);
  if (!map.valid()) return buffer;
  buffer.type = read_data_type(map, context);
  buffer.shape = read_shape(map, 2, context);
  const std::int64_t per_stick = elements_per_stick(buffer.type, context.machine);
  buffer.slots = map.integer_or("slots", 1, 1, kMaxSlots);
  if (!is_small_enough(buffer.shape, per_stick * buffer.slots)) {
    context.error(node, "limit",
                  fmt::format("'{}' has more than 2^48 elements", map.name_of("shape")));
    buffer.shape.assign(buffer.shape.size(), 1);
  }
  constexpr std::int64_t kHighest = std::numeric_limits<std::uint32_t>::max();
  if (const auto address = read_address(map, kHighest, context)) {
    buffer.address = static_cast<std::uint32_t>(*address);
  }
  map.finish();
  return buffer;
}

}  // namespace

void read_tensors(const YAML::Node& node, ReadContext& context) {
  each_entry(node, "tensors", context, [&](const YAML::Node& key, const YAML::Node& value) {
    if (context.schedule.tensors.size() == kMaxTensors) {
      context.error(key, "limit",
                    fmt::format("a schedule may have at most {} tensors", kMaxTensors));
    }
    if (context.schedule.tensors.size() >= kMaxTensors) return;
    context.schedule.tensors.push_back(read_tensor(key, value, context));
    context.tensor_names.push_back(key.Scalar());
  });
}

std::vector<Buffer> read_buffers(const YAML::Node& node, const std::string& path,
                                 const std::vector<std::string>& taken, ReadContext& context) {
  std::vector<Buffer> buffers;
  std::int64_t slots = 0;
  each_entry(node, path, context, [&](const YAML::Node& key, const YAML::Node& value) {
    if (std::find(taken.begin(), taken.end(), key.Scalar()) != taken.end()) {
      context.error(
          key, "name-taken",
          fmt::format("'{}' is a resident buffer already: rename one of them", key.Scalar()));
    }
    buffers.push_back(read_buffer(key, value, path, context));
    slots += buffers.back().slots;
  });
  if (slots > kMaxSlots) {
    context.error(
        node, "limit",
        fmt::format("'{}' has {} slots: at most {} can be told apart", path, slots, kMaxSlots));
  }
  return buffers;
}

}  // namespace spyre::kernels
