// What loops carry from turn to turn.
//
// A tensor lives in one buffer through all turns. The body writes its next value there directly
// where the old one is not needed any more; else it is copied at the end of a turn. Integers are
// counters, which become formulas.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {

void Lowerer::begin_carried(const Operation& op, OpenLoop& loop, std::size_t index,
                            const std::optional<Geometry>& wanted) {
  Program& program = state_.program;
  const ValueId argument = op.regions[0].arguments[index + 1];
  const TensorValue init = tensor(op.segment(1)[index], op);
  const DataType held = tile_type_of(init.element, op);
  Geometry geometry = usual_geometry(init.shape);
  const Reading* reading = init.reading();
  const bool whole = reading != nullptr && is_dense(init.shape, *reading) &&
                     program.geometry(reading->buffer).elements() == elements_of(init.shape);
  if (whole) geometry = program.geometry(reading->buffer);
  const bool fits = !wanted || *wanted == geometry;
  if (wanted) geometry = *wanted;
  const bool taken = whole && std::ranges::find(loop.carried, std::optional(reading->buffer)) !=
                                  loop.carried.end();
  if (whole && fits && !taken && program.type(reading->buffer) == held &&
      is_dead(reading->buffer)) {
    loop.carried[index] = reading->buffer;
    overwritten(reading->buffer);
  } else {
    target_ = argument;
    const BufferId buffer = new_buffer(op, held, geometry);
    copy_into(op, init, buffer);
    loop.carried[index] = buffer;
  }
  TensorValue value = dense(init.element, init.shape, *loop.carried[index]);
  value.cut = init.cut;
  set(argument, value);
}

/// Whether the values are yielded in the geometries of their buffers; else tells which they are.
bool Lowerer::matches(const OpenLoop& loop, const Operation& yield, Geometries& geometries) const {
  bool all = true;
  for (std::size_t i = 0; i < loop.carried.size(); ++i) {
    if (!loop.carried[i]) continue;
    const TensorValue value = tensor(yield.operands[i], yield);
    const Geometry held = state_.program.geometry(*loop.carried[i]);
    geometries[i] = held;
    const Reading* reading = value.reading();
    if (reading == nullptr || !is_dense(value.shape, *reading)) continue;
    const Geometry made = state_.program.geometry(reading->buffer);
    if (made == held || made.elements() != held.elements()) continue;
    geometries[i] = made;
    all = false;
  }
  return all;
}

namespace {

struct Touches {
  std::int64_t first = -1, last = -1;
  const Statement* first_statement = nullptr;
  bool exchanged = false;  ///< other cores write it
};

void find_touches(const std::vector<Statement>& body, const std::string& name, Touches& touches,
                  std::int64_t& next) {
  for (const Statement& statement : body) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.action)) {
      find_touches(loop->body, name, touches, next);
      continue;
    }
    const std::int64_t place = next++;
    for_each_tile(statement.action, [&](const BufferTile& tile, bool) {
      if (tile.buffer != name) return;
      if (touches.first < 0) {
        touches.first = place;
        touches.first_statement = &statement;
      }
      touches.last = place;
      const bool ring = std::holds_alternative<RingStatement>(statement.action);
      touches.exchanged = touches.exchanged || ring;
    });
  }
}

}  // namespace

/// Everything in the body that touches `to` comes before what makes `from`.
bool Lowerer::can_rename(BufferId from, BufferId to) const {
  const Program& program = state_.program;
  Touches old;
  Touches made;
  std::int64_t next = 0;
  find_touches(program.current(), program.buffer(to).name, old, next);
  next = 0;
  find_touches(program.current(), program.buffer(from).name, made, next);
  if (made.first < 0 || made.exchanged) return false;
  if (old.last < made.first) return true;
  if (old.last > made.first || !is_elementwise(*made.first_statement)) return false;
  // In place: only where the old value is read whole, element for element.
  bool whole = true;
  for_each_tile(made.first_statement->action, [&](const BufferTile& tile, bool) {
    if (tile.buffer == program.buffer(to).name && !tile.at.empty()) whole = false;
  });
  return whole;
}

