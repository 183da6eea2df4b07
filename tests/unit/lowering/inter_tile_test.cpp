// Exchanges between cores.
#include <gtest/gtest.h>

#include "tests/unit/lowering/lowering_fixture.h"

namespace spyre::kernels::lowering {
namespace {

const std::string kPairs = "affine_set<(i)[g] : (i - 2*g >= 0, i <= 2*g + 1)>";
const std::string kFuture = "<(tensor<1x64xf16>), groups = affine_set<(g) : (g >= 0, g <= 1)>>";

/// Four cores in pairs; `delivery` makes %y, of shape `sizes`, from %f.
std::string exchange_kernel(const std::string& delivery, const std::string& sizes,
                            const std::string& producers = kPairs,
                            const std::string& future = kFuture) {
  return kernel_text(
      "    %x = ktdp.get_compute_tile_id : index\n" + view_text("A", "p", "4x64") +
          view_text("Y", "r", "16x64") + tile_text_of("t", "A", "4x64xf16", "%x, 0", "1x64") +
          load_text("a", "t", "1x64") +
          "    %f = ktdp.inter_tile_produce producer_tiles_per_group = " + producers + " -> " +
          future +
          " {\n      ^bb0(%gid: index):\n      ktdp.yield_partial %a : tensor<1x64xf16>\n    }\n" +
          delivery + tile_text_of("u", "Y", "16x64xf16", "%x * 2, 0", sizes) +
          store_text("y", "u", sizes),
      "[4]");
}

const std::string kReduce =
    "    %id = arith.constant dense<0.0> : tensor<1x64xf16>\n"
    "    %y = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = " +
    kPairs + ", identity(%id : tensor<1x64xf16>) : " + kFuture +
    " -> tensor<1x64xf16> {\n      ^bb0(%l: tensor<1x64xf16>, %m: tensor<1x64xf16>):\n"
    "      %s = arith.addf %l, %m : tensor<1x64xf16>\n"
    "      ktdp.yield_reduced %s : tensor<1x64xf16>\n    }\n";

TEST(LoweringInterTile, ReductionsFoldWhatEveryCoreOfTheGroupSends) {
  const Schedule schedule = lowered(exchange_kernel(kReduce, "1x64"), usual_arguments());
  EXPECT_EQ(body_text(schedule),
            "load a A[x, 0][1, 64]\n"
            "signal ready over group\n"
            "wait ready count 2\n"
            "multicast a a_parts[core%2, 0] over group\n"
            "receive a_parts count 2\n"
            "add y (a_parts[0, 0][1, 64], a_parts[1, 0][1, 64])\n"
            "store y Y[2*x, 0][1, 64]\n");
  ASSERT_EQ(schedule.kernels.front().groups.size(), 1U);
  EXPECT_EQ(schedule.kernels.front().groups.front().groups,
            (std::vector<std::vector<std::int64_t>>{{0, 1}, {2, 3}}));
}

TEST(LoweringInterTile, IdentitiesThatCountStartTheFold) {
  std::string reduce = kReduce;
  reduce.replace(reduce.find("dense<0.0>"), 10, "dense<1.0>");
  const std::string text = body_text(lowered(exchange_kernel(reduce, "1x64"), usual_arguments()));
  EXPECT_NE(text.find("add y (1, a_parts[0, 0][1, 64])\nadd y (y, a_parts[1, 0][1, 64])\n"),
            std::string::npos)
      << text;
}

TEST(LoweringInterTile, OtherDeliveriesReadTheBlocksInPlace) {
  const std::string one = "affine_set<(i)[g] : (i == 2*g)>";
  const auto deliver = [&](const std::string& name, const std::string& clause,
                           const std::string& result) {
    return "    %y = ktdp." + name + "(%f) consumer_tiles_per_group = " + kPairs + clause + " : " +
           kFuture + " -> tensor<" + result + "xf16>\n";
  };
  EXPECT_EQ(
      body_text(lowered(exchange_kernel(deliver("inter_tile_consume", "", "1x64"), "1x64", one),
                        usual_arguments())),
      "load a A[x, 0][1, 64]\n"
      "signal ready over group\n"
      "wait ready count 2\n"
      "multicast a a_parts[0, 0] over group when core%2 == 0\n"
      "receive a_parts count 1\n"
      "store a_parts Y[2*x, 0][1, 64]\n");
  EXPECT_NE(body_text(lowered(exchange_kernel(
                                  deliver("inter_tile_gather", ", gather_dimensions = [0]", "2x64"),
                                  "2x64"),
                              usual_arguments()))
                .find("receive a_parts count 2\nstore a_parts Y[2*x, 0][2, 64]\n"),
            std::string::npos);
  EXPECT_NE(
      body_text(lowered(exchange_kernel(
                            deliver("inter_tile_all_to_all",
                                    ", split_dimensions = [1], concat_dimensions = [0]", "2x32"),
                            "2x32"),
                        usual_arguments()))
          .find("receive a_parts count 2\nstore a_parts[0, 32*(core%2)][2, 32] Y[2*x, 0][2, "
                "32]\n"),
      std::string::npos);
}

TEST(LoweringInterTile, CoresOfAGroupMustGetThereAlike) {
  const std::string text = exchange_kernel(
      "    %c = arith.cmpi eq, %x, %c1 : index\n    %w = scf.if %c -> (tensor<1x64xf16>) {\n" +
          kReduce +
          "      scf.yield %y : tensor<1x64xf16>\n    } else {\n      scf.yield %a : "
          "tensor<1x64xf16>\n    }\n    %y = math.exp %w : tensor<1x64xf16>\n",
      "1x64");
  EXPECT_EQ(lowering_fault(text, usual_arguments()),
            "20:10: ktdp.inter_tile_reduce: all cores of a group must get here alike, but the "
            "condition x == 1 may differ between them");
}

TEST(LoweringInterTile, SeveralProducersCannotBeConsumedAsOne) {
  EXPECT_EQ(lowering_fault(
                exchange_kernel("    %y = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = " +
                                    kPairs + " : " + kFuture + " -> tensor<1x64xf16>\n",
                                "1x64"),
                usual_arguments()),
            "17:10: ktdp.inter_tile_consume: a group has 2 producers; one is supported here");
}

}  // namespace
}  // namespace spyre::kernels::lowering
