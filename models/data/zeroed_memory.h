// A block of memory that reads as zero and costs nothing until it is touched.
#pragma once

#include <cstddef>
#include <span>

namespace spyre::models {

class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  /// `dense`: most of it will be written, so large pages pay. Throws std::bad_alloc.
  ZeroedMemory(std::size_t bytes, bool dense);
  ~ZeroedMemory();
  ZeroedMemory(ZeroedMemory&& other) noexcept;
  ZeroedMemory& operator=(ZeroedMemory&& other) noexcept;
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;

  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace spyre::models
