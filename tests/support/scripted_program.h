// A ProgramSource made of lists, and short ways to write tile operations, for tests of the card.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/isa/tile_op.h"

namespace spyre::tests {

class ScriptedProgram final : public models::ProgramSource {
 public:
  using CorePrograms = std::map<unsigned, std::vector<models::TileOp>>;

  /// Adds a launch: the cores named in `programs` take part.
  void add_launch(CorePrograms programs, std::uint32_t slots = 16, std::uint32_t semaphores = 4) {
    models::Launch launch;
    launch.index = static_cast<std::uint32_t>(launches_.size());
    launch.name = launch.kernel = "launch" + std::to_string(launch.index);
    launch.slots = slots;
    launch.semaphores = semaphores;
    for (const auto& [core, ops] : programs) launch.cores |= models::CoreSet{1} << core;
    launches_.push_back({launch, std::move(programs)});
  }

  bool next_launch(models::Launch& launch) override {
    if (next_ == launches_.size()) return false;
    launch = launches_[next_++].launch;
    position_.clear();
    return true;
  }

  bool next_op(unsigned core, models::TileOp& op) override {
    const auto& ops = launches_[next_ - 1].programs.at(core);
    std::size_t& at = position_[core];
    if (at == ops.size()) return false;
    op = ops[at];
    op.statement = static_cast<std::uint32_t>(at++);
    return true;
  }

 private:
  struct ScriptedLaunch {
    models::Launch launch;
    CorePrograms programs;
  };
  std::vector<ScriptedLaunch> launches_;
  std::size_t next_ = 0;
  std::map<unsigned, std::size_t> position_;
};

inline models::LxOperand tile(models::SlotId slot, std::uint32_t bytes) {
  models::LxOperand operand;
  operand.slot = slot;
  operand.address = slot * 65536U;
  operand.bytes = bytes;
  return operand;
}

inline models::StickRuns contiguous(std::uint64_t address, std::uint32_t bytes) {
  models::StickRuns run;
  run.base = address;
  run.run_bytes = bytes;
  return run;
}

inline models::TileOp load(models::SlotId slot, std::uint64_t address, std::uint32_t bytes,
                           models::CoreSet sharers = 0, std::uint32_t tag = 0) {
  models::TileOp op;
  op.opcode = models::Opcode::load;
  op.destination = tile(slot, bytes);
  op.tensor = 0;
  op.runs = {contiguous(address, bytes)};
  op.sharers = sharers;
  op.share_tag = tag;
  return op;
}

inline models::TileOp store(models::SlotId slot, std::uint64_t address, std::uint32_t bytes) {
  models::TileOp op;
  op.opcode = models::Opcode::store;
  op.sources[op.source_count++] = tile(slot, bytes);
  op.tensor = 1;
  op.runs = {contiguous(address, bytes)};
  return op;
}

inline models::TileOp matmul(models::SlotId into, models::SlotId a, models::SlotId b,
                             std::uint32_t m, std::uint32_t n, std::uint32_t k,
                             bool accumulate = false) {
  models::TileOp op;
  op.opcode = models::Opcode::matmul;
  op.destination = tile(into, m * n * 4);
  op.sources[op.source_count++] = tile(a, m * k * 2);
  op.sources[op.source_count++] = tile(b, k * n * 2);
  op.accumulate = accumulate;
  op.m = m;
  op.n = n;
  op.k = k;
  return op;
}

inline models::TileOp vector_op(models::VectorFunction function, models::SlotId into,
                                models::SlotId from, std::uint32_t rows, std::uint32_t columns) {
  models::TileOp op;
  op.opcode = models::Opcode::vector;
  op.function = function;
  op.destination = tile(into, rows * columns * 2);
  op.sources[op.source_count++] = tile(from, rows * columns * 2);
  op.m = rows;
  op.n = columns;
  return op;
}

inline models::TileOp sending(models::Opcode opcode, models::SlotId from, models::SlotId into,
                              models::CoreSet peers, std::uint32_t bytes) {
  models::TileOp op;
  op.opcode = opcode;
  op.sources[op.source_count++] = tile(from, bytes);
  op.destination = tile(into, bytes);
  op.peers = peers;
  return op;
}

inline models::TileOp receive(models::SlotId into, std::uint32_t count) {
  models::TileOp op;
  op.opcode = models::Opcode::receive;
  op.destination.slot = into;
  op.count = count;
  return op;
}

inline models::TileOp synchronise(models::Opcode opcode, models::CoreSet peers,
                                  std::uint16_t semaphore = 0, std::uint32_t count = 1) {
  models::TileOp op;
  op.opcode = opcode;
  op.peers = peers;
  op.semaphore = semaphore;
  op.count = count;
  return op;
}

}  // namespace spyre::tests
