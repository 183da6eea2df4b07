#include "tests/unit/schedule_check/plan_text.h"

namespace spyre::kernels {
namespace {

constexpr const char* kGoodBody = R"(
      - for: {k: [0, 4]}
        do:
          - load: {into: a, from: x, at: [0, 64*k], share: n}
          - load: {into: b, from: w, at: [64*k, 0], share: n}
          - matmul: {into: acc, a: a, b: b, accumulate: k > 0}
      - vector: {op: copy, into: out, from: [acc]}
      - store: {from: out, to: y, at: [0, 128*n]})";

TEST(TileRules, FindNothingInAGoodPlan) {
  expect_clean(PlanText{kGoodBody}.text());
}

TEST(TileRules, AStickOffsetMustBeAtTheStartOfAStick) {
  expect_only(PlanText{R"(
      - load: {into: a, from: x, at: [0, 32]} # <-
      - vector: {op: copy, into: a, from: [a]})"}
                  .text(),
              "error", "alignment", "offset 32 of 'x' in dimension d1");
  expect_clean(PlanText{R"(
      - load: {into: a, from: x, at: [5, 64]}
      - vector: {op: copy, into: a, from: [a]})"}
                   .text());
}

TEST(TileRules, APartOfABufferMustBeginAtAStick) {
  expect_only(PlanText{R"(
      - load: {into: b, from: w, at: [0, 0]}
      - vector: {op: copy, into: a, from: [{buffer: b, at: [0, 16], size: [64, 64]}]} # <-)"}
                  .text(),
              "error", "alignment", "column 16 of buffer 'b'");
}

TEST(TileRules, ANegativeOffsetIsOutOfRange) {
  expect_only(PlanText{R"(
      - load: {into: a, from: x, at: [n - 1, 0]} # <-
      - vector: {op: copy, into: a, from: [a]})"}
                  .text(),
              "error", "out-of-range", "offset -1 of 'x' is negative in dimension d0");
}

TEST(TileRules, APartMustLieInsideItsBuffer) {
  expect_only(PlanText{R"(
      - load: {into: b, from: w, at: [0, 0]}
      - vector: {op: copy, into: a, from: [{buffer: b, at: [0, 128]}]} # <-)"}
                  .text(),
              "error", "out-of-range", "[0, 128] lies outside buffer 'b' of 64 x 128");
}

TEST(TileRules, ATileMustFitIntoItsBuffer) {
  expect_only(PlanText{R"(
      - load: {into: a, from: x, at: [0, 0], size: [64, 128]} # <-
      - vector: {op: copy, into: out, from: [a]})"}
                  .text(),
              "error", "tile-too-big", "a tile of 64 x 128 at [0, 0] does not fit into buffer 'a'");
  expect_only(PlanText{R"(
      - load: {into: b, from: w, at: [0, 0]}
      - vector: {op: copy, into: a, from: [b]} # <-)"}
                  .text(),
              "error", "tile-too-big", "64 x 128");
}

TEST(TileRules, ATileThatTheEdgeCutsMayBeDeclaredLarger) {
  expect_clean(PlanText{R"(
      - load: {into: t, from: small, at: [0, 0], size: [64, 64]}
      - vector: {op: copy, into: t, from: [t]})",
                        "{n: 1}", "  small: {dtype: fp16, shape: [3, 64]}\n",
                        "      t: {dtype: fp16, shape: [3, 64]}\n"}
                   .text());
}

TEST(TileRules, MatmulOperandsMustMeetInK) {
  expect_only(PlanText{R"(
      - load: {into: a, from: x, at: [0, 0]}
      - load: {into: b, from: w, at: [0, 0], size: [32, 128]}
      - matmul: {into: acc, a: a, b: b} # <-)"}
                  .text(),
              "error", "shape-mismatch", "A 'a' is 64 x 64 and B 'b' is 32 x 128");
}

TEST(TileRules, ASumMustHaveTheShapeOfWhatIsAdded) {
  expect_only(PlanText{R"(
      - load: {into: a, from: x, at: [0, 0]}
      - load: {into: b, from: w, at: [0, 0]}
      - matmul: {into: acc, a: a, b: b}
      - load: {into: a, from: x, at: [0, 64], size: [32, 64]}
      - matmul: {into: acc, a: a, b: b, accumulate: 1} # <-)"}
                  .text(),
              "error", "shape-mismatch", "a product of 32 x 128 is added to a tile of 64 x 128");
}

TEST(TileRules, ElementwiseOperandsAreAlikeOrRepeated) {
  const auto body = [](const std::string& size) {
    return R"(
      - load: {into: b, from: w, at: [0, 0]}
      - load: {into: c, from: w, at: [64, 0], size: )" +
           size + R"(}
      - vector: {op: add, into: out, from: [b, c]} # <-)";
  };
  const std::string buffers = "      c: {dtype: fp16, shape: [64, 128]}\n";
  expect_clean(PlanText{body("[64, 128]"), "{n: 1}", "", buffers}.text());
  expect_clean(PlanText{body("[1, 128]"), "{n: 1}", "", buffers}.text());
  expect_only(PlanText{body("[2, 128]"), "{n: 1}", "", buffers}.text(), "error", "shape-mismatch",
              "operand 'c' of add is 2 x 128, the others are 64 x 128");
}

TEST(TileRules, AStoreMustNotExceedItsTile) {
  expect_only(PlanText{R"(
      - load: {into: a, from: x, at: [0, 0]}
      - store: {from: a, to: y, at: [0, 128*n], size: [64, 128]} # <-)"}
                  .text(),
              "error", "shape-mismatch",
              "64 x 128 elements of 'y' are stored from a tile of 64 x 64");
  expect_only(PlanText{R"(
      - load: {into: b, from: w, at: [0, 0]}
      - store: {from: b, to: y, at: [0, 128*n], size: [64, 64]} # <-)"}
                  .text(),
              "warning", "shape-mismatch", "the rest of the tile is lost");
}

TEST(TileRules, TransfersDoNotConvert) {
  expect_only(PlanText{R"(
      - load: {into: acc, from: w, at: [0, 0]} # <-
      - vector: {op: copy, into: out, from: [acc]})"}
                  .text(),
              "error", "type-mismatch", "'w' is fp16 in DRAM and buffer 'acc' is fp32");
}

TEST(TileRules, IndicesMustExist) {
  const auto plan = [](const std::string& values) {
    return PlanText{R"(
      - gather: {into: t, from: table, index: {tensor: ids, at: [0], size: [3]}, at: [0, 0]} # <-
      - vector: {op: copy, into: t, from: [t]})",
                    "{n: 1}",
                    "  table: {dtype: fp16, shape: [10, 64]}\n"
                    "  ids: {dtype: int32, kind: index, shape: [3]" +
                        values + "}\n",
                    "      t: {dtype: fp16, shape: [3, 64]}\n"}
        .text();
  };
  expect_clean(plan(", values: [9, 0, 4]"));
  expect_only(plan(", values: [9, 10, 4]"), "error", "index-range",
              "index 1 of this tile of 'ids' chooses row 10 of 'table', which has 10");
  expect_only(plan(""), "warning", "index-values", "'ids' has no `values`");
}

TEST(TileRules, ALoopMustNotOutrunTheCounter) {
  const auto plan = [](int count) {
    return PlanText{
        "\n      - load: {into: t, from: x, at: [0, 0], size: [1, 64]}"
        "\n      - for: {i: [0, cores * " +
            std::to_string(count) +
            "]} # <-\n        do: [{vector: {op: exp, into: t, from: [t]}}]",
        "{n: 1}", "", "", "  t: {dtype: fp16, shape: [1, 64]}\n"}
        .text();
  };
  EXPECT_THAT(findings_of(plan(65'535)), testing::IsEmpty());
  expect_only(plan(65'536), "error", "loop-limit",
              "this loop runs 65536 times, the machine counts to 65535");
}

TEST(TileRules, ATransferThatNeverHappensIsNoted) {
  expect_only(PlanText{R"(
      - load: {into: a, from: x, at: [64, 0]} # <-
      - vector: {op: copy, into: a, from: [a]})"}
                  .text(),
              "warning", "never-runs", "no core has a tile for this load");
}

TEST(TileRules, AReceiverMustExist) {
  expect_only(PlanText{R"(
      - load: {into: b, from: w, at: [0, 0]}
      - send: {from: b, into: out, to: core + 1} # <-
      - receive: {into: out}
        when: core > 0)"}
                  .text(),
              "error", "out-of-range", "core 2 does not exist in this grid of 2 cores");
}

}  // namespace
}  // namespace spyre::kernels
