// The kernel while it is built: buffers, tensors, and statements in nested scopes, each under the
// conditions of the scf.if around it and with the position of the operation it comes from.
//
// Buffers have no place in LX yet: lx_allocation.h gives them one. Copies of a Program are
// independent, so that a loop can be lowered again from where it began.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/lowering/integer.h"
#include "kernels/lowering/reading.h"
#include "kernels/schedule/schedule.h"

namespace spyre::kernels::lowering {

/// Where statements come from.
struct Origin {
  SourcePosition position;
  std::int64_t line = 0;
};

/// What a buffer holds in terms of the KTIR file, for messages.
struct BufferNote {
  std::string text;  ///< "%row f16 [1, 1024]"
  Origin origin;
};

/// An operand of a vector statement: a tile or a number.
struct VectorOperand {
  std::optional<LxRectangle> tile;
  bool whole = true;  ///< the rectangle is the whole buffer
  double constant = 0;
  std::optional<Integer> formula;
};

class Program {
 public:
  using Grid = std::vector<std::pair<std::string, std::int64_t>>;

  Program() = default;
  Program(std::string name, Grid grid);

  // Names
  /// A name that no other buffer, tensor or semaphore has, from what the KTIR file calls it.
  std::string unique_name(std::string_view wanted, std::string_view otherwise);
  /// The same among what expressions and `over` speak of.
  std::string unique_variable(std::string_view wanted, std::string_view otherwise);

  // Buffers
  BufferId add_buffer(std::string_view name, DataType type, const Geometry& geometry,
                      std::string text);
  [[nodiscard]] const Buffer& buffer(BufferId id) const { return kernel_.buffers[id]; }
  [[nodiscard]] Geometry geometry(BufferId id) const {
    return {kernel_.buffers[id].shape[0], kernel_.buffers[id].shape[1]};
  }
  [[nodiscard]] DataType type(BufferId id) const { return kernel_.buffers[id].type; }
  [[nodiscard]] const BufferNote& note(BufferId id) const { return notes_[id]; }
  /// Statements of the current scope from `first` on write and read `to` instead of `from`.
  void rename_buffer(BufferId from, BufferId to, std::size_t first);

  // Tensors
  /// The name of a tensor of this memory; one that is alike in everything but the name is reused.
  std::string add_tensor(Tensor tensor);
  /// Notes that transfers of the tensor touch these bytes of its memory.
  void note_bytes(const std::string& tensor, const Range& bytes);
  /// The bytes that transfers of each tensor touch.
  [[nodiscard]] const std::map<std::string, Range>& tensor_bytes() const { return tensor_bytes_; }

  // Statements
  void set_origin(Origin origin) { origin_ = std::move(origin); }
  [[nodiscard]] const Origin& origin() const { return origin_; }
  void add(decltype(Statement::action) action);
  /// Adds to an outer scope, in front of the loops that are open in it.
  void add_in_scope(std::size_t scope, decltype(Statement::action) action);
  void open_loop(const std::string& variable, Integer start, Integer stop, Integer step);
  void close_loop();
  void push_condition(Integer condition);
  void pop_condition();
  /// All conditions that statements added now depend on, also those of loops around.
  [[nodiscard]] std::vector<Integer> all_conditions() const;
  [[nodiscard]] std::size_t scope_depth() const { return scopes_.size(); }
  [[nodiscard]] const std::vector<Statement>& current() const { return scopes_.back().body; }
  std::vector<Statement>& current() { return scopes_.back().body; }

  // Tiles and statements of the usual kinds
  [[nodiscard]] BufferTile tile(const LxRectangle& rectangle) const;
  [[nodiscard]] BufferTile whole(BufferId id) const;
  void vector(models::VectorFunction function, BufferTile into,
              const std::vector<VectorOperand>& from, std::int64_t axis = 1,
              std::optional<PatternText> pattern = std::nullopt);
  void matmul(BufferTile into, BufferTile a, BufferTile b, bool accumulate);

  std::string add_groups(std::vector<std::vector<std::int64_t>> groups);
  /// A semaphore for an exchange whose tiles come into these buffers: from the signal on they are
  /// in use.
  std::string add_semaphore(const std::vector<BufferId>& receive);

  [[nodiscard]] const Grid& grid() const { return kernel_.grid; }
  [[nodiscard]] std::int64_t cores() const;
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const std::vector<Tensor>& tensors() const { return tensors_; }
  [[nodiscard]] const std::map<std::string, std::vector<std::string>>& semaphore_buffers() const {
    return semaphore_buffers_;
  }
  [[nodiscard]] const std::vector<BufferNote>& notes() const { return notes_; }
  Kernel take_kernel();

 private:
  struct Scope {
    std::vector<Statement> body;
    std::vector<Integer> conditions;
    std::optional<ForStatement> loop;
    Origin origin;  ///< of the loop
  };
  [[nodiscard]] Statement statement(const Scope& scope, decltype(Statement::action) action,
                                    const Origin& origin) const;

  Kernel kernel_;
  std::vector<BufferNote> notes_;
  std::vector<Tensor> tensors_;
  std::map<std::string, Range> tensor_bytes_;
  std::vector<Scope> scopes_{Scope{}};
  Origin origin_;
  std::set<std::string> names_, variables_;
  std::map<std::string, std::vector<std::string>> semaphore_buffers_;
};

/// Calls `visit(BufferTile&, bool written)` for every buffer tile of a statement that is no loop.
template <class Action, class Visit>
void for_each_tile(Action& action, const Visit& visit) {
  if (auto* transfer = std::get_if<TransferStatement>(&action)) {
    const bool into =
        transfer->opcode == models::Opcode::load || transfer->opcode == models::Opcode::gather;
    visit(transfer->local, into);
  } else if (auto* matmul = std::get_if<MatmulStatement>(&action)) {
    visit(matmul->a, false);
    visit(matmul->b, false);
    visit(matmul->into, true);
  } else if (auto* vector = std::get_if<VectorStatement>(&action)) {
    for (auto& tile : vector->from) visit(tile, false);
    visit(vector->into, true);
  } else if (auto* ring = std::get_if<RingStatement>(&action)) {
    if (!ring->from.buffer.empty()) visit(ring->from, false);
    if (!ring->into.buffer.empty()) visit(ring->into, true);
  }
}

/// Whether the statement is a vector operation that works element by element, so that its
/// destination may be one of its sources.
[[nodiscard]] bool is_elementwise(const Statement& statement);

}  // namespace spyre::kernels::lowering
