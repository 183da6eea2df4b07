// linalg.matmul and linalg.batch_matmul on the matrix unit.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {

void Lowerer::lower_matmul(const Operation& op) {
  set(op.results[0], product(op, tensor(op.segment(0)[0], op), tensor(op.segment(0)[1], op),
                             tensor(op.segment(1)[0], op)));
}

/// init + a b of [m, k] and [k, n], or of as many as the leading dimension says.
TensorValue Lowerer::product(const Operation& op, const TensorValue& a, const TensorValue& b,
                             const TensorValue& init) {
  Program& program = state_.program;
  const bool batched = a.shape.size() == 3;
  const std::int64_t batches = batched ? a.shape[0] : 1;
  const std::int64_t m = a.shape[a.shape.size() - 2];
  const std::int64_t k = a.shape.back();
  const std::int64_t n = b.shape.back();
  if (batches > 1 && (!a.cut.empty() || !b.cut.empty())) {
    fail(op, "its operands come from views that may end inside the tile: batches need whole tiles");
  }
  const std::size_t inner_a = a.shape.size() - 1;
  const std::size_t inner_b = b.shape.size() - 2;
  const std::string cut_a = a.cut.empty() ? "" : a.cut[inner_a];
  const std::string cut_b = b.cut.empty() ? "" : b.cut[inner_b];
  if (cut_a != cut_b) {
    fail(op,
         "the views of its operands may end inside the tile at different places of the "
         "dimension that is summed over");
  }
  const LxRectangle left = arranged(op, a, {batches * m, k});
  const LxRectangle right = arranged(op, b, {batches * k, n});
  const Geometry geometry{batches * m, n};
  const DataType type = tile_type_of(init.element, op);
  const Number* number = init.number();
  const bool accumulates = number == nullptr || !number->is(0);
  BufferId into = 0;
  bool in_place = false;
  if (init.reading() != nullptr) {
    const BufferId buffer = init.reading()->buffer;
    in_place = is_dense(init.shape, *init.reading()) && program.geometry(buffer) == geometry &&
               program.type(buffer) == type && is_dead(buffer) && buffer != left.buffer &&
               buffer != right.buffer;
    into = buffer;
  }
  if (in_place) {
    overwritten(into);
  } else {
    into = new_buffer(op, type, geometry);
    if (accumulates) copy_into(op, init, into);
  }
  const auto part = [&](const LxRectangle& all, std::int64_t rows, const Integer& batch) {
    return program.tile({all.buffer, all.row + batch * rows, all.column, rows, all.columns});
  };
  const LxRectangle result{into, 0, 0, geometry.rows, geometry.columns};
  if (batches == 1) {
    program.matmul(program.whole(into), program.tile(left), program.tile(right), accumulates);
  } else {
    const std::string variable = program.unique_variable("batch", "batch");
    program.open_loop(variable, 0, batches, 1);
    const Integer batch = Integer::variable(variable, {0, batches - 1});
    program.matmul(part(result, m, batch), part(left, m, batch), part(right, k, batch),
                   accumulates);
    program.close_loop();
  }
  TensorValue value = dense(init.element, init.shape, into);
  if (!a.cut.empty() || !b.cut.empty()) {
    value.cut = {a.cut.empty() ? "" : a.cut[0], b.cut.empty() ? "" : b.cut[1]};
    if (value.cut[0].empty() && value.cut[1].empty()) value.cut.clear();
  }
  return value;
}

}  // namespace spyre::kernels::lowering
