#include "models/data/memory_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace spyre::models {
namespace {

/// Walks the rows of a MemoryTile: where row r begins, and where its index terms stand.
class RowWalk {
 public:
  explicit RowWalk(const TileOp& op) : op_(op), terms_(op.index_terms.size(), 0) {}

  [[nodiscard]] std::int64_t offset() const { return offset_; }
  [[nodiscard]] std::int64_t term(std::size_t i) const { return terms_[i]; }

  void next() {
    for (std::size_t d = op_.memory.row_dimensions; d-- > 0;) {
      const MemoryTile::Dimension& dimension = op_.memory.rows[d];
      const bool wraps = ++index_[d] == dimension.count;
      const std::int64_t steps = wraps ? 1 - std::int64_t{dimension.count} : 1;
      offset_ += steps * dimension.stride;
      for (std::size_t t = 0; t < terms_.size(); ++t) {
        terms_[t] += steps * op_.index_terms[t].row_strides[d];
      }
      if (!wraps) return;
      index_[d] = 0;
    }
  }

 private:
  const TileOp& op_;
  std::array<std::uint32_t, MemoryTile::kMaxDimensions> index_{};
  std::int64_t offset_ = 0;
  std::vector<std::int64_t> terms_;
};

std::int64_t read_number(const DramStore& dram, const IndexTerm& term, std::int64_t offset) {
  const std::uint64_t address = term.table + static_cast<std::uint64_t>(offset);
  std::int64_t number = 0;
  if (term.type == DataType::int8) {
    std::int8_t narrow = 0;
    dram.read(address, std::as_writable_bytes(std::span(&narrow, 1)));
    number = narrow;
  } else {
    std::int32_t wide = 0;
    dram.read(address, std::as_writable_bytes(std::span(&wide, 1)));
    number = wide;
  }
  if (number < term.lowest || number > term.highest) {
    throw IndexError(fmt::format("the index at DRAM address {} is {}: it must be {} to {}", address,
                                 number, term.lowest, term.highest));
  }
  return number;
}

/// Whether an index chooses each element by itself, not only each row.
bool indexes_columns(const TileOp& op) {
  return std::any_of(op.index_terms.begin(), op.index_terms.end(),
                     [](const IndexTerm& term) { return term.column_stride != 0; });
}

std::int64_t lane_offset(const MemoryTile& memory, std::uint32_t column) {
  const std::uint32_t lane = memory.first_lane + column;
  if (memory.lanes_per_stick == 0) return lane * memory.lane_stride;
  return lane / memory.lanes_per_stick * memory.stick_stride +
         lane % memory.lanes_per_stick * memory.lane_stride;
}

/// How many elements from `column` on follow each other in memory.
std::uint32_t contiguous_from(const MemoryTile& memory, std::uint32_t column,
                              std::int64_t element) {
  const std::uint32_t left = memory.columns - column;
  if (memory.lanes_per_stick == 0) return memory.lane_stride == element ? left : 1;
  return std::min(left,
                  memory.lanes_per_stick - (memory.first_lane + column) % memory.lanes_per_stick);
}

/// Calls visit(row, column, count, memory address) for every piece of the tile that is contiguous
/// in memory.
template <typename Visit>
void for_each_memory_piece(const TileOp& op, DataType type, const DramStore& tables,
                           Visit&& visit) {
  const MemoryTile& memory = op.memory;
  std::uint64_t rows = 1;
  for (std::size_t d = 0; d < memory.row_dimensions; ++d) rows *= memory.rows[d].count;
  const std::int64_t element = bytes_of(type, 1);
  const bool single = indexes_columns(op);
  RowWalk walk(op);
  for (std::uint64_t row = 0; row < rows; ++row, walk.next()) {
    std::uint64_t base = memory.base + static_cast<std::uint64_t>(walk.offset());
    if (!single) {
      for (std::size_t t = 0; t < op.index_terms.size(); ++t) {
        const IndexTerm& term = op.index_terms[t];
        base += static_cast<std::uint64_t>(term.scale * read_number(tables, term, walk.term(t)));
      }
    }
    for (std::uint32_t column = 0; column < memory.columns;) {
      const std::uint32_t count = single ? 1 : contiguous_from(memory, column, element);
      std::uint64_t address = base + static_cast<std::uint64_t>(lane_offset(memory, column));
      if (single) {
        for (std::size_t t = 0; t < op.index_terms.size(); ++t) {
          const IndexTerm& term = op.index_terms[t];
          address += static_cast<std::uint64_t>(
              term.scale * read_number(tables, term, walk.term(t) + column * term.column_stride));
        }
      }
      visit(static_cast<std::uint32_t>(row), column, count, address);
      column += count;
    }
  }
}

/// A part of `tile`: `count` elements of row `row` from `column` on.
LxOperand piece_of(const LxOperand& tile, std::uint32_t row, std::uint32_t column,
                   std::uint32_t count, std::uint32_t stick_bytes) {
  const auto lanes = static_cast<std::uint32_t>(stick_bytes * 8 / bits(tile.type));
  const std::uint32_t lane = tile.first_lane + column;
  LxOperand piece = tile;
  piece.address = tile.address + (lane / lanes * tile.pitch_rows + row) * stick_bytes;
  piece.first_lane = static_cast<std::uint16_t>(lane % lanes);
  piece.rows = 1;
  piece.columns = count;
  return piece;
}

/// Copies between LX and memory; `Move` moves (memory address, LX bytes).
template <typename Move>
void copy(const TileOp& op, const DramStore& tables, const LxView& lx, const LxOperand& tile,
          Move&& move) {
  for_each_memory_piece(
      op, tile.type, tables,
      [&](std::uint32_t row, std::uint32_t column, std::uint32_t count, std::uint64_t address) {
        if (row >= tile.rows || column >= tile.columns) return;
        const LxOperand piece =
            piece_of(tile, row, column, std::min(count, tile.columns - column), lx.stick_bytes);
        for_each_piece(
            piece, 0, lx.stick_bytes,
            [&](std::size_t offset, std::uint32_t first, std::uint32_t part) {
              move(address + static_cast<std::uint64_t>(bytes_of(tile.type, first)),
                   lx.bytes.subspan(offset, static_cast<std::size_t>(bytes_of(tile.type, part))));
            });
      });
}

/// Calls visit(memory address, first byte in the dense tile, bytes) piece by piece.
template <typename Visit>
void for_each_dense_piece(const MemoryTile& memory, DataType type, Visit&& visit) {
  TileOp op;
  op.memory = memory;
  const auto row_bytes = static_cast<std::size_t>(bytes_of(type, memory.columns));
  for_each_memory_piece(
      op, type, DramStore(),
      [&](std::uint32_t row, std::uint32_t column, std::uint32_t count, std::uint64_t address) {
        visit(address, row * row_bytes + static_cast<std::size_t>(bytes_of(type, column)),
              static_cast<std::size_t>(bytes_of(type, count)));
      });
}

}  // namespace

