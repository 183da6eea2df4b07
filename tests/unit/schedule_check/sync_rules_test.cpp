#include "tests/unit/schedule_check/plan_text.h"

namespace spyre::kernels {
namespace {

constexpr const char* kTile = "      t: {dtype: fp16, shape: [64, 256]}\n";

std::string gather_over(const std::string& count) {
  return PlanText{R"(
      - load: {into: b, from: w, at: [64*n, 0]}
      - multicast: {from: b, into: {buffer: t, at: [0, 128*n]}, over: [n]}
      - receive: {into: t, count: )" +
                      count + R"(} # <-
      - vector: {op: copy, into: t, from: [t]})",
                  "{n: 2}", "", kTile}
      .text();
}

TEST(SyncRules, AReceiveWaitsForAsManyTilesAsAreSent) {
  expect_clean(gather_over("2"));
  expect_only(gather_over("3"), "error", "receive-count",
              "2 tiles are sent into 't' and 3 are received");
  // And what is used may be what has not come.
  const std::vector<std::string> findings = findings_of(gather_over("1"));
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_THAT(findings[0],
              testing::HasSubstr("error: receive-count: 2 tiles are sent into 't' and 1 are "
                                 "received"));
  EXPECT_THAT(findings[1], testing::HasSubstr("error: race: "));
}

TEST(SyncRules, TilesThatNobodyReceivesAreReportedWhereTheyAreSent) {
  expect_only(PlanText{R"(
      - load: {into: b, from: w, at: [0, 0]}
      - send: {from: b, into: out, to: 1, when: core == 0} # <-
      - vector: {op: copy, into: b, from: [b]})"}
                  .text(),
              "error", "receive-count", "1 tiles are sent into 'out' and 0 are received");
}

TEST(SyncRules, EmptyTilesCountAsSent) {
  // w has 128 columns: the third core has no part of them, and still every core receives three.
  expect_clean(PlanText{R"(
      - load: {into: s, from: w, at: [0, 64*n]}
      - multicast: {from: s, into: {buffer: t, at: [0, 64*n]}, over: [n]}
      - receive: {into: {buffer: t, size: [64, 128]}, count: 3}
      - vector: {op: copy, into: out, from: [t]})",
                        "{n: 3}", "",
                        "      s: {dtype: fp16, shape: [64, 64]}\n"
                        "      t: {dtype: fp16, shape: [64, 192]}\n"}
                   .text());
}

TEST(SyncRules, ATileMustBeReceivedInTheSlotItWasSentTo) {
  const auto plan = [](const std::string& slots) {
    return PlanText{R"(
      - load: {into: b, from: w, at: [0, 0], when: core == 0}
      - for: {i: [0, 2]}
        do:
          - send: {from: b, into: t, to: 1, when: core == 0} # <-
          - send: {from: b, into: t, to: 1, when: core == 0}
          - receive: {into: t, count: 2, when: core == 1}
          - vector: {op: copy, into: t, from: [t], when: core == 1}
          - barrier: {})",
                    "{n: 2}", "",
                    "      t: {dtype: fp16, shape: [64, 128], slots: " + slots + "}\n"}
        .text();
  };
  expect_clean(plan("1"));
  const std::vector<std::string> findings = findings_of(plan("2"));
  ASSERT_FALSE(findings.empty());
  EXPECT_THAT(findings, testing::Each(testing::HasSubstr("receive-slot")));
}

TEST(SyncRules, RingShiftsUseTheSlotsInTurn) {
  expect_clean(PlanText{R"(
      - load: {into: t, from: w, at: [64*n, 0]}
      - for: {i: [0, 5]}
        do:
          - send: {from: t, into: u, to: (core + 1) % cores}
          - receive: {into: u}
          - vector: {op: copy, into: t, from: [u]}
          - barrier: {})",
                        "{n: 4}", "",
                        "      t: {dtype: fp16, shape: [64, 128]}\n"
                        "      u: {dtype: fp16, shape: [64, 128], slots: 2}\n"}
                   .text());
}

