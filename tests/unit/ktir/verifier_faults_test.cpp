// One fault per case, in the operation marked with "@@".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/ktir/ktir_fixture.h"

namespace spyre::kernels::ktir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

void expect_text_fault(const std::string& marked, const std::string& message) {
  SCOPED_TRACE(marked);
  const MarkedText text = without_marks(marked);
  ASSERT_EQ(text.places.size(), 1U);
  EXPECT_THAT(
      faults_of(text.text),
      ElementsAre(testing::AllOf(testing::StartsWith(text.places[0] + ": "), HasSubstr(message))));
}

void expect_fault(const std::string& operations, const std::string& message) {
  expect_text_fault(kernel_with(operations), message);
}

void expect_clean(const std::string& operations) {
  SCOPED_TRACE(operations);
  EXPECT_THAT(faults_of(kernel_with(operations)), IsEmpty());
}

std::vector<std::string> warnings_of(const std::string& operations) {
  return texts_of(load_module(kernel_with(operations), "test.mlir").warnings);
}

TEST(KtirVerifier, AcceptsTheFixture) {
  expect_clean("");
}

TEST(KtirVerifier, AsksForADefinitionBeforeEveryUse) {
  expect_fault("%a = arith.addf @@%later, %h : f16\n%later = arith.addf %h, %h : f16",
               "'%later' is used here, and nothing before defines it");
  expect_fault(
      "scf.if %b { %inner = arith.addf %h, %h : f16 }\n"
      "%a = arith.addf @@%inner, %h : f16",
      "'%inner' is used here");
  expect_fault("@@%c1 = arith.constant 2 : index",
               "'%c1' is defined twice in this region, first in");
  expect_clean("scf.if %b { %c1 = arith.constant 2 : index }");
}

TEST(KtirVerifier, ChecksOperandCountsAndTypesOfScalarOperations) {
  expect_fault("%a = @@arith.addf %i, %i : i32", "its elements are floats, not i32");
  expect_fault("%a = @@arith.muli %h, %h : f16", "its elements are integers or index, not f16");
  expect_fault("%a = @@\"arith.addf\"(%h) : (f16) -> f16", "it takes 2 operands, here are 1");
  expect_fault("%a = @@arith.extf %f : f32 to f16", "from f32 to f16: it needs a wider float");
  expect_fault("%a = @@arith.truncf %x : tensor<4x8xf16> to tensor<4x4xf16>", "the shapes of");
  expect_fault("%a = @@arith.index_cast %i : i32 to i64", "index on one side");
  expect_fault("%a = @@arith.bitcast %i : i32 to f16", "types of one width");
  expect_fault("%a = @@arith.cmpi eq, %h, %h : f16", "it does not compare f16");
  expect_clean(
      "%a = arith.cmpf olt, %x, %y : tensor<4x8xf16>\n"
      "%s = arith.select %a, %x, %y : tensor<4x8xi1>, tensor<4x8xf16>");
}

TEST(KtirVerifier, ChecksLoopsAndBranches) {
  expect_fault("@@scf.for %k = %c0 to %c60 step %c0 { }", "the step is 0: it must be positive");
  expect_fault("@@scf.for %k = %h to %h step %h : f16 { }", "the bounds are f16: index or iN");
  expect_fault(
      "%r = scf.for %k = %c0 to %c60 step %c1 iter_args(%q = %h) -> (f16) {\n"
      "@@scf.yield %f : f32 }",
      "value 0 is f32, it must be f16");
  expect_fault("%r = @@scf.if %b -> (f16) { scf.yield %h : f16 }", "so it needs an 'else'");
  expect_fault("scf.if %b { @@scf.yield\n scf.yield }", "only the last operation");
  expect_text_fault("func.func @f(%a: f16) -> f32 { @@return %a : f16 }", "it must be f32");
  expect_text_fault("func.func @f(%a: f16) { %b = @@arith.negf %a : f16 }",
                    "this region must end with 'func.return'");
  expect_text_fault("@@func.func @f() { }", "this region must end with 'func.return'");
}

TEST(KtirVerifier, ChecksTheGrid) {
  const auto with_grid = [](const std::string& grid) {
    return "@@func.func @f() attributes {grid = " + grid + "} { return }";
  };
  expect_text_fault(with_grid("[0, 2]"), "'grid' holds 0: at least 1");
  expect_text_fault(with_grid("[1, 1, 1, 1]"), "one to three integers");
  expect_text_fault(with_grid("32"), "one to three integers");
  expect_text_fault(with_grid("[4294967296, 4294967296]"), "more cores than 64 bits");
  expect_fault("%q:3 = @@ktdp.get_compute_tile_id : index, index, index",
               "it has 3 results, the grid 2 entries");
}