void Lowerer::end_carried(const OpenLoop& loop, const Operation& yield, BufferId first_of_body) {
  Program& program = state_.program;
  std::vector<std::size_t> to_copy;
  for (std::size_t i = 0; i < loop.carried.size(); ++i) {
    if (!loop.carried[i]) continue;
    const BufferId held = *loop.carried[i];
    const TensorValue value = tensor(yield.operands[i], yield);
    const auto& argument =
        std::get<TensorValue>(state_.values[loop.op->regions[0].arguments[i + 1]]);
    if (value.cut != argument.cut) {
      fail(yield,
           fmt::format("carried value {} comes from a view that may end inside the tile, its "
                       "first value does not",
                       i));
    }
    const Reading* reading = value.reading();
    const bool whole = reading != nullptr && is_dense(value.shape, *reading) &&
                       program.geometry(reading->buffer) == program.geometry(held);
    if (whole && reading->buffer == held) continue;
    // Another value that is still to be read from either buffer keeps them apart.
    bool alone = whole;
    for (std::size_t j = 0; j < loop.carried.size() && alone; ++j) {
      const auto* other = std::get_if<TensorValue>(&state_.values[yield.operands[j]]);
      if (j == i || !loop.carried[j] || other == nullptr || other->reading() == nullptr) continue;
      const BufferId buffer = other->reading()->buffer;
      alone = buffer != reading->buffer && buffer != held;
    }
    if (alone && reading->buffer >= first_of_body &&
        program.type(reading->buffer) == program.type(held) && is_dead(reading->buffer) &&
        can_rename(reading->buffer, held)) {
      program.rename_buffer(reading->buffer, held, 0);
      for (LoweredValue& each : state_.values) {
        if (auto* tensor = std::get_if<TensorValue>(&each)) {
          auto* reads = std::get_if<Reading>(&tensor->content);
          if (reads != nullptr && reads->buffer == reading->buffer) reads->buffer = held;
        }
      }
      overwritten(held);
      continue;
    }
    to_copy.push_back(i);
  }
  // All at once: what is still to be copied from a carried buffer is saved before it changes.
  std::vector<TensorValue> values;
  for (const std::size_t i : to_copy) {
    TensorValue value = tensor(yield.operands[i], yield);
    const Reading* reading = value.reading();
    const bool from_carried =
        reading != nullptr &&
        std::ranges::find(loop.carried, std::optional(reading->buffer)) != loop.carried.end();
    if (from_carried) {
      target_ = yield.operands[i];
      const BufferId saved =
          new_buffer(yield, program.type(*loop.carried[i]), program.geometry(*loop.carried[i]));
      copy_into(yield, value, saved);
      value = dense(value.element, value.shape, saved);
    }
    values.push_back(value);
  }
  for (std::size_t i = 0; i < to_copy.size(); ++i) {
    copy_into(yield, values[i], *loop.carried[to_copy[i]]);
  }
}

/// A counter: what it starts from and what every turn adds.
Integer Lowerer::carried_integer(const Operation& op, std::size_t index,
                                 const Integer& turns) const {
  const ktir::Region& body = op.regions[0];
  const ValueId argument = body.arguments[index + 1];
  const ValueId yielded = body.operations.back().operands[index];
  const Integer init = integer(op.segment(1)[index], op);
  if (yielded == argument) return init;
  const Operation* step = uses_.definition(yielded);
  if (step != nullptr && (step->is(OpCode::arith_addi) || step->is(OpCode::arith_subi))) {
    const bool first = step->operands[0] == argument;
    const bool second = step->is(OpCode::arith_addi) && step->operands[1] == argument;
    if (first != second) {
      const ValueId other = step->operands[first ? 1 : 0];
      const Operation* made = uses_.definition(other);
      std::optional<Integer> by;
      if (made != nullptr && made->is(OpCode::arith_constant)) {
        if (const auto* value = ktir::value_of<ktir::IntegerValue>(made->attribute("value"))) {
          by = Integer(value->value);
        }
      } else if (last_uses_.definition(other) < last_uses_.begin(op) && is_integer(other)) {
        by = integer(other, op);
      }
      if (by) return step->is(OpCode::arith_addi) ? init + turns * *by : init - turns * *by;
    }
  }
  fail(op, fmt::format("carried value {} is an integer that is not known before the run: supported "
                       "are counters, to which every turn adds the same",
                       index));
}

}  // namespace spyre::kernels::lowering
