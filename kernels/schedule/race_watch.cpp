#include "kernels/schedule/race_watch.h"

#include <algorithm>

namespace spyre::kernels {
namespace {

using models::Opcode;

bool is_transfer(const Instruction& instruction) {
  return instruction.kind == Instruction::Kind::operation &&
         models::unit_of(instruction.opcode) == models::Unit::load_store;
}

bool writes_memory(Opcode opcode) {
  return opcode == Opcode::store || opcode == Opcode::scatter;
}

/// Calls visit(tensor) for each that the transfer reads indices from.
template <typename Visit>
void for_each_table(const CompiledKernel& kernel, const Instruction& instruction, Visit&& visit) {
  if (instruction.opcode != Opcode::gather && instruction.opcode != Opcode::scatter) return;
  if (instruction.indexed == 0) return visit(instruction.index.tensor);
  for (const IndexedTransfer::Dim& dim : kernel.indexed[instruction.indexed - 1].dims) {
    visit(dim.table);
  }
}

/// Calls visit(value) for every one of the instruction but the offsets of `remote`, and the numbers
/// that only values depend on.
template <typename Visit>
void for_each_value(const CompiledKernel& kernel, const Instruction& instruction, Visit&& visit) {
  for (const Value* value :
       {&instruction.when, &instruction.accumulate, &instruction.to, &instruction.count,
        &instruction.start, &instruction.stop, &instruction.step, &instruction.remote.offset,
        &instruction.index.offset}) {
    visit(*value);
  }
  const auto visit_all = [&](const auto& values) {
    for (const Value& value : values) visit(value);
  };
  const auto visit_tile = [&](const LocalTile& tile) {
    visit_all(tile.at);
    visit_all(tile.size);
  };
  visit_tile(instruction.destination);
  for (const LocalTile& tile : instruction.sources) visit_tile(tile);
  visit_all(instruction.remote.size);
  visit_all(instruction.index.at);
  visit_all(instruction.index.size);
  if (instruction.indexed == 0) return;
  for (const IndexedTransfer::Dim& dim : kernel.indexed[instruction.indexed - 1].dims) {
    visit_all(dim.at);
  }
}

}  // namespace

RaceWatch::RaceWatch(const WalkContext& context, const Placement& placement,
                     const CompiledKernel& kernel)
    : tensors_(context.tensors.size(), false), buffers_(kernel.buffers.size(), false) {
  watch_tensors(context, placement, kernel);
  watch_buffers(kernel);
  idle_ = std::find(tensors_.begin(), tensors_.end(), true) == tensors_.end() &&
          std::find(buffers_.begin(), buffers_.end(), true) == buffers_.end();
  if (!idle_) find_shifts(context, kernel);
}

void RaceWatch::watch_tensors(const WalkContext& context, const Placement& placement,
                              const CompiledKernel& kernel) {
  const std::size_t count = context.tensors.size();
  std::vector<bool> read(count, false);
  std::vector<bool> written(count, false);
  places_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t address = placement.tensor_address[i];
    places_[i] = {context.schedule->tensors[i].lx_core.value_or(-1), address,
                  address + context.tensors[i].bytes};
  }
  for (const Instruction& instruction : kernel.code) {
    if (!is_transfer(instruction)) continue;
    const std::size_t tensor = instruction.remote.tensor;
    (writes_memory(instruction.opcode) ? written : read)[tensor] = true;
    // Moved by an offset, it may be anywhere.
    if (!instruction.remote.offset.is(0)) {
      places_[tensor].begin = 0;
      places_[tensor].end = ~std::uint64_t{0};
    }
    for_each_table(kernel, instruction, [&](std::size_t table) { read[table] = true; });
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (read[i] || written[i]) touched_.push_back(i);
  }
  for (const std::size_t i : touched_) {
    if (!written[i]) continue;
    // Stores to the same tensor with a layout are the affair of store-overlap.
    if (read[i] || context.tensors[i].strided) tensors_[i] = true;
    for (const std::size_t other : touched_) {
      if (other != i && overlap(i, other)) tensors_[i] = tensors_[other] = true;
    }
  }
  for (const std::size_t i : touched_) {
    if (places_[i].core >= 0) tensors_[i] = true;
  }
}

void RaceWatch::watch_buffers(const CompiledKernel& kernel) {
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    const BufferInfo& buffer = kernel.buffers[i];
    const std::uint64_t end =
        buffer.address + static_cast<std::uint64_t>(buffer.slots) * buffer.slot_bytes;
    buffers_[i] = std::any_of(touched_.begin(), touched_.end(), [&](std::size_t tensor) {
      const Place& place = places_[tensor];
      return place.core >= 0 && place.begin < end && buffer.address < place.end;
    });
  }
  for (const Instruction& instruction : kernel.code) {
    if (instruction.kind != Instruction::Kind::operation) continue;
    if (instruction.opcode != Opcode::send && instruction.opcode != Opcode::multicast) continue;
    const std::uint16_t buffer = instruction.destination.buffer;
    buffers_[buffer] = true;
    for (const std::uint16_t mate : kernel.region_mates[buffer]) buffers_[mate] = true;
  }
}

void RaceWatch::find_shifts(const WalkContext& context, const CompiledKernel& kernel) {
  shifts_.resize(kernel.params.size());
  for (std::size_t param = 0; param < kernel.params.size(); ++param) {
    const std::uint32_t variable = kernel.params[param];
    bool shifts = true;
    std::vector<Use> uses;
    // Which dims of each tensor it moves: the same ones in all statements, where that counts.
    std::vector<std::int64_t> moved(context.tensors.size(), -1);
    for (const Instruction& instruction : kernel.code) {
      for_each_value(kernel, instruction,
                     [&](const Value& value) { shifts = shifts && !value.uses(variable); });
      if (!is_transfer(instruction)) continue;
      const RemoteTile& remote = instruction.remote;
      std::int64_t dims = 0;
      for (std::size_t dim = 0; dim < context.tensors[remote.tensor].rank; ++dim) {
        if (!remote.at[dim].uses(variable)) continue;
        const bool alone = remote.at[dim].is_variable(variable) && remote.has_size &&
                           remote.size[dim].is(1) && instruction.indexed == 0;
        shifts = shifts && alone;
        dims |= std::int64_t{1} << dim;
        uses.push_back({remote.tensor, dim, context.tensors[remote.tensor].shape[dim]});
      }
      if (tensors_[remote.tensor]) {
        std::int64_t& known = moved[remote.tensor];
        shifts = shifts && (known == -1 || known == dims);
        known = dims;
      }
      for_each_table(kernel, instruction, [&](std::size_t table) {
        if (tensors_[table]) moved[table] = 0;
      });
    }
    for (const Use& use : uses) {
      if (!tensors_[use.tensor]) continue;
      for (const std::size_t other : touched_) {
        // Not all that lies there moves with it.
        if (other != use.tensor && overlap(other, use.tensor)) shifts = false;
      }
      if (moved[use.tensor] == 0) shifts = false;
    }
    if (shifts) shifts_[param] = std::move(uses);
  }
}

std::vector<std::int64_t> RaceWatch::key(std::span<const std::int64_t> arguments) const {
  std::vector<std::int64_t> key(arguments.begin(), arguments.end());
  for (std::size_t param = 0; param < std::min(key.size(), shifts_.size()); ++param) {
    const std::vector<Use>& uses = shifts_[param];
    const bool inside = std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
      return key[param] >= 0 && key[param] < use.size;
    });
    if (!uses.empty() && inside) key[param] = 0;
  }
  return key;
}

}  // namespace spyre::kernels
