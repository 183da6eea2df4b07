// What schedules say of values: patterns, regions, groups of cores, tensors with strides, tables.
#include "tests/unit/schedule_check/plan_text.h"

namespace spyre::kernels {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// A plan whose tensors have strides: s [64, 64], one column further into memory than its rows are
/// long, its columns, and a table of indices.
PlanText strided_plan(const std::string& body) {
  PlanText plan{body};
  plan.tensors =
      "  s: {dtype: fp16, shape: [64, 64], strides: [65, 1], address: 0}\n"
      "  turned: {dtype: fp16, shape: [64, 64], strides: [1, 65], address: 2}\n"
      "  ptrs: {dtype: int32, kind: index, shape: [4, 8], strides: [8, 1]}\n"
      "  near: {dtype: fp16, shape: [64, 64], strides: [64, 1], lx_core: 1, address: 65536}\n";
  return plan;
}

PlanText region_plan(const std::string& body) {
  PlanText plan{body};
  plan.buffers =
      "      p: {dtype: fp16, shape: [64, 64], region: work}\n"
      "      q: {dtype: fp32, shape: [64, 64], region: work}\n";
  return plan;
}

TEST(RegionRules, ATileEndsWhatTheOtherBuffersHeld) {
  expect_only(region_plan(R"(
      - load: {into: p, from: x}
      - vector: {op: copy, into: out, from: p}
      - vector: {op: fill, into: q, from: 0}
      - vector: {op: add, into: out, from: [out, p]} # <-)")
                  .text(),
              "error", "read-before-write",
              "'p' is read, but nothing has written it since 'q' of the same region was");
  expect_clean(region_plan(R"(
      - load: {into: p, from: x}
      - vector: {op: copy, into: out, from: p}
      - vector: {op: fill, into: q, from: 0}
      - load: {into: p, from: x}
      - vector: {op: add, into: out, from: [out, p]})")
                   .text());
}

TEST(RegionRules, ALoadThatAnotherBufferReplacesIsNotUsed) {
  expect_only(region_plan(R"(
      - load: {into: p, from: x} # <-
      - vector: {op: fill, into: q, from: 0})")
                  .text(),
              "warning", "unused-tile", "a tile is loaded into 'p' and never used");
}

TEST(RegionRules, CapacityCountsARegionOnce) {
  const auto text = [](const std::string& region) {
    return "schedule: 1\nkernels:\n  mm: # <-\n    cores: {}\n    buffers:\n"
           "      p: {dtype: fp16, shape: [512, 1024]" +
           region + "}\n      q: {dtype: fp32, shape: [256, 1024]" + region +
           "}\n      r: {dtype: fp32, shape: [256, 1024]" + region +
           "}\n    body: []\nlaunches: [{kernel: mm}]\n";
  };
  expect_clean(text(", region: work"));
  expect_only(text(""), "error", "lx-capacity", "needs 3145728 B");
  expect_only(text(", region: work, slots: 3"), "error", "lx-capacity",
              "p fp16 [512, 1024] x 3 slots or q fp32 [256, 1024] x 3 slots or r fp32 [256, 1024] "
              "x 3 slots = 3145728 B");
}

TEST(GroupRules, ACoreOutsideEveryGroupMustNotComeThere) {
  const auto plan = [](const std::string& when) {
    PlanText text{
        "\n      - vector: {op: fill, into: out, from: 1}\n      - reduce: {from: out, into: "
        "b, over: pair" +
        when + "} # <-"};
    text.cores = "{n: 3}\n    groups: {pair: [[0, 2]]}";
    return text.text();
  };
  expect_only(plan(""), "error", "out-of-range", "core 1 is in no group of 'pair'");
  expect_clean(plan(", when: n != 1"));
}

TEST(VectorRules, APatternGivesTheWholeTileOutOfWhatIsThere) {
  const auto plan = [](const std::string& pattern) {
    return PlanText{R"(
      - load: {into: a, from: x}
      - vector: {op: rearrange, into: b, from: a, pattern: )" +
                    pattern + "} # <-"}
        .text();
  };
  expect_clean(plan("{sizes: [64, 2, 64], strides: [64, 0, 1]}"));
  expect_clean(plan("{sizes: [64, 2, 64], strides: [-64, 0, 1], offset: 4032}"));
  expect_only(plan("{sizes: [64, 64], strides: [64, 1]}"), "error", "shape-mismatch",
              "the pattern gives 4096 elements, the tile that it makes in 'b' is 64 x 128");
  expect_only(plan("{sizes: [64, 128], strides: [64, 1]}"), "error", "out-of-range",
              "the pattern reads elements 0 to 4159 of 'a', which holds 64 x 64");
  expect_only(plan("{sizes: [64, 128], strides: [-64, 0], offset: 64*n + 4031}"), "error",
              "out-of-range", "reads elements -1 to 4031 of 'a'");
}

TEST(VectorRules, ThreeOperandsGoTogether) {
  const auto plan = [](const std::string& select) {
    return PlanText{R"(
      - vector: {op: iota, into: b, axis: 0}
      - vector: {op: less, into: b, from: [b, 16*n]}
      - load: {into: a, from: x}
      - vector: {op: select, into: out, from: )" +
                    select + "} # <-"}
        .text();
  };
  expect_clean(plan("[{buffer: b, at: [0, 0], size: [64, 64]}, a, -.inf]"));
  expect_clean(plan("[{buffer: b, at: [0, 0], size: [64, 1]}, a, 0]"));
  expect_only(plan("[b, a, 0]"), "error", "shape-mismatch",
              "operand 'a' of select is 64 x 64, the others are 64 x 128");
}

TEST(VectorRules, FillAndBitcast) {
  expect_only(PlanText{R"(
      - load: {into: a, from: x}
      - vector: {op: fill, into: out, from: a} # <-)"}
                  .text(),
              "error", "shape-mismatch", "'a' is 64 x 64: fill repeats one element");
  expect_clean(PlanText{R"(
      - load: {into: a, from: x}
      - vector: {op: fill, into: out, from: {buffer: a, at: [3, 0], size: [1, 1]}})"}
                   .text());
  expect_only(PlanText{R"(
      - load: {into: a, from: x}
      - vector: {op: bitcast, into: acc, from: a} # <-)"}
                  .text(),
              "error", "type-mismatch", "'a' is fp16 and 'acc' is fp32");
}

TEST(VectorRules, ReductionsAlongEitherAxisMakeOneRowOrColumn) {
  expect_clean(PlanText{R"(
      - load: {into: a, from: x}
      - vector: {op: reduce_max, into: {buffer: b, at: [0, 0]}, from: a, axis: 0}
      - vector: {op: sub, into: out, from: [a, b]}
      - vector: {op: reduce_sum, into: {buffer: b, at: [0, 0]}, from: out}
      - vector: {op: div, into: out, from: [out, b]}
      - store: {from: out, to: y, at: [0, 64*n]})"}
                   .text());
}

TEST(StridedRules, ViewsMayOverlapAndBeginAnywhere) {
  expect_clean(strided_plan(R"(
      - load: {into: a, from: turned, at: [3, 5], size: [17, 19]}
      - barrier: {}
      - store: {from: a, to: s, at: [1, 1], size: [17, 19], when: n == 0}
      - barrier: {}
      - store: {from: a, to: s, at: [1, 1], size: [17, 19], offset: -66, when: n == 1})")
                   .text());
}

TEST(StridedRules, TilesAreCutAtTheEdges) {
  expect_only(strided_plan(R"(
      - load: {into: a, from: s, at: [60, 0]}
      - vector: {op: add, into: out, from: [a, a]}
      - store: {from: out, to: s, size: [8, 64], when: n == 0} # <-)")
                  .text(),
              "error", "shape-mismatch", "8 x 64 elements of 's' are stored from a tile of 4 x 64");
}

TEST(StridedRules, NothingLeadsOutOfMemory) {
  expect_only(strided_plan(R"(
      - load: {into: a, from: s, at: [0, 1], offset: -2} # <-
      - vector: {op: copy, into: a, from: a})")
                  .text(),
              "error", "out-of-range",
              "elements -1 to 4156 from the start of 's' lie outside DRAM");
  expect_only(strided_plan(R"(
      - load: {into: a, from: near, offset: 1000000} # <-
      - vector: {op: copy, into: a, from: a})")
                  .text(),
              "error", "out-of-range", "lie outside the LX of core 1");
  expect_only(strided_plan(R"(
      - load: {into: a, from: s, at: [0, n - 1]} # <-
      - vector: {op: copy, into: a, from: a})")
                  .text(),
              "error", "out-of-range", "offset -1 of 's' is negative in dimension d1");
}

TEST(StridedRules, ATensorInLxMustFitThere) {
  PlanText plan{"\n      - barrier: {}"};
  plan.tensors =
      "  far: {dtype: fp16, shape: [64], strides: [1], lx_core: 1, address: 4000000} # <-\n";
  expect_only(plan.text(), "error", "lx-capacity",
              "'far' ends at byte 4000128 of the LX of core 1");
}

TEST(StridedRules, TablesEndWhereTheyEnd) {
  const auto plan = [](const std::string& indexed, const std::string& at = "[0, 0]") {
    return strided_plan(
               "\n      - gather: {into: a, from: s, tile: {dims: [8, 64], strides: [0, "
               "1]}, at: " +
               at + ", indexed: [{dim: 0, table: ptrs, " + indexed +
               "}]} # <-\n      - vector: {op: copy, into: a, from: a}")
        .text();
  };
  expect_clean(plan("at: [3, 0], along: [1, 0]"));
  expect_clean(plan("at: [0, 0], along: [1, 0]", "[-1, 0]"));
  expect_only(plan("at: [3, 1], along: [1, 0]"), "error", "out-of-range",
              "this tile reads 'ptrs' up to its entry 32, the last is 31");
  expect_only(plan("at: [4, 0], along: [1, 0]"), "error", "out-of-range",
              "offset 4 of 'ptrs' lies outside dimension d0, which has 4");
  expect_only(plan("along: [1, 0]", "[0, 64]"), "error", "out-of-range",
              "offset 64 of 's' lies outside dimension d1, which has 64");
}

TEST(StridedRules, AScatterStoresTheTileItNames) {
  expect_only(strided_plan(R"(
      - vector: {op: fill, into: {buffer: a, size: [4, 64]}, from: 1}
      - scatter: {from: a, to: s, tile: {dims: [8, 64], strides: [0, 1]}, indexed: [{dim: 0, table: ptrs, along: [1, 0]}]} # <-)")
                  .text(),
              "error", "shape-mismatch", "8 x 64 elements of 's' are stored from a tile of 4 x 64");
}

TEST(SourceLines, EndTheFindingsOfTheirStatements) {
  const auto plan = [](const std::string& meta) {
    return "meta: {" + meta + "}\n" +
           PlanText{R"(
      - vector: {op: copy, into: out, from: a, line: 34})"}
               .text();
  };
  EXPECT_THAT(findings_of(plan("source: kernel.mlir")),
              ElementsAre(AllOf(StartsWith("16: error: read-before-write: "),
                                testing::EndsWith("(core 0, launch 'gemm') (kernel.mlir:34)"))));
  EXPECT_THAT(findings_of(plan("phase: decode")),
              ElementsAre(testing::EndsWith("(core 0, launch 'gemm')")));
}

}  // namespace
}  // namespace spyre::kernels