TEST(SyncRules, AWaitNeedsItsSignals) {
  const auto plan = [](int signals) {
    std::string body;
    for (int i = 0; i < signals; ++i) {
      body += "\n      - signal: {semaphore: s, to: 1, when: core == 0}";
    }
    return body;
  };
  const std::string wait = "\n      - wait: {semaphore: s, count: 2, when: core == 1} # <-";
  expect_clean(PlanText{plan(2) + wait}.text());
  expect_only(PlanText{plan(1) + wait}.text(), "error", "semaphore-count",
              "semaphore 's' is signalled 1 times and waited for 2 times");
  const std::string left =
      "\n      - wait: {semaphore: s, count: 1, when: core == 1}"
      "\n      - signal: {semaphore: s, to: 1, when: core == 0} # <-";
  expect_only(PlanText{plan(1) + left}.text(), "warning", "semaphore-count",
              "semaphore 's' is signalled 2 times and waited for 1 times");
}

TEST(SyncRules, EveryCoreMustComeToEveryBarrier) {
  expect_clean(PlanText{"\n      - barrier: {}\n      - barrier: {}"}.text());
  expect_only(PlanText{"\n      - barrier: {}\n      - barrier: {when: core == 1} # <-"}.text(),
              "error", "barrier-count", "core 1 comes to 2 barriers, core 0 to 1");
}

TEST(SyncRules, CoresThatWaitForEachOtherAreADeadlock) {
  const auto plan = [](const std::string& first, const std::string& second) {
    return PlanText{R"(
      - load: {into: b, from: w, at: [0, 0]}
      - send: {from: b, into: out, to: 1 - core, when: core == )" +
                    first + R"(}
      - receive: {into: out} # <-
      - send: {from: b, into: out, to: 1 - core, when: core == )" +
                    second + R"(}
      - vector: {op: copy, into: out, from: [out]})"}
        .text();
  };
  expect_clean(plan("0", "1"));
  expect_only(plan("2", "core"), "error", "deadlock",
              "core 0 waits here for ever in launch 'gemm'; so do core 1 in the receive of line");
}

TEST(SyncRules, AReductionNeedsTheSameTileFromEveryCore) {
  expect_only(PlanText{R"(
      - load: {into: a, from: x, at: [0, 64*k], size: [64 - 32*(k // 3), 64]}
      - load: {into: b, from: w, at: [64*k, 0]}
      - matmul: {into: acc, a: a, b: b}
      - reduce: {from: acc, into: sum, over: [k]} # <-)",
                       "{k: 4}", "", "      sum: {dtype: fp32, shape: [64, 128]}\n"}
                  .text(),
              "error", "reduce-mismatch",
              "core 3 brings 32 x 128 elements to a reduction, core 0 brings 64 x 128");
  expect_only(PlanText{R"(
      - load: {into: b, from: w, at: [0, 0], when: k != 2}
      - reduce: {from: b, into: out, over: [k], when: k != 2} # <-)",
                       "{k: 4}"}
                  .text(),
              "error", "reduce-mismatch",
              "core 2 takes part in 0 reductions of its group, core 0 in 1");
}

TEST(SyncRules, CoresThatShareAReadMustLoadTheSame) {
  expect_only(PlanText{R"(
      - load: {into: b, from: w, at: [64*n, 0], share: n} # <-
      - vector: {op: copy, into: b, from: [b]})"}
                  .text(),
              "error", "share-mismatch", "shared load 0 of core 1 is not that of core 0");
  expect_only(PlanText{R"(
      - load: {into: b, from: w, at: [0, 0], share: n, when: core == 0} # <-
      - vector: {op: copy, into: b, from: [b], when: core == 0})"}
                  .text(),
              "error", "share-mismatch", "shared load 0 of core 1");
}

}  // namespace
}  // namespace spyre::kernels