TEST(KtirVerifier, ChecksShapesOfLinalgOperations) {
  const std::string product = "outs(%z : tensor<4x16xf32>) -> tensor<4x16xf32>";
  expect_clean("%a = linalg.matmul ins(%x, %w : tensor<4x8xf16>, tensor<8x16xf16>) " + product);
  expect_fault("%a = @@linalg.matmul ins(%w, %x : tensor<8x16xf16>, tensor<4x8xf16>) " + product,
               "8x16 times 4x8 does not give 4x16");
  expect_fault("%a = @@linalg.matmul ins(%v, %w : tensor<4xf16>, tensor<8x16xf16>) " + product,
               "tensors of rank 2, not tensor<4xf16>");
  expect_fault(
      "%a = @@linalg.add ins(%x, %w : tensor<4x8xf16>, tensor<8x16xf16>) "
      "outs(%x : tensor<4x8xf16>) -> tensor<4x8xf16>",
      "it must be like the result");
  expect_fault("%a = @@linalg.fill ins(%f : f32) outs(%x : tensor<4x8xf16>) -> tensor<4x8xf16>",
               "f32 cannot fill tensor<4x8xf16>");
  expect_fault(
      "%a = @@linalg.broadcast ins(%v : tensor<4xf16>) outs(%x : tensor<4x8xf16>) "
      "dimensions = [0]",
      "without the added dimensions");
  expect_clean(
      "%a = linalg.broadcast ins(%v : tensor<4xf16>) outs(%x : tensor<4x8xf16>) dimensions = [1]");
  expect_fault(
      "%a = @@linalg.transpose ins(%x : tensor<4x8xf16>) outs(%y : tensor<4x8xf16>) "
      "permutation = [1, 0]",
      "permuting tensor<4x8xf16> does not give");
  expect_fault(
      "%a = @@linalg.transpose ins(%x : tensor<4x8xf16>) outs(%y : tensor<4x8xf16>) "
      "permutation = [0, 0]",
      "'permutation' must name every dimension");
  expect_fault(
      "%a = @@linalg.reduce { arith.addf } ins(%x : tensor<4x8xf16>) outs(%v : tensor<4xf16>) "
      "dimensions = [0]",
      "without the reduced dimensions");
}

TEST(KtirVerifier, ChecksGenericBodiesAndLoops) {
  const auto generic = [](const std::string& maps, const std::string& body) {
    return "%a = @@linalg.generic {indexing_maps = [" + maps +
           "], iterator_types = [\"parallel\", "
           "\"parallel\"]} ins(%v : tensor<4xf16>) outs(%x : tensor<4x8xf16>) {\n" +
           body + "\n} -> tensor<4x8xf16>";
  };
  const std::string row = "affine_map<(i, j) -> (i)>";
  const std::string both = "affine_map<(i, j) -> (i, j)>";
  const std::string body = "^bb0(%p1: f16, %q1: f16): linalg.yield %p1 : f16";
  expect_fault(generic("affine_map<(i, j) -> (j)>, " + both, body), "loop 1 has length 4");
  expect_fault(generic(row, body), "2 operands have 1 indexing maps");
  expect_fault(generic(both + ", " + both, body), "indexing map 0 has 2 results for tensor<4xf16>");
  expect_fault(generic(row + ", " + both, "^bb0(%p1: f16): linalg.yield %p1 : f16"),
               "its region takes 2 arguments, here are 1");
  expect_text_fault(kernel_with("%n = @@linalg.index 0 : index"),
                    "in the body of a linalg.generic");
}

TEST(KtirVerifier, ChecksShapesOfTensorOperations) {
  expect_fault("%a = @@tensor.extract %x[%c0, %c60] : tensor<4x8xf16>", "index 1 is 60, outside");
  expect_fault("%a = @@tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf16> into tensor<33xf16>",
               "the groups do not take");
  expect_fault("%a = @@tensor.expand_shape %v [[0, 2]] : tensor<4xf16> into tensor<2x1x2xf16>",
               "the groups do not take");
  expect_fault(
      "%a = @@tensor.extract_slice %x[0, 2] [4, 7] [1, 1] : tensor<4x8xf16> to tensor<4x7xf16>",
      "dimension 1 of the slice leaves");
  expect_clean(
      "%a = tensor.extract_slice %x[0, 1] [4, 7] [1, 1] : tensor<4x8xf16> to tensor<4x7xf16>");
  expect_fault("%a = @@tensor.from_elements %h, %h : tensor<3xf16>", "2 operands do not make");
  expect_fault("%a = @@tensor.empty(%c1) : tensor<4xf16>", "0 dynamic sizes, here are 1");
  expect_fault(
      "%s = arith.constant dense<[5, 6]> : tensor<2xindex>\n"
      "%a = @@tensor.reshape %x(%s) : (tensor<4x8xf16>, tensor<2xindex>) -> tensor<5x6xf16>",
      "has 32 elements");
}

std::string tile(const std::string& base, const std::string& set, const std::string& type) {
  return "%at = @@ktdp.construct_access_tile %m[" + base + "] {access_tile_set = affine_set<" +
         set + ">, access_tile_order = affine_map<(a, b) -> (a, b)>} : memref<32x64xf16> -> " +
         type;
}

