// The bytes of the card's DRAM, kept only where something was written.
//
// Modelled: contents by address, in pages that appear at their first write. Memory that nobody has
// written reads as zero; the real card's would hold what was there before. Not modelled: time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "models/data/zeroed_memory.h"

namespace spyre::models {

class DramStore {
 public:
  static constexpr std::uint64_t kPageBytes = std::uint64_t{1} << 16;

  /// Fills `bytes` from `address` on.
  void read(std::uint64_t address, std::span<std::byte> bytes) const;
  void write(std::uint64_t address, std::span<const std::byte> bytes);

  /// The bytes from `address` to the end of its page; empty if the page was never written.
  [[nodiscard]] std::span<const std::byte> page_from(std::uint64_t address) const;
  /// The same for writing: makes the page.
  [[nodiscard]] std::span<std::byte> page_from(std::uint64_t address);
  [[nodiscard]] std::size_t pages() const { return pages_.size(); }

 private:
  static constexpr std::size_t kPagesPerSlab = 64;

  std::byte* new_page();

  // Only ever looked up, so its order reaches no result.
  std::unordered_map<std::uint64_t, std::byte*> pages_;
  std::vector<ZeroedMemory> slabs_;
};

}  // namespace spyre::models
