#include "models/card/request_iterator.h"

#include <algorithm>

namespace spyre::models {

RequestIterator::RequestIterator(const std::vector<StickRuns>& runs, std::uint32_t max_bytes)
    : runs_(&runs), max_bytes_(max_bytes) {
  start_run();
}

void RequestIterator::start_run() {
  while (run_ < runs_->size() && (*runs_)[run_].bytes() == 0) ++run_;
  if (done()) return;
  const StickRuns& run = (*runs_)[run_];
  address_ = run.base;
  for (std::size_t i = 0; i < index_.size(); ++i) {
    address_ += static_cast<std::uint64_t>(run.stride[i]) * index_[i];
  }
  left_ = run.run_bytes;
}

RequestIterator::Request RequestIterator::next() {
  const std::uint32_t bytes = std::min(left_, max_bytes_);
  const Request request{address_, bytes};
  address_ += bytes;
  left_ -= bytes;
  if (left_ == 0) advance_run();
  return request;
}

void RequestIterator::advance_run() {
  const StickRuns& run = (*runs_)[run_];
  std::size_t level = 0;
  while (level < index_.size() && ++index_[level] == run.count[level]) index_[level++] = 0;
  if (level == index_.size()) ++run_;
  start_run();
}

}  // namespace spyre::models
