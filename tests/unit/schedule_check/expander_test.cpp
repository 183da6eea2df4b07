#include "kernels/schedule/expander.h"

#include "tests/unit/schedule_check/plan_text.h"

namespace spyre::kernels {
namespace {

using models::Opcode;
using models::TileOp;
using testing::ElementsAre;

std::vector<Opcode> opcodes(const std::vector<TileOp>& ops) {
  std::vector<Opcode> result;
  for (const TileOp& op : ops) result.push_back(op.opcode);
  return result;
}

TEST(Expander, NamesLaunchesByLayerAndPassesArguments) {
  const Expansion expansion = expand(R"(schedule: 1
tensors:
  w: {dtype: fp16, shape: [4, 64, 128]}
kernels:
  k:
    cores: {m: 2, n: 3}
    params: [a, b]
    buffers:
      t: {dtype: fp16, shape: [64, 64], slots: 2}
    body:
      - load: {into: t, from: w, at: [a, 0, 64*b]}
launches:
  - {kernel: k, with: {a: 3, b: 1}}
  - for: {l: [1, 3]}
    do:
      - for: {i: [0, 2]}
        do:
          - {kernel: k, with: {a: l, b: i}, name: qkv, layer: l}
)");
  std::vector<std::string> names;
  for (const models::Launch& launch : expansion.launches) {
    names.push_back(launch.name);
    EXPECT_EQ(launch.kernel, "k");
    EXPECT_EQ(launch.cores, 0x3fU);
    EXPECT_EQ(launch.slots, 2U);
  }
  EXPECT_THAT(names, ElementsAre("k", "l1.qkv", "l1.qkv", "l2.qkv", "l2.qkv"));
  EXPECT_EQ(expansion.launches[0].layer, -1);
  EXPECT_EQ(expansion.launches[3].layer, 2);
  ASSERT_EQ(expansion.ops.size(), 30U);
  const auto address = [&](std::size_t launch) {
    return expansion.ops[6 * launch].op.runs[0].base;
  };
  const std::uint64_t layer = 2 * 64 * 128;  // two stick columns
  EXPECT_EQ(address(0), 3 * layer + layer / 2);
  EXPECT_EQ(address(1), 1 * layer);
  EXPECT_EQ(address(4), 2 * layer + layer / 2);
}

TEST(Expander, ProducersTakeSlotsInTurnAndReadersTheCurrentOne) {
  const std::vector<TileOp> ops = expand(PlanText{R"(
      - for: {k: [0, 3]}
        do:
          - load: {into: a, from: x, at: [0, 64*k]}
          - load: {into: b, from: w, at: [64*k, 0]}
          - matmul: {into: acc, a: a, b: b, accumulate: k > 0}
      - vector: {op: add, into: out, from: [acc, acc]}
      - vector: {op: exp, into: out, from: [out]})",
                                                  "{n: 1}"}
                                             .text())
                                      .of_core(0);
  ASSERT_EQ(ops.size(), 11U);
  // Slots: a is 0 and 1, b 2, acc 3, out 4.
  EXPECT_EQ(ops[0].destination.slot, 0U);
  EXPECT_EQ(ops[3].destination.slot, 1U);
  EXPECT_EQ(ops[6].destination.slot, 0U);
  EXPECT_EQ(ops[3].destination.address, ops[0].destination.address + 64 * 128);
  EXPECT_EQ(ops[1].destination.slot, 2U);
  EXPECT_EQ(ops[5].sources[0].slot, 1U);
  EXPECT_EQ(ops[5].sources[1].slot, 2U);
  EXPECT_EQ(ops[5].destination.slot, 3U);
  EXPECT_FALSE(ops[2].accumulate);
  EXPECT_TRUE(ops[5].accumulate);
  EXPECT_EQ(ops[9].source_count, 2U);
  EXPECT_EQ(ops[10].destination.slot, ops[9].destination.slot);
  EXPECT_EQ(ops[2].destination.bytes, 64U * 128 * 4);
  EXPECT_EQ(ops[2].m, 64U);
  EXPECT_EQ(ops[2].n, 128U);
  EXPECT_EQ(ops[2].k, 64U);
}

TEST(Expander, EveryFieldIsSetAgainForEveryOp) {
  const models::Machine machine = models::make_test_machine();
  const Schedule schedule = parse_schedule(PlanText{R"(
      - load: {into: a, from: x, at: [0, 0], share: n}
      - barrier: {}
      - signal: {semaphore: s, to: 1}
      - wait: {semaphore: s, count: 1, when: core == 1})"}
                                               .text(),
                                           "plan.yaml", machine);
  const Placement placement = place(schedule, machine);
  Expander expander(schedule, placement, machine);
  models::Launch launch;
  ASSERT_TRUE(expander.next_launch(launch));
  EXPECT_EQ(launch.semaphores, 1U);
  TileOp op;
  op.peers = 77;
  op.m = op.n = op.k = 77;
  ASSERT_TRUE(expander.next_op(0, op));
  EXPECT_EQ(op.peers, 0U);
  EXPECT_EQ(op.m, 0U);
  EXPECT_EQ(op.sharers, 3U);
  EXPECT_EQ(op.tensor, 0U);
  EXPECT_FALSE(op.runs.empty());
  ASSERT_TRUE(expander.next_op(0, op));
  EXPECT_EQ(op.opcode, Opcode::barrier);
  EXPECT_EQ(op.peers, 3U);
  EXPECT_EQ(op.sharers, 0U);
  EXPECT_EQ(op.tensor, models::kNoTensor);
  EXPECT_TRUE(op.runs.empty());
  EXPECT_EQ(op.destination.slot, models::kNoSlot);
  ASSERT_TRUE(expander.next_op(0, op));
  EXPECT_EQ(op.peers, 2U);
  EXPECT_EQ(op.statement, 2U);
  EXPECT_EQ(expander.position_of(op.statement).line, 17);
  EXPECT_FALSE(expander.next_op(0, op));
  EXPECT_FALSE(expander.next_op(5, op)) << "cores beyond the grid do nothing";
}

TEST(Expander, CoresOfAGroupShareReadsInOrder) {
  const Expansion expansion = expand(PlanText{R"(
      - for: {i: [0, 2]}
        do:
          - load: {into: a, from: x, at: [32*n, 64*i], share: m}
          - load: {into: b, from: w, at: [64*i, 0], share: [m, n]}
          - load: {into: a, from: x, at: [0, 0], share: k})",
                                              "{m: 2, n: 2, k: 1}"}
                                         .text());
  for (unsigned core = 0; core < 4; ++core) {
    const std::vector<TileOp> ops = expansion.of_core(core);
    ASSERT_EQ(ops.size(), 6U);
    EXPECT_EQ(ops[0].sharers, core < 2 ? 0b0011U : 0b1100U);
    EXPECT_EQ(ops[1].sharers, 0b1111U);
    EXPECT_EQ(ops[2].sharers, 0U) << "a group of one core is a private load";
    EXPECT_EQ(ops[0].share_tag, 0U);
    EXPECT_EQ(ops[1].share_tag, 0U);
    EXPECT_EQ(ops[3].share_tag, 1U);
    EXPECT_EQ(ops[4].share_tag, 1U);
  }
}

