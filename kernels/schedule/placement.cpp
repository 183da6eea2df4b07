#include "kernels/schedule/placement.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "kernels/schedule/tile_geometry.h"

namespace spyre::kernels {
namespace {

constexpr std::uint64_t kTensorAlignment = 4096;

struct Occupied {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Gives out ascending addresses that keep clear of the ranges that are already taken.
class BumpAllocator {
 public:
  BumpAllocator(std::uint64_t start, std::uint64_t alignment)
      : next_(start), alignment_(alignment) {}

  void keep_clear_of(Occupied range) {
    taken_.push_back(range);
    std::sort(taken_.begin(), taken_.end(),
              [](const Occupied& a, const Occupied& b) { return a.begin < b.begin; });
  }

  std::uint64_t allocate(std::uint64_t bytes) {
    std::uint64_t address = align(next_);
    for (const Occupied& range : taken_) {
      if (range.end > address && range.begin < address + bytes) address = align(range.end);
    }
    next_ = address + bytes;
    return address;
  }

 private:
  [[nodiscard]] std::uint64_t align(std::uint64_t address) const {
    return (address + alignment_ - 1) / alignment_ * alignment_;
  }

  std::uint64_t next_;
  std::uint64_t alignment_;
  std::vector<Occupied> taken_;
};

/// LX addresses are 32 bits wide in the instruction set; what lies beyond is over any LX and stays
/// at the top.
std::uint32_t saturate(std::uint64_t value) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

std::uint64_t all_slots(const Buffer& buffer, const models::Machine& machine) {
  return slot_bytes(buffer, machine) *
         static_cast<std::uint64_t>(std::max<std::int64_t>(buffer.slots, 1));
}

/// Where a kernel's buffers go. Those of one region go to one place, large enough for each of them.
class KernelBuffers {
 public:
  KernelBuffers(const Kernel& kernel, const models::Machine& machine) : machine_(machine) {
    for (const Buffer& buffer : kernel.buffers) {
      if (buffer.region.empty()) continue;
      Region& region = regions_[buffer.region];
      region.slot_bytes = std::max(region.slot_bytes, spyre::kernels::slot_bytes(buffer, machine));
      region.slots = std::max(region.slots, buffer.slots);
      if (buffer.address) region.address = *buffer.address;
    }
  }

  [[nodiscard]] std::uint64_t slot_bytes(const Buffer& buffer) const {
    return buffer.region.empty() ? spyre::kernels::slot_bytes(buffer, machine_)
                                 : regions_.at(buffer.region).slot_bytes;
  }
  [[nodiscard]] std::uint64_t bytes(const Buffer& buffer) const {
    if (buffer.region.empty()) return all_slots(buffer, machine_);
    const Region& region = regions_.at(buffer.region);
    return region.slot_bytes * static_cast<std::uint64_t>(std::max<std::int64_t>(region.slots, 1));
  }
  std::uint64_t address(const Buffer& buffer, BumpAllocator& allocator) {
    if (buffer.region.empty()) {
      return buffer.address ? *buffer.address : allocator.allocate(bytes(buffer));
    }
    Region& region = regions_.at(buffer.region);
    if (!region.address) region.address = allocator.allocate(bytes(buffer));
    return *region.address;
  }

 private:
  struct Region {
    std::uint64_t slot_bytes = 0;
    std::int64_t slots = 1;
    std::optional<std::uint64_t> address;
  };
  const models::Machine& machine_;
  std::map<std::string, Region> regions_;
};

}  // namespace

std::uint64_t slot_bytes(const Buffer& buffer, const models::Machine& machine) {
  const std::int64_t rows = buffer.shape.size() >= 2 ? buffer.shape[0] : 1;
  const std::int64_t columns = buffer.shape.empty() ? 1 : buffer.shape.back();
  const std::int64_t per_stick = elements_per_stick(buffer.type, machine);
  const std::int64_t sticks = (columns + per_stick - 1) / per_stick;
  return static_cast<std::uint64_t>(rows * sticks * machine.limits.stick_bytes);
}

std::uint64_t device_bytes(const Tensor& tensor, const models::Machine& machine) {
  return geometry_of(tensor, machine).bytes;
}

Placement place(const Schedule& schedule, const models::Machine& machine) {
  Placement placement;
  BumpAllocator dram(0, kTensorAlignment);
  for (const Tensor& tensor : schedule.tensors) {
    placement.tensor_bytes.push_back(device_bytes(tensor, machine));
    if (tensor.address && !tensor.lx_core) {
      dram.keep_clear_of({*tensor.address, *tensor.address + placement.tensor_bytes.back()});
    }
  }
  for (std::size_t i = 0; i < schedule.tensors.size(); ++i) {
    const Tensor& tensor = schedule.tensors[i];
    const std::uint64_t bytes = placement.tensor_bytes[i];
    placement.tensor_address.push_back(tensor.address ? *tensor.address : dram.allocate(bytes));
    if (tensor.lx_core) continue;
    placement.dram_end = std::max(placement.dram_end, placement.tensor_address[i] + bytes);
  }

  const auto stick = static_cast<std::uint64_t>(machine.limits.stick_bytes);
  // A resident buffer must keep clear of every kernel's explicit addresses as well.
  BumpAllocator resident(0, stick);
  for (const Kernel& kernel : schedule.kernels) {
    for (const Buffer& buffer : kernel.buffers) {
      if (buffer.address) {
        resident.keep_clear_of({*buffer.address, *buffer.address + all_slots(buffer, machine)});
      }
    }
  }
  std::vector<Occupied> resident_explicit;
  for (const Buffer& buffer : schedule.resident) {
    if (!buffer.address) continue;
    resident_explicit.push_back({*buffer.address, *buffer.address + all_slots(buffer, machine)});
    resident.keep_clear_of(resident_explicit.back());
  }
  std::uint64_t placed_end = 0;    // above the resident buffers that were placed here
  std::uint64_t resident_end = 0;  // above all of them
  for (const Buffer& buffer : schedule.resident) {
    const std::uint64_t bytes = all_slots(buffer, machine);
    const std::uint64_t address = buffer.address ? *buffer.address : resident.allocate(bytes);
    if (!buffer.address) placed_end = std::max(placed_end, address + bytes);
    resident_end = std::max(resident_end, address + bytes);
    placement.resident_address.push_back(saturate(address));
    placement.resident_bytes.push_back(saturate(slot_bytes(buffer, machine)));
  }

  for (const Kernel& kernel : schedule.kernels) {
    BumpAllocator own(placed_end, stick);
    for (const Occupied& range : resident_explicit) own.keep_clear_of(range);
    KernelBuffers buffers(kernel, machine);
    for (const Buffer& buffer : kernel.buffers) {
      if (buffer.address) {
        own.keep_clear_of({*buffer.address, *buffer.address + buffers.bytes(buffer)});
      }
    }
    std::vector<std::uint32_t> addresses;
    std::vector<std::uint32_t> strides;
    std::uint64_t end = resident_end;
    for (const Buffer& buffer : kernel.buffers) {
      const std::uint64_t address = buffers.address(buffer, own);
      end = std::max(end, address + buffers.bytes(buffer));
      addresses.push_back(saturate(address));
      strides.push_back(saturate(buffers.slot_bytes(buffer)));
    }
    placement.buffer_address.push_back(std::move(addresses));
    placement.buffer_stride.push_back(std::move(strides));
    placement.lx_end.push_back(saturate(end));
  }
  return placement;
}

}  // namespace spyre::kernels
