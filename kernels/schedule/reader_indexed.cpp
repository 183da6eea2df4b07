// gather and scatter of tensors with strides: numbers out of tables move the tile's elements.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/schedule/reader_parts.h"

namespace spyre::kernels {

using models::MapReader;

namespace {

constexpr std::size_t kMaxIndexed = 3;
constexpr std::size_t kMaxTileDims = models::MemoryTile::kMaxDimensions + 1;  // and the columns
constexpr std::int64_t kMaxTileSize = std::int64_t{1} << 31;

/// Strides along the tile's dims.
std::vector<std::int64_t> read_distances(MapReader& map, const std::string& key,
                                         const TransferStatement& statement, ReadContext& context) {
  const YAML::Node node = map.required(key);
  const std::size_t rank = statement.tile_dims.size();
  std::vector<std::int64_t> distances =
      read_integers(node, map.name_of(key), {rank, rank, 0, kMaxElements}, context);
  if (span_of(statement.tile_dims, distances) > kMaxElements) {
    context.error(node, "limit",
                  fmt::format("'{}' spans more than 2^48 elements", map.name_of(key)));
  }
  return distances;
}

void read_tile(MapReader& outer, TransferStatement& statement, ReadContext& context) {
  const YAML::Node node = outer.required("tile");
  MapReader map(node, outer.name_of("tile"), context.sink);
  if (!node.IsDefined() || !map.valid()) return;
  const YAML::Node dims = map.required("dims");
  statement.tile_dims =
      read_integers(dims, map.name_of("dims"), {1, kMaxTileDims, 1, kMaxTileSize}, context);
  if (dims.IsDefined() && !is_small_enough(statement.tile_dims, 1)) {
    context.error(dims, "limit",
                  fmt::format("'{}' has more than 2^48 elements", map.name_of("dims")));
  }
  statement.tile_strides = read_distances(map, "strides", statement, context);
  map.finish();
}

/// The table that an entry of `indexed` names; int32, with strides, in DRAM.
const Tensor* read_table(MapReader& map, IndexedDim& indexed, ReadContext& context) {
  const YAML::Node node = map.required("table");
  if (!node.IsDefined()) return nullptr;
  const auto found = look_up(node, "tensor", context.tensor_names, context);
  if (!found) return nullptr;
  const Tensor& table = context.schedule.tensors[*found];
  indexed.table = table.name;
  if (table.type != DataType::int32) {
    context.error(node, "index-type",
                  fmt::format("'{}' names '{}', which is {}: indices must be int32",
                              map.name_of("table"), table.name, models::to_string(table.type)));
  }
  if (table.strides.empty()) {
    context.error(node, "layout",
                  fmt::format("'{}' names '{}', which has a layout: give it strides",
                              map.name_of("table"), table.name));
  }
  if (table.lx_core) {
    context.error(node, "lx-core",
                  fmt::format("'{}' names '{}', which lies in LX: indices are read from DRAM",
                              map.name_of("table"), table.name));
  }
  return &table;
}

IndexedDim read_entry(const YAML::Node& node, const std::string& name, const Tensor& tensor,
                      const TransferStatement& statement, KernelScope& scope,
                      ReadContext& context) {
  IndexedDim indexed;
  indexed.position = context.sink.position(node.Mark());
  MapReader map(node, name, context.sink);
  if (!map.valid()) return indexed;
  const auto highest = static_cast<std::int64_t>(tensor.shape.size()) - 1;
  indexed.dim = static_cast<std::size_t>(map.integer("dim", 0, std::max<std::int64_t>(highest, 0)));
  const Tensor* table = read_table(map, indexed, context);
  if (const auto at = map.optional("at")) {
    std::optional<std::size_t> rank;
    if (table != nullptr) rank = table->shape.size();
    indexed.at =
        read_expressions(*at, map.name_of("at"), rank,
                         fmt::format("the tensor '{}'", indexed.table), scope.variables, context);
  }
  indexed.along = read_distances(map, "along", statement, context);
  map.finish();
  return indexed;
}

}  // namespace

void read_indexed(MapReader& map, const Tensor& tensor, KernelScope& scope,
                  TransferStatement& statement, ReadContext& context) {
  if (const auto index = map.optional("index")) {
    context.error(
        *index, "layout",
        fmt::format("'{}' has strides: use 'tile' and 'indexed' instead of 'index'", tensor.name));
  }
  if (!statement.remote.size.empty()) {
    context.error(
        *map.optional("size"), "arity",
        fmt::format("'{}' is the size of 'tile' here: leave it out", map.name_of("size")));
  }
  read_tile(map, statement, context);
  const YAML::Node list = map.required("indexed");
  if (!list.IsDefined()) return;
  const std::string name = map.name_of("indexed");
  if (!list.IsSequence() || list.size() < 1 || list.size() > kMaxIndexed) {
    context.error(list, "arity",
                  fmt::format("'{}' must be a list of 1 to {} indexed dims", name, kMaxIndexed));
    return;
  }
  for (const YAML::Node& node : list) {
    statement.indexed.push_back(read_entry(node, name, tensor, statement, scope, context));
    const std::size_t dim = statement.indexed.back().dim;
    const auto same = [dim](const IndexedDim& other) { return other.dim == dim; };
    if (std::count_if(statement.indexed.begin(), statement.indexed.end(), same) > 1) {
      context.error(node, "name-taken", fmt::format("'{}' names dim {} twice", name, dim));
    }
  }
}

}  // namespace spyre::kernels
