// When each buffer of a kernel holds something that is still needed, in program order.
//
// Positions count statements. A buffer lives from the first statement that touches it to the last;
// where a loop and something outside of it touch it, through the whole loop. Exchange buffers live
// from the signal on that lets other cores write them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/schedule/schedule.h"

namespace spyre::kernels::lowering {

struct Life {
  std::int64_t begin = -1, end = -1;

  [[nodiscard]] bool overlaps(const Life& other) const {
    return begin <= other.end && other.begin <= end;
  }
};

class BufferLives {
 public:
  /// `semaphore_buffers`: the buffers that come into use with a signal of that name.
  BufferLives(const Kernel& kernel,
              const std::map<std::string, std::vector<std::string>>& semaphore_buffers);

  /// By the buffer's place in the kernel; begin -1 if nothing touches it.
  [[nodiscard]] const Life& life(std::size_t buffer) const { return lives_[buffer]; }
  /// Whether only statements of one innermost loop touch it, a whole load or gather among them.
  [[nodiscard]] bool is_loaded_in_loop(std::size_t buffer) const { return loaded_in_loop_[buffer]; }
  [[nodiscard]] std::int64_t positions() const { return next_; }
  [[nodiscard]] const Statement* statement(std::int64_t position) const {
    return statements_[static_cast<std::size_t>(position)];
  }

 private:
  struct Loop {
    std::int64_t begin = 0, end = 0;
    std::map<std::size_t, std::size_t> touches;  ///< by buffer
    std::map<std::size_t, bool> loads;           ///< whole loads that stand in this loop itself
  };
  void visit(const std::vector<Statement>& body);
  void touch(const std::string& buffer, bool whole_load);

  std::map<std::string, std::size_t> places_;
  const std::map<std::string, std::vector<std::string>>& semaphore_buffers_;
  std::vector<Life> lives_;
  std::vector<std::size_t> touches_;
  std::vector<bool> loaded_in_loop_;
  std::vector<Loop> loops_;
  std::vector<std::size_t> open_;
  std::vector<const Statement*> statements_;
  std::int64_t next_ = 0;
};

}  // namespace spyre::kernels::lowering
