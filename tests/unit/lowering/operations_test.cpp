// Single operations: which statements they become.
#include <gtest/gtest.h>

#include "tests/unit/lowering/lowering_fixture.h"

namespace spyre::kernels::lowering {
namespace {

/// The statements between the loads and the store.
std::string middle(const std::string& text) {
  std::string result;
  std::string rest = body_text(lowered(text, usual_arguments()));
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string line = rest.substr(0, end);
    if (!line.starts_with("load") && !line.starts_with("store")) result += line + "\n";
    rest.erase(0, end + 1);
  }
  return result;
}

TEST(LoweringOperations, ElementwiseWorksInPlaceWhereAnOperandIsNoLongerNeeded) {
  EXPECT_EQ(middle(binary_kernel("8x64", "    %y = arith.addf %a, %b : tensor<8x64xf16>\n")),
            "add a (a, b)\n");
  EXPECT_EQ(middle(binary_kernel("8x64",
                                 "    %t = arith.mulf %a, %b : tensor<8x64xf16>\n"
                                 "    %u = math.exp %a : tensor<8x64xf16>\n"
                                 "    %y = arith.subf %t, %u : tensor<8x64xf16>\n")),
            "mul b (a, b)\nexp a (a)\nsub b (b, a)\n");
}

TEST(LoweringOperations, NumbersStandAmongTheOperands) {
  EXPECT_EQ(middle(binary_kernel("8x64",
                                 "    %one = arith.constant dense<1.0> : tensor<8x64xf16>\n"
                                 "    %t = arith.divf %one, %a : tensor<8x64xf16>\n"
                                 "    %s = tensor.splat %zero : tensor<8x64xf16>\n"
                                 "    %m = arith.cmpf ogt, %t, %s : tensor<8x64xf16>\n"
                                 "    %y = arith.select %m, %t, %b : tensor<8x64xi1>, "
                                 "tensor<8x64xf16>\n")),
            "div a (1, a)\nless m (0, a)\nselect a (m, a, b)\n");
}

TEST(LoweringOperations, ASecondNumberBecomesATile) {
  EXPECT_EQ(middle(binary_kernel("8x64",
                                 "    %one = arith.constant dense<1.0> : tensor<8x64xf16>\n"
                                 "    %two = arith.constant dense<2.0> : tensor<8x64xf16>\n"
                                 "    %m = arith.cmpf olt, %a, %b : tensor<8x64xf16>\n"
                                 "    %y = arith.select %m, %one, %two : tensor<8x64xi1>, "
                                 "tensor<8x64xf16>\n")),
            "less m (a, b)\nfill y (2)\nselect y_2 (m, 1, y)\n");
}

TEST(LoweringOperations, UnorderedComparisonsAreNegatedOrderedOnes) {
  EXPECT_EQ(middle(binary_kernel("8x64",
                                 "    %m = arith.cmpf ult, %a, %b : tensor<8x64xf16>\n"
                                 "    %y = arith.select %m, %a, %b : tensor<8x64xi1>, "
                                 "tensor<8x64xf16>\n")),
            "less_equal m (b, a)\nequal m (m, 0)\nselect a (m, a, b)\n");
}

TEST(LoweringOperations, ReductionsAlongRowsGiveColumnsThatRepeat) {
  const std::string reduce =
      "    %i = tensor.splat %zero : tensor<8xf16>\n"
      "    %s = linalg.reduce { arith.addf } ins(%a : tensor<8x64xf16>) outs(%i : tensor<8xf16>) "
      "dimensions = [1]\n"
      "    %e = tensor.empty() : tensor<8x64xf16>\n"
      "    %w = linalg.broadcast ins(%s : tensor<8xf16>) outs(%e : tensor<8x64xf16>) dimensions = "
      "[1]\n"
      "    %y = arith.divf %a, %w : tensor<8x64xf16>\n";
  EXPECT_EQ(middle(binary_kernel("8x64", reduce)), "reduce_sum s (a)\ndiv a (a, s)\n");
}

TEST(LoweringOperations, ReductionsDownTheColumnsGiveARow) {
  EXPECT_EQ(middle(binary_kernel(
                "8x64",
                "    %i = tensor.splat %low : tensor<64xf16>\n"
                "    %s = linalg.reduce ins(%a : tensor<8x64xf16>) outs(%i : tensor<64xf16>) "
                "dimensions = [0] (%in: f16, %acc: f16) {\n"
                "      %c = arith.cmpf ogt, %in, %acc : f16\n"
                "      %m = arith.select %c, %in, %acc : f16\n"
                "      linalg.yield %m : f16\n    }\n"
                "    %e = tensor.empty() : tensor<8x64xf16>\n"
                "    %w = linalg.broadcast ins(%s : tensor<64xf16>) outs(%e : tensor<8x64xf16>) "
                "dimensions = [0]\n"
                "    %y = arith.subf %a, %w : tensor<8x64xf16>\n")),
            "reduce_max s (a) axis 0\nsub a (a, s)\n");
}

TEST(LoweringOperations, AnInitialValueThatCountsIsCombined) {
  EXPECT_EQ(middle(binary_kernel(
                "8x64",
                "    %i = tensor.splat %zero : tensor<8xf16>\n"
                "    %s = linalg.reduce { arith.maximumf } ins(%a : tensor<8x64xf16>) outs(%i : "
                "tensor<8xf16>) dimensions = [1]\n"
                "    %e = tensor.empty() : tensor<8x64xf16>\n"
                "    %w = linalg.broadcast ins(%s : tensor<8xf16>) outs(%e : tensor<8x64xf16>) "
                "dimensions = [1]\n"
                "    %y = arith.subf %a, %w : tensor<8x64xf16>\n")),
            "reduce_max s (a)\nmax s (0, s)\nsub a (a, s)\n");
}

TEST(LoweringOperations, TransposedOperandsAreMovedOnce) {
  EXPECT_EQ(
      middle(binary_kernel(
          "64x64",
          "    %e = tensor.empty() : tensor<64x64xf16>\n"
          "    %t = linalg.transpose ins(%b : tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) "
          "permutation = [1, 0]\n"
          "    %u = linalg.matmul ins(%a, %t : tensor<64x64xf16>, tensor<64x64xf16>) outs(%e : "
          "tensor<64x64xf16>) -> tensor<64x64xf16>\n"
          "    %y = linalg.matmul ins(%t, %a : tensor<64x64xf16>, tensor<64x64xf16>) outs(%u : "
          "tensor<64x64xf16>) -> tensor<64x64xf16>\n")),
      "transpose b_moved (b)\nmatmul u a b_moved\nmatmul u b_moved a accumulate\n");
}

TEST(LoweringOperations, SlicesAreReadInPlaceAndWrittenAsParts) {
  EXPECT_EQ(middle(binary_kernel(
                "8x64",
                "    %s = tensor.extract_slice %a[2, 0] [4, 64] [1, 1] : tensor<8x64xf16> to "
                "tensor<4x64xf16>\n"
                "    %e = math.exp %s : tensor<4x64xf16>\n"
                "    %y = tensor.insert_slice %e into %b[4, 0] [4, 64] [1, 1] : tensor<4x64xf16> "
                "into tensor<8x64xf16>\n")),
            "exp e (a[2, 0][4, 64])\ncopy b[4, 0][4, 64] (e)\n");
}

TEST(LoweringOperations, SlicesAcrossColumnsAreRearranged) {
  EXPECT_EQ(middle(binary_kernel(
                "8x64",
                "    %s = tensor.extract_slice %a[0, 0] [8, 32] [1, 2] : tensor<8x64xf16> to "
                "tensor<8x32xf16>\n"
                "    %e = math.exp %s : tensor<8x32xf16>\n"
                "    %y = tensor.insert_slice %e into %b[0, 32] [8, 32] [1, 1] : tensor<8x32xf16> "
                "into tensor<8x64xf16>\n")),
            "transpose a_moved (a) sizes [256] strides [2]\nexp a_moved (a_moved)\n"
            "copy b[0, 32][8, 32] (a_moved)\n");
}

TEST(LoweringOperations, BodiesBecomeOperationsOverAllIterations) {
  EXPECT_EQ(middle(binary_kernel(
                "8x64",
                "    %e = tensor.empty() : tensor<8x64xf16>\n"
                "    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
                "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = "
                "[\"parallel\", \"parallel\"]} ins(%a, %b : tensor<8x64xf16>, tensor<8x64xf16>) "
                "outs(%e : tensor<8x64xf16>) {\n"
                "      ^bb0(%u: f16, %v: f16, %o: f16):\n"
                "        %i = linalg.index 0 : index\n"
                "        %j = linalg.index 1 : index\n"
                "        %c = arith.cmpi sle, %j, %i : index\n"
                "        %s = arith.select %c, %u, %low : f16\n"
                "        %t = arith.addf %s, %v : f16\n"
                "        linalg.yield %t : f16\n"
                "    } -> tensor<8x64xf16>\n")),
            "iota i () axis 0\niota j ()\nless_equal c (j, i)\nselect a (c, a, -inf)\n"
            "add a (a, b)\n");
}

TEST(LoweringOperations, ContractionsGoToTheMatrixUnit) {
  EXPECT_EQ(
      middle(binary_kernel(
          "64x64",
          "    %e = tensor.empty() : tensor<64x64xf16>\n"
          "    %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
          "affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = "
          "[\"parallel\", \"parallel\", \"reduction\"]} ins(%a, %b : tensor<64x64xf16>, "
          "tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) {\n"
          "      ^bb0(%u: f16, %v: f16, %o: f16):\n"
          "        %s = arith.mulf %u, %v : f16\n"
          "        %t = arith.addf %o, %s : f16\n"
          "        linalg.yield %t : f16\n"
          "    } -> tensor<64x64xf16>\n")),
      "transpose b_moved (b)\nmatmul y a b_moved\n");
}

TEST(LoweringOperations, ReductionsOfBodiesFollowTheirParallelPart) {
  EXPECT_EQ(
      middle(binary_kernel(
          "8x64",
          "    %i = tensor.splat %zero : tensor<8xf16>\n"
          "    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, "
          "j) -> (i)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%a : "
          "tensor<8x64xf16>) outs(%i : tensor<8xf16>) {\n"
          "      ^bb0(%u: f16, %o: f16):\n"
          "        %q2 = arith.mulf %u, %u : f16\n"
          "        %t = arith.addf %q2, %o : f16\n"
          "        linalg.yield %t : f16\n"
          "    } -> tensor<8xf16>\n"
          "    %e = tensor.empty() : tensor<8x64xf16>\n"
          "    %w = linalg.broadcast ins(%s : tensor<8xf16>) outs(%e : tensor<8x64xf16>) "
          "dimensions = [1]\n"
          "    %y = arith.divf %b, %w : tensor<8x64xf16>\n")),
      "mul a (a, a)\nreduce_sum s (a)\ndiv b (b, s)\n");
}

TEST(LoweringOperations, SeveralReductionsOfOneBodyKeepTheirTerms) {
  EXPECT_EQ(middle(binary_kernel(
                "8x64",
                "    %i = tensor.splat %zero : tensor<8xf16>\n"
                "    %s:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
                "affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = "
                "[\"parallel\", \"reduction\"]} ins(%a : tensor<8x64xf16>) outs(%i, %i : "
                "tensor<8xf16>, tensor<8xf16>) {\n"
                "      ^bb0(%u: f16, %o: f16, %k: f16):\n"
                "        %t = arith.addf %o, %u : f16\n"
                "        %q2 = arith.mulf %u, %u : f16\n"
                "        %w = arith.addf %k, %q2 : f16\n"
                "        linalg.yield %t, %w : f16, f16\n"
                "    } -> (tensor<8xf16>, tensor<8xf16>)\n"
                "    %d = arith.subf %s#0, %s#1 : tensor<8xf16>\n"
                "    %e = tensor.empty() : tensor<8x64xf16>\n"
                "    %y0 = linalg.broadcast ins(%d : tensor<8xf16>) outs(%e : tensor<8x64xf16>) "
                "dimensions = [1]\n"
                "    %y = arith.addf %b, %y0 : tensor<8x64xf16>\n")),
            "mul q2 (a, a)\nreduce_sum s (a)\nreduce_sum s_2 (q2)\nsub s (s, s_2)\nadd b (b, s)\n");
}

TEST(LoweringOperations, ScalarsOfTheRunAreTilesOfOneElement) {
  EXPECT_EQ(middle(binary_kernel("8x64",
                                 "    %s = tensor.extract %a[%c1, %c8] : tensor<8x64xf16>\n"
                                 "    %r1 = math.rsqrt %s : f16\n"
                                 "    %w = tensor.splat %r1 : tensor<8x64xf16>\n"
                                 "    %y = arith.mulf %b, %w : tensor<8x64xf16>\n")),
            "rsqrt r1 (a[1, 8][1, 1])\nmul b (b, r1)\n");
}

TEST(LoweringOperations, ConstantsAreComputedBeforeTheRun) {
  EXPECT_EQ(middle(binary_kernel("8x64",
                                 "    %i = arith.index_cast %n : index to i32\n"
                                 "    %f = arith.sitofp %i : i32 to f16\n"
                                 "    %h = arith.divf %f, %f : f16\n"
                                 "    %w = tensor.splat %h : tensor<8x64xf16>\n"
                                 "    %y = arith.mulf %b, %w : tensor<8x64xf16>\n")),
            "mul b (b, 1)\n");
}

TEST(LoweringOperations, WhatNothingUsesIsLeftOut) {
  EXPECT_EQ(body_text(lowered(binary_kernel("8x64",
                                            "    %t = math.exp %a : tensor<8x64xf16>\n"
                                            "    %y = math.exp %b : tensor<8x64xf16>\n"),
                              usual_arguments())),
            "load b B[0, 0][8, 64]\nexp b (b)\nstore b Y[0, 0][8, 64]\n");
}

TEST(LoweringOperations, StatementsKnowWhereTheyComeFrom) {
  const Schedule schedule = lowered(
      binary_kernel("8x64", "    %y = arith.addf %a, %b : tensor<8x64xf16>\n"), usual_arguments());
  const Statement& add = schedule.kernels.front().body[2];
  EXPECT_EQ(add.line, 16);
  EXPECT_EQ(add.position.file, "test.mlir");
  EXPECT_EQ(add.position.line, 16);
  EXPECT_EQ(add.position.column, 10);
  EXPECT_EQ(schedule.file, "test.mlir");
  EXPECT_EQ(schedule.meta.at("function"), "kernel");
  EXPECT_EQ(schedule.launches.size(), 1U);
}

}  // namespace
}  // namespace spyre::kernels::lowering
