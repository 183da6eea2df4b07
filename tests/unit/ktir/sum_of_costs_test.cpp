// Prices of single operations, computed by hand, and what the walk follows and refuses.
#include "kernels/ktir/sum_of_costs.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/ktir/ktir_fixture.h"

namespace spyre::kernels::ktir {
namespace {

BoundArgument pointer(std::int64_t element) {
  return {BoundArgument::Kind::pointer, element, 0, 0};
}
BoundArgument integer(std::int64_t value) {
  return {BoundArgument::Kind::integer, value, 0, 0};
}
BoundArgument real() {
  return {BoundArgument::Kind::real, 0, 0.5, 0};
}

/// Integer i of a table lies at 4 * i and is i mod 8.
std::int64_t counting(std::uint64_t byte, const ScalarType&) {
  return static_cast<std::int64_t>(byte / 4 % 8);
}

SumOfCosts priced(const std::string& text, const BoundArguments& arguments,
                  const ReadInteger& read = counting) {
  const Module module = load_module(text, "test.mlir").module;
  return sum_of_costs(module, module.functions.front(), arguments, read);
}

/// One core, a pointer %p to byte 0, an integer %n = 3, a real %r, and a tensor of each kind that
/// costs nothing to have.
SumOfCosts priced_on_one_core(const std::string& operations, const ReadInteger& read = counting) {
  return priced(R"(
#plain = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#vector = affine_map<(d0) -> (d0)>
#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>
module { func.func @kernel(%p: index, %n: index, %r: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %x = tensor.empty() : tensor<8x64xf16>
  %v = tensor.empty() : tensor<8xf16>
  %f = tensor.empty() : tensor<8x64xf32>
  %i = tensor.empty() : tensor<8x64xi32>
  %view = ktdp.construct_memory_view %p, sizes: [64, 64], strides: [64, 1] {
    memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %table = ktdp.construct_memory_view %c0, sizes: [1024], strides: [1] {
    memory_space = #ktdp.memory_space<global>} : memref<1024xi32>
)" + operations + "\nreturn } }",
                {pointer(0), integer(3), real()}, read);
}

SumOfCosts::Core core_of(const std::string& operations) {
  return priced_on_one_core(operations).critical();
}

std::vector<std::string> refusal(const std::string& text, const BoundArguments& arguments = {}) {
  try {
    static_cast<void>(priced(text, arguments));
  } catch (const models::InputError& error) {
    return texts_of(error.diagnostics());
  }
  return {};
}

TEST(KtirSumOfCosts, TensorOperationsCostTheirElementsOver64Lanes) {
  EXPECT_EQ(core_of("%a = arith.addf %x, %x : tensor<8x64xf16>").simd, 8);
  EXPECT_EQ(core_of("%a = arith.divf %f, %f : tensor<8x64xf32>").simd, 8) << "f32 costs no more";
  EXPECT_EQ(core_of("%a = arith.cmpf ogt, %x, %x : tensor<8x64xf16>").simd, 8);
  EXPECT_EQ(core_of("%a = linalg.max ins(%x, %x : tensor<8x64xf16>, tensor<8x64xf16>) "
                    "outs(%x : tensor<8x64xf16>) -> tensor<8x64xf16>")
                .simd,
            8);
  EXPECT_EQ(core_of("%a = math.exp %x : tensor<8x64xf16>").transcendental, 32);
  EXPECT_EQ(core_of("%a = math.absf %x : tensor<8x64xf16>").simd, 8);
  EXPECT_EQ(core_of("%a = arith.addi %i, %i : tensor<8x64xi32>").integer, 8);
  EXPECT_EQ(core_of("%a = linalg.add ins(%i, %i : tensor<8x64xi32>, tensor<8x64xi32>) "
                    "outs(%i : tensor<8x64xi32>) -> tensor<8x64xi32>")
                .integer,
            8);
  EXPECT_EQ(priced_on_one_core("%a = math.exp %x : tensor<8x64xf16>").flops, 512);
}

TEST(KtirSumOfCosts, ScalarFloatsCostOneElementAndScalarIntegersNothing) {
  EXPECT_EQ(core_of("%a = arith.mulf %r, %r : f32").cycles(), 1.0 / 64);
  EXPECT_EQ(core_of("%a = math.rsqrt %r : f32").cycles(), 4.0 / 64);
  EXPECT_EQ(
      core_of("%a = arith.muli %n, %c2 : index\n%b = arith.cmpi slt, %a, %n : index").cycles(), 0);
  const SumOfCosts select = priced_on_one_core(R"(
    %less = arith.cmpi slt, %n, %c4 : index
    %a = arith.select %less, %n, %c4 : index)");
  EXPECT_EQ(select.critical().simd, 1.0 / 64) << "a select counts whatever it selects";
  EXPECT_EQ(select.flops, 1);
}

TEST(KtirSumOfCosts, CastsAndLayoutChangesAreFree) {
  EXPECT_EQ(core_of(R"(
    %wide = arith.extf %x : tensor<8x64xf16> to tensor<8x64xf32>
    %real = arith.sitofp %i : tensor<8x64xi32> to tensor<8x64xf32>
    %to = tensor.empty() : tensor<64x8xf16>
    %turned = linalg.transpose ins(%x : tensor<8x64xf16>) outs(%to : tensor<64x8xf16>)
      permutation = [1, 0]
    %spread = linalg.broadcast ins(%v : tensor<8xf16>) outs(%x : tensor<8x64xf16>) dimensions = [1]
    %flat = tensor.collapse_shape %x [[0, 1]] : tensor<8x64xf16> into tensor<512xf16>
    %h = arith.constant 1.0 : f16
    %ones = linalg.fill ins(%h : f16) outs(%x : tensor<8x64xf16>) -> tensor<8x64xf16>
    %zeros = arith.constant dense<0.0> : tensor<8x64xf16>)")
                .cycles(),
            0);
}

TEST(KtirSumOfCosts, MatmulsCostTheirFlopsOver1024) {
  const SumOfCosts one = priced_on_one_core(R"(
    %w = tensor.empty() : tensor<64x32xf16>
    %o = tensor.empty() : tensor<8x32xf32>
    %c = linalg.matmul ins(%x, %w : tensor<8x64xf16>, tensor<64x32xf16>)
      outs(%o : tensor<8x32xf32>) -> tensor<8x32xf32>)");
  EXPECT_EQ(one.critical().matmul, 32);
  EXPECT_EQ(one.critical().simd, 0) << "adding to the outs is part of it";
  EXPECT_EQ(one.flops, 2 * 8 * 64 * 32);
  EXPECT_EQ(core_of(R"(
    %a = tensor.empty() : tensor<3x8x64xf16>
    %b = tensor.empty() : tensor<3x64x32xf16>
    %o = tensor.empty() : tensor<3x8x32xf16>
    %c = linalg.batch_matmul ins(%a, %b : tensor<3x8x64xf16>, tensor<3x64x32xf16>)
      outs(%o : tensor<3x8x32xf16>) -> tensor<3x8x32xf16>)")
                .matmul,
            96);
}

TEST(KtirSumOfCosts, ReductionsCostEachOperationOfTheirCombinerOncePerElement) {
  EXPECT_EQ(core_of(R"(
    %s = linalg.reduce { arith.addf } ins(%x : tensor<8x64xf16>) outs(%v : tensor<8xf16>)
      dimensions = [1])")
                .simd,
            8);
  EXPECT_EQ(core_of(R"(
    %s = linalg.reduce ins(%x : tensor<8x64xf16>) outs(%v : tensor<8xf16>) dimensions = [1]
      (%a: f16, %b: f16) {
        %more = arith.cmpf ogt, %a, %b : f16
        %m = arith.select %more, %a, %b : f16
        linalg.yield %m : f16
      })")
                .simd,
            16);
}

TEST(KtirSumOfCosts, GenericBodiesCostWhatTheirOperandsSpan) {
  const SumOfCosts::Core core = core_of(R"(
    %o = linalg.generic {indexing_maps = [#plain, #row, #plain],
        iterator_types = ["parallel", "parallel"]}
      ins(%x, %v : tensor<8x64xf16>, tensor<8xf16>) outs(%x : tensor<8x64xf16>) {
      ^bb0(%a: f16, %b: f16, %old: f16):
        %e = math.exp %b : f16
        %s = arith.subf %a, %e : f16
        %row = linalg.index 0 : index
        %column = linalg.index 1 : index
        %k = arith.muli %n, %c2 : index
        %r2 = arith.addi %row, %k : index
        %c3 = arith.addi %column, %k : index
        %in = arith.cmpi ule, %c3, %r2 : index
        linalg.yield %s : f16
    } -> tensor<8x64xf16>)");
  EXPECT_EQ(core.transcendental, 4.0 * 8 / 64);
  EXPECT_EQ(core.simd, 8 + 8) << "the subtraction, and the operation itself";
  EXPECT_EQ(core.integer, (8.0 + 64 + 512) / 64) << "the scalar product is free";
}

/// Loads a tile of f16 with that set from %view at [row, column].
std::string load(const std::string& base, int rows, int columns) {
  const std::string shape = std::to_string(rows) + "x" + std::to_string(columns);
  return "%t = ktdp.construct_access_tile %view[" + base +
         "] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + " + std::to_string(rows - 1) +
         " >= 0, d1 >= 0, -d1 + " + std::to_string(columns - 1) +
         " >= 0)>, access_tile_order = #plain} : memref<64x64xf16> -> !ktdp.access_tile<" + shape +
         "xindex>\n%d = ktdp.load %t : <" + shape + "xindex> -> tensor<" + shape + "xf16>\n";
}

TEST(KtirSumOfCosts, TransfersCostTheSticksTheyTouch) {
  EXPECT_EQ(core_of(load("%c0, %c0", 8, 64)).memory, 8) << "128 bytes a cycle on one core";
  EXPECT_EQ(core_of(load("%c0, %c0", 8, 32)).memory, 8) << "half a stick is a stick";
  EXPECT_EQ(core_of(load("%c0, %n", 4, 64)).memory, 5) << "4 rows from the middle of a stick on";
  EXPECT_EQ(core_of(load("%c0, %c0", 64, 1)).memory, 64);
  EXPECT_EQ(core_of(load("%n * 20, %c0", 8, 64)).memory, 8) << "beyond the view: charged in full";
  EXPECT_EQ(priced_on_one_core(load("%c0, %c0", 8, 32)).hbm_bytes, 8 * 128);
  EXPECT_EQ(core_of("scf.for %k = %c0 to %c2 step %c1 {" + load("%c0, %c0", 8, 64) + "}").memory,
            16)
      << "no reuse";
}

TEST(KtirSumOfCosts, TheSetCountsWhereItsTypeDisagrees) {
  EXPECT_EQ(core_of(R"(
    %t = ktdp.construct_access_tile %view[%c0, %c0] {access_tile_set = #rows,
      access_tile_order = #plain} : memref<64x64xf16> -> !ktdp.access_tile<2x64xindex>
    %d = ktdp.load %t : <2x64xindex> -> tensor<2x64xf16>)")
                .memory,
            8);
}

TEST(KtirSumOfCosts, SetsThatAreNoBoxCostTheirOwnPoints) {
  EXPECT_EQ(core_of(R"(
    %columns = ktdp.construct_memory_view %p, sizes: [8, 8], strides: [1, 64] {
      memory_space = #ktdp.memory_space<global>} : memref<8x8xf16>
    %t = ktdp.construct_access_tile %columns[%c0, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 - d1 - 4 >= 0, d1 >= 0, -d0 + 7 >= 0)>,
      access_tile_order = #plain} : memref<8x8xf16> -> !ktdp.access_tile<8x8xindex>
    %d = ktdp.load %t : <8x8xindex> -> tensor<8x8xf16>)")
                .memory,
            4)
      << "columns 0 to 3 have a point";
}

/// A view of 32 rows in DRAM and `rows` in the core's LX, loaded whole.
std::string mixed(int rows, const std::string& space) {
  const std::string all = std::to_string(32 + rows);
  const std::string last = std::to_string(31 + rows);
  return R"(
    %far = ktdp.construct_memory_view %p, sizes: [32, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, d0 <= 31, d1 >= 0, d1 <= 63)>,
      memory_space = #ktdp.memory_space<)" +
         space + R"(>} : memref<32x64xf16>
    %near = ktdp.construct_memory_view %c0, sizes: [)" +
         std::to_string(rows) + R"(, 64], strides: [1, )" + std::to_string(rows) + R"(] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 32, d0 <= )" +
         last + R"(, d1 >= 0, d1 <= 63)>,
      memory_space = #ktdp.memory_space<ct_local>} : memref<)" +
         std::to_string(rows) + R"(x64xf16>
    %both = ktdp.construct_distributed_memory_view (%far, %near : memref<32x64xf16>, memref<)" +
         std::to_string(rows) + "x64xf16>) : memref<" + all + R"(x64xf16>
    %t = ktdp.construct_access_tile %both[%c0, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, d0 <= )" +
         last + R"(, d1 >= 0, d1 <= 63)>,
      access_tile_order = #plain} : memref<)" +
         all + "x64xf16> -> !ktdp.access_tile<" + all + "x64xindex>\n%d = ktdp.load %t : <" + all +
         "x64xindex> -> tensor<" + all + "x64xf16>";
}

TEST(KtirSumOfCosts, MixedViewsTakeTheLongerOfDramAndLx) {
  EXPECT_EQ(core_of(mixed(8, "global")).memory, 32) << "8 rows over 64 bytes a cycle: 16";
  EXPECT_EQ(core_of(mixed(32, "global")).memory, 64) << "32 rows of LX: 4096 / 64";
  EXPECT_EQ(priced_on_one_core(mixed(8, "global")).hbm_bytes, 40 * 128) << "both count as moved";
  EXPECT_EQ(core_of(mixed(8, "ct_local")).memory, 0) << "LX alone is free";
  EXPECT_EQ(priced_on_one_core(mixed(8, "ct_local")).hbm_bytes, 0);
}

/// Gathers 16 rows of %view by the table.
const char* const kGather = R"(
    %t = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k)
      %view[ind(%table[%m + %n]), (%k)] {
      variables_space_set = affine_set<(d0, d1) : (d0 >= 0, d0 <= 15, d1 >= 0, d1 <= 63)>,
      variables_space_order = #plain}
      : memref<64x64xf16>, memref<1024xi32> -> !ktdp.access_tile<16x64xindex>
    %d = ktdp.load %t : <16x64xindex> -> tensor<16x64xf16>)";

TEST(KtirSumOfCosts, GathersCostSticksOfDataAndOfIndices) {
  EXPECT_EQ(priced_on_one_core(kGather).critical().memory, 8 + 1) << "8 rows, each twice";
  const ReadInteger same = [](std::uint64_t, const ScalarType&) { return 5; };
  EXPECT_EQ(priced_on_one_core(kGather, same).critical().memory, 1 + 1);
  std::set<std::uint64_t> asked;
  const ReadInteger noted = [&](std::uint64_t byte, const ScalarType& type) {
    EXPECT_EQ(type, (ScalarType{ScalarKind::integer, 32}));
    asked.insert(byte);
    return static_cast<std::int64_t>(byte / 4);
  };
  EXPECT_EQ(priced_on_one_core(kGather, noted).critical().memory, 16 + 1);
  EXPECT_EQ(*asked.begin(), 4U * 3);
  EXPECT_EQ(*asked.rbegin(), 4U * 18);
}

TEST(KtirSumOfCosts, SubscriptsThatAreNotLinearAreGoneThrough) {
  EXPECT_EQ(core_of(R"(
    %t = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k)
      %view[ind(%table[%m floordiv 4]), (%k + %m mod 4)] {
      variables_space_set = affine_set<(d0, d1) : (d0 >= 0, d0 <= 7, d1 >= 0, d1 <= 31)>,
      variables_space_order = #plain}
      : memref<64x64xf16>, memref<1024xi32> -> !ktdp.access_tile<8x32xindex>
    %d = ktdp.load %t : <8x32xindex> -> tensor<8x32xf16>)")
                .memory,
            2 + 1)
      << "rows 0 and 1, columns 0 to 34";
}

TEST(KtirSumOfCosts, AddressesMayComeFromIntegersThatWereLoaded) {
  const char* const kAddress = R"(
    %at = ktdp.construct_access_tile %table[%c4] {
      access_tile_set = affine_set<(d0) : (d0 >= 0, d0 <= 7)>,
      access_tile_order = #vector} : memref<1024xi32> -> !ktdp.access_tile<8xindex>
    %numbers = ktdp.load %at : <8xindex> -> tensor<8xi32>
    %square = tensor.expand_shape %numbers [[0, 1]] output_shape [4, 2]
      : tensor<8xi32> into tensor<4x2xi32>
    %third = tensor.extract %square[%c1, %c0] : tensor<4x2xi32>
    %row = arith.index_cast %third : i32 to index
    scf.for %k = %c0 to %row step %c1 {
      %s = arith.addf %x, %x : tensor<8x64xf16>
    })";
  EXPECT_EQ(core_of(kAddress).simd, 6 * 8) << "the third number is at place 6 of the table";
}

TEST(KtirSumOfCosts, LoopsAndConditionsAreFollowed) {
  EXPECT_EQ(core_of(R"(
    %final, %count = scf.for %k = %c1 to %n step %c1 iter_args(%a = %x, %c = %c0)
        -> (tensor<8x64xf16>, index) {
      %b = arith.addf %a, %a : tensor<8x64xf16>
      %more = arith.addi %c, %k : index
      scf.yield %b, %more : tensor<8x64xf16>, index
    }
    %three = arith.cmpi eq, %count, %n : index
    %which = scf.if %three -> (index) {
      scf.yield %c4 : index
    } else {
      scf.yield %c1 : index
    }
    scf.for %k = %c0 to %which step %c1 {
      %e = math.exp %v : tensor<8xf16>
    })")
                .compute(),
            2 * 8 + 4 * 0.5);
}

// 6 cores in 2 groups of 3 that lie apart: core 2 j + g is in group g. One core per group stores.
const char* const kTwoGroups = R"(
#members = affine_set<(i)[g] : ((i - g) mod 2 == 0)>
#one = affine_set<(d0) : (d0 >= 0, d0 <= 63)>
module { func.func @kernel(%p: index) attributes {grid = [2, 3]} {
  %x, %y = ktdp.get_compute_tile_id : index, index
  %c0 = arith.constant 0 : index
  %mine = tensor.empty() : tensor<64xf16>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #members
      -> <(tensor<64xf16>), groups = affine_set<(g) : (g >= 0, g <= 1)>> {
    ^bb0(%g: index):
      %twice = arith.addf %mine, %mine : tensor<64xf16>
      ktdp.yield_partial %twice : tensor<64xf16>
  }
  %zero = arith.constant dense<0.0> : tensor<64xf16>
  %sum = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #members,
      identity(%zero : tensor<64xf16>)
      : <(tensor<64xf16>), groups = affine_set<(g) : (g >= 0, g <= 1)>> -> tensor<64xf16> {
    ^bb0(%a: tensor<64xf16>, %b: tensor<64xf16>):
      %s = arith.addf %a, %b : tensor<64xf16>
      ktdp.yield_reduced %s : tensor<64xf16>
  }
  %first = arith.cmpi eq, %y, %c0 : index
  scf.if %first {
    %view = ktdp.construct_memory_view %p, sizes: [2, 64], strides: [64, 1] {
      memory_space = #ktdp.memory_space<global>} : memref<2x64xf16>
    %t = ktdp.construct_access_tile %view[%x, 0] {
      access_tile_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, d1 <= 63)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
      : memref<2x64xf16> -> !ktdp.access_tile<1x64xindex>
    %wide = tensor.expand_shape %sum [[0, 1]] output_shape [1, 64]
      : tensor<64xf16> into tensor<1x64xf16>
    ktdp.store %wide, %t : tensor<1x64xf16>, <1x64xindex>
  }
  return
} })";

TEST(KtirSumOfCosts, TheRingGoesOverAllCoresAndOnlyTheGroupIsCombined) {
  const SumOfCosts total = priced(kTwoGroups, {pointer(0)});
  ASSERT_EQ(total.cores.size(), 6U);
  for (const SumOfCosts::Core& core : total.cores) {
    EXPECT_EQ(core.comm, 5 * 128 / 64.0) << "five rounds of 128 bytes";
    EXPECT_EQ(core.simd, 1 + 2) << "the partial result, and two of three are added to one";
  }
  EXPECT_EQ(total.critical_core, 0U);
  EXPECT_EQ(total.cores[0].memory, 6) << "one stick over a sixth of the bandwidth";
  EXPECT_EQ(total.cores[2].memory, 0);
  EXPECT_EQ(total.cycles, 10 + 3 + 6);
  EXPECT_EQ(total.bottleneck, "comm");
  EXPECT_EQ(total.hbm_bytes, 2 * 128);
  EXPECT_EQ(total.flops, 6 * 3 * 64);
}

// Figures of ktir.md 5.2 whose files are not public: kernels of the same shapes in our own words.

TEST(KtirSumOfCosts, ALinearLayerWithStickMajorWeightsCostsWhatKtirCpuReports) {
  const SumOfCosts total = priced(R"(
#all = affine_set<(d0, d1, d2) : (d0 >= 0, d0 <= 4095, d1 >= 0, d1 <= 1, d2 >= 0, d2 <= 63)>
#order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#plain = affine_map<(d0, d1) -> (d0, d1)>
module { func.func @linear(%a: index, %w: index, %o: index) attributes {grid = [32]} {
  %core = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %av = ktdp.construct_memory_view %a, sizes: [12, 4096], strides: [4096, 1] {
    memory_space = #ktdp.memory_space<global>} : memref<12x4096xf16>
  %wv = ktdp.construct_memory_view %w, sizes: [4096, 64, 64], strides: [64, 262144, 1] {
    memory_space = #ktdp.memory_space<global>} : memref<4096x64x64xf16>
  %ov = ktdp.construct_memory_view %o, sizes: [12, 4096], strides: [4096, 1] {
    memory_space = #ktdp.memory_space<global>} : memref<12x4096xf16>
  %at = ktdp.construct_access_tile %av[%c0, %c0] {
    access_tile_set = affine_set<(d0, d1) : (d0 >= 0, d0 <= 11, d1 >= 0, d1 <= 4095)>,
    access_tile_order = #plain} : memref<12x4096xf16> -> !ktdp.access_tile<12x4096xindex>
  %wt = ktdp.construct_access_tile %wv[%c0, %core * 2, %c0] {access_tile_set = #all,
    access_tile_order = #order} : memref<4096x64x64xf16> -> !ktdp.access_tile<4096x2x64xindex>
  %ot = ktdp.construct_access_tile %ov[%c0, %core * 128] {
    access_tile_set = affine_set<(d0, d1) : (d0 >= 0, d0 <= 11, d1 >= 0, d1 <= 127)>,
    access_tile_order = #plain} : memref<12x4096xf16> -> !ktdp.access_tile<12x128xindex>
  %x = ktdp.load %at : <12x4096xindex> -> tensor<12x4096xf16>
  %y = ktdp.load %wt : <4096x2x64xindex> -> tensor<4096x2x64xf16>
  %flat = tensor.collapse_shape %y [[0], [1, 2]] : tensor<4096x2x64xf16> into tensor<4096x128xf16>
  %zero = arith.constant dense<0.0> : tensor<12x128xf32>
  %c = linalg.matmul ins(%x, %flat : tensor<12x4096xf16>, tensor<4096x128xf16>)
    outs(%zero : tensor<12x128xf32>) -> tensor<12x128xf32>
  %h = arith.truncf %c : tensor<12x128xf32> to tensor<12x128xf16>
  ktdp.store %h, %ot : tensor<12x128xf16>, <12x128xindex>
  return
} })",
                                  {pointer(0), pointer(65536), pointer(20971520)});
  EXPECT_EQ(total.cycles, 299776);
  EXPECT_EQ(total.critical().matmul, 12288);
  EXPECT_EQ(total.critical().memory, 287488);
  EXPECT_EQ(total.hbm_bytes, 36798464);
}

TEST(KtirSumOfCosts, ASplitSumOverStridedGroupsCostsWhatKtirCpuReports) {
  const SumOfCosts total = priced(R"(
#plain = affine_map<(d0, d1) -> (d0, d1)>
#members = affine_set<(i)[g] : ((i - g) mod 2 == 0)>
#groups = affine_set<(g) : (g >= 0, g <= 1)>
module { func.func @values(%p: index, %v: index, %o: index) attributes {grid = [2, 16]} {
  %n, %k = ktdp.get_compute_tile_id : index, index
  %c0 = arith.constant 0 : index
  %pv = ktdp.construct_memory_view %p, sizes: [1, 8192], strides: [8192, 1] {
    memory_space = #ktdp.memory_space<global>} : memref<1x8192xf16>
  %vv = ktdp.construct_memory_view %v, sizes: [8192, 128], strides: [128, 1] {
    memory_space = #ktdp.memory_space<global>} : memref<8192x128xf16>
  %ov = ktdp.construct_memory_view %o, sizes: [1, 128], strides: [128, 1] {
    memory_space = #ktdp.memory_space<global>} : memref<1x128xf16>
  %pt = ktdp.construct_access_tile %pv[%c0, %k * 512] {
    access_tile_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, d1 <= 511)>,
    access_tile_order = #plain} : memref<1x8192xf16> -> !ktdp.access_tile<1x512xindex>
  %vt = ktdp.construct_access_tile %vv[%k * 512, %n * 64] {
    access_tile_set = affine_set<(d0, d1) : (d0 >= 0, d0 <= 511, d1 >= 0, d1 <= 63)>,
    access_tile_order = #plain} : memref<8192x128xf16> -> !ktdp.access_tile<512x64xindex>
  %a = ktdp.load %pt : <1x512xindex> -> tensor<1x512xf16>
  %b = ktdp.load %vt : <512x64xindex> -> tensor<512x64xf16>
  %zero = arith.constant dense<0.0> : tensor<1x64xf16>
  %c = linalg.matmul ins(%a, %b : tensor<1x512xf16>, tensor<512x64xf16>)
    outs(%zero : tensor<1x64xf16>) -> tensor<1x64xf16>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #members
      -> <(tensor<1x64xf16>), groups = #groups> {
    ^bb0(%g: index):
      ktdp.yield_partial %c : tensor<1x64xf16>
  }
  %sum = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #members,
      identity(%zero : tensor<1x64xf16>) : <(tensor<1x64xf16>), groups = #groups>
      -> tensor<1x64xf16> {
    ^bb0(%l: tensor<1x64xf16>, %r: tensor<1x64xf16>):
      %s = arith.addf %l, %r : tensor<1x64xf16>
      ktdp.yield_reduced %s : tensor<1x64xf16>
  }
  %first = arith.cmpi eq, %k, %c0 : index
  scf.if %first {
    %ot = ktdp.construct_access_tile %ov[%c0, %n * 64] {
      access_tile_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, d1 <= 63)>,
      access_tile_order = #plain} : memref<1x128xf16> -> !ktdp.access_tile<1x64xindex>
    ktdp.store %sum, %ot : tensor<1x64xf16>, <1x64xindex>
  }
  return
} })",
                                  {pointer(0), pointer(8192), pointer(2097152)});
  EXPECT_EQ(total.cycles, 16813);
  EXPECT_EQ(total.critical().compute(), 79);
  EXPECT_EQ(total.critical().memory, 16672);
  EXPECT_EQ(total.critical().comm, 62);
  EXPECT_EQ(total.hbm_bytes, 2130176);
  EXPECT_EQ(total.flops, 2127872);
}

TEST(KtirSumOfCosts, RefusesWhatItCannotPrice) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(refusal("func.func @k(%n: index) {\n  return\n}"),
            Texts{"1:1: '@k' takes 1 arguments, here are 0"});
  EXPECT_EQ(refusal("func.func @k() attributes {grid = [2000]} {\n  return\n}"),
            Texts{"1:1: the grid has 2000 cores, at most 1024 are priced"});
  EXPECT_EQ(refusal(R"(func.func @k(%r: f32) {
  %more = arith.cmpf ogt, %r, %r : f32
  scf.if %more {
  }
  return
})",
                    {real()}),
            Texts{"3:3: 'scf.if': '%more' is not known before the run: it depends on data"});
  EXPECT_EQ(refusal(R"(func.func @k(%n: index) {
  %t = tensor.empty(%n) : tensor<?xf16>
  %s = arith.addf %t, %t : tensor<?xf16>
  return
})",
                    {integer(4)}),
            Texts{"3:8: 'arith.addf': tensor<?xf16>: a price needs sizes that are known before the "
                  "run"});
  EXPECT_EQ(refusal(R"(func.func @k() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 1000000000000 : index
  scf.for %i = %c0 to %end step %c1 {
    %j = arith.addi %i, %i : index
  }
  return
})"),
            Texts{"5:3: 'scf.for': the kernel executes more than 20000000 operations, too many to "
                  "price one by one"});
}

/// Pointers and numbers that suit no kernel in particular.
TEST(KtirSumOfCosts, OwnKernelsHaveAPriceOrAReason) {
  std::size_t with_price = 0;
  for (const auto& path : own_files()) {
    const Module module = load_module(file_text(path), path.filename()).module;
    for (const Function& function : module.functions) {
      SCOPED_TRACE(path.filename().string() + " @" + function.name);
      const BoundArguments arguments(function.body.arguments.size(), integer(128));
      try {
        const SumOfCosts total = sum_of_costs(module, function, arguments, counting);
        EXPECT_GT(total.cycles, 0);
        ++with_price;
      } catch (const models::InputError& error) {
        EXPECT_GT(error.diagnostics().front().where.line, 0) << error.what();
      }
    }
  }
  EXPECT_GE(with_price, 7U);
}

TEST(KtirSumOfCosts, RefusesDeliveriesThatKtirCpuDoesNotRun) {
  const std::vector<std::string> found = refusal(R"(func.func @k() attributes {grid = [2]} {
  %x = tensor.empty() : tensor<1x64xf16>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i)[g] : (i >= 0, i <= 1)>
      -> <(tensor<1x64xf16>), groups = affine_set<(g) : (g == 0)>> {
    ^bb0(%g: index):
      ktdp.yield_partial %x : tensor<1x64xf16>
  }
  %y = ktdp.inter_tile_consume(%f)
    consumer_tiles_per_group = affine_set<(i)[g] : (i >= 0, i <= 1)>
    : <(tensor<1x64xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<1x64xf16>
  return
})");
  EXPECT_EQ(found, std::vector<std::string>{"8:8: 'ktdp.inter_tile_consume': ktir-cpu does not run "
                                            "it, so its timing has no price for it"});
}

TEST(KtirSumOfCosts, RefusesIndicesThatDoNotLieInDram) {
  try {
    static_cast<void>(priced_on_one_core(R"(
    %own = ktdp.construct_memory_view %c0, sizes: [64], strides: [1] {
      memory_space = #ktdp.memory_space<ct_local>} : memref<64xi32>
    %t = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k)
      %view[ind(%own[%m]), (%k)] {
      variables_space_set = #rows, variables_space_order = #plain}
      : memref<64x64xf16>, memref<64xi32> -> !ktdp.access_tile<8x64xindex>
    %d = ktdp.load %t : <8x64xindex> -> tensor<8x64xf16>)"));
    FAIL();
  } catch (const models::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("integers that do not lie in DRAM"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace spyre::kernels::ktir
