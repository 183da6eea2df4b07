#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "kernels/schedule/layout.h"
#include "kernels/schedule/reader_parts.h"

namespace spyre::kernels {
namespace {

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

/// A tensor without a device layout. Its columns are the last dim.
void read_strides(const YAML::Node& node, models::MapReader& map, Tensor& tensor,
                  ReadContext& context) {
  const std::size_t rank = tensor.shape.size();
  if (const auto layout = map.optional("layout")) {
    context.error(*layout, "layout", "a tensor has either 'strides' or a 'layout'");
  }
  if (models::bits(tensor.type) < 8) {
    context.error(node, "layout",
                  fmt::format("elements of {} are no whole bytes: they have no strides",
                              models::to_string(tensor.type)));
  }
  if (rank == 0) return;  // no shape: reported
  tensor.stick_dim = rank - 1;
  tensor.strides =
      read_integers(node, map.name_of("strides"), {rank, rank, 0, kMaxElements}, context);
  if (span_of(tensor.shape, tensor.strides) > kMaxElements) {
    context.error(node, "limit",
                  fmt::format("'tensors.{}' spans more than 2^48 elements", tensor.name));
  }
}

/// LX is addressed, not placed: what lies there is where its core's program has put it.
void read_lx_core(models::MapReader& map, Tensor& tensor, ReadContext& context) {
  const std::optional<YAML::Node> node = map.optional("lx_core");
  if (!node) return;
  const std::int64_t cores = std::min(context.machine.cores.count, models::kMaxCores);
  tensor.lx_core =
      models::scalar_integer(*node, map.name_of("lx_core"), 0, cores - 1, context.sink);
  if (!map.has("strides") || !map.has("address")) {
    context.error(*node, "lx-core",
                  fmt::format("'{}' needs 'strides' and an 'address', a byte of that core's LX",
                              map.name_of("lx_core")));
  }
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
  const auto strides = map.optional("strides");
  if (strides) {
    read_strides(*strides, map, tensor, context);
  } else {
    read_layout(map, tensor, context);
  }
  read_lx_core(map, tensor, context);
  const AddressUnit unit = strides ? AddressUnit{models::bytes_of(tensor.type, 1), "an element"}
                                   : AddressUnit{context.machine.limits.stick_bytes, "a stick"};
  if (const auto address = read_address(map, kMaxElements, unit, context)) {
    tensor.address = static_cast<std::uint64_t>(*address);
  }
  read_values(map, tensor, context);
  map.finish();
  return tensor;
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

}  // namespace spyre::kernels
