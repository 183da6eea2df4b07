// A first-in first-out queue that grows by doubling and then never allocates again.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace spyre::models {

template <class T>
class RingQueue {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const T& front() const { return items_[head_]; }

  void push(const T& item) {
    if (size_ == items_.size()) grow();
    items_[(head_ + size_) & (items_.size() - 1)] = item;
    ++size_;
  }

  void pop() {
    head_ = (head_ + 1) & (items_.size() - 1);
    --size_;
  }

 private:
  void grow() {
    std::vector<T> larger(items_.empty() ? 16 : 2 * items_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = items_[(head_ + i) & (items_.size() - 1)];
    items_ = std::move(larger);
    head_ = 0;
  }

  std::vector<T> items_;
  std::size_t head_ = 0, size_ = 0;
};

}  // namespace spyre::models
