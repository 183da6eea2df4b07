#include <fmt/format.h>

#include <algorithm>

#include "kernels/schedule/reader_parts.h"

namespace spyre::kernels {

using models::MapReader;
using models::Opcode;

namespace {

/// `at` and `size`, one expression per dim each.
void read_rectangle(MapReader& map, std::optional<std::size_t> dims, const std::string& of,
                    const VariableScope& variables, std::vector<Expression>& at,
                    std::vector<Expression>& size, ReadContext& context) {
  if (const auto node = map.optional("at")) {
    at = read_expressions(*node, map.name_of("at"), dims, of, variables, context);
  }
  if (const auto node = map.optional("size")) {
    size = read_expressions(*node, map.name_of("size"), dims, of, variables, context);
  }
}

/// Looks a tensor up; its rank is known if it is found.
std::optional<std::size_t> look_up_tensor(const YAML::Node& node, TensorTile& tile,
                                          ReadContext& context) {
  if (!node.IsDefined()) return std::nullopt;
  tile.position = context.sink.position(node.Mark());
  const auto index = look_up(node, "tensor", context.tensor_names, context);
  if (!index) return std::nullopt;
  tile.tensor = context.tensor_names[*index];
  return index;
}

TensorTile read_index_tile(const YAML::Node& node, const std::string& name, KernelScope& scope,
                           ReadContext& context) {
  TensorTile tile;
  if (!node.IsDefined()) return tile;
  std::optional<std::size_t> tensor;
  if (node.IsMap()) {
    MapReader map(node, name, context.sink);
    tensor = look_up_tensor(map.required("tensor"), tile, context);
    std::optional<std::size_t> rank;
    if (tensor) rank = context.schedule.tensors[*tensor].shape.size();
    read_rectangle(map, rank, fmt::format("the tensor '{}'", tile.tensor), scope.variables, tile.at,
                   tile.size, context);
    map.finish();
  } else {
    tensor = look_up_tensor(node, tile, context);
  }
  if (tensor) {
    const DataType type = context.schedule.tensors[*tensor].type;
    if (!context.schedule.tensors[*tensor].strides.empty()) {
      context.error(node, "layout",
                    fmt::format("'{}' names '{}', which has strides: only 'indexed' reads such "
                                "indices",
                                name, tile.tensor));
    }
    if (type != DataType::int32) {
      context.error(node, "index-type",
                    fmt::format("'{}' names '{}', which is {}: indices must be int32", name,
                                tile.tensor, models::to_string(type)));
    }
  }
  return tile;
}

/// Without `size`, a tile's rows and columns are the buffer's: a tensor of one dim has room for one
/// row only.
void check_default_size(const YAML::Node& node, const TransferStatement& statement,
                        std::size_t tensor_rank, const KernelScope& scope, ReadContext& context) {
  const auto found =
      std::find(scope.buffer_names.begin(), scope.buffer_names.end(), statement.local.buffer);
  if (found == scope.buffer_names.end() || !statement.remote.size.empty() ||
      !statement.local.size.empty()) {
    return;
  }
  const Buffer& buffer =
      *scope.buffers[static_cast<std::size_t>(found - scope.buffer_names.begin())];
  const bool has_rows = buffer.shape.size() == 2 && buffer.shape[0] > 1;
  const bool by_index = statement.opcode == Opcode::gather || statement.opcode == Opcode::scatter;
  if (tensor_rank == 1 && has_rows && !by_index) {
    context.error(
        node, "arity",
        fmt::format("the tensor '{}' has one dim and the buffer '{}' {} rows: give 'size'",
                    statement.remote.tensor, buffer.name, buffer.shape[0]));
  }
}

std::vector<std::string> optional_dims(MapReader& map, const std::string& key,
                                       const KernelScope& scope, ReadContext& context) {
  const auto node = map.optional(key);
  if (!node) return {};
  return read_names_of(*node, map.name_of(key), "grid dim", scope.grid_dims, context);
}

/// `over`: grid dims, or the kernel's own groups by their name, which then stands alone.
std::vector<std::string> optional_group(MapReader& map, const KernelScope& scope,
                                        ReadContext& context) {
  const auto node = map.optional("over");
  if (!node) return {};
  if (scope.group_names.empty()) return optional_dims(map, "over", scope, context);
  std::vector<std::string> known = scope.grid_dims;
  known.insert(known.end(), scope.group_names.begin(), scope.group_names.end());
  const std::string name = map.name_of("over");
  std::vector<std::string> names = read_names_of(*node, name, "grid dim or group", known, context);
  for (const std::string& group : scope.group_names) {
    if (names.size() < 2 || std::find(names.begin(), names.end(), group) == names.end()) continue;
    context.error(
        *node, "arity",
        fmt::format("'{}' must name '{}' alone: it is a group of cores already", name, group));
  }
  return names;
}

Expression required_expression(MapReader& map, const std::string& key, const KernelScope& scope,
                               ReadContext& context) {
  const YAML::Node node = map.required(key);
  if (!node.IsDefined()) return Expression(0);
  return read_expression(node, map.name_of(key), scope.variables, context);
}

}  // namespace

BufferTile buffer_operand(MapReader& map, const std::string& key, KernelScope& scope,
                          ReadContext& context) {
  const YAML::Node node = map.required(key);
  return node.IsDefined() ? read_buffer_tile(node, map.name_of(key), scope, context) : BufferTile{};
}

std::optional<Expression> optional_expression(MapReader& map, const std::string& key,
                                              const KernelScope& scope, ReadContext& context) {
  const auto node = map.optional(key);
  if (!node) return std::nullopt;
  return read_expression(*node, map.name_of(key), scope.variables, context);
}

BufferTile read_buffer_tile(const YAML::Node& node, const std::string& name, KernelScope& scope,
                            ReadContext& context) {
  BufferTile tile;
  tile.position = context.sink.position(node.Mark());
  const bool is_map = node.IsMap();
  if (!is_map) {
    const auto index = look_up(node, "buffer", scope.buffer_names, context);
    if (index) tile.buffer = scope.buffer_names[*index];
    return tile;
  }
  MapReader map(node, name, context.sink);
  const YAML::Node buffer = map.required("buffer");
  std::optional<std::size_t> dims;
  if (buffer.IsDefined()) {
    if (const auto index = look_up(buffer, "buffer", scope.buffer_names, context)) {
      tile.buffer = scope.buffer_names[*index];
      dims = scope.buffers[*index]->shape.size();
    }
  }
  read_rectangle(map, dims, fmt::format("the buffer '{}'", tile.buffer), scope.variables, tile.at,
                 tile.size, context);
  map.finish();
  return tile;
}

namespace {

/// What only tensors with strides have, and what those in LX do not have.
void read_strided(MapReader& map, const YAML::Node& node, const Tensor& tensor, KernelScope& scope,
                  TransferStatement& statement, ReadContext& context) {
  if (const auto offset = map.optional("offset")) {
    statement.remote.offset =
        read_expression(*offset, map.name_of("offset"), scope.variables, context);
    if (tensor.strides.empty()) {
      context.error(*offset, "layout",
                    fmt::format("'{}' is for tensors with strides: '{}' has a layout",
                                map.name_of("offset"), tensor.name));
    }
  }
  const bool plain = statement.opcode == Opcode::load || statement.opcode == Opcode::store;
  if (tensor.lx_core && (!plain || !statement.share.empty())) {
    context.error(
        node, "lx-core",
        fmt::format("'{}' lies in the LX of core {}: it is loaded and stored only, {}", tensor.name,
                    *tensor.lx_core, plain ? "by each core for itself" : "not by index"));
  }
}

}  // namespace

TransferStatement read_transfer(Opcode opcode, MapReader& map, KernelScope& scope,
                                ReadContext& context) {
  TransferStatement statement;
  statement.opcode = opcode;
  const bool reads_dram = opcode == Opcode::load || opcode == Opcode::gather;
  statement.local = buffer_operand(map, reads_dram ? "into" : "from", scope, context);
  const YAML::Node tensor_node = map.required(reads_dram ? "from" : "to");
  const auto found = look_up_tensor(tensor_node, statement.remote, context);
  const Tensor* tensor = found ? &context.schedule.tensors[*found] : nullptr;
  std::optional<std::size_t> rank;
  if (tensor != nullptr) rank = tensor->shape.size();
  read_rectangle(map, rank, fmt::format("the tensor '{}'", statement.remote.tensor),
                 scope.variables, statement.remote.at, statement.remote.size, context);
  const bool by_index = opcode == Opcode::gather || opcode == Opcode::scatter;
  if (by_index && tensor != nullptr && !tensor->strides.empty()) {
    read_indexed(map, *tensor, scope, statement, context);
  } else if (by_index) {
    statement.index = read_index_tile(map.required("index"), map.name_of("index"), scope, context);
  }
  if (opcode == Opcode::load) statement.share = optional_dims(map, "share", scope, context);
  if (tensor == nullptr) return statement;
  read_strided(map, tensor_node, *tensor, scope, statement, context);
  check_default_size(tensor_node, statement, *rank, scope, context);
  return statement;
}

MatmulStatement read_matmul(MapReader& map, KernelScope& scope, ReadContext& context) {
  MatmulStatement statement;
  statement.into = buffer_operand(map, "into", scope, context);
  statement.a = buffer_operand(map, "a", scope, context);
  statement.b = buffer_operand(map, "b", scope, context);
  statement.accumulate = optional_expression(map, "accumulate", scope, context);
  if (map.has("corelets")) {
    statement.corelets = map.integer("corelets", 1, context.machine.cores.corelets);
  }
  return statement;
}

RingStatement read_ring(Opcode opcode, MapReader& map, KernelScope& scope, ReadContext& context) {
  RingStatement statement;
  statement.opcode = opcode;
  if (opcode != Opcode::receive) statement.from = buffer_operand(map, "from", scope, context);
  statement.into = buffer_operand(map, "into", scope, context);
  if (opcode == Opcode::send) statement.to = required_expression(map, "to", scope, context);
  if (opcode == Opcode::multicast || opcode == Opcode::reduce) {
    statement.over = optional_group(map, scope, context);
  }
  if (opcode == Opcode::receive) {
    statement.count = optional_expression(map, "count", scope, context);
  }
  return statement;
}

SyncStatement read_sync(Opcode opcode, MapReader& map, KernelScope& scope, ReadContext& context) {
  SyncStatement statement;
  statement.opcode = opcode;
  if (opcode == Opcode::barrier) return statement;
  const YAML::Node semaphore = map.required("semaphore");
  if (semaphore.IsDefined()) {
    if (const auto name = scalar_text(semaphore, "the name of a semaphore", context)) {
      statement.semaphore = *name;
      if (!is_object_name(*name)) {
        context.error(semaphore, "name-syntax", fmt::format("'{}' cannot name a semaphore", *name));
      } else if (opcode == Opcode::wait) {
        scope.waited.push_back(semaphore);
      } else if (std::find(scope.signalled.begin(), scope.signalled.end(), *name) ==
                 scope.signalled.end()) {
        scope.signalled.push_back(*name);
      }
    }
  }
  if (opcode == Opcode::wait) {
    statement.count = optional_expression(map, "count", scope, context);
    return statement;
  }
  const bool has_over = map.has("over");
  statement.to = optional_expression(map, "to", scope, context);
  statement.over = optional_group(map, scope, context);
  if (statement.to.has_value() == has_over) {
    context.sink.error(context.sink.position(map.mark()),
                       "'signal' needs either 'to' (one core) or 'over' (the cores of a group)",
                       "arity");
  }
  return statement;
}

}  // namespace spyre::kernels
