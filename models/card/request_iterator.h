// Cuts the runs of a transfer into requests of at most the largest request size.
#pragma once

#include <array>
#include <vector>

#include "models/isa/tile_op.h"

namespace spyre::models {

/// Walks a list of strided runs, request by request. The list must outlive the walk.
class RequestIterator {
 public:
  struct Request {
    std::uint64_t address;
    std::uint32_t bytes;
  };

  RequestIterator() = default;
  RequestIterator(const std::vector<StickRuns>& runs, std::uint32_t max_bytes);

  [[nodiscard]] bool done() const { return runs_ == nullptr || run_ == runs_->size(); }
  /// The next request; call only while not done().
  Request next();

 private:
  void start_run();
  void advance_run();

  const std::vector<StickRuns>* runs_ = nullptr;
  std::uint32_t max_bytes_ = 0;
  std::size_t run_ = 0;
  std::array<std::uint32_t, 3> index_{};
  std::uint64_t address_ = 0;
  std::uint32_t left_ = 0;  // bytes of the contiguous run not yet requested
};

}  // namespace spyre::models
