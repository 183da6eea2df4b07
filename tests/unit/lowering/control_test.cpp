// Loops, conditions, what loops carry, and which transfers leave or trade places in them.
#include <gtest/gtest.h>

#include "tests/unit/lowering/lowering_fixture.h"

namespace spyre::kernels::lowering {
namespace {

const std::string kLoopViews =
    view_text("A", "p", "64x64") + view_text("B", "q", "64x64") + view_text("Y", "r", "64x64");

std::string row_tile(const std::string& name, const std::string& view, const std::string& row) {
  return tile_text_of(name, view, "64x64xf16", row + ", 0", "1x64");
}

TEST(LoweringLoops, StoresComeATurnLateSoThatLoadsRunAhead) {
  const std::string text = kernel_text(
      kLoopViews + "    scf.for %i = %c0 to %n step %c1 {\n" + row_tile("t", "A", "%i") +
      load_text("a", "t", "1x64") + "    %y = math.exp %a : tensor<1x64xf16>\n" +
      row_tile("u", "Y", "%i") + store_text("y", "u", "1x64") + "    }\n");
  EXPECT_EQ(body_text(lowered(text, usual_arguments(64))),
            "for i = 0 to 64\n"
            "  load a A[i, 0][1, 64]\n"
            "  store y Y[i - 1, 0][1, 64] when i > 0\n"
            "  exp y (a)\n"
            "store y Y[63, 0][1, 64]\n");
  EXPECT_EQ(buffers_text(lowered(text, usual_arguments(64))),
            "a fp16 [1, 64] x2 @0 \ny fp16 [1, 64] x2 @256 \n");
  LoweringOptions plain;
  plain.delay_stores = false;
  plain.double_buffer = false;
  EXPECT_EQ(body_text(lowered(text, usual_arguments(64), plain)),
            "for i = 0 to 64\n"
            "  load a A[i, 0][1, 64]\n"
            "  exp a (a)\n"
            "  store a Y[i, 0][1, 64]\n");
}

TEST(LoweringLoops, StoresThatLoadsMayReadStayInPlace) {
  const std::string text = kernel_text(
      kLoopViews + "    scf.for %i = %c0 to %n step %c1 {\n" + row_tile("t", "A", "%i") +
      load_text("a", "t", "1x64") + "    %y = math.exp %a : tensor<1x64xf16>\n" +
      row_tile("u", "A", "%i") + store_text("y", "u", "1x64") + "    }\n");
  EXPECT_EQ(body_text(lowered(text, usual_arguments(64))),
            "for i = 0 to 64\n"
            "  load a A[i, 0][1, 64]\n"
            "  exp y (a)\n"
            "  store y A[i, 0][1, 64]\n");
}

TEST(LoweringLoops, BoundsThatDifferBetweenCoresGuardTheLastStore) {
  const std::string text = kernel_text(
      "    %x = ktdp.get_compute_tile_id : index\n    %c4 = arith.constant 4 : index\n" +
          kLoopViews + "    scf.for %i = %x to %n step %c4 {\n" + row_tile("t", "A", "%i") +
          load_text("a", "t", "1x64") + "    %y = math.exp %a : tensor<1x64xf16>\n" +
          row_tile("u", "Y", "%i") + store_text("y", "u", "1x64") + "    }\n",
      "[4]");
  EXPECT_EQ(body_text(lowered(text, usual_arguments(64))),
            "for i = x to 64 step 4\n"
            "  load a A[i, 0][1, 64]\n"
            "  store y Y[i - 4, 0][1, 64] when i > x\n"
            "  exp y (a)\n"
            "store y Y[x + (64 - 1 - x)//4*4, 0][1, 64] when x < 64\n");
}

TEST(LoweringLoops, CarriedValuesAreUpdatedInPlace) {
  const std::string text =
      kernel_text(kLoopViews +
                  "    %s0 = arith.constant dense<0.0> : tensor<1x64xf16>\n"
                  "    %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %s0) -> "
                  "(tensor<1x64xf16>) {\n" +
                  row_tile("t", "A", "%i") + load_text("a", "t", "1x64") +
                  "    %next = arith.addf %acc, %a : tensor<1x64xf16>\n"
                  "    scf.yield %next : tensor<1x64xf16>\n    }\n" +
                  row_tile("u", "Y", "0") + store_text("s", "u", "1x64"));
  EXPECT_EQ(body_text(lowered(text, usual_arguments(64))),
            "fill acc (0)\n"
            "for i = 0 to 64\n"
            "  load a A[i, 0][1, 64]\n"
            "  add acc (acc, a)\n"
            "store acc Y[0, 0][1, 64]\n");
}

TEST(LoweringLoops, NextValuesThatDoNotReadTheOldOneAreMadeInItsPlace) {
  const std::string text = kernel_text(
      kLoopViews + row_tile("t0", "A", "0") + load_text("first", "t0", "1x64") +
      "    %s = scf.for %i = %c1 to %n step %c1 iter_args(%old = %first) -> (tensor<1x64xf16>) "
      "{\n" +
      row_tile("u", "Y", "%i") + "    %e = math.exp %old : tensor<1x64xf16>\n" +
      store_text("e", "u", "1x64") + row_tile("t", "A", "%i") + load_text("a", "t", "1x64") +
      "    %h = math.sqrt %a : tensor<1x64xf16>\n"
      "    scf.yield %h : tensor<1x64xf16>\n    }\n" +
      row_tile("v", "Y", "0") + store_text("s", "v", "1x64"));
  EXPECT_EQ(body_text(lowered(text, usual_arguments(64))),
            "load first A[0, 0][1, 64]\n"
            "for i = 1 to 64\n"
            "  exp e (first)\n"
            "  store e Y[i, 0][1, 64]\n"
            "  load first A[i, 0][1, 64]\n"
            "  sqrt first (first)\n"
            "store first Y[0, 0][1, 64]\n");
}

TEST(LoweringLoops, CarriedValuesThatTradePlacesAreSavedFirst) {
  const std::string text = kernel_text(
      kLoopViews + row_tile("t0", "A", "0") + load_text("first", "t0", "1x64") +
      row_tile("t1", "A", "1") + load_text("second", "t1", "1x64") +
      "    %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %first, %v = %second) -> "
      "(tensor<1x64xf16>, tensor<1x64xf16>) {\n"
      "    scf.yield %v, %u : tensor<1x64xf16>, tensor<1x64xf16>\n    }\n" +
      row_tile("w", "Y", "0") + "    ktdp.store %s#0, %w : tensor<1x64xf16>, <1x64xindex>\n" +
      row_tile("z", "Y", "1") + "    ktdp.store %s#1, %z : tensor<1x64xf16>, <1x64xindex>\n");
  EXPECT_EQ(body_text(lowered(text, usual_arguments(3))),
            "load first A[0, 0][1, 64]\n"
            "load second A[1, 0][1, 64]\n"
            "for i = 0 to 3\n"
            "  copy v (second)\n"
            "  copy u (first)\n"
            "  copy first (v)\n"
            "  copy second (u)\n"
            "store first Y[0, 0][1, 64]\n"
            "store second Y[1, 0][1, 64]\n");
}

TEST(LoweringLoops, CarriedCountersBecomeFormulas) {
  const std::string text =
      kernel_text(kLoopViews +
                  "    %c2 = arith.constant 2 : index\n"
                  "    %end = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c1) -> (index) {\n" +
                  row_tile("t", "A", "%k") + load_text("a", "t", "1x64") +
                  row_tile("u", "Y", "%i") + store_text("a", "u", "1x64") +
                  "    %k2 = arith.addi %k, %c2 : index\n    scf.yield %k2 : index\n    }\n" +
                  row_tile("t9", "A", "%end") + load_text("z", "t9", "1x64") +
                  row_tile("u9", "Y", "0") + store_text("z", "u9", "1x64"));
  EXPECT_EQ(body_text(lowered(text, usual_arguments(5))),
            "for i = 0 to 5\n"
            "  load a A[2*i + 1, 0][1, 64]\n"
            "  store a Y[i, 0][1, 64]\n"
            "load z A[11, 0][1, 64]\n"
            "store z Y[0, 0][1, 64]\n");
}

TEST(LoweringLoops, LoadsThatAreAlwaysTheSameLeaveTheLoop) {
  const std::string body = kLoopViews + "    scf.for %i = %c0 to %n step %c1 {\n" +
                           row_tile("t", "A", "%i") + row_tile("w", "B", "3") +
                           load_text("a", "t", "1x64") + load_text("b", "w", "1x64") +
                           "    %y = arith.mulf %a, %b : tensor<1x64xf16>\n" +
                           row_tile("u", "Y", "%i") + store_text("y", "u", "1x64") + "    }\n";
  EXPECT_EQ(body_text(lowered(kernel_text(body), usual_arguments(64))),
            "load b B[3, 0][1, 64]\n"
            "for i = 0 to 64\n"
            "  load a A[i, 0][1, 64]\n"
            "  store y Y[i - 1, 0][1, 64] when i > 0\n"
            "  mul y (a, b)\n"
            "store y Y[63, 0][1, 64]\n");
  // Not where a store of the loop may write what they read.
  ktir::BoundArguments same = usual_arguments(64);
  same[2] = same[1];
  EXPECT_EQ(body_text(lowered(kernel_text(body), same)),
            "for i = 0 to 64\n"
            "  load a A[i, 0][1, 64]\n"
            "  load b B[3, 0][1, 64]\n"
            "  mul y (a, b)\n"
            "  store y B[i, 0][1, 64]\n");
}

TEST(LoweringLoops, OneTurnNeedsNoLoop) {
  const std::string text =
      kernel_text(kLoopViews + "    scf.for %i = %c0 to %n step %c8 {\n" +
                  row_tile("t", "A", "%i") + load_text("a", "t", "1x64") +
                  row_tile("u", "Y", "%i") + store_text("a", "u", "1x64") + "    }\n");
  EXPECT_EQ(body_text(lowered(text, usual_arguments(8))),
            "load a A[0, 0][1, 64]\nstore a Y[0, 0][1, 64]\n");
  EXPECT_EQ(body_text(lowered(text, usual_arguments(0))), "");
}

TEST(LoweringConditions, BranchesBecomeConditionsOfStatements) {
  const std::string text = kernel_text("    %x, %y0 = ktdp.get_compute_tile_id : index, index\n" +
                                           kLoopViews + row_tile("t", "A", "%x") +
                                           load_text("a", "t", "1x64") + row_tile("u", "Y", "%x") +
                                           "    %c = arith.cmpi eq, %x, %c1 : index\n"
                                           "    %d = arith.cmpi slt, %y0, %c1 : index\n"
                                           "    %r0 = scf.if %c -> (tensor<1x64xf16>) {\n"
                                           "      %e = math.exp %a : tensor<1x64xf16>\n"
                                           "      scf.yield %e : tensor<1x64xf16>\n    } else {\n"
                                           "      scf.yield %a : tensor<1x64xf16>\n    }\n"
                                           "    scf.if %d {\n" +
                                           store_text("r0", "u", "1x64") + "    }\n",
                                       "[2, 2]");
  EXPECT_EQ(body_text(lowered(text, usual_arguments())),
            "load a A[x, 0][1, 64]\n"
            "exp e (a) when x == 1\n"
            "copy r0 (e) when x == 1\n"
            "copy r0 (a) when not (x == 1)\n"
            "store r0 Y[x, 0][1, 64] when y < 1\n");
}

TEST(LoweringConditions, KnownConditionsAreDecided) {
  const std::string text = kernel_text(
      kLoopViews + row_tile("t", "A", "0") + load_text("a", "t", "1x64") + row_tile("u", "Y", "0") +
      row_tile("v", "Y", "1") + "    %c = arith.cmpi ult, %n, %c8 : index\n    scf.if %c {\n" +
      store_text("a", "u", "1x64") + "    } else {\n" + store_text("a", "v", "1x64") + "    }\n");
  EXPECT_EQ(body_text(lowered(text, usual_arguments(7))),
            "load a A[0, 0][1, 64]\nstore a Y[0, 0][1, 64]\n");
  EXPECT_EQ(body_text(lowered(text, usual_arguments(8))),
            "load a A[0, 0][1, 64]\nstore a Y[1, 0][1, 64]\n");
}

}  // namespace
}  // namespace spyre::kernels::lowering