TEST(KtirVerifier, KeepsConstantTilesInsideTheirView) {
  const std::string set = "(a, b) : (a >= 0, a <= 3, b >= 0, b <= 7)";
  const std::string type = "!ktdp.access_tile<4x8xindex>";
  expect_fault(tile("%c0, %c60", set, type),
               "the tile covers 60 to 67 in dimension 1, outside memref<32x64xf16>");
  expect_fault(tile("28 + %c1, %c0", set, type), "the tile covers 29 to 32 in dimension 0");
  expect_fault(tile("%c0 - 1, %c0", set, type), "the tile covers -1 to 2 in dimension 0");
  expect_clean(without_marks(tile("28 * %c1, %c60 - 4", set, type)).text);
  expect_clean(without_marks(tile("%p, %c0", set, type)).text);
  expect_fault(tile("%c0", set, type), "1 subscripts for memref<32x64xf16>");
  expect_fault(tile("%c0, %c0", "(a) : (a >= 0, a <= 3)", type), "an affine_set of 2 dimensions");
}

TEST(KtirVerifier, WarnsOfTileTypesThatContradictTheirSet) {
  const auto warnings =
      warnings_of(without_marks(tile("%c0, %c0", "(a, b) : (a >= 0, a <= 1, b >= 0, b <= 7)",
                                     "!ktdp.access_tile<4x8xindex>"))
                      .text);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("the set spans 2x8 in this order, the tile is")));
}

TEST(KtirVerifier, ChecksViews) {
  const auto view = [](const std::string& rest) {
    return "%mv = @@ktdp.construct_memory_view %p, sizes: [4, %c60], strides: [64, 1] {" + rest;
  };
  expect_clean(
      without_marks(view("memory_space = #ktdp.memory_space<global>} : memref<4x60xf16>")).text);
  expect_fault(view("memory_space = #ktdp.memory_space<global>} : memref<4x61xf16>"),
               "size 1 is 60, the type is memref<4x61xf16>");
  expect_fault(view("} : memref<4x60xf16>"), "the attribute 'memory_space' must be");
  expect_fault(view("memory_space = #ktdp.memory_space<ct_local, ct_id = 4>} : memref<4x60xf16>"),
               "core 4 is outside the grid of 4 cores");
  expect_fault(view("memory_space = #ktdp.memory_space<global>} : memref<4xf16>"),
               "need 1 entries each");
}

TEST(KtirVerifier, ChecksTransfers) {
  expect_fault("%a = @@ktdp.load %t : <4x8xindex> -> tensor<8x4xf16>",
               "does not have the shape of");
  const std::string made =
      without_marks(tile("%c0, %c0", "(a, b) : (a >= 0, a <= 3, b >= 0, b <= 7)",
                         "!ktdp.access_tile<4x8xindex>"))
          .text;
  expect_fault(made + "\n%a = @@ktdp.load %at : <4x8xindex> -> tensor<4x8xf32>",
               "the view holds f16, the tensor f32: a transfer converts nothing");
}

TEST(KtirVerifier, ChecksInterTileOperations) {
  const std::string produce =
      "%future = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i)[g] : (i >= 0, i "
      "<= 3)>"
      " -> <(tensor<4x8xf16>), groups = affine_set<(g) : (g == 0)>> {\n"
      "^bb0(%gid: index): ktdp.yield_partial %x : tensor<4x8xf16> }\n";
  const auto reduce = [&](const std::string& result, const std::string& yielded) {
    return produce +
           "%sum = @@ktdp.inter_tile_reduce(%future) consumer_tiles_per_group = "
           "affine_set<(i)[g] : (i >= 0, i <= 3)>, identity(%y : tensor<4x8xf16>) : "
           "<(tensor<4x8xf16>), groups = affine_set<(g) : (g == 0)>> -> " +
           result +
           " {\n"
           "^bb0(%l: tensor<4x8xf16>, %r: tensor<4x8xf16>): ktdp.yield_reduced " +
           yielded + " }";
  };
  expect_clean(without_marks(reduce("tensor<4x8xf16>", "%l : tensor<4x8xf16>")).text);
  expect_fault(reduce("tensor<8xf16>", "%l : tensor<4x8xf16>"), "it delivers tensor<4x8xf16>");
  const std::string gather =
      produce +
      "%all = @@ktdp.inter_tile_gather(%future) "
      "consumer_tiles_per_group = affine_set<(i)[g] : (i >= 0, i <= 3)>, gather_dimensions = [";
  const std::string gathered =
      "] : <(tensor<4x8xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<16x8xf16>";
  expect_clean(without_marks(gather + "0" + gathered).text);
  expect_fault(gather + "2" + gathered, "'gather_dimensions' names dimension 2");
}

}  // namespace
}  // namespace spyre::kernels::ktir
