// The machine's instruction set: tile operations as plain structs, and the pull interface through
// which the card asks for the next one. The machine knows nothing of schedules, planners or files.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/data_type.h"
#include "models/isa/vector_function.h"

namespace spyre::models {

enum class Opcode : std::uint8_t {
  load,       ///< DRAM to LX
  store,      ///< LX to DRAM
  gather,     ///< DRAM to LX, rows chosen by an index tensor that is read first
  scatter,    ///< LX to DRAM, rows chosen by an index tensor that is read first
  matmul,     ///< C[m,n] (+)= A[m,k] B[k,n] on the matrix unit
  vector,     ///< a VectorFunction on the vector unit
  send,       ///< this core's tile to one other core's buffer, over the ring
  multicast,  ///< this core's tile to the same buffer of every core in `peers`, over the ring
  receive,    ///< wait until `count` tiles have arrived in the destination since the last receive
  reduce,     ///< partial sums along the group's reduce ring; the result is on its last core
  signal,     ///< add one to a semaphore of every core in `peers`
  wait,       ///< wait until this core's semaphore has reached `count`, then subtract it
  barrier,    ///< wait until every core of the launch has arrived
};

/// The unit whose in-order queue an operation goes to.
enum class Unit : std::uint8_t { load_store, matrix, vector, ring };
inline constexpr std::size_t kUnits = 4;

[[nodiscard]] std::string_view to_string(Opcode opcode);
[[nodiscard]] std::string_view to_string(Unit unit);
[[nodiscard]] Unit unit_of(Opcode opcode);

/// A set of cores; bit c stands for core c.
using CoreSet = std::uint64_t;
inline constexpr std::int64_t kMaxCores = 64;

/// Dense number of one slot of one buffer within a launch.
using SlotId = std::uint16_t;
inline constexpr SlotId kNoSlot = 0xffff;

/// A tile in LX: the slot that the scoreboard watches, the bytes touched, and how elements lie in
/// them. Element (r, c) lies in the stick at address + ((c / E) * pitch_rows + r) * stick, E
/// elements to a stick.
struct LxOperand {
  SlotId slot = kNoSlot;
  std::uint32_t address = 0;            ///< byte address in LX, a multiple of the stick
  std::uint32_t bytes = 0;              ///< what an operation moves: rows x whole sticks
  std::uint32_t rows = 0, columns = 0;  ///< elements
  std::uint32_t pitch_rows =
      0;  ///< sticks from one stick column to the next: the buffer's declared rows
  std::uint16_t first_lane = 0;  ///< where in its stick column 0 lies
  DataType type = DataType::fp16;
};

/// A strided nest of contiguous runs in DRAM: count[0] is the innermost repetition.
struct StickRuns {
  std::uint64_t base = 0;       ///< byte address, a multiple of the stick
  std::uint32_t run_bytes = 0;  ///< contiguous bytes, a multiple of the stick
  std::array<std::uint32_t, 3> count{1, 1, 1};
  std::array<std::int64_t, 3> stride{0, 0, 0};  ///< bytes

  [[nodiscard]] std::uint64_t bytes() const {
    return std::uint64_t{run_bytes} * count[0] * count[1] * count[2];
  }
};

/// Where each element of a transferred tile lies in memory. Rows of the tile count through `rows`,
/// the last dimension fastest. Column c is lane (first_lane + c) of the row: it lies
/// (lane / lanes_per_stick) * stick_stride + (lane % lanes_per_stick) * lane_stride bytes from lane
/// 0.
struct MemoryTile {
  struct Dimension {
    std::uint32_t count = 1;
    std::int64_t stride = 0;  ///< bytes
  };
  static constexpr std::size_t kMaxDimensions = 7;

