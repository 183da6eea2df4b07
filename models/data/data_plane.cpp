#include "models/data/data_plane.h"

#include <algorithm>

#include "models/formats/convert.h"

namespace spyre::models {

DataPlane::DataPlane(const Machine& machine, DramStore& dram, Numerics numerics, Values values)
    : dram_(dram),
      stick_bytes_(static_cast<std::uint32_t>(machine.limits.stick_bytes)),
      lx_bytes_(static_cast<std::size_t>(machine.lx.bytes)),
      numerics_(numerics),
      values_(values),
      cores_(static_cast<std::size_t>(machine.cores.count)) {}

LxView DataPlane::view(std::uint32_t core, Picoseconds time) {
  return {lx(core, time), stick_bytes_, numerics_};
}

std::span<std::byte> DataPlane::lx(std::uint32_t core, Picoseconds time) {
  if (!has_values()) return {};
  CoreData& data = cores_[core];
  if (data.lx.empty()) data.lx = ZeroedMemory(lx_bytes_, false);
  if (!data.arrivals.empty()) settle(data, time);
  return data.lx.bytes();
}

/// Puts in place what has arrived by `time`, in the order of arrival.
void DataPlane::settle(CoreData& core, Picoseconds time) {
  std::vector<Arrival>& arrivals = core.arrivals;
  const auto later = std::partition(arrivals.begin(), arrivals.end(),
                                    [&](const Arrival& arrival) { return arrival.time <= time; });
  std::sort(arrivals.begin(), later, [](const Arrival& a, const Arrival& b) {
    return std::pair(a.time, a.order) < std::pair(b.time, b.order);
  });
  const LxView lx{core.lx.bytes(), stick_bytes_, numerics_};
  for (auto arrival = arrivals.begin(); arrival != later; ++arrival) {
    LxOperand place = arrival->operand;
    place.rows = arrival->tile->rows;
    place.columns = arrival->tile->columns;
    write_bytes(lx, place, arrival->tile->bytes);
  }
  arrivals.erase(arrivals.begin(), later);
}

void DataPlane::complete(std::uint32_t core, const TileOp& op, Picoseconds time) {
  if (!has_values()) return;
  const LxView local = view(core, time);
  switch (op.opcode) {
    case Opcode::load:
    case Opcode::gather:
      if (op.lx_core >= 0) {
        copy_in(op, lx(static_cast<std::uint32_t>(op.lx_core), time), local, op.destination);
      } else {
        copy_in(op, dram_, local, op.destination);
      }
      break;
    case Opcode::store:
    case Opcode::scatter:
      if (op.lx_core >= 0) {
        copy_out(op, lx(static_cast<std::uint32_t>(op.lx_core), time), local, op.sources[0]);
      } else {
        copy_out(op, dram_, local, op.sources[0]);
      }
      break;
    case Opcode::matmul:
      execute_matmul(op, local, matmul_scratch_);
      break;
    case Opcode::vector:
      execute_vector(op, local, vector_scratch_);
      break;
    default:
      break;
  }
}

TileInFlight DataPlane::take(std::uint32_t core, const LxOperand& tile, Picoseconds time) {
  if (!has_values()) return nullptr;
  auto taken = std::make_shared<TileBytes>();
  taken->rows = tile.rows;
  taken->columns = tile.columns;
  taken->type = tile.type;
  read_bytes(view(core, time), tile, taken->bytes);
  return taken;
}

TileInFlight DataPlane::add(std::uint32_t core, const LxOperand& own, const TileInFlight& tile,
                            Picoseconds time) {
  if (!has_values() || tile == nullptr) return take(core, own, time);
  std::vector<float> sum;
  read_tile(view(core, time), own, sum);
  std::vector<float> other(sum.size());
  const Format format = format_of(own.type, numerics_);
  // Rows are whole bytes each, so a dense tile decodes in one piece (int4 rows of odd length
  // apart).
  decode(format, tile->bytes, other);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
  auto result = std::make_shared<TileBytes>(*tile);
  encode(format, sum, result->bytes);
  return result;
}

void DataPlane::deliver(std::uint32_t core, const LxOperand& operand, TileInFlight tile,
                        Picoseconds time) {
  if (tile == nullptr) return;
  cores_[core].arrivals.push_back({time, arrival_order_++, operand, std::move(tile)});
}

}  // namespace spyre::models
