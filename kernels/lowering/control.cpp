// scf.for and scf.if. What loops carry is in carried.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {

void Lowerer::begin_scope() {
  ++state_.scope;
}

void Lowerer::end_scope() {
  std::erase_if(state_.arrangements,
                [this](const State::Arrangement& each) { return each.scope >= state_.scope; });
  --state_.scope;
}

void Lowerer::lower_single_turn(const Operation& op, const Integer& start) {
  const ktir::Region& body = op.regions[0];
  set(body.arguments[0], start);
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    set(body.arguments[i + 1], LoweredValue(state_.values[op.segment(1)[i]]));
  }
  lower_body(body);
  const Operation& yield = body.operations.back();
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    set(op.results[i], LoweredValue(state_.values[yield.operands[i]]));
  }
}

namespace {

std::int64_t moves_in(const Statement& statement) {
  if (const auto* loop = std::get_if<ForStatement>(&statement.action)) {
    std::int64_t count = 0;
    for (const Statement& inner : loop->body) count += moves_in(inner);
    return count;
  }
  const auto* vector = std::get_if<VectorStatement>(&statement.action);
  return vector != nullptr && (vector->function == VectorFunction::rearrange ||
                               vector->function == VectorFunction::transpose)
             ? 1
             : 0;
}

}  // namespace

void Lowerer::lower_for(const Operation& op) {
  const std::span<const ValueId> bounds = op.segment(0);
  OpenLoop loop;
  loop.op = &op;
  loop.start = integer(bounds[0], op);
  loop.stop = integer(bounds[1], op);
  loop.step = integer(bounds[2], op);
  if (loop.step.range().low <= 0) {
    fail(op, fmt::format("its step {} is not known to be positive", loop.step.text()));
  }
  const Integer span = loop.stop - loop.start;
  if (span.range().high <= 0) {  // it never runs
    for (std::size_t i = 0; i < op.results.size(); ++i) {
      set(op.results[i], LoweredValue(state_.values[op.segment(1)[i]]));
    }
    return;
  }
  if (span.range().low > 0 && (span - loop.step).range().high <= 0) {
    return lower_single_turn(op, loop.start);
  }
  const State before = state_;
  const std::vector<OpenLoop> loops_before = loops_;
  const auto restart = [&] {
    state_ = before;
    loops_ = loops_before;
    position_ = last_uses_.begin(op);
    state_.program.set_origin(origin_of(op));
  };
  // How many tiles the loop moves to other geometries.
  const auto attempt = [&](Geometries geometries) {
    if (!lower_loop(op, loop, geometries, false)) {
      restart();
      static_cast<void>(lower_loop(op, loop, geometries, true));
    }
    const std::vector<Statement>& body = state_.program.current();
    return body.size() > before.program.current().size() ? moves_in(body.back()) : 0;
  };
  const std::int64_t moved = attempt(Geometries(op.results.size()));
  if (moved == 0) return;
  // A vector that starts from one number may as well be carried as a column.
  Geometries columns(op.results.size());
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    const auto* init = std::get_if<TensorValue>(&before.values[op.segment(1)[i]]);
    if (init == nullptr || init->number() == nullptr) continue;
    const Geometry usual = usual_geometry(init->shape);
    if (usual.rows == 1 && usual.columns > 1) columns[i] = Geometry{usual.columns, 1};
  }
  if (std::ranges::none_of(columns, [](const auto& each) { return !!each; })) return;
  const State first = state_;
  restart();
  if (attempt(columns) >= moved) state_ = first;
}

