#include "models/data/zeroed_memory.h"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace spyre::models {

ZeroedMemory::ZeroedMemory(std::size_t bytes, bool dense) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  if (dense) (void)madvise(memory, bytes, MADV_HUGEPAGE);
  bytes_ = {static_cast<std::byte*>(memory), bytes};
}

ZeroedMemory::~ZeroedMemory() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

ZeroedMemory::ZeroedMemory(ZeroedMemory&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})) {}

ZeroedMemory& ZeroedMemory::operator=(ZeroedMemory&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace spyre::models