void read_dense(const MemoryTile& memory, DataType type, const DramStore& dram,
                std::span<std::byte> bytes) {
  for_each_dense_piece(memory, type,
                       [&](std::uint64_t address, std::size_t first, std::size_t count) {
                         dram.read(address, bytes.subspan(first, count));
                       });
}

void write_dense(const MemoryTile& memory, DataType type, DramStore& dram,
                 std::span<const std::byte> bytes) {
  for_each_dense_piece(memory, type,
                       [&](std::uint64_t address, std::size_t first, std::size_t count) {
                         dram.write(address, bytes.subspan(first, count));
                       });
}

void copy_in(const TileOp& op, const DramStore& dram, const LxView& lx, const LxOperand& tile) {
  copy(op, dram, lx, tile,
       [&](std::uint64_t address, std::span<std::byte> local) { dram.read(address, local); });
}

void copy_out(const TileOp& op, DramStore& dram, const LxView& lx, const LxOperand& tile) {
  copy(op, dram, lx, tile,
       [&](std::uint64_t address, std::span<std::byte> local) { dram.write(address, local); });
}

void copy_in(const TileOp& op, std::span<const std::byte> memory, const LxView& lx,
             const LxOperand& tile) {
  copy(op, DramStore(), lx, tile, [&](std::uint64_t address, std::span<std::byte> local) {
    std::memcpy(local.data(), memory.subspan(address, local.size()).data(), local.size());
  });
}

void copy_out(const TileOp& op, std::span<std::byte> memory, const LxView& lx,
              const LxOperand& tile) {
  copy(op, DramStore(), lx, tile, [&](std::uint64_t address, std::span<std::byte> local) {
    std::memcpy(memory.subspan(address, local.size()).data(), local.data(), local.size());
  });
}

void resolve_runs(const TileOp& op, const DramStore& dram, std::uint32_t stick_bytes,
                  std::vector<StickRuns>& runs) {
  runs.clear();
  const DataType type = op.opcode == Opcode::scatter ? op.sources[0].type : op.destination.type;
  for_each_memory_piece(
      op, type, dram,
      [&](std::uint32_t, std::uint32_t, std::uint32_t count, std::uint64_t address) {
        const std::uint64_t begin = address / stick_bytes * stick_bytes;
        const std::uint64_t end =
            (address + static_cast<std::uint64_t>(bytes_of(type, count)) + stick_bytes - 1) /
            stick_bytes * stick_bytes;
        if (!runs.empty()) {
          StickRuns& last = runs.back();
          const std::uint64_t last_end = last.base + last.run_bytes;
          if (begin >= last.base && begin <= last_end) {
            if (end > last_end) last.run_bytes += static_cast<std::uint32_t>(end - last_end);
            return;
          }
        }
        StickRuns run;
        run.base = begin;
        run.run_bytes = static_cast<std::uint32_t>(end - begin);
        runs.push_back(run);
      });
}

}  // namespace spyre::models
