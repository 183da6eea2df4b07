#include "traces/dram_ledger.h"

#include <algorithm>
#include <bit>

namespace spyre::traces {
namespace {

constexpr std::uint64_t kWord = 64;

/// Calls visit(word index, mask) for every 64-stick word that [first, first + count) touches.
template <typename Visit>
void for_each_word(std::uint64_t first, std::uint64_t count, Visit visit) {
  while (count > 0) {
    const std::uint64_t offset = first % kWord;
    const std::uint64_t taken = std::min(count, kWord - offset);
    const std::uint64_t mask =
        (taken == kWord ? ~std::uint64_t{0} : (std::uint64_t{1} << taken) - 1) << offset;
    visit(first / kWord, mask);
    first += taken;
    count -= taken;
  }
}

}  // namespace

DramLedger::DramLedger(const kernels::Schedule& schedule, const kernels::Placement& placement,
                       const models::Machine& machine)
    : stick_bytes_(static_cast<std::uint64_t>(machine.limits.stick_bytes)),
      read_((placement.dram_end / stick_bytes_ + kWord) / kWord + 1, 0) {
  for (std::size_t t = 0; t < schedule.tensors.size(); ++t) {
    const kernels::Tensor& tensor = schedule.tensors[t];
    const std::int64_t elements = machine.limits.stick_bytes * 8 / models::bits(tensor.type);
    Extent extent;
    kinds_.push_back(tensor.kind);
    tensors_.push_back({tensor.name, std::string(kernels::to_string(tensor.kind))});
    extent.first_stick = placement.tensor_address[t] / stick_bytes_;
    if (!tensor.strides.empty()) {  // without sticks of its own there is no padding of them
      extents_.push_back(extent);
      continue;
    }
    std::uint64_t inner = 1;
    for (auto dim = tensor.layout.rbegin(); dim != tensor.layout.rend(); ++dim) {
      const std::int64_t steps = (tensor.shape[dim->dim] + dim->tile - 1) / dim->tile;
      if (dim->dim == tensor.stick_dim) {
        extent.sticks_per_block = inner;
        extent.blocks = static_cast<std::uint64_t>(steps);
      }
      inner *= static_cast<std::uint64_t>(steps);
    }
    const std::int64_t in_last = tensor.shape[tensor.stick_dim] % elements;
    if (in_last != 0) {
      extent.edge_padding =
          stick_bytes_ - static_cast<std::uint64_t>(models::bytes_of(tensor.type, in_last));
    }
    extents_.push_back(extent);
  }
}

std::uint64_t DramLedger::edge_sticks(const Extent& extent, std::uint64_t first,
                                      std::uint64_t count, bool only_fresh) const {
  // The last block comes round once per period, as one run of sticks.
  const std::uint64_t period = extent.sticks_per_block * extent.blocks;
  const std::uint64_t end = first + count;
  std::uint64_t run_end = first - (first - extent.first_stick) % period + period;
  std::uint64_t sticks = 0;
  for (; run_end - extent.sticks_per_block < end; run_end += period) {
    const std::uint64_t from = std::max(first, run_end - extent.sticks_per_block);
    const std::uint64_t taken = std::min(end, run_end) - from;
    sticks += taken;
    if (!only_fresh) continue;
    for_each_word(from, taken, [&](std::uint64_t word, std::uint64_t mask) {
      sticks -= static_cast<std::uint64_t>(std::popcount(mask & read_[word]));
    });
  }
  return sticks;
}

void DramLedger::on_request(const models::RequestEvent& event) {
  TensorBytes& tensor = tensors_[event.tensor];
  const Extent& extent = extents_[event.tensor];
  const std::uint64_t first = event.address / stick_bytes_;
  const std::uint64_t count = event.bytes / stick_bytes_;

  // Before marking: only sticks that are not re-read count their padding.
  std::uint64_t padding = 0;
  if (extent.edge_padding != 0)
    padding = extent.edge_padding * edge_sticks(extent, first, count, !event.write);
  std::uint64_t fresh = count;
  if (event.write) {
    mark_written(first, count);
    tensor.written += event.bytes;
    tensor.written_padding += padding;
  } else {
    fresh = mark_read(first, count);
    tensor.read += event.bytes;
    tensor.read_padding += padding;
    tensor.reread += (count - fresh) * stick_bytes_;
  }
  if (event.launch >= launch_useful_.size()) launch_useful_.resize(event.launch + 1, 0);
  launch_useful_[event.launch] += fresh * stick_bytes_ - padding;
}

std::uint64_t DramLedger::mark_read(std::uint64_t first, std::uint64_t count) {
  std::uint64_t fresh = 0;
  for_each_word(first, count, [&](std::uint64_t word, std::uint64_t mask) {
    fresh += static_cast<std::uint64_t>(std::popcount(mask & ~read_[word]));
    read_[word] |= mask;
  });
  return fresh;
}

void DramLedger::mark_written(std::uint64_t first, std::uint64_t count) {
  for_each_word(first, count,
                [&](std::uint64_t word, std::uint64_t mask) { read_[word] &= ~mask; });
}

std::uint64_t DramLedger::useful_bytes(std::size_t index) const {
  return index < launch_useful_.size() ? launch_useful_[index] : 0;
}

ByteCounts DramLedger::totals() const {
  ByteCounts totals;
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    const TensorBytes& tensor = tensors_[t];
    const std::uint64_t read = tensor.read - tensor.read_padding - tensor.reread;
    const std::uint64_t written = tensor.written - tensor.written_padding;
    switch (kinds_[t]) {
      case kernels::TensorKind::weight:
        totals.weights += read + written;
        break;
      case kernels::TensorKind::kv_cache:
        totals.kv_read += read;
        totals.kv_write += written;
        break;
      case kernels::TensorKind::embedding:
        totals.embedding += read + written;
        break;
      case kernels::TensorKind::constant:
        totals.constants += read + written;
        break;
      case kernels::TensorKind::activation:
      case kernels::TensorKind::index:
        totals.activations += read + written;
        break;
    }
    totals.padding += tensor.read_padding + tensor.written_padding;
    totals.reread += tensor.reread;
    totals.read += tensor.read;
    totals.written += tensor.written;
  }
  return totals;
}

}  // namespace spyre::traces
