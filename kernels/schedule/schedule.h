// The tile schedule: what a compiled kernel tells the card to do, as a syntax tree with source
// positions.
//
// docs/schedule.md is the language. This header is its shape in memory; reader.h and writer.h turn
// text into it and back, checker.h judges it, expander.h turns it into tile operations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/schedule/expression.h"
#include "models/diagnostics/diagnostics.h"
#include "models/isa/data_type.h"
#include "models/isa/tile_op.h"

namespace spyre::kernels {

using models::DataType;
using models::SourcePosition;

/// What a DRAM tensor holds: the kinds that byte counts are reported by.
enum class TensorKind { weight, kv_cache, embedding, activation, constant, index };
[[nodiscard]] std::string_view to_string(TensorKind kind);

/// One dimension of a device layout: a whole dimension of the shape, a dimension cut into `tile`s
/// ("n/64"), or the remainder within a tile (the last entry, "64" = one stick).
struct LayoutDim {
  std::size_t dim = 0;    ///< index into Tensor::dims
  std::int64_t tile = 1;  ///< 1 = whole dimension; 64 for "n/64"
};

struct Tensor {
  std::string name;
  DataType type = DataType::fp16;
  TensorKind kind = TensorKind::activation;
  std::vector<std::string> dims;    ///< names, outermost first; "d0", "d1" ... unless given
  std::vector<std::int64_t> shape;  ///< elements
  /// Outermost first, without the last entry, which is always one stick of the stick dimension.
  /// Default: leading dims in order, then sticks of the last dim, then the last but one dim:
  /// [l, k, n] gives [l, n/64, k, 64].
  std::vector<LayoutDim> layout;
  std::size_t stick_dim = 0;  ///< which dim the sticks run along
  /// Not empty: the tensor has no device layout; its elements lie this many elements apart along
  /// each dim, as an array of a host does. Tiles take the last dim as their columns.
  std::vector<std::int64_t> strides;
  /// The tensor lies in the LX of this core, from `address` on, not in DRAM.
  std::optional<std::int64_t> lx_core;
  std::optional<std::uint64_t> address;  ///< bytes in DRAM; placed by placement.h unless given
  std::vector<std::int64_t>
      values;  ///< index tensors: the indices, known when timing is simulated without data
  SourcePosition position;
};

struct Buffer {
  std::string name;
  DataType type = DataType::fp16;
  std::vector<std::int64_t>
      shape;  ///< elements, at most 2-D: rows x columns; sticks run along the columns
  std::int64_t slots = 1;
  std::optional<std::uint32_t> address;  ///< bytes in LX; placed unless given
  /// Buffers that name the same region lie at the same place: at most one of them holds a tile.
  std::string region;
  SourcePosition position;
};

/// A buffer, or a rectangle of it. Empty `at` = the whole current tile.
struct BufferTile {
  std::string buffer;
  std::vector<Expression> at;    ///< first row, first column
  std::vector<Expression> size;  ///< rows, columns; empty = to the end of the current tile
  SourcePosition position;
};

/// A rectangle of a DRAM tensor: one offset per dim; `size` defaults to the buffer's shape (leading
/// dims 1) and is cut at the tensor's edge.
struct TensorTile {
  std::string tensor;
  std::vector<Expression> at;
  std::vector<Expression> size;
  std::optional<Expression> offset;  ///< tensors with strides: elements that everything is moved by
  SourcePosition position;
};

/// gather, scatter of a tensor with strides: its coordinate along `dim` is `at` of the transfer
/// plus the number that `table` holds at position `at` + (elements of the table's memory) the sum
/// of tile position * along.
struct IndexedDim {
  std::size_t dim = 0;              ///< of the tensor
  std::string table;                ///< an int32 tensor with strides
  std::vector<Expression> at;       ///< one per dim of the table
  std::vector<std::int64_t> along;  ///< one per dim of the tile
  SourcePosition position;
};

/// load, store, gather, scatter.
struct TransferStatement {
  models::Opcode opcode = models::Opcode::load;
  BufferTile local;
  TensorTile remote;
  std::vector<std::string> share;  ///< load: grid dims along which one read serves all cores
  TensorTile index;                ///< gather, scatter: the rows, in order
  /// gather, scatter of a tensor with strides, instead of `index`: a tile of `tile_dims` (the last
  /// one is the columns). Position (i0, i1, ...) lies at remote.at plus (elements of the tensor's
  /// memory) the sum of i * tile_strides, and is moved by the number of each indexed dim.
  std::vector<IndexedDim> indexed;
  std::vector<std::int64_t> tile_dims;
  std::vector<std::int64_t> tile_strides;
};

struct MatmulStatement {
  BufferTile into, a, b;
  std::optional<Expression> accumulate;  ///< absent = false
  std::optional<std::int64_t> corelets;
};

/// A number among a vector operation's operands: a constant, or an integer that an expression
/// gives.
struct NumberOperand {
  std::size_t place = 0;  ///< before which of the tiles of `from` it stands
  double constant = 0;
  std::optional<Expression> expression;
};

/// models::Pattern, with an offset that may depend on loops and cores.
struct PatternText {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
  std::optional<Expression> offset;
};

struct VectorStatement {
  models::VectorFunction function = models::VectorFunction::copy;
  BufferTile into;
  std::vector<BufferTile> from;
  std::optional<NumberOperand> number;
  std::int64_t axis = 1;               ///< reduce_*, iota
  std::optional<PatternText> pattern;  ///< rearrange, transpose
};

/// send, multicast, receive, reduce.
struct RingStatement {
  models::Opcode opcode = models::Opcode::send;
  BufferTile from;  ///< send, multicast, reduce
  BufferTile into;  ///< the buffer on the receiving cores (send, multicast), or on this core
  std::optional<Expression> to;   ///< send: core id of the receiver
  std::vector<std::string> over;  ///< multicast, reduce: grid dims of the group; empty = all cores
  std::optional<Expression> count;  ///< receive: tiles to wait for (default 1)
};

/// signal, wait, barrier.
struct SyncStatement {
  models::Opcode opcode = models::Opcode::barrier;
  std::string semaphore;
  std::optional<Expression> to;     ///< signal: core id; absent with `over`
  std::vector<std::string> over;    ///< signal: grid dims of the group
  std::optional<Expression> count;  ///< wait: default 1
};

struct Statement;

struct ForStatement {
  std::string variable;
  Expression start, stop;
  std::optional<Expression> step;
  std::vector<Statement> body;
};

struct Statement {
  std::variant<TransferStatement, MatmulStatement, VectorStatement, RingStatement, SyncStatement,
               ForStatement>
      action;
  std::optional<Expression> when;  ///< executed only where this is not 0
  std::int64_t line = 0;  ///< of the file that meta 'source' names, which this was compiled from
  SourcePosition position;
};

/// Cores that work together, by a name that `over` can use as it does a grid dim. A core is in at
/// most one of the groups.
struct NamedGroups {
  std::string name;
  std::vector<std::vector<std::int64_t>> groups;  ///< core ids, ascending
};

struct Kernel {
  std::string name;
  std::vector<std::pair<std::string, std::int64_t>>
      grid;  ///< first dim varies fastest with the core id
  std::vector<NamedGroups> groups;
  std::vector<std::string> params;  ///< set per launch
  std::vector<Buffer> buffers;
  std::vector<Statement> body;
  SourcePosition position;
};

struct LaunchItem;

struct LaunchLoop {
  std::string variable;
  std::int64_t start = 0, stop = 0;
  std::vector<LaunchItem> body;
};

struct KernelLaunch {
  std::string kernel;
  std::vector<std::pair<std::string, Expression>>
      arguments;                     ///< params of the kernel, from launch loop variables
  std::string name;                  ///< op name in reports; default the kernel's name
  std::optional<std::string> layer;  ///< launch loop variable that counts layers
};

struct LaunchItem {
  std::variant<KernelLaunch, LaunchLoop> item;
  SourcePosition position;
};

struct Schedule {
  std::string file;
  std::string machine;
  std::map<std::string, std::string>
      meta;  ///< free text about the plan: model, phase, batch, context ...
  std::vector<Tensor> tensors;
  std::vector<Buffer>
      resident;  ///< LX buffers that live across kernels, at the same address on every core
  std::vector<Kernel> kernels;
  std::vector<LaunchItem> launches;
};

}  // namespace spyre::kernels
