// Does it fit? LX, DRAM, the grid, explicit addresses, the span of one core.
#include <fmt/format.h>

#include "tests/unit/schedule_check/plan_text.h"

namespace spyre::kernels {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A machine whose schedules may use all of LX.
models::Machine machine_without_reserves() {
  models::Machine machine = models::make_test_machine();
  machine.lx.program_reserve_bytes = 0;
  machine.lx.backend_reserve_bytes = 0;
  return machine;
}

std::string plan_with_buffers(const std::string& buffers) {
  return "schedule: 1\nkernels:\n  mm: # <-\n    cores: {n: 1}\n    buffers:\n" + buffers +
         "    body: []\nlaunches:\n  - {kernel: mm}\n";
}

// Reported case T4.
TEST(FitRules, BuffersOfExactlyTheCapacityFit) {
  const std::string ab =
      "      a: {dtype: fp16, shape: [512, 512]}\n"
      "      b: {dtype: fp16, shape: [512, 512]}\n";
  const std::string c = "      c: {dtype: fp32, shape: [512, 512]}\n";
  expect_clean(plan_with_buffers(ab + c), machine_without_reserves());
  // One byte more takes a stick.
  expect_only(plan_with_buffers(ab + c + "      d: {dtype: int8, shape: [1, 1]}\n"), "error",
              "lx-capacity", "needs 2097280 B of LX on each core, has 2097152 B",
              machine_without_reserves());
}

TEST(FitRules, DoubleBufferingBeyondTheCapacityNamesTheBuffersAndAFixThatFits) {
  const std::string text = plan_with_buffers(
      "      a: {dtype: fp16, shape: [512, 512], slots: 2}\n"
      "      b: {dtype: fp16, shape: [512, 512], slots: 2}\n"
      "      c: {dtype: fp32, shape: [512, 512]}\n");
  const std::vector<std::string> findings = findings_of(text, machine_without_reserves());
  EXPECT_THAT(findings,
              ElementsAre(AllOf(HasSubstr("3: error: lx-capacity: kernel 'mm' needs 3145728 B"),
                                HasSubstr("has 2097152 B"), HasSubstr("over by 1048576 (50.0 %)"),
                                HasSubstr("a fp16 [512, 512] x 2 slots = 1048576 B"),
                                HasSubstr("c fp32 [512, 512] = 1048576 B"),
                                HasSubstr("with one slot for every buffer it needs 2097152 B and "
                                          "fits"))));
}

TEST(FitRules, TheRemedyIsTheSmallestChangeOfOneBufferThatFits) {
  // One slot of `a` alone would do as well, but frees more than is needed.
  EXPECT_THAT(
      findings_of(plan_with_buffers("      a: {dtype: fp16, shape: [512, 512], slots: 2}\n"
                                    "      b: {dtype: fp16, shape: [512, 128], slots: 6}\n")),
      ElementsAre(HasSubstr("with 'b' at slots: 4 it needs 1572864 B and fits")));
}

TEST(FitRules, TilesTooLargeForAnySlotCountAreHalvedUntilTheyFit) {
  EXPECT_THAT(findings_of(plan_with_buffers("      a: {dtype: fp16, shape: [2048, 1024]}\n")),
              ElementsAre(HasSubstr("with one slot each and tiles no larger than a: [2048, 256] it "
                                    "needs 1048576 B and fits")));
}

// Reported case T19: 0.8 of 2 MB runs into the backend's reserve.
TEST(FitRules, TheBackendsReserveIsNotForSchedules) {
  expect_clean(plan_with_buffers("      a: {dtype: int8, shape: [1, 1625344]}\n"));
  expect_only(plan_with_buffers("      a: {dtype: int8, shape: [1, 1638400]}\n"), "error",
              "lx-capacity",
              "needs 1638400 B of LX on each core, has 1625344 B (2097152 B less 65536 B for the "
              "program and 406272 B for the backend), over by 13056");
  expect_only(plan_with_buffers("      a: {dtype: int8, shape: [1, 128], address: 1625344}\n"),
              "error", "lx-capacity", "without explicit addresses it needs 128 B and fits");
}

TEST(FitRules, ResidentBuffersCountInEveryKernel) {
  const std::string text =
      "schedule: 1\nresident:\n  kv: {dtype: int8, shape: [1, 1600000]}\nkernels:\n"
      "  mm: # <-\n    cores: {n: 1}\n    buffers:\n"
      "      a: {dtype: int8, shape: [1, 25473]}\n    body: []\nlaunches:\n  - {kernel: mm}\n";
  expect_only(text, "error", "lx-capacity", "resident kv int8 [1, 1600000] = 1600000 B");
}

TEST(FitRules, ExplicitLxAddressesMustNotOverlap) {
  const auto plan = [](int address) {
    return PlanText{"\n      - barrier: {}", "{n: 1}", "",
                    "      p: {dtype: fp16, shape: [1, 128], address: 100096}\n"
                    "      q: {dtype: fp16, shape: [1, 64], address: " +
                        std::to_string(address) + "} # <-\n"}
        .text();
  };
  expect_clean(plan(100'096 + 256));
  expect_only(plan(100'096 + 128), "error", "lx-overlap", "'q' (LX bytes 100224 to 100352)");
}

TEST(FitRules, PlacedBuffersKeepClearOfExplicitOnes) {
  expect_clean(PlanText{"\n      - barrier: {}", "{n: 1}", "",
                        "      p: {dtype: fp16, shape: [1, 128], address: 128}\n"}
                   .text());
}

// The reader refuses these two in text; schedules that are built in memory meet them here.
TEST(FitRules, ExplicitAddressesAreWholeSticks) {
  const models::Machine machine = models::make_test_machine();
  Schedule schedule =
      parse_schedule(PlanText{"\n      - barrier: {}", "{n: 1}"}.text(), "plan.yaml", machine);
  schedule.tensors[0].address = 1'000'000;
  const auto findings = check_schedule(schedule, place(schedule, machine), machine);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "alignment");
  EXPECT_EQ(findings[0].where.line, 3);
  EXPECT_THAT(findings[0].message, HasSubstr("use 999936 or 1000064"));
}

TEST(FitRules, TheGridMustExist) {
  const models::Machine machine = models::make_test_machine();
  Schedule schedule =
      parse_schedule(PlanText{"\n      - barrier: {}", "{n: 1}"}.text(), "plan.yaml", machine);
  for (const std::int64_t cores : {std::int64_t{33}, std::int64_t{1} << 40}) {
    schedule.kernels[0].grid[0].second = cores;
    const auto findings = check_schedule(schedule, place(schedule, machine), machine);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].rule, "grid");
    EXPECT_THAT(findings[0].message, HasSubstr("the machine has 32"));
  }
}

TEST(FitRules, TensorsMustFitIntoDram) {
  models::Machine machine = models::make_test_machine();
  machine.dram.usable_bytes = 200'000;
  // x, y: 32768 B each, w: 65536 B, each at a multiple of 4096.
  expect_clean(PlanText{"\n      - barrier: {}", "{n: 1}"}.text(), machine);
  expect_only(
      PlanText{"\n      - barrier: {}", "{n: 1}", "  big: {dtype: fp16, shape: [600, 64]} # <-\n"}
          .text(),
      "error", "dram-capacity",
      "the tensors end at byte 207872 of DRAM, 200000 B are usable, "
      "over by 7872",
      machine);
}

TEST(FitRules, ExplicitTensorAddressesMustNotOverlap) {
  expect_only(PlanText{"\n      - barrier: {}", "{n: 1}",
                       "  p: {dtype: fp16, shape: [2, 64], address: 1048576}\n"
                       "  q: {dtype: fp16, shape: [2, 64], address: 1048704} # <-\n"}
                  .text(),
              "error", "dram-overlap", "'q' (DRAM bytes 1048704 to 1048960) overlaps 'p'");
}

/// The head of a model: logits = x W, W [k, n] in tiles of 4096 x 64, N split over the cores in
/// contiguous parts.
std::string head(std::int64_t k, std::int64_t n, std::int64_t cores) {
  const std::int64_t tiles = (n + 63) / 64;
  const std::int64_t turns = (tiles + cores - 1) / cores;
  return fmt::format(R"(schedule: 1
tensors:
  w: {{dtype: fp16, kind: weight, dims: [k, n], shape: [{}, {}]}}
kernels:
  head:
    cores: {{n: {}}}
    buffers:
      b: {{dtype: fp16, shape: [{}, 64]}}
    body:
      - for: {{t: [0, {}]}}
        do:
          - load: {{into: b, from: w, at: [0, 64 * ({} * n + t)]}} # <-
          - vector: {{op: copy, into: b, from: [b]}}
launches:
  - {{kernel: head}}
)",
                     k, n, cores, k, turns, turns);
}

// Reported case T20.
TEST(SpanRule, AnUnsplitHeadIsTooFarForOneCore) {
  // 769 stick columns of 4096 sticks.
  expect_only(
      head(4096, 49'159, 1), "error", "span",
      "core 0 reaches a span of 403177472 B of 'w' in launch 'head', the limit is 268435456 "
      "B: split n in 2 parts over cores or launches (201850880 B each)");
  expect_clean(head(4096, 49'159, 2));
  // 2048 stick columns of 5120 sticks: 1.34 GB.
  expect_only(head(5120, 131'072, 1), "error", "span", "split n in 6 parts");
  EXPECT_THAT(findings_of(head(5120, 131'072, 5)), ElementsAre(HasSubstr("span")));
  expect_clean(head(5120, 131'072, 6));
}

TEST(SpanRule, TheLimitItselfIsAllowed) {
  models::Machine machine = models::make_test_machine();
  machine.limits.span_bytes = 4 * 256 * 128;
  expect_clean(head(256, 256, 1), machine);
  machine.limits.span_bytes -= 1;
  EXPECT_THAT(findings_of(head(256, 256, 1), machine), ElementsAre(HasSubstr("span")));
}

TEST(SpanRule, LayersOfOneTensorCountOnlyWhereOneLaunchReachesThem) {
  const auto plan = [](bool loop_in_kernel) {
    const std::string body =
        "      - load: {into: b, from: w, at: [l, 0, 0]}\n"
        "      - vector: {op: copy, into: b, from: [b]}\n";
    const std::string in_loop =
        "      - for: {l: [0, 40]}\n        do:\n"
        "          - load: {into: b, from: w, at: [l, 0, 0]}\n"
        "          - vector: {op: copy, into: b, from: [b]}\n";
    return std::string(
               "schedule: 1\ntensors:\n"
               "  w: {dtype: fp16, kind: weight, shape: [40, 4096, 4096]}\n"
               "kernels:\n  k:\n    cores: {n: 1}\n    params: ") +
           (loop_in_kernel ? "[]" : "[l]") +
           "\n    buffers:\n      b: {dtype: fp16, shape: [4096, 64]}\n    body:\n" +
           (loop_in_kernel ? in_loop : body) + "launches:\n" +
           (loop_in_kernel ? "  - {kernel: k}\n"
                           : "  - for: {l: [0, 40]}\n    do: [{kernel: k, with: {l: l}}]\n");
  };
  expect_clean(plan(false));
  EXPECT_THAT(findings_of(plan(true)), ElementsAre(HasSubstr("split d0 in 5 parts")));
}

}  // namespace
}  // namespace spyre::kernels