TEST(Expander, TwoNamesOfTheSameGroupCountItsLoadsTogether) {
  const Expansion expansion = expand(PlanText{R"(
      - load: {into: a, from: x, at: [0, 0], share: m}
      - load: {into: b, from: w, at: [0, 0], share: [m, k]})",
                                              "{m: 2, n: 2, k: 1}"}
                                         .text());
  const std::vector<TileOp> ops = expansion.of_core(0);
  ASSERT_EQ(ops.size(), 2U);
  EXPECT_EQ(ops[0].sharers, ops[1].sharers);
  EXPECT_NE(ops[0].share_tag, ops[1].share_tag);
}

TEST(Expander, SkipsWhatIsEmptyOnACoreAndAllThatDependsOnIt) {
  // 128 columns of w in tiles of 64: two of three cores have one.
  const Expansion expansion =
      expand(PlanText{R"(
      - load: {into: a, from: x, at: [0, 0]}
      - load: {into: s, from: w, at: [0, 64*n], size: [64, 64]}
      - matmul: {into: acc, a: a, b: s}
      - vector: {op: copy, into: out, from: [acc]}
      - store: {from: out, to: y, at: [0, 64*n]})",
                      "{n: 3}", "", "      s: {dtype: fp16, shape: [64, 64]}\n"}
                 .text());
  EXPECT_EQ(expansion.of_core(1).size(), 5U);
  EXPECT_THAT(opcodes(expansion.of_core(2)), ElementsAre(Opcode::load));
}

TEST(Expander, AnEmptyTileIsSentAsAToken) {
  const Expansion expansion = expand(PlanText{
      R"(
      - load: {into: s, from: w, at: [0, 64*n], size: [64, 64]}
      - multicast: {from: s, into: {buffer: t, at: [0, 64*n]}, over: [n]}
      - receive: {into: t, count: 3})",
      "{n: 3}", "",
      "      s: {dtype: fp16, shape: [64, 64]}\n      t: {dtype: fp16, shape: [64, 192]}\n"}
                                         .text());
  const std::vector<TileOp> ops = expansion.of_core(2);
  ASSERT_THAT(opcodes(ops), ElementsAre(Opcode::multicast, Opcode::receive));
  EXPECT_EQ(ops[0].sources[0].bytes, 0U);
  EXPECT_EQ(ops[0].destination.bytes, 0U);
  EXPECT_EQ(ops[0].peers, 7U);
  EXPECT_EQ(ops[1].count, 3U);
  EXPECT_EQ(expansion.of_core(1)[1].sources[0].bytes, 64U * 128);
}

