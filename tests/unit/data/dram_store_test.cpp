#include "models/data/dram_store.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace spyre::models {
namespace {

TEST(DramStore, UnwrittenMemoryIsZeroAndCostsNothing) {
  const DramStore store;
  std::vector<std::byte> bytes(1000, std::byte{7});
  store.read(std::uint64_t{1} << 36, bytes);
  for (const std::byte byte : bytes) EXPECT_EQ(byte, std::byte{0});
  EXPECT_EQ(store.pages(), 0U);
}

TEST(DramStore, AWriteAcrossPagesIsReadBack) {
  DramStore store;
  const std::uint64_t address = 3 * DramStore::kPageBytes - 5;
  std::vector<std::byte> written(10);
  for (std::size_t i = 0; i < written.size(); ++i) written[i] = static_cast<std::byte>(i + 1);
  store.write(address, written);
  EXPECT_EQ(store.pages(), 2U);
  std::vector<std::byte> read(12, std::byte{99});
  store.read(address - 1, read);
  EXPECT_EQ(read.front(), std::byte{0});
  EXPECT_TRUE(std::equal(written.begin(), written.end(), read.begin() + 1));
  EXPECT_EQ(read.back(), std::byte{0});
}

TEST(DramStore, BehavesAsOneArrayUnderRandomAccesses) {
  DramStore store;
  std::vector<std::byte> array(5 * DramStore::kPageBytes / 2, std::byte{0});
  std::mt19937 random(5);
  for (int i = 0; i < 400; ++i) {
    const std::size_t length = random() % 3000;
    const std::size_t address = random() % (array.size() - length);
    std::vector<std::byte> bytes(length);
    if (i % 2 == 0) {
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
      store.write(address, bytes);
      std::copy(bytes.begin(), bytes.end(), array.begin() + static_cast<std::ptrdiff_t>(address));
    } else {
      store.read(address, bytes);
      EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(),
                             array.begin() + static_cast<std::ptrdiff_t>(address)));
    }
  }
}

}  // namespace
}  // namespace spyre::models
