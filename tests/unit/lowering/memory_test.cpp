// Views, tiles, transfers, and what of LX they need.
#include <gtest/gtest.h>

#include "kernels/lowering/live_tensors.h"
#include "tests/unit/lowering/lowering_fixture.h"

namespace spyre::kernels::lowering {
namespace {

TEST(LoweringMemory, WhatOfABaseDiffersBetweenCoresBecomesAnOffset) {
  const Schedule schedule = lowered(
      kernel_text(
          "    %x = ktdp.get_compute_tile_id : index\n"
          "    %far = arith.muli %x, %n : index\n    %base = arith.addi %p, %far : index\n" +
              view_text("A", "base", "8x64") + view_text("Y", "q", "8x64") +
              tile_text_of("t", "A", "8x64xf16", "0, 0", "8x64") +
              tile_text_of("u", "Y", "8x64xf16", "0, 0", "8x64") + load_text("a", "t", "8x64") +
              store_text("a", "u", "8x64"),
          "[4]"),
      {pointer(1000), pointer(65536), pointer(0), number(512)});
  EXPECT_EQ(tensors_text(schedule),
            "A fp16 [8, 64] strides [64, 1] @2000\nY fp16 [8, 64] strides [64, 1] @131072\n");
  EXPECT_EQ(body_text(schedule), "load a A[0, 0][8, 64] offset 512*x\nstore a Y[0, 0][8, 64]\n");
}

TEST(LoweringMemory, OtherOrdersAreOtherTensorsOverTheSameMemory) {
  const std::string text =
      kernel_text(view_text("A", "p", "8x64") + view_text("Y", "q", "64x8") +
                  "    %t = ktdp.construct_access_tile %A[0, 0] {access_tile_set = affine_set<(r, "
                  "c) : (r >= 0, "
                  "r <= 7, c >= 0, c <= 63)>, access_tile_order = affine_map<(r, c) -> (c, r)>} : "
                  "memref<8x64xf16> -> !ktdp.access_tile<64x8xindex>\n" +
                  tile_text_of("u", "Y", "64x8xf16", "0, 0", "64x8") + load_text("a", "t", "64x8") +
                  store_text("a", "u", "64x8"));
  const Schedule schedule = lowered(text, usual_arguments());
  EXPECT_EQ(tensors_text(schedule),
            "A fp16 [64, 8] strides [1, 64] @0\nY fp16 [64, 8] strides [8, 1] @131072\n");
}

std::string dynamic_view(const std::string& name, const std::string& base) {
  return "    %" + name + " = ktdp.construct_memory_view %" + base +
         ", sizes: [%n], strides: [1] {coordinate_set = affine_set<(d)[s] : (d >= 0, d <= s - 1)>, "
         "memory_space = #ktdp.memory_space<global>} : memref<?xf16>\n";
}

TEST(LoweringMemory, ViewsThatEndInsideTheTileCutIt) {
  const std::string head = dynamic_view("A", "p") + dynamic_view("Y", "q") +
                           tile_text_of("t", "A", "?xf16", "0", "1024") +
                           tile_text_of("u", "Y", "?xf16", "0", "1024") +
                           load_text("a", "t", "1024");
  const std::string text = kernel_text(head + "    %y = math.exp %a : tensor<1024xf16>\n" +
                                       store_text("y", "u", "1024"));
  const Schedule schedule = lowered(text, usual_arguments(100));
  EXPECT_EQ(schedule.tensors[0].shape, (std::vector<std::int64_t>{100}));
  EXPECT_EQ(body_text(schedule), "load a A[0][1024]\nexp a (a)\nstore a Y[0][1024]\n");
  // Elements that are not there cannot be moved around.
  const std::string split = kernel_text(
      head +
      "    %w = tensor.expand_shape %a [[0, 1]] output_shape [16, 64] : tensor<1024xf16> into "
      "tensor<16x64xf16>\n    %v = tensor.collapse_shape %w [[0, 1]] : tensor<16x64xf16> into "
      "tensor<1024xf16>\n" +
      store_text("v", "u", "1024"));
  EXPECT_EQ(
      lowering_fault(split, usual_arguments(100)),
      "13:10: tensor.expand_shape: its operand comes from a view that may end inside the tile, "
      "so its dimensions cannot be joined or split");
  EXPECT_EQ(lowering_fault(split, usual_arguments(1024)), "");
}

std::string partition(const std::string& name, const std::string& base, const std::string& size,
                      const std::string& bounds, const std::string& space) {
  return "    %" + name + " = ktdp.construct_memory_view %" + base + ", sizes: [" + size +
         ", 64], strides: [64, 1] {coordinate_set = affine_set<(r, c) : (" + bounds +
         ", c >= 0, c <= 63)>, memory_space = #ktdp.memory_space<" + space + ">} : memref<" + size +
         "x64xf16>\n";
}

TEST(LoweringMemory, DistributedViewsAreReadPartByPart) {
  const std::string text = kernel_text(
      partition("A0", "p", "16", "r >= 0, r <= 15", "global") +
          partition("A1", "c8", "32", "r >= 16, r <= 47", "ct_local, ct_id = 1") +
          "    %A = ktdp.construct_distributed_memory_view (%A0, %A1 : memref<16x64xf16>, "
          "memref<32x64xf16>) : memref<48x64xf16>\n" +
          view_text("Y", "q", "48x64") +
          "    scf.for %i = %c0 to %n step %c1 {\n    %row = arith.muli %i, %c8 : index\n" +
          tile_text_of("t", "A", "48x64xf16", "%row + 4, 0", "8x64") +
          tile_text_of("u", "Y", "48x64xf16", "%row, 0", "8x64") + load_text("a", "t", "8x64") +
          store_text("a", "u", "8x64") + "    }\n",
      "[2]");
  const Schedule schedule = lowered(text, usual_arguments(5));
  EXPECT_EQ(
      body_text(schedule),
      "for i = 0 to 5\n"
      "  load a[0, 0][min(8*i + 12, 16) - 8*i - 4, 64] A0[8*i + 4, 0][min(8*i + 12, 16) - 8*i "
      "- 4, 64] when i < 2\n"
      "  load a[max(8*i + 4, 16) - 8*i - 4, 0][8*i - max(8*i + 4, 16) + 12, 64] A1[max(8*i + 4, "
      "16) - 16, 0][8*i - max(8*i + 4, 16) + 12, 64] when 0 < i\n"
      "  store a Y[8*i, 0][8, 64]\n");
  EXPECT_EQ(schedule.tensors[1].lx_core, 1);
  // LX that the kernel names is left alone: 16 .. 4111 B, of which sticks are whole.
  EXPECT_EQ(buffers_text(schedule), "a fp16 [8, 64] x1 @4224 \n");
}

TEST(LoweringMemory, AlignedPartsAreReadWhole) {
  const std::string text = kernel_text(
      "    %x = ktdp.get_compute_tile_id : index\n" +
          partition("A0", "p", "16", "r >= 0, r <= 15", "global") +
          partition("A1", "q", "16", "r >= 16, r <= 31", "global") +
          "    %A = ktdp.construct_distributed_memory_view (%A0, %A1 : memref<16x64xf16>, "
          "memref<16x64xf16>) : memref<32x64xf16>\n" +
          view_text("Y", "r", "32x64") + tile_text_of("t", "A", "32x64xf16", "%x * 8, 0", "8x64") +
          tile_text_of("u", "Y", "32x64xf16", "%x * 8, 0", "8x64") + load_text("a", "t", "8x64") +
          store_text("a", "u", "8x64"),
      "[4]");
  EXPECT_EQ(body_text(lowered(text, usual_arguments())),
            "load a A0[8*x, 0][8, 64] when x < 2\n"
            "load a A1[8*x - 16, 0][8, 64] when 1 < x\n"
            "store a Y[8*x, 0][8, 64]\n");
}

TEST(LoweringMemory, AViewOfTheExecutingCoresMemoryIsOneTensorPerCore) {
  const std::string text = kernel_text(
      "    %A = ktdp.construct_memory_view %c0, sizes: [8, 64], strides: [64, 1] {memory_space = "
      "#ktdp.memory_space<ct_local>} : memref<8x64xf16>\n" +
          view_text("Y", "q", "8x64") + tile_text_of("t", "A", "8x64xf16", "0, 0", "8x64") +
          tile_text_of("u", "Y", "8x64xf16", "0, 0", "8x64") + load_text("a", "t", "8x64") +
          store_text("a", "u", "8x64"),
      "[2]");
  EXPECT_EQ(body_text(lowered(text, usual_arguments())),
            "load a A_core0[0, 0][8, 64] when core == 0\n"
            "load a A_core1[0, 0][8, 64] when core == 1\n"
            "store a Y[0, 0][8, 64]\n");
}

std::string gather_text(const std::string& subscripts, const std::string& tile,
                        const std::string& set) {
  return view_text("A", "p", "32x4x64") + view_text("T", "q", "8", "i32") +
         "    %t = ktdp.construct_indirect_access_tile intermediate_variables(%i, %d) %A[" +
         subscripts + "] {variables_space_set = affine_set<(i, d) : (" + set +
         ")>, variables_space_order = affine_map<(i, d) -> (i, d)>} : memref<32x4x64xf16>, "
         "memref<8xi32> -> !ktdp.access_tile<" +
         tile + "xindex>\n" + load_text("a", "t", tile);
}

TEST(LoweringMemory, IndirectTilesSplitVariablesThatAreDivided) {
  const std::string text = kernel_text(gather_text("ind(%T[%i floordiv 4]), (%i mod 4), (%d)",
                                                   "32x64", "i >= 0, i <= 31, d >= 0, d <= 63") +
                                       view_text("Y", "r", "32x64") +
                                       tile_text_of("u", "Y", "32x64xf16", "0, 0", "32x64") +
                                       store_text("a", "u", "32x64"));
  EXPECT_EQ(
      body_text(lowered(text, usual_arguments())),
      "gather a A[0, 0, 0][] dims [8, 4, 64] strides [0, 64, 1] dim 0 by T[0] along [1, 0, 0]\n"
      "store a Y[0, 0][32, 64]\n");
}

TEST(LoweringMemory, IndirectTilesThatAreNoSumsAreRefused) {
  const std::string store = view_text("Y", "r", "30x64") +
                            tile_text_of("u", "Y", "30x64xf16", "0, 0", "30x64") +
                            store_text("a", "u", "30x64");
  EXPECT_EQ(lowering_fault(kernel_text(gather_text("ind(%T[%i floordiv 4]), (%i mod 4), (%d)",
                                                   "30x64", "i >= 0, i <= 29, d >= 0, d <= 63") +
                                       store),
                           usual_arguments()),
            "11:10: ktdp.load: a variable of 30 values is divided by 4: it must be a multiple, and "
            "divided by one number only");
}

TEST(LoweringMemory, WhatDoesNotFitIsRefusedWithTheTensorsInUse) {
  const std::string text = kernel_text(
      view_text("A", "p", "1024x512") + view_text("B", "q", "1024x512") +
      view_text("Y", "r", "1024x512") +
      tile_text_of("ta", "A", "1024x512xf16", "0, 0", "1024x512") +
      tile_text_of("tb", "B", "1024x512xf16", "0, 0", "1024x512") +
      tile_text_of("ty", "Y", "1024x512xf16", "0, 0", "1024x512") +
      load_text("a", "ta", "1024x512") + load_text("b", "tb", "1024x512") +
      "    %y = arith.addf %a, %b : tensor<1024x512xf16>\n" + store_text("y", "ty", "1024x512"));
  EXPECT_EQ(
      lowering_fault(text, usual_arguments()),
      "15:10: 'kernel' needs 2097152 B of LX here, 1625344 B are available: make its tiles "
      "smaller; in use are %a f16 [1024, 512] 1048576 B, line 14; %b f16 [1024, 512] 1048576 B, "
      "line 15 [lx-capacity]");
}

TEST(LoweringMemory, TensorsWithDisjointLivesShareAPlace) {
  const std::string text =
      kernel_text(view_text("A", "p", "1024x512") + view_text("Y", "r", "1024x512") +
                  tile_text_of("ta", "A", "1024x512xf16", "0, 0", "1024x512") +
                  tile_text_of("ty", "Y", "1024x512xf16", "0, 0", "1024x512") +
                  load_text("a", "ta", "1024x512") + store_text("a", "ty", "1024x512") +
                  load_text("b", "ta", "1024x512") + store_text("b", "ty", "1024x512"));
  EXPECT_EQ(buffers_text(lowered(text, usual_arguments())),
            "a fp16 [1024, 512] x1 @0 region0\nb fp16 [1024, 512] x1 @0 region0\n");
}

TEST(LiveTensors, CountsEveryTensorFromItsDefinitionToItsLastUse) {
  const ktir::Module module =
      ktir::load_module(kernel_text(view_text("A", "p", "8x64") + view_text("Y", "r", "8x64") +
                                    tile_text_of("ta", "A", "8x64xf16", "0, 0", "8x64") +
                                    tile_text_of("ty", "Y", "8x64xf16", "0, 0", "8x64") +
                                    load_text("a", "ta", "8x64") +
                                    "    %s = tensor.splat %zero : tensor<8x64xf16>\n"
                                    "    %d = arith.subf %a, %s : tensor<8x64xf16>\n"
                                    "    %e = math.exp %d : tensor<8x64xf16>\n" +
                                    store_text("e", "ty", "8x64")),
                        "test.mlir")
          .module;
  EXPECT_EQ(LiveTensors(module.functions.front()).peak().bytes, 3 * 8 * 64 * 2);
}

}  // namespace
}  // namespace spyre::kernels::lowering