TEST(Expander, PartsOfABufferAreAddressedByStickColumnAndRow) {
  const std::vector<TileOp> ops =
      expand(PlanText{R"(
      - load: {into: b, from: w, at: [0, 0]}
      - vector: {op: copy, into: {buffer: t, at: [8, 64]}, from: [{buffer: b, at: [16, 64], size: [4, 64]}]}
      - vector: {op: copy, into: out, from: [t]})",
                      "{n: 1}", "", "      t: {dtype: fp16, shape: [32, 128]}\n"}
                 .text())
          .of_core(0);
  ASSERT_EQ(ops.size(), 3U);
  EXPECT_EQ(ops[1].sources[0].address, ops[0].destination.address + (64 + 16) * 128);
  EXPECT_EQ(ops[1].sources[0].bytes, 4U * 128);
  EXPECT_EQ(ops[1].destination.address, ops[2].sources[0].address + (32 + 8) * 128);
  EXPECT_EQ(ops[2].m, 12U) << "the tile reaches as far as its part";
  EXPECT_EQ(ops[2].n, 128U);
}

TEST(Expander, GathersRowByRow) {
  const std::vector<TileOp> ops =
      expand(PlanText{
                 R"(
      - gather: {into: t, from: table, index: {tensor: ids, at: [1], size: [2]}, at: [0, 0]})",
                 "{n: 1}",
                 "  table: {dtype: fp16, dims: [v, d], shape: [100, 256], layout: [v, d/64, 64]}\n"
                 "  ids: {dtype: int32, kind: index, shape: [3], values: [5, 70, 2]}\n",
                 "      t: {dtype: fp16, shape: [2, 256]}\n"}
                 .text())
          .of_core(0);
  ASSERT_EQ(ops.size(), 1U);
  ASSERT_EQ(ops[0].runs.size(), 2U);
  const std::uint64_t table = ops[0].runs[0].base - 70 * 512;
  EXPECT_EQ(ops[0].runs[0].run_bytes, 512U);
  EXPECT_EQ(ops[0].runs[1].base, table + 2 * 512);
  EXPECT_EQ(ops[0].index_tensor, 4U);
  ASSERT_EQ(ops[0].index_runs.size(), 1U);
  EXPECT_EQ(ops[0].index_runs[0].run_bytes, 128U);
  EXPECT_EQ(ops[0].destination.bytes, 2U * 4 * 128);
}

TEST(Expander, TheWiderOperandGivesAMatmulItsType) {
  const std::vector<TileOp> ops =
      expand(PlanText{R"(
      - load: {into: a, from: x, at: [0, 0]}
      - load: {into: q, from: w8, at: [0, 0]}
      - matmul: {into: acc, a: a, b: q}
      - matmul: {into: acc, a: q, b: q})",
                      "{n: 1}", "  w8: {dtype: int8, kind: weight, shape: [64, 64]}\n",
                      "      q: {dtype: int8, shape: [64, 64]}\n"}
                 .text())
          .of_core(0);
  ASSERT_EQ(ops.size(), 4U);
  EXPECT_EQ(ops[2].type, DataType::fp16);
  EXPECT_EQ(ops[3].type, DataType::int8);
}

TEST(Expander, ResidentBuffersKeepSlotAndSizeFromLaunchToLaunch) {
  const Expansion expansion = expand(R"(schedule: 1
tensors:
  x: {dtype: fp16, shape: [5, 64]}
  y: {dtype: fp16, shape: [5, 64]}
resident:
  r: {dtype: fp16, shape: [8, 64], slots: 2}
kernels:
  write:
    cores: {n: 1}
    buffers: {t: {dtype: fp16, shape: [1, 64]}}
    body:
      - load: {into: r, from: x, at: [0, 0]}
  read:
    cores: {n: 1}
    buffers: {}
    body:
      - store: {from: r, to: y, at: [0, 0]}
launches: [{kernel: write}, {kernel: write}, {kernel: read}]
)");
  ASSERT_EQ(expansion.ops.size(), 3U);
  EXPECT_EQ(expansion.ops[1].op.destination.slot, 1U);
  EXPECT_EQ(expansion.ops[2].op.sources[0].slot, 1U);
  EXPECT_EQ(expansion.ops[2].op.sources[0].bytes, 5U * 128);
}

TEST(Expander, LoopsMayStepBackwardsAndConditionsSkipThem) {
  const Expansion expansion = expand(PlanText{R"(
      - for: {i: [3, -1, -2]}
        do:
          - load: {into: a, from: x, at: [0, 64*i]}
      - for: {i: [0, 3]}
        when: core == 1
        do:
          - for: {j: [i, 0]}
            do: [{barrier: {}}]
          - for: {j: [0, i]}
            do: [{load: {into: a, from: x, at: [j, 0]}}])"}
                                         .text());
  const std::vector<TileOp> first = expansion.of_core(0);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].runs[0].base, 3U * 64 * 128);
  EXPECT_EQ(first[1].runs[0].base, 1U * 64 * 128);
  EXPECT_EQ(expansion.of_core(1).size(), 2U + 0 + 1 + 2);
}

}  // namespace
}  // namespace spyre::kernels
