#include "models/data/dram_store.h"

#include <algorithm>
#include <cstring>

namespace spyre::models {

std::span<const std::byte> DramStore::page_from(std::uint64_t address) const {
  const auto page = pages_.find(address / kPageBytes);
  if (page == pages_.end()) return {};
  const std::uint64_t offset = address % kPageBytes;
  return {page->second + offset, kPageBytes - offset};
}

std::span<std::byte> DramStore::page_from(std::uint64_t address) {
  std::byte*& page = pages_[address / kPageBytes];
  if (page == nullptr) page = new_page();
  const std::uint64_t offset = address % kPageBytes;
  return {page + offset, kPageBytes - offset};
}

std::byte* DramStore::new_page() {
  const std::size_t used = (pages_.size() - 1) % kPagesPerSlab;  // the new one counts already
  if (used == 0) slabs_.emplace_back(kPagesPerSlab * kPageBytes, true);
  return slabs_.back().bytes().subspan(used * kPageBytes).data();
}

void DramStore::read(std::uint64_t address, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const std::size_t length =
        std::min<std::size_t>(bytes.size(), kPageBytes - address % kPageBytes);
    const std::span<const std::byte> page = page_from(address);
    if (page.empty()) {
      std::fill_n(bytes.begin(), length, std::byte{0});
    } else {
      std::memcpy(bytes.data(), page.data(), length);
    }
    bytes = bytes.subspan(length);
    address += length;
  }
}

void DramStore::write(std::uint64_t address, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::span<std::byte> page = page_from(address);
    const std::size_t length = std::min(bytes.size(), page.size());
    std::memcpy(page.data(), bytes.data(), length);
    bytes = bytes.subspan(length);
    address += length;
  }
}

}  // namespace spyre::models
