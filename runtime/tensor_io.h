// A schedule's tensors as arrays of the host: into DRAM in their device layout, and back.
//
// A tensor's dims become rows and columns as a tile's do (kernels/schedule/tile_geometry.h); the
// host's array is row-major in the order of the tensor's dims.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernels/schedule/placement.h"
#include "kernels/schedule/schedule.h"
#include "models/data/dram_store.h"
#include "models/machine/machine.h"

namespace spyre::runtime {

class TensorAccess {
 public:
  /// All three must outlive it.
  TensorAccess(const kernels::Schedule& schedule, const models::Machine& machine,
               models::DramStore& dram);

  /// Dense bytes in the tensor's own type, row-major. Throws InputError for an unknown name or
  /// another number of bytes than the tensor has.
  void write(const std::string& tensor, std::span<const std::byte> bytes);
  [[nodiscard]] std::vector<std::byte> read(const std::string& tensor) const;

 private:
  [[nodiscard]] std::size_t index_of(const std::string& tensor) const;
  [[nodiscard]] models::MemoryTile whole(std::size_t tensor) const;

  const kernels::Schedule& schedule_;
  const models::Machine& machine_;
  models::DramStore& dram_;
  kernels::Placement placement_;
};

}  // namespace spyre::runtime
