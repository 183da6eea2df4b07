// What cannot be lowered is refused where it stands, with what is supported instead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/lowering/lowering_fixture.h"

namespace spyre::kernels::lowering {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string fault(const std::string& operations) {
  return lowering_fault(binary_kernel("8x64", operations), usual_arguments());
}

TEST(LoweringFaults, FunctionsThatTheVectorUnitLacks) {
  const std::string message = fault("    %y = math.tan %a : tensor<8x64xf16>\n");
  EXPECT_THAT(message,
              StartsWith("16:10: math.tan: the vector unit has no such function; of 'math' "
                         "it does math.exp, math.exp2, math.log"));
}

TEST(LoweringFaults, CombinersThatAreNotRecognised) {
  EXPECT_EQ(
      fault("    %i = tensor.splat %zero : tensor<8xf16>\n"
            "    %s = linalg.reduce { arith.mulf } ins(%a : tensor<8x64xf16>) outs(%i : "
            "tensor<8xf16>) dimensions = [1]\n"
            "    %e = tensor.empty() : tensor<8x64xf16>\n"
            "    %y = linalg.broadcast ins(%s : tensor<8xf16>) outs(%e : tensor<8x64xf16>) "
            "dimensions = [1]\n"),
      "17:10: linalg.reduce: its combiner is not recognised: recognised are addf, addi, "
      "maximumf, maxnumf, maxsi, minimumf, minnumf, minsi, and cmpf or cmpi (greater or less) "
      "with select");
}

TEST(LoweringFaults, TypesThatNoTileHolds) {
  EXPECT_EQ(fault("    %w = arith.extf %a : tensor<8x64xf16> to tensor<8x64xf64>\n"
                  "    %y = arith.truncf %w : tensor<8x64xf64> to tensor<8x64xf16>\n"),
            "16:10: arith.extf: no tile holds f64: supported are f16, bf16, f32, f8E4M3FN, f8E5M2, "
            "!spyreop.df16 and integers of up to 32 bits");
  const std::string wide =
      kernel_text(view_text("A", "p", "8x64", "i64") + view_text("Y", "q", "8x64", "i64") +
                  tile_text_of("t", "A", "8x64xi64", "0, 0", "8x64") +
                  tile_text_of("u", "Y", "8x64xi64", "0, 0", "8x64") +
                  load_text("a", "t", "8x64", "i64") + store_text("a", "u", "8x64", "i64"));
  EXPECT_THAT(lowering_fault(wide, usual_arguments()),
              StartsWith("12:10: ktdp.load: elements of i64 cannot be moved to or from a tile"));
}

TEST(LoweringFaults, WhatDependsOnData) {
  EXPECT_EQ(fault("    %s = tensor.extract %a[%c1, %c1] : tensor<8x64xf16>\n"
                  "    %k = arith.fptosi %s : f16 to i32\n"
                  "    %j = arith.index_cast %k : i32 to index\n"
                  "    %t = tensor.extract %b[%c1, %j] : tensor<8x64xf16>\n"
                  "    %y = tensor.splat %t : tensor<8x64xf16>\n"),
            "19:10: tensor.extract: %j is only known when the kernel runs: it must follow from "
            "arguments, tile ids and loop variables");
  EXPECT_EQ(fault("    %s = tensor.extract %a[%c1, %c1] : tensor<8x64xf16>\n"
                  "    %c = arith.cmpf ogt, %s, %zero : f16\n"
                  "    %y = scf.if %c -> (tensor<8x64xf16>) {\n"
                  "      scf.yield %a : tensor<8x64xf16>\n    } else {\n"
                  "      scf.yield %b : tensor<8x64xf16>\n    }\n"),
            "18:10: scf.if: its condition depends on data: it must follow from arguments, tile ids "
            "and loop variables");
}

TEST(LoweringFaults, IntegersThatMightNotMeanTheSame) {
  const auto with_core = [](const std::string& operations) {
    return lowering_fault(
        kernel_text("    %x = ktdp.get_compute_tile_id : index\n" + operations +
                        view_text("A", "p", "8x64") + view_text("Y", "q", "8x64") +
                        tile_text_of("t", "A", "8x64xf16", "%k, 0", "1x64") +
                        tile_text_of("u", "Y", "8x64xf16", "%k, 0", "1x64") +
                        load_text("a", "t", "1x64") + store_text("a", "u", "1x64"),
                    "[8]"),
        usual_arguments());
  };
  EXPECT_EQ(
      with_core("    %d = arith.subi %x, %c8 : index\n"
                "    %k = arith.divui %d, %c8 : index\n"),
      "10:10: arith.divui: x - 8 may be negative here, and then an unsigned operation takes it "
      "for a large number: use the signed one");
  EXPECT_EQ(with_core("    %i = arith.index_cast %x : index to i32\n"
                      "    %far = arith.constant 1000000000 : i32\n"
                      "    %m = arith.muli %i, %far : i32\n"
                      "    %k = arith.index_cast %m : i32 to index\n"),
            "11:10: arith.muli: 1000000000*x may leave the range of i32 and wrap around");
  EXPECT_EQ(with_core("    %k = arith.xori %x, %c1 : index\n"),
            "9:10: arith.xori: arith.xori of x and 1 is no formula of tile ids and loop variables "
            "that a schedule can hold");
}

TEST(LoweringFaults, SizesThatDifferBetweenCores) {
  EXPECT_EQ(
      lowering_fault(
          kernel_text("    %x = ktdp.get_compute_tile_id : index\n"
                      "    %A = ktdp.construct_memory_view %p, sizes: [%x], strides: [1] "
                      "{memory_space = #ktdp.memory_space<global>} : memref<?xf16>\n" +
                          tile_text_of("t", "A", "?xf16", "0", "64") + view_text("Y", "q", "64") +
                          tile_text_of("u", "Y", "64xf16", "0", "64") + load_text("a", "t", "64") +
                          store_text("a", "u", "64"),
                      "[8]"),
          usual_arguments()),
      "9:10: ktdp.construct_memory_view: size x differs between cores or turns of a loop: it must "
      "be "
      "one number");
}

TEST(LoweringFaults, SetsThatAreNoBoxes) {
  const std::string text = kernel_text(
      view_text("A", "p", "8x8") +
      "    %t = ktdp.construct_access_tile %A[0, 0] {access_tile_set = affine_set<(r, c) : (r >= "
      "0, "
      "r <= 7, c >= 0, r - c >= 0)>, access_tile_order = affine_map<(r, c) -> (r, c)>} : "
      "memref<8x8xf16> -> !ktdp.access_tile<8x8xindex>\n" +
      load_text("a", "t", "8x8") + tile_text_of("u", "A", "8x8xf16", "0, 0", "8x8") +
      store_text("a", "u", "8x8"));
  EXPECT_EQ(
      lowering_fault(text, usual_arguments()),
      "9:10: ktdp.construct_access_tile: its access_tile_set is no box: supported are bounds of "
      "one dimension each");
}

TEST(LoweringFaults, CarriedIntegersThatAreNoCounters) {
  const std::string text = kernel_text(
      view_text("A", "p", "8x64") + view_text("Y", "q", "8x64") +
      "    %end = scf.for %i = %c0 to %c8 step %c1 iter_args(%k = %c1) -> (index) {\n"
      "    %k2 = arith.muli %k, %k : index\n    scf.yield %k2 : index\n    }\n" +
      tile_text_of("t", "A", "8x64xf16", "%end, 0", "1x64") + load_text("a", "t", "1x64") +
      tile_text_of("u", "Y", "8x64xf16", "0, 0", "1x64") + store_text("a", "u", "1x64"));
  EXPECT_EQ(lowering_fault(text, usual_arguments()),
            "10:12: scf.for: carried value 0 is an integer that is not known before the run: "
            "supported are counters, to which every turn adds the same");
}

TEST(LoweringFaults, CallsThatDoNotFitTheFunction) {
  const std::string text = kernel_text("", "[8, 8]");
  EXPECT_EQ(lowering_fault(text, usual_arguments()),
            "2:3: 'kernel' runs on 64 cores, the machine has 32: give it a smaller grid");
  EXPECT_EQ(lowering_fault(kernel_text(""), {}), "2:3: 'kernel' has 4 arguments, 0 are bound");
  EXPECT_EQ(lowering_fault("func.func @f(%m: memref<8xf16>) {\n  return\n}\n", {number(0)}),
            "1:14: argument %m is memref<8xf16>: a kernel is started with pointers (index) and "
            "numbers");
}

TEST(LoweringFaults, TilesCutAtDifferentPlaces) {
  const auto view = [](const std::string& name, const std::string& base, const std::string& size) {
    return "    %" + name + " = ktdp.construct_memory_view %" + base + ", sizes: [%" + size +
           "], strides: [1] {memory_space = #ktdp.memory_space<global>} : memref<?xf16>\n";
  };
  const std::string text = kernel_text(
      view("A", "p", "n") + view("B", "q", "c8") + view("Y", "r", "n") +
      tile_text_of("t", "A", "?xf16", "0", "64") + tile_text_of("u", "B", "?xf16", "0", "64") +
      tile_text_of("w", "Y", "?xf16", "0", "64") + load_text("a", "t", "64") +
      load_text("b", "u", "64") + "    %y = arith.addf %a, %b : tensor<64xf16>\n" +
      store_text("y", "w", "64"));
  EXPECT_EQ(lowering_fault(text, usual_arguments(10)),
            "16:10: arith.addf: its operands come from views that may end inside the tile at "
            "different places: their tiles must be cut alike");
  EXPECT_EQ(lowering_fault(text, usual_arguments(8)), "");
}

TEST(LoweringFaults, WithoutRoomForTwoTilesTheStoreStaysInItsTurn) {
  const std::string text = kernel_text(
      view_text("A", "p", "4x600000") + view_text("Y", "r", "4x600000") +
      "    scf.for %i = %c0 to %n step %c1 {\n" +
      tile_text_of("t", "A", "4x600000xf16", "%i, 0", "1x600000") +
      tile_text_of("u", "Y", "4x600000xf16", "%i, 0", "1x600000") +
      load_text("a", "t", "1x600000") + "    %y = math.exp %a : tensor<1x600000xf16>\n" +
      store_text("y", "u", "1x600000") + "    }\n");
  EXPECT_EQ(body_text(lowered(text, {pointer(0), pointer(0), pointer(4000000), number(4)})),
            "for i = 0 to 4\n"
            "  load a A[i, 0][1, 600000]\n"
            "  exp a (a)\n"
            "  store a Y[i, 0][1, 600000]\n");
}

}  // namespace
}  // namespace spyre::kernels::lowering
