#include "kernels/schedule/checker_static.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/schedule/compiled_kernel.h"

namespace spyre::kernels {
namespace {

struct Extent {
  std::string name;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool is_explicit = false;
  const SourcePosition* where = nullptr;
};

std::uint64_t all_slots(const Buffer& buffer, const models::Machine& machine) {
  return slot_bytes(buffer, machine) *
         static_cast<std::uint64_t>(std::max<std::int64_t>(1, buffer.slots));
}

std::string described(const Buffer& buffer) {
  return fmt::format("{} {} [{}]{}", buffer.name, models::to_string(buffer.type),
                     fmt::join(buffer.shape, ", "),
                     buffer.slots > 1 ? fmt::format(" x {} slots", buffer.slots) : "");
}

std::string buffer_line(const Buffer& buffer, const models::Machine& machine) {
  return fmt::format("{} = {} B", described(buffer), all_slots(buffer, machine));
}

/// The place that the buffers of a region share.
struct Region {
  std::uint64_t bytes = 0;
  std::string line;  ///< "a fp16 [64, 64] or b fp32 [8, 64] = 8192 B"
};

Region region_of(const std::string& name, const std::vector<Buffer>& buffers,
                 const models::Machine& machine) {
  Region region;
  for (const Buffer& buffer : buffers) {
    if (buffer.region != name) continue;
    region.bytes = std::max(region.bytes, all_slots(buffer, machine));
    region.line += (region.line.empty() ? "" : " or ") + described(buffer);
  }
  region.line += fmt::format(" = {} B", region.bytes);
  return region;
}

void check_overlap(std::vector<Extent> extents, std::string_view rule, std::string_view memory,
                   Findings& findings) {
  std::stable_sort(extents.begin(), extents.end(),
                   [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  const Extent* furthest = nullptr;
  for (const Extent& extent : extents) {
    if (furthest != nullptr && extent.begin < furthest->end) {
      const Extent& blamed = extent.is_explicit ? extent : *furthest;
      const Extent& other = extent.is_explicit ? *furthest : extent;
      findings.error(rule, *blamed.where,
                     fmt::format("'{}' ({} bytes {} to {}) overlaps '{}' ({} to {}): move it, or "
                                 "leave its address to be placed",
                                 blamed.name, memory, blamed.begin, blamed.end, other.name,
                                 other.begin, other.end));
    }
    if (furthest == nullptr || extent.end > furthest->end) furthest = &extent;
  }
}

template <typename Named>
void check_address(const Named& thing, std::int64_t unit_bytes, std::string_view unit_name,
                   Findings& findings) {
  if (!thing.address) return;
  const auto address = std::uint64_t{*thing.address};
  const auto unit = static_cast<std::uint64_t>(unit_bytes);
  if (address % unit == 0) return;
  findings.error("alignment", thing.position,
                 fmt::format("'{}' begins at byte {}, which is no multiple of the {} B {}: use "
                             "{} or {}",
                             thing.name, address, unit, unit_name, address / unit * unit,
                             (address / unit + 1) * unit));
}

void check_alignment(const std::vector<Buffer>& buffers, std::int64_t stick, Findings& findings) {
  for (const Buffer& buffer : buffers) check_address(buffer, stick, "stick", findings);
}

void check_grid(const Kernel& kernel, const models::Machine& machine, Findings& findings) {
  std::int64_t cores = 1;
  for (const auto& dim : kernel.grid) {
    cores = std::min(cores * std::max<std::int64_t>(dim.second, 1),
                     std::numeric_limits<std::int32_t>::max() + std::int64_t{0});
  }
  const std::int64_t available = std::min(machine.cores.count, models::kMaxCores);
  if (cores <= available) return;
  findings.error("grid", kernel.position,
                 fmt::format("kernel '{}' asks for a grid of {} cores, the machine has {}",
                             kernel.name, cores, available));
}

void check_lx(const Schedule& schedule, std::size_t index, const Placement& placement,
              const models::Machine& machine, Findings& findings) {
  const Kernel& kernel = schedule.kernels[index];
  std::vector<Extent> extents;
  std::uint64_t needed = placement.lx_end[index];
  std::uint64_t sum = 0;
  std::string lines;
  std::set<std::string> regions;
  const auto add = [&](const Buffer& buffer, std::uint64_t address, bool resident) {
    if (!buffer.region.empty() && !resident) {
      if (!regions.insert(buffer.region).second) return;  // its first buffer stands for all
      const Region region = region_of(buffer.region, kernel.buffers, machine);
      sum += region.bytes;
      lines += (lines.empty() ? "" : ", ") + region.line;
      extents.push_back({buffer.region, address, address + region.bytes, buffer.address.has_value(),
                         &buffer.position});
      return;
    }
    const std::uint64_t bytes = all_slots(buffer, machine);
    sum += bytes;
    lines += fmt::format("{}{}{}", lines.empty() ? "" : ", ", resident ? "resident " : "",
                         buffer_line(buffer, machine));
    extents.push_back(
        {buffer.name, address, address + bytes, buffer.address.has_value(), &buffer.position});
  };
  for (std::size_t i = 0; i < schedule.resident.size(); ++i) {
    add(schedule.resident[i], placement.resident_address[i], true);
  }
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    add(kernel.buffers[i], placement.buffer_address[index][i], false);
  }
  check_overlap(extents, "lx-overlap", "LX", findings);

  needed = std::max(needed, sum);  // addresses are cut at 32 bits
  const auto usable = static_cast<std::uint64_t>(machine.lx.usable_bytes());
  if (needed <= usable) return;
  const std::string remedy = lx_remedy(schedule, index, machine);
  findings.error(
      "lx-capacity", kernel.position,
      fmt::format("kernel '{}' needs {} B of LX on each core, has {} B ({} B less {} B for the "
                  "program and {} B for the backend), over by {} ({:.1f} %): {}; {}",
                  kernel.name, needed, usable, machine.lx.bytes, machine.lx.program_reserve_bytes,
                  machine.lx.backend_reserve_bytes, needed - usable,
                  100.0 * static_cast<double>(needed - usable) / static_cast<double>(usable), lines,
                  remedy.empty() ? "no smaller tile of these buffers fits" : remedy));
}

void check_dram(const Schedule& schedule, const Placement& placement,
                const models::Machine& machine, Findings& findings) {
  std::vector<Extent> extents;
  std::vector<Extent> with_layout;  // those with strides may look at what others hold
  for (std::size_t i = 0; i < schedule.tensors.size(); ++i) {
    const Tensor& tensor = schedule.tensors[i];
    if (tensor.lx_core) continue;
    extents.push_back({tensor.name, placement.tensor_address[i],
                       placement.tensor_address[i] + placement.tensor_bytes[i],
                       tensor.address.has_value(), &tensor.position});
    if (tensor.strides.empty()) with_layout.push_back(extents.back());
  }
  check_overlap(with_layout, "dram-overlap", "DRAM", findings);

  const auto usable = static_cast<std::uint64_t>(machine.dram.usable_bytes);
  if (placement.dram_end <= usable) return;
  const auto size = [](const Extent& extent) { return extent.end - extent.begin; };
  const auto beyond = std::find_if(extents.begin(), extents.end(),
                                   [&](const Extent& extent) { return extent.end > usable; });
  const auto largest =
      std::max_element(extents.begin(), extents.end(),
                       [&](const Extent& a, const Extent& b) { return size(a) < size(b); });
  findings.error(
      "dram-capacity", *beyond->where,
      fmt::format(
          "the tensors end at byte {} of DRAM, {} B are usable, over by {} ({:.1f} %): '{}' "
          "ends at {}; the largest is '{}' with {} B",
          placement.dram_end, usable, placement.dram_end - usable,
          100.0 * static_cast<double>(placement.dram_end - usable) / static_cast<double>(usable),
          beyond->name, beyond->end, largest->name, size(*largest)));
}

void check_lx_tensors(const Schedule& schedule, const Placement& placement,
                      const models::Machine& machine, Findings& findings) {
  const auto usable = static_cast<std::uint64_t>(machine.lx.usable_bytes());
  for (std::size_t i = 0; i < schedule.tensors.size(); ++i) {
    const Tensor& tensor = schedule.tensors[i];
    if (!tensor.lx_core) continue;
    if (*tensor.lx_core < 0 || *tensor.lx_core >= machine.cores.count) {
      findings.error("lx-core", tensor.position,
                     fmt::format("'{}' lies in the LX of core {}: the machine has {} cores",
                                 tensor.name, *tensor.lx_core, machine.cores.count));
    }
    const std::uint64_t end = placement.tensor_address[i] + placement.tensor_bytes[i];
    if (end <= usable) continue;
    findings.error("lx-capacity", tensor.position,
                   fmt::format("'{}' ends at byte {} of the LX of core {}, {} B are usable",
                               tensor.name, end, *tensor.lx_core, usable));
  }
}

}  // namespace

void check_placement(const Schedule& schedule, const Placement& placement,
                     const models::Machine& machine, Findings& findings) {
  const std::int64_t stick = machine.limits.stick_bytes;
  for (const Tensor& tensor : schedule.tensors) {
    if (tensor.strides.empty()) {
      check_address(tensor, stick, "stick", findings);
    } else {
      check_address(tensor, models::bytes_of(tensor.type, 1), "element", findings);
    }
  }
  check_lx_tensors(schedule, placement, machine, findings);
  check_alignment(schedule.resident, stick, findings);
  check_dram(schedule, placement, machine, findings);
  for (std::size_t i = 0; i < schedule.kernels.size(); ++i) {
    check_alignment(schedule.kernels[i].buffers, stick, findings);
    check_grid(schedule.kernels[i], machine, findings);
    check_lx(schedule, i, placement, machine, findings);
  }
}

}  // namespace spyre::kernels