bool Lowerer::lower_loop(const Operation& op, OpenLoop loop, Geometries& geometries, bool final) {
  const ktir::Region& body = op.regions[0];
  Program& program = state_.program;
  loop.variable = program.unique_variable(function_.value(body.arguments[0]).name, "i");
  loop.conditional = conditions_ > 0;
  loop.outer_scope = program.scope_depth() - 1;
  const Range start = loop.start.range();
  Range range{start.low, loop.stop.range().high - 1};
  const Integer span = loop.stop - loop.start;
  if (span.is_constant() && loop.step.is_constant()) {
    const std::int64_t last = (span.constant() - 1) / loop.step.constant() * loop.step.constant();
    range.high = start.high + last;
  }
  const std::int64_t multiple =
      std::max<std::int64_t>(1, std::gcd(loop.start.divisor(), loop.step.divisor()));
  const Integer variable = Integer::variable(loop.variable, range, multiple);

  loop.carried.resize(op.results.size());
  const Integer turns = floor_divide(variable - loop.start, loop.step);
  std::vector<std::optional<Integer>> integers(op.results.size());
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    if (!last_uses_.is_used(body.arguments[i + 1]) && !last_uses_.is_used(op.results[i])) continue;
    const ktir::Type& carried = type(op.results[i]);
    if (carried.is_scalar() && !carried.element.is_float()) {
      set(body.arguments[i + 1], carried_integer(op, i, turns));
      const Integer all = maximum(0, Integer(0) - floor_divide(loop.start - loop.stop, loop.step));
      integers[i] = carried_integer(op, i, all);
    } else {
      begin_carried(op, loop, i, geometries[i]);
    }
  }
  const BufferId first_of_body = program.kernel().buffers.size();
  program.open_loop(loop.variable, loop.start, loop.stop, loop.step);
  set(body.arguments[0], variable);
  const std::size_t conditions = std::exchange(conditions_, 0);
  loops_.push_back(loop);
  begin_scope();
  lower(body);
  const Operation& yield = body.operations.back();
  position_ = last_uses_.begin(yield);
  if (!final && !matches(loop, yield, geometries)) {
    conditions_ = conditions;
    return false;
  }
  end_carried(loop, yield, first_of_body);
  end_scope();
  loops_.pop_back();
  conditions_ = conditions;
  program.close_loop();
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    if (integers[i]) set(op.results[i], *integers[i]);
    if (!loop.carried[i]) continue;
    TensorValue value = std::get<TensorValue>(state_.values[body.arguments[i + 1]]);
    value.content = Reading{*loop.carried[i], dense_strides(value.shape), 0};
    set(op.results[i], value);
  }
  return true;
}

void Lowerer::lower_if(const Operation& op) {
  const LoweredValue& given = state_.values[op.operands[0]];
  if (!std::holds_alternative<Integer>(given)) {
    fail(op,
         "its condition depends on data: it must follow from arguments, tile ids and loop "
         "variables");
  }
  const Integer condition = std::get<Integer>(given);
  Program& program = state_.program;
  if (condition.is_constant()) {
    const std::size_t taken = condition.constant() != 0 ? 0 : 1;
    if (taken >= op.regions.size()) return;
    lower_body(op.regions[taken]);
    for (std::size_t i = 0; i < op.results.size(); ++i) {
      set(op.results[i],
          LoweredValue(state_.values[op.regions[taken].operations.back().operands[i]]));
    }
    return;
  }
  std::vector<std::optional<BufferId>> results(op.results.size());
  std::vector<Integer> integers(op.results.size());
  for (std::size_t branch = 0; branch < op.regions.size(); ++branch) {
    const ktir::Region& region = op.regions[branch];
    const Integer mine = branch == 0 ? condition : negation(condition);
    program.push_condition(mine);
    ++conditions_;
    begin_scope();
    lower(region);
    const Operation& yield = region.operations.back();
    position_ = last_uses_.begin(yield);
    for (std::size_t i = 0; i < op.results.size(); ++i) {
      if (!last_uses_.is_used(op.results[i])) continue;
      const ktir::Type& result = type(op.results[i]);
      if (result.is_scalar() && !result.element.is_float()) {
        integers[i] = integers[i] + mine * integer(yield.operands[i], op);
        continue;
      }
      const TensorValue value = tensor(yield.operands[i], op);
      if (!value.cut.empty()) fail(op, "its result comes from a view that may end inside the tile");
      if (!results[i]) {
        target_ = op.results[i];
        results[i] = new_buffer(op, tile_type_of(value.element, op), usual_geometry(value.shape));
      }
      copy_into(op, value, *results[i]);
    }
    end_scope();
    --conditions_;
    program.pop_condition();
  }
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    if (results[i]) {
      set(op.results[i], dense(type(op.results[i]).element, result_shape(op, i, {}), *results[i]));
    } else {
      set(op.results[i], integers[i]);
    }
  }
}

}  // namespace spyre::kernels::lowering
