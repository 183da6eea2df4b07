// How the partials of a group reach every core of it, and who must take part alike.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {
namespace {

const ktir::IntegerSet& set_of(const Operation& op, std::string_view name) {
  return **ktir::value_of<ktir::IntegerSetPtr>(op.attribute(name));
}

}  // namespace

/// Whether a formula has one value on all cores of each group, whatever the turn of the loops.
bool Lowerer::is_uniform(const Integer& value, const Groups& groups) const {
  const Program::Grid& grid = state_.program.grid();
  bool per_core = false;
  bool per_turn = false;
  for (const std::string& name : value.variables()) {
    const auto loop = std::ranges::find(loops_, name, &OpenLoop::variable);
    if (loop == loops_.end()) {
      per_core = true;
      continue;
    }
    per_turn = true;
    if (!is_uniform(loop->start, groups) || !is_uniform(loop->step, groups)) return false;
  }
  if (!per_core) return true;
  if (per_turn) return false;  // may differ in some turn: not decided here
  SymbolTable symbols;
  for (const auto& [name, size] : grid) symbols.add(name);
  symbols.add("core");
  Expression expression = value.expression();
  expression.bind(symbols);
  for (const Cores& group : groups) {
    std::optional<std::int64_t> first;
    for (const std::int64_t core : group) {
      std::vector<std::int64_t> values;
      std::int64_t rest = core;
      for (const auto& [name, size] : grid) {
        values.push_back(rest % size);
        rest /= size;
      }
      values.push_back(core);
      const std::int64_t mine = expression.evaluate(values);
      if (first && *first != mine) return false;
      first = mine;
    }
  }
  return true;
}

void Lowerer::require_uniform(const Operation& op, const Groups& groups) const {
  for (const Integer& condition : state_.program.all_conditions()) {
    if (is_uniform(condition, groups)) continue;
    fail(op,
         fmt::format("all cores of a group must get here alike, but the condition {} may differ "
                     "between them",
                     condition.text()));
  }
  for (const OpenLoop& loop : loops_) {
    if (is_uniform(loop.stop - loop.start, groups) && is_uniform(loop.step, groups)) continue;
    fail(op, fmt::format("all cores of a group must turn the loop over {} as often, but its bounds "
                         "{} and {} may differ between them",
                         loop.variable, loop.start.text(), loop.stop.text()));
  }
}

Lowerer::Exchange Lowerer::exchange(const Operation& op, const Future& future) {
  Program& program = state_.program;
  const std::int64_t cores = program.cores();
  Exchange result;
  result.producers = future.producers;
  std::vector<bool> taken(static_cast<std::size_t>(cores));
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> blocks;
  for (std::size_t g = 0; g < future.producers.size(); ++g) {
    const std::int64_t id = future.group_ids[g];
    result.consumers.push_back(cores_of(set_of(op, "consumer_tiles_per_group"), {id}, cores));
    Cores members;
    std::ranges::set_union(future.producers[g], result.consumers.back(),
                           std::back_inserter(members));
    for (const std::int64_t core : members) {
      if (taken[static_cast<std::size_t>(core)]) {
        fail(op, fmt::format("core {} is in several groups", core));
      }
      taken[static_cast<std::size_t>(core)] = true;
    }
    if (const auto* dependency =
            ktir::value_of<ktir::IntegerSetPtr>(op.attribute("producer_dependency_per_consumer"))) {
      for (const std::int64_t consumer : result.consumers.back()) {
        Cores needed = cores_of(**dependency, {consumer, id}, cores);
        std::erase_if(needed, [&](std::int64_t core) {
          return !std::ranges::binary_search(future.producers[g], core);
        });
        if (needed == future.producers[g]) continue;
        fail(op,
             "a consumer depends on some producers of its group only: supported is a dependency "
             "on all of them");
      }
    }
    sizes.push_back(static_cast<std::int64_t>(members.size()));
    blocks.push_back(static_cast<std::int64_t>(future.producers[g].size()));
    result.members.push_back(std::move(members));
  }
  require_uniform(op, result.members);
  result.blocks = std::ranges::max(blocks);
  if (std::ranges::min(blocks) != result.blocks) {
    fail(op, "its groups have different numbers of producers: they must have equally many");
  }
  for (const TensorValue& partial : future.partials) {
    program.push_condition(membership(result.producers, cores));
    begin_scope();  // only producers have what is arranged here
    result.partials.push_back(in_tile(op, partial));
    end_scope();
    program.pop_condition();
    const BufferId from = result.partials.back().reading()->buffer;
    Geometry geometry = program.geometry(from);
    geometry.rows *= result.blocks;
    const BufferId into =
        program.add_buffer(program.buffer(from).name + "_parts", program.type(from), geometry,
                           fmt::format("partials of {}", program.note(from).text));
    result.gathered.push_back(into);
  }
  const std::string group = program.add_groups(result.members);
  const std::string semaphore = program.add_semaphore(result.gathered);
  program.push_condition(membership(result.members, cores));
  SyncStatement signal;
  signal.opcode = models::Opcode::signal;
  signal.semaphore = semaphore;
  signal.over = {group};
  program.add(signal);
  SyncStatement wait;
  wait.opcode = models::Opcode::wait;
  wait.semaphore = semaphore;
  wait.count = per_group(result.members, sizes, cores).expression();
  program.add(wait);
  const Integer place = rank(result.producers, cores);
  program.push_condition(membership(result.producers, cores));
  for (std::size_t i = 0; i < result.partials.size(); ++i) {
    const BufferId from = result.partials[i].reading()->buffer;
    RingStatement multicast;
    multicast.opcode = models::Opcode::multicast;
    multicast.from = program.whole(from);
    multicast.into = program.whole(result.gathered[i]);
    multicast.into.at = {(place * program.geometry(from).rows).expression(), Expression(0)};
    multicast.over = {group};
    program.add(multicast);
  }
  program.pop_condition();
  for (const BufferId into : result.gathered) {
    RingStatement receive;
    receive.opcode = models::Opcode::receive;
    receive.into = program.whole(into);
    receive.count = Expression(result.blocks);
    program.add(receive);
  }
  program.pop_condition();
  return result;
}

}  // namespace spyre::kernels::lowering
