// The bytes of a run: what every tile operation does to DRAM and LX when it takes effect.
//
// Modelled: a load copies at the time its last byte has arrived, a store when its last byte is
// written, a computation when it ends; a tile sent over the ring is read when it leaves and written
// at each receiver when it arrives there. So what a plan forgets to wait for it reads too early, as
// on the card. Not modelled: the order of bytes within one operation. Time itself is the units'
// affair: they tell this object what has happened, in the order of time.
//
// With values off nothing is moved or computed, but the numbers that gathers and scatters take
// their addresses from are still read, so that times are the same.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/data/dram_store.h"
#include "models/data/matmul_values.h"
#include "models/data/memory_copy.h"
#include "models/data/vector_values.h"
#include "models/data/zeroed_memory.h"
#include "models/machine/machine.h"

namespace spyre::models {

/// A tile on its way: its elements' bytes, dense, row by row. Empty without values.
struct TileBytes {
  std::uint32_t rows = 0, columns = 0;
  DataType type = DataType::fp16;
  std::vector<std::byte> bytes;
};
using TileInFlight = std::shared_ptr<const TileBytes>;

class DataPlane {
 public:
  enum class Values { off, on };

  /// `dram` must outlive it.
  DataPlane(const Machine& machine, DramStore& dram, Numerics numerics, Values values);

  [[nodiscard]] bool has_values() const { return values_ == Values::on; }
  /// gather, scatter with index terms: the sticks they touch. Throws IndexError.
  void resolve(const TileOp& op, std::vector<StickRuns>& runs) const {
    resolve_runs(op, dram_, stick_bytes_, runs);
  }

  /// `op` of `core` has taken effect at `time`. Ring operations are told by what follows.
  void complete(std::uint32_t core, const TileOp& op, Picoseconds time);

  /// The tile as it is at `time`; nothing without values.
  [[nodiscard]] TileInFlight take(std::uint32_t core, const LxOperand& tile, Picoseconds time);
  /// `tile` (which may be empty) plus the core's own, rounded to its type.
  [[nodiscard]] TileInFlight add(std::uint32_t core, const LxOperand& own, const TileInFlight& tile,
                                 Picoseconds time);
  /// The tile reaches the operand of `core` at `time`, which may lie in the future.
  void deliver(std::uint32_t core, const LxOperand& operand, TileInFlight tile, Picoseconds time);

  /// The bytes of one core's LX, all that has arrived by `time` in place. Empty without values.
  [[nodiscard]] std::span<std::byte> lx(std::uint32_t core, Picoseconds time);
  [[nodiscard]] DramStore& dram() { return dram_; }
  [[nodiscard]] Numerics numerics() const { return numerics_; }

 private:
  struct Arrival {
    Picoseconds time = 0;
    std::uint64_t order = 0;
    LxOperand operand;
    TileInFlight tile;
  };
  struct CoreData {
    ZeroedMemory lx;
    std::vector<Arrival> arrivals;  // few: searched, not sorted
  };

  [[nodiscard]] LxView view(std::uint32_t core, Picoseconds time);
  void settle(CoreData& core, Picoseconds time);

  DramStore& dram_;
  const std::uint32_t stick_bytes_;
  const std::size_t lx_bytes_;
  const Numerics numerics_;
  const Values values_;
  std::vector<CoreData> cores_;
  std::uint64_t arrival_order_ = 0;
  VectorScratch vector_scratch_;
  MatmulScratch matmul_scratch_;
};

}  // namespace spyre::models
