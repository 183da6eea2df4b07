// Where tensors lie in DRAM and buffers in LX.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/schedule/schedule.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

struct Placement {
  std::vector<std::uint64_t> tensor_address;               ///< by index in Schedule::tensors
  std::vector<std::uint64_t> tensor_bytes;                 ///< with stick padding
  std::vector<std::uint32_t> resident_address;             ///< by index in Schedule::resident
  std::vector<std::vector<std::uint32_t>> buffer_address;  ///< by kernel, by buffer: slot 0; slots
                                                           ///< follow at buffer_stride
  std::vector<std::vector<std::uint32_t>> buffer_stride;   ///< bytes per slot, whole sticks
  std::vector<std::uint32_t> resident_bytes;               ///< bytes of one slot
  std::uint64_t dram_end = 0;                              ///< first byte above every tensor
  std::vector<std::uint32_t> lx_end;  ///< by kernel: first LX byte above its buffers
};

/// Bytes of one slot of a buffer: rows x whole sticks.
[[nodiscard]] std::uint64_t slot_bytes(const Buffer& buffer, const models::Machine& machine);
/// Bytes of a tensor in DRAM, the stick dimension padded.
[[nodiscard]] std::uint64_t device_bytes(const Tensor& tensor, const models::Machine& machine);

/// Places everything that has no address: tensors in file order from DRAM address 0, each aligned
/// to 4096 B; resident buffers from LX address 0, kernel buffers above them, each aligned to a
/// stick. Only places: whether it fits is the checker's question.
[[nodiscard]] Placement place(const Schedule& schedule, const models::Machine& machine);

}  // namespace spyre::kernels
