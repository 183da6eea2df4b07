// Builds a kernel of a tile schedule statement by statement, from index texts.
//
// Expressions are parsed but not bound: a planned schedule is written as text and read back before
// it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/planner/index_text.h"
#include "kernels/schedule/schedule.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

/// A buffer in LX, or a rectangle of it: [row, column], [rows, columns].
struct Local {
  Local(std::string name) : buffer(std::move(name)) {}  // NOLINT: a bare name is the whole tile
  Local(const char* name) : buffer(name) {}             // NOLINT
  Local(std::string name, std::vector<Index> first, std::vector<Index> extent = {})
      : buffer(std::move(name)), at(std::move(first)), size(std::move(extent)) {}

  std::string buffer;
  std::vector<Index> at, size;
};

/// A rectangle of a tensor in DRAM.
struct Remote {
  std::string tensor;
  std::vector<Index> at, size;
};

/// A number among a vector operation's operands: a constant, or an integer that an index gives.
struct Number {
  explicit Number(double value) : constant(value) {}
  explicit Number(Index value) : expression(std::move(value)) {}

  double constant = 0;
  std::optional<Index> expression;
};

/// What a vector operation reads.
struct Operand {
  Operand(Local local) : source(std::move(local)) {}             // NOLINT: every tile is an operand
  Operand(const char* buffer) : source(Local(buffer)) {}         // NOLINT
  Operand(const std::string& buffer) : source(Local(buffer)) {}  // NOLINT
  Operand(Number number) : source(std::move(number)) {}          // NOLINT

  std::variant<Local, Number> source;
};

/// Where in the first operand a rearranged tile's elements come from.
struct PatternOf {
  std::vector<std::int64_t> sizes, strides;
  Index offset = 0;
};

/// What some vector functions take beside operands.
struct VectorDetail {
  std::int64_t axis = 1;  ///< reductions, iota
  std::optional<PatternOf> pattern = std::nullopt;
};

/// A tile of a tensor with strides: its dims (columns last), and the elements of the tensor's
/// memory from one position to the next along each.
struct TileBox {
  std::vector<std::int64_t> dims, strides;
};

/// The coordinate along `dim` is moved by a number of `table`.
struct TableIndex {
  std::size_t dim = 0;
  std::string table;
  std::vector<Index> at;
  std::vector<std::int64_t> along;  ///< elements of the table's memory, per dim of the tile
};

class KernelBuilder {
 public:
  using Body = std::function<void()>;
  using Grid = std::vector<std::pair<std::string, std::int64_t>>;

  KernelBuilder(std::string name, Grid grid, std::vector<std::string> params);
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;

  void buffer(const std::string& name, DataType type, std::int64_t rows, std::int64_t columns,
              std::int64_t slots = 1);

  void load(Local into, Remote from, std::vector<std::string> share = {});
  void gather(Local into, Remote from, Remote index);
  /// Of a tensor with strides, through tables that are read when it is executed.
  void gather(Local into, Remote from, const TileBox& tile, const std::vector<TableIndex>& tables);
  void store(Local from, Remote to);
  /// `corelets` 0 = all of the core's.
  void matmul(Local into, Local a, Local b, std::optional<Index> accumulate = std::nullopt,
              std::int64_t corelets = 0);
  /// At most one of the operands is a number.
  void vector(models::VectorFunction function, Local into, const std::vector<Operand>& from,
              const VectorDetail& detail = {});
  void send(Local from, Local into, Index to);
  void multicast(Local from, Local into, std::vector<std::string> over);
  void receive(Local into, Index count);
  void reduce(Local from, Local into, std::vector<std::string> over);

  /// for variable in [start, stop) by step; a loop of one iteration at most is still a loop.
  void loop(const std::string& variable, Index start, Index stop, Index step, const Body& body);
  /// Every statement that `body` adds is executed only where `condition` is not 0.
  void when(const Index& condition, const Body& body);

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] Kernel take();

 private:
  void add(decltype(Statement::action) action);
  /// Those of `dims` that have more than one core, in the order of the grid: groups of the same
  /// cores read the same.
  [[nodiscard]] std::vector<std::string> several(const std::vector<std::string>& dims) const;

  Kernel kernel_;
  std::vector<Statement>* body_;
  std::vector<Index> conditions_;
};

/// A kernel, and how many launches do its work: more than one where a core would otherwise reach
/// too far into a tensor. They count through the kernel's parameter "part".
struct PlannedKernel {
  Kernel kernel;
  std::int64_t parts = 1;
};

/// Adds the kernels and launches them in order, each in a loop over its parts; those with the
/// parameter "l" in loops over `layers`, which neighbours share.
void add_kernels(Schedule& schedule, std::vector<PlannedKernel> kernels, std::int64_t layers);

/// Bytes of LX that `slots` tiles of rows x columns take.
[[nodiscard]] std::int64_t lx_bytes(const models::Machine& machine, DataType type,
                                    std::int64_t rows, std::int64_t columns,
                                    std::int64_t slots = 1);
/// Bytes of LX that a kernel's own buffers take.
[[nodiscard]] std::int64_t lx_bytes(const models::Machine& machine, const Kernel& kernel);

}  // namespace spyre::kernels
