#include "kernels/schedule/coverage.h"

#include <random>
#include <set>

#include "tests/unit/schedule_check/matmul_text.h"
#include "tests/unit/schedule_check/plan_text.h"

namespace spyre::kernels {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(StickBitmap, CountsFreshBitsAsASetDoes) {
  std::mt19937 random(5);
  StickBitmap bitmap(1000);
  for (int round = 0; round < 20; ++round) {
    std::set<std::uint64_t> reference;
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t first = random() % 1000;
      const std::uint64_t count = random() % (1001 - first);
      std::uint64_t fresh = 0;
      for (std::uint64_t bit = first; bit < first + count; ++bit) {
        fresh += reference.insert(bit).second ? 1U : 0U;
      }
      ASSERT_EQ(bitmap.set(first, count), fresh);
    }
    bitmap.clear();
  }
  EXPECT_EQ(bitmap.set(0, 1000), 1000U);
}

TEST(Coverage, AnElementWrittenTwiceInOneLaunchIsAnError) {
  expect_only(PlanText{R"(
      - load: {into: b, from: w, at: [0, 0]}
      - store: {from: b, to: y, at: [0, 0]} # <-)"}
                  .text(),
              "error", "store-overlap",
              "core 1 writes 128 of the 128 sticks of this tile of 'y' a second time");
  expect_only(PlanText{R"(
      - load: {into: b, from: w, at: [0, 0]}
      - for: {i: [0, 3]}
        do:
          - store: {from: b, to: y, at: [0, 64*i]} # <-)",
                       "{n: 1}"}
                  .text(),
              "error", "store-overlap", "core 0 writes 64 of the 128 sticks");
}

TEST(Coverage, ElementsThatAreNeverWrittenAreCounted) {
  MatmulText matmul{130, 70, 200};
  std::string text = matmul.text();
  // One tile of N is left out: 130 x 6 elements.
  text.replace(text.find("ni: [0, 2]"), 10, "ni: [0, 1]");
  EXPECT_THAT(
      findings_of(text),
      ElementsAre(HasSubstr("warning: store-coverage: 780 of 9100 elements of 'y' are never "
                            "written from launch 'gemm'")));
}

std::string two_launches(const std::string& second_kernel) {
  return R"(schedule: 1
tensors:
  x: {dtype: fp16, kind: constant, shape: [8, 128]}
  y: {dtype: fp16, shape: [8, 128]}
kernels:
  half:
    cores: {n: 1}
    params: [h]
    buffers:
      t: {dtype: fp16, shape: [8, 64]}
    body:
      - load: {into: t, from: x, at: [0, 64*h]}
      - store: {from: t, to: y, at: [0, 64*h]}
  read:
    cores: {n: 1}
    params: [h]
    buffers:
      t: {dtype: fp16, shape: [8, 128]}
    body:
      - load: {into: t, from: y, at: [0, 0]}
      - vector: {op: copy, into: t, from: [t]}
launches:
  - {kernel: half, with: {h: 0}}
  - {kernel: )" +
         second_kernel + R"(, with: {h: 1}}
  - {kernel: half, with: {h: 1}}
  - {kernel: half, with: {h: 0}}
)";
}

TEST(Coverage, LaunchesMayCompleteATensorBeforeItIsRead) {
  expect_clean(two_launches("half"));
}

TEST(Coverage, AReadBeforeTheTensorIsCompleteIsNoted) {
  EXPECT_THAT(findings_of(two_launches("read")),
              ElementsAre(HasSubstr("13: warning: store-coverage: 512 of 1024 elements of 'y'")));
}

TEST(Coverage, PartsOfACacheMayStayUnwritten) {
  expect_clean(PlanText{R"(
      - load: {into: b, from: w, at: [0, 0]}
      - store: {from: b, to: cache, at: [3, 64*n, 0]})",
                        "{n: 2}",
                        "  cache: {dtype: fp16, kind: kv_cache, shape: [40, 4096, 128]}\n"}
                   .text());
}

TEST(Coverage, ScatteredRowsMustDiffer) {
  const auto plan = [](const std::string& rows) {
    return PlanText{R"(
      - load: {into: t, from: x, at: [0, 0]}
      - scatter: {from: t, to: cache, index: {tensor: ids, at: [0]}, at: [0, 0]} # <-)",
                    "{n: 1}",
                    "  cache: {dtype: fp16, kind: kv_cache, shape: [10, 64]}\n"
                    "  ids: {dtype: int32, kind: index, shape: [2], values: " +
                        rows + "}\n",
                    "      t: {dtype: fp16, shape: [2, 64]}\n"}
        .text();
  };
  expect_clean(plan("[7, 2]"));
  expect_only(plan("[7, 7]"), "error", "store-overlap", "1 of the 1 sticks");
}

}  // namespace
}  // namespace spyre::kernels
