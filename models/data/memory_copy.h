// Moves tiles between LX and memory (DRAM, or the LX of another core), element by element as the
// operation's MemoryTile says; and finds out where the rows of a gather or scatter lie.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "models/data/dram_store.h"
#include "models/data/lx_tile.h"
#include "models/isa/tile_op.h"

namespace spyre::models {

/// A number read from an index table lies outside the tensor that it indexes.
class IndexError : public std::out_of_range {
 public:
  using std::out_of_range::out_of_range;
};

/// load and gather: `tile` of LX from DRAM.
void copy_in(const TileOp& op, const DramStore& dram, const LxView& lx, const LxOperand& tile);
/// store and scatter: DRAM from `tile`.
void copy_out(const TileOp& op, DramStore& dram, const LxView& lx, const LxOperand& tile);
/// The same where the memory is an LX.
void copy_in(const TileOp& op, std::span<const std::byte> memory, const LxView& lx,
             const LxOperand& tile);
void copy_out(const TileOp& op, std::span<std::byte> memory, const LxView& lx,
              const LxOperand& tile);

/// A whole tile as dense bytes, row by row: what a host sees of a tensor.
void read_dense(const MemoryTile& memory, DataType type, const DramStore& dram,
                std::span<std::byte> bytes);
void write_dense(const MemoryTile& memory, DataType type, DramStore& dram,
                 std::span<const std::byte> bytes);

/// The sticks of DRAM that a gather or scatter with index terms touches, in the order of its rows;
/// one that several neighbours in that order share is listed once. Throws IndexError.
void resolve_runs(const TileOp& op, const DramStore& dram, std::uint32_t stick_bytes,
                  std::vector<StickRuns>& runs);

}  // namespace spyre::models