  std::uint64_t base = 0;  ///< byte address of lane 0 of row 0
  std::array<Dimension, kMaxDimensions> rows{};
  std::uint8_t row_dimensions = 0;
  std::uint32_t columns = 0;
  std::uint32_t first_lane = 0;
  std::uint32_t lanes_per_stick = 0;  ///< 0: all lanes of a row lie lane_stride apart
  std::int64_t lane_stride = 0;       ///< bytes; 0 for int4, whose lanes are half a byte
  std::int64_t stick_stride = 0;      ///< bytes
};

/// gather, scatter: a number read from memory that moves the elements of a tile. Adds
/// table[r0, r1, ..., c] * scale bytes to the address of an element, r0 ... being its place in the
/// dimensions of MemoryTile::rows and c its column.
struct IndexTerm {
  std::uint64_t table = 0;  ///< byte address of entry 0
  DataType type = DataType::int32;
  std::array<std::int64_t, MemoryTile::kMaxDimensions> row_strides{};  ///< bytes, may be 0
  std::int64_t column_stride = 0;                                      ///< bytes
  std::int64_t scale = 0;                ///< bytes in memory per unit of the number read
  std::int64_t lowest = 0, highest = 0;  ///< numbers beyond these lie outside the tensor
};

/// transpose and rearrange: element i of the result, counted row by row, is at the place that its
/// index in `sizes` (last one fastest) has in the source: offset + the sum of index * stride,
/// counted row by row too.
struct Pattern {
  static constexpr std::size_t kMaxRank = 6;
  std::uint8_t rank = 0;  ///< 0: none
  std::array<std::uint32_t, kMaxRank> sizes{};
  std::array<std::int64_t, kMaxRank> strides{};  ///< elements
  std::int64_t offset = 0;                       ///< elements
};

inline constexpr std::uint16_t kNoTensor = 0xffff;

struct TileOp {
  Opcode opcode = Opcode::barrier;
  std::uint32_t statement = 0;  ///< which statement of the kernel it came from

  LxOperand destination;             ///< written; slot kNoSlot when nothing is
  std::array<LxOperand, 4> sources;  ///< read
  std::uint8_t source_count = 0;
  bool accumulate = false;  ///< the destination is read as well

  // load, store, gather, scatter
  std::uint16_t tensor = kNoTensor;
  std::vector<StickRuns> runs;  ///< in the order in which LX is filled or drained
  std::uint16_t index_tensor = kNoTensor;
  std::vector<StickRuns> index_runs;  ///< gather, scatter: read before the first row
  MemoryTile memory;                  ///< element by element what `runs` gives in sticks
  /// gather, scatter: where rows lie is only known once these have been read; `runs` is empty then.
  std::vector<IndexTerm> index_terms;
  std::int16_t lx_core = -1;  ///< load, store: the memory is the LX of this core, not DRAM
  CoreSet sharers =
      0;  ///< load: the cores that this one read serves (with this core); 0 or one bit = private
  std::uint32_t share_tag =
      0;  ///< the n-th shared load of a group has the same tag on all its cores

  // matmul (elements, not padded) and vector (rows x columns of the destination tile; reduce_*: of
  // the source)
  std::uint32_t m = 0, n = 0, k = 0;
  DataType type = DataType::fp16;  ///< matmul: the wider operand; vector: the element type
  std::uint8_t corelets = 0;       ///< 0 = all of the core's
  VectorFunction function = VectorFunction::copy;
  /// vector: a number among the operands, and before which of the tiles it stands; -1: none.
  double number = 0;
  std::int8_t number_place = -1;
  std::uint8_t axis = 1;  ///< reduce_*, iota
  Pattern pattern;        ///< transpose, rearrange

  // send, multicast, receive, reduce, signal, wait
  CoreSet peers = 0;
  std::uint16_t semaphore = 0;
  std::uint32_t count = 0;
};

/// One launch of a kernel: what the card needs to know before it asks for operations.
struct Launch {
  std::uint32_t index = 0;  ///< 0, 1, 2 ... in launch order
  std::string name;         ///< "l12.qkv"
  std::string kernel;       ///< "qkv"
  std::int32_t layer = -1;  ///< -1 = none
  CoreSet cores = 0;        ///< the cores that take part
  std::uint32_t slots = 0;  ///< slot ids run from 0 to slots - 1
  std::uint32_t semaphores = 0;
};

/// Where the card gets its work. Implemented above the machine.
class ProgramSource {
 public:
  virtual ~ProgramSource() = default;
  /// Moves on to the next launch; false at the end of the program.
  virtual bool next_launch(Launch& launch) = 0;
  /// The next operation of `core` in the current launch; false when the core is done. `op` is
  /// reused by the caller: every field is set, and its vectors keep their capacity.
  virtual bool next_op(unsigned core, TileOp& op) = 0;
};

}  // namespace spyre::models
