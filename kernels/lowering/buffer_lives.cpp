#include "kernels/lowering/buffer_lives.h"

#include <algorithm>

#include "kernels/lowering/program.h"

namespace spyre::kernels::lowering {

BufferLives::BufferLives(const Kernel& kernel,
                         const std::map<std::string, std::vector<std::string>>& semaphore_buffers)
    : semaphore_buffers_(semaphore_buffers),
      lives_(kernel.buffers.size()),
      touches_(kernel.buffers.size()),
      loaded_in_loop_(kernel.buffers.size()) {
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) places_[kernel.buffers[i].name] = i;
  visit(kernel.body);
  for (const Loop& loop : loops_) {
    for (const auto& [buffer, count] : loop.touches) {
      if (count < touches_[buffer]) {
        lives_[buffer].begin = std::min(lives_[buffer].begin, loop.begin);
        lives_[buffer].end = std::max(lives_[buffer].end, loop.end);
      } else if (loop.loads.contains(buffer)) {
        loaded_in_loop_[buffer] = true;
      }
    }
  }
}

void BufferLives::touch(const std::string& buffer, bool whole_load) {
  const std::size_t place = places_.at(buffer);
  Life& life = lives_[place];
  if (life.begin < 0) life.begin = next_;
  life.end = next_;
  ++touches_[place];
  for (const std::size_t loop : open_) ++loops_[loop].touches[place];
  if (whole_load && !open_.empty()) loops_[open_.back()].loads[place] = true;
}

void BufferLives::visit(const std::vector<Statement>& body) {
  for (const Statement& statement : body) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.action)) {
      const std::size_t index = loops_.size();
      loops_.emplace_back();
      loops_[index].begin = next_++;
      statements_.push_back(&statement);
      open_.push_back(index);
      visit(loop->body);
      open_.pop_back();
      loops_[index].end = next_++;
      statements_.push_back(&statement);
      continue;
    }
    for_each_tile(statement.action, [&](const BufferTile& tile, bool written) {
      const bool load = std::holds_alternative<TransferStatement>(statement.action) && written;
      touch(tile.buffer, load && tile.at.empty());
    });
    if (const auto* sync = std::get_if<SyncStatement>(&statement.action)) {
      const auto found = semaphore_buffers_.find(sync->semaphore);
      if (sync->opcode == models::Opcode::signal && found != semaphore_buffers_.end()) {
        for (const std::string& buffer : found->second) touch(buffer, false);
      }
    }
    statements_.push_back(&statement);
    ++next_;
  }
}

}  // namespace spyre::kernels::lowering
