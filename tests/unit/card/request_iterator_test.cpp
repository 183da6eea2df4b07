#include "models/card/request_iterator.h"

#include <gtest/gtest.h>

#include <random>

namespace spyre::models {
namespace {

std::vector<RequestIterator::Request> all(const std::vector<StickRuns>& runs,
                                          std::uint32_t max_bytes) {
  std::vector<RequestIterator::Request> requests;
  for (RequestIterator walk(runs, max_bytes); !walk.done();) requests.push_back(walk.next());
  return requests;
}

TEST(RequestIteratorTest, CutsALongRunAtTheLargestRequest) {
  const auto requests =
      all({{.base = 1024, .run_bytes = 9088, .count = {1, 1, 1}, .stride = {}}}, 4096);
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].address, 1024U);
  EXPECT_EQ(requests[2].address, 1024U + 8192U);
  EXPECT_EQ(requests[2].bytes, 896U);
}

TEST(RequestIteratorTest, NeverMergesRunsThatAreApart) {
  const auto requests =
      all({{.base = 0, .run_bytes = 128, .count = {3, 2, 1}, .stride = {256, 4096, 0}}}, 4096);
  ASSERT_EQ(requests.size(), 6U);
  EXPECT_EQ(requests[1].address, 256U);
  EXPECT_EQ(requests[3].address, 4096U);
  EXPECT_EQ(requests[5].address, 4096U + 512U);
}

TEST(RequestIteratorTest, SkipsEmptyRuns) {
  EXPECT_TRUE(all({}, 4096).empty());
  EXPECT_TRUE(all({{.base = 0, .run_bytes = 128, .count = {0, 1, 1}, .stride = {}}}, 4096).empty());
  EXPECT_EQ(all({{.base = 0, .run_bytes = 0, .count = {4, 1, 1}, .stride = {}},
                 {.base = 512, .run_bytes = 128, .count = {1, 1, 1}, .stride = {}}},
                4096)
                .size(),
            1U);
}

TEST(RequestIteratorTest, RequestsCoverEveryByteOnceInOrder) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<StickRuns> runs;
    std::vector<std::uint64_t> expected;  // every stick, in order
    for (auto r = random() % 4 + 1; r > 0; --r) {
      StickRuns run;
      run.base = random() % 1000 * 128;
      run.run_bytes = static_cast<std::uint32_t>(random() % 70 + 1) * 128;
      run.count = {static_cast<std::uint32_t>(random() % 3 + 1),
                   static_cast<std::uint32_t>(random() % 3 + 1),
                   static_cast<std::uint32_t>(random() % 2 + 1)};
      for (auto& stride : run.stride) stride = static_cast<std::int64_t>(random() % 100000) * 128;
      runs.push_back(run);
      for (std::uint32_t k = 0; k < run.count[2]; ++k) {
        for (std::uint32_t j = 0; j < run.count[1]; ++j) {
          for (std::uint32_t i = 0; i < run.count[0]; ++i) {
            const auto start =
                run.base + static_cast<std::uint64_t>(i * run.stride[0] + j * run.stride[1] +
                                                      k * run.stride[2]);
            for (std::uint32_t b = 0; b < run.run_bytes; b += 128) expected.push_back(start + b);
          }
        }
      }
    }
    std::vector<std::uint64_t> sticks;
    for (const auto& request : all(runs, 4096)) {
      EXPECT_LE(request.bytes, 4096U);
      for (std::uint32_t b = 0; b < request.bytes; b += 128) sticks.push_back(request.address + b);
    }
    ASSERT_EQ(sticks, expected);
  }
}

}  // namespace
}  // namespace spyre::models
