#include "tests/unit/schedule_check/plan_text.h"

namespace spyre::kernels {
namespace {

TEST(SlotRules, WhatIsReadMustHaveBeenWritten) {
  expect_only(PlanText{R"(
      - load: {into: b, from: w, at: [0, 0]}
      - matmul: {into: acc, a: a, b: b} # <-)"}
                  .text(),
              "error", "read-before-write",
              "'a' is read, but nothing has written it in this kernel");
  expect_only(PlanText{R"(
      - store: {from: out, to: y, at: [0, 128*n]} # <-)"}
                  .text(),
              "error", "read-before-write", "'out'");
}

TEST(SlotRules, AnAccumulatorIsReadToo) {
  expect_only(PlanText{R"(
      - for: {k: [0, 4]}
        do:
          - load: {into: a, from: x, at: [0, 64*k]}
          - load: {into: b, from: w, at: [64*k, 0]}
          - matmul: {into: acc, a: a, b: b, accumulate: 1} # <-)"}
                  .text(),
              "error", "read-before-write", "'acc'");
}

TEST(SlotRules, OneCoreThatDoesNotWriteIsEnough) {
  expect_only(PlanText{R"(
      - load: {into: b, from: w, at: [0, 0]}
        when: core == 0
      - vector: {op: copy, into: out, from: [b]} # <-)"}
                  .text(),
              "error", "read-before-write", "core 1");
}

TEST(SlotRules, AResidentBufferKeepsItsTileFromLaunchToLaunch) {
  const auto plan = [](const std::string& first, const std::string& second) {
    return R"(schedule: 1
tensors:
  x: {dtype: fp16, shape: [8, 64]}
  y: {dtype: fp16, shape: [8, 64]}
resident:
  r: {dtype: fp16, shape: [8, 64]}
kernels:
  write:
    cores: {n: 1}
    buffers: {}
    body:
      - load: {into: r, from: x, at: [0, 0]}
  read:
    cores: {n: 1}
    buffers: {}
    body:
      - store: {from: r, to: y, at: [0, 0]} # <-
launches:
  - {kernel: )" +
           first + R"(}
  - {kernel: )" +
           second + R"(}
)";
  };
  expect_clean(plan("write", "read"));
  EXPECT_THAT(
      findings_of(plan("read", "write")),
      testing::ElementsAre(testing::HasSubstr("17: error: read-before-write: 'r' is read, but "
                                              "nothing has written it in this or an earlier")));
}

TEST(SlotRules, ATileThatIsLoadedAndNotUsedIsNoted) {
  expect_only(PlanText{R"(
      - load: {into: a, from: x, at: [0, 0]} # <-)"}
                  .text(),
              "warning", "unused-tile", "a tile is loaded into 'a' and never used");
  expect_only(PlanText{R"(
      - for: {k: [0, 4]}
        do:
          - load: {into: a, from: x, at: [0, 64*k]} # <-
      - vector: {op: copy, into: a, from: [a]})"}
                  .text(),
              "warning", "unused-tile", "'a'");
}

// Reported case T23: K split over 4 cores.
TEST(SlotRules, OnlyTheLastCoreOfAReductionHasItsResult) {
  const auto plan = [](const std::string& when) {
    return PlanText{R"(
      - load: {into: a, from: x, at: [0, 64*k]}
      - load: {into: b, from: w, at: [64*k, 0]}
      - matmul: {into: acc, a: a, b: b, corelets: 1}
      - reduce: {from: acc, into: sum, over: [k]}
      - vector: {op: copy, into: out, from: [sum])" +
                        when + R"(} # <-
      - store: {from: out, to: y, at: [0, 0])" +
                        when + "}",
                    "{k: 4}", "", "      sum: {dtype: fp32, shape: [64, 128]}\n"}
        .text();
  };
  expect_clean(plan(", when: k == 3"));
  expect_only(plan(", when: k == 2"), "error", "reduce-read",
              "the result is on the last core of the group only");
}

TEST(SlotRules, SoftmaxMakesItsRunningState) {
  expect_clean(PlanText{R"(
      - for: {j: [0, 2]}
        do:
          - load: {into: b, from: w, at: [64*j, 0]}
          - vector: {op: softmax_step, into: out, from: [b, state]}
          - vector: {op: copy, into: o, from: [out], when: j == 0}
          - vector: {op: rescale_add, into: o, from: [out, state], when: j > 0}
      - vector: {op: softmax_finish, into: o, from: [o, state]}
      - store: {from: o, to: y, at: [0, 128*n]})",
                        "{n: 2}", "",
                        "      state: {dtype: fp16, shape: [2, 128]}\n"
                        "      o: {dtype: fp16, shape: [64, 128]}\n"}
                   .text());
}

}  // namespace
}  // namespace spyre::kernels
