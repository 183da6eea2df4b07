#include "runtime/tensor_io.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/schedule/tile_geometry.h"
#include "models/data/memory_copy.h"
#include "models/diagnostics/nearest_name.h"

namespace spyre::runtime {
namespace {

std::size_t dense_bytes_of(const kernels::Tensor& tensor) {
  std::int64_t elements = 1;
  for (const std::int64_t size : tensor.shape) elements *= size;
  return static_cast<std::size_t>(models::bytes_of(tensor.type, elements));
}

/// A tile's columns run along the stick dim: where that is not the array's last dim, elements
/// change places. Calls move(place in the tile, place in the array) for each, in bytes.
template <typename Move>
void for_each_place(const kernels::Tensor& tensor, const kernels::TensorGeometry& geometry,
                    Move move) {
  const std::size_t element = static_cast<std::size_t>(models::bytes_of(tensor.type, 1));
  std::size_t before = 1;
  std::size_t behind = 1;
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
    if (dim < geometry.stick_dim) before *= static_cast<std::size_t>(tensor.shape[dim]);
    if (dim > geometry.stick_dim) behind *= static_cast<std::size_t>(tensor.shape[dim]);
  }
  const auto columns = static_cast<std::size_t>(tensor.shape[geometry.stick_dim]);
  for (std::size_t i = 0; i < before; ++i) {
    for (std::size_t k = 0; k < behind; ++k) {
      for (std::size_t c = 0; c < columns; ++c) {
        move(((i * behind + k) * columns + c) * element, ((i * columns + c) * behind + k) * element,
             element);
      }
    }
  }
}

}  // namespace

TensorAccess::TensorAccess(const kernels::Schedule& schedule, const models::Machine& machine,
                           models::DramStore& dram)
    : schedule_(schedule),
      machine_(machine),
      dram_(dram),
      placement_(kernels::place(schedule, machine)) {}

std::size_t TensorAccess::index_of(const std::string& name) const {
  std::vector<std::string> names;
  for (const kernels::Tensor& tensor : schedule_.tensors) names.push_back(tensor.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const auto nearest = models::nearest_name(name, names);
  throw models::InputError(
      fmt::format("the schedule has no tensor '{}'{}", name,
                  nearest ? fmt::format(": did you mean '{}'?", *nearest) : std::string()),
      {schedule_.file, 0, 0});
}

models::MemoryTile TensorAccess::whole(std::size_t tensor) const {
  const kernels::TensorGeometry geometry =
      kernels::geometry_of(schedule_.tensors[tensor], machine_);
  kernels::Rectangle all;
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) all.size[dim] = geometry.shape[dim];
  return kernels::memory_tile(geometry, placement_.tensor_address[tensor], all);
}

void TensorAccess::write(const std::string& name, std::span<const std::byte> bytes) {
  const std::size_t tensor = index_of(name);
  const std::size_t wanted = dense_bytes_of(schedule_.tensors[tensor]);
  if (bytes.size() != wanted) {
    throw models::InputError(
        fmt::format("the tensor '{}' has {} bytes, the array {}", name, wanted, bytes.size()),
        schedule_.tensors[tensor].position);
  }
  const kernels::TensorGeometry geometry =
      kernels::geometry_of(schedule_.tensors[tensor], machine_);
  std::vector<std::byte> ordered;
  if (geometry.stick_dim + 1 != geometry.rank) {
    ordered.resize(bytes.size());
    for_each_place(schedule_.tensors[tensor], geometry,
                   [&](std::size_t tile, std::size_t array, std::size_t count) {
                     std::copy_n(&bytes[array], count, &ordered[tile]);
                   });
    bytes = ordered;
  }
  models::write_dense(whole(tensor), schedule_.tensors[tensor].type, dram_, bytes);
}

std::vector<std::byte> TensorAccess::read(const std::string& name) const {
  const std::size_t tensor = index_of(name);
  std::vector<std::byte> bytes(dense_bytes_of(schedule_.tensors[tensor]));
  models::read_dense(whole(tensor), schedule_.tensors[tensor].type, dram_, bytes);
  const kernels::TensorGeometry geometry =
      kernels::geometry_of(schedule_.tensors[tensor], machine_);
  if (geometry.stick_dim + 1 == geometry.rank) return bytes;
  std::vector<std::byte> array_bytes(bytes.size());
  for_each_place(schedule_.tensors[tensor], geometry,
                 [&](std::size_t tile, std::size_t array, std::size_t count) {
                   std::copy_n(&bytes[tile], count, &array_bytes[array]);
                 });
  return array_bytes;
}

}  // namespace spyre::runtime
