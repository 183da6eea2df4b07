// The whole card on scripted programs: ordering, overlap, sharing, synchronisation and accounting.
#include "models/card/card.h"

#include <gtest/gtest.h>

#include "models/card/matrix_timing.h"
#include "models/card/vector_timing.h"
#include "tests/support/card_bench.h"

namespace spyre::tests {
namespace {

using models::CoreActivity;
using models::Opcode;
using models::StallCause;
using models::Unit;
using models::VectorFunction;

class CardRun : public CardTest {};

TEST_F(CardRun, AnEmptyProgramCostsTheJobLaunch) {
  run();
  EXPECT_TRUE(card->host_link.job_done());
  EXPECT_GE(card->host_link.done_ps(), static_cast<std::uint64_t>(machine.host.job_launch_ps));
}

TEST_F(CardRun, EveryLaunchPaysItsLatencyAndWaitsForTheLastCore) {
  program.add_launch({{0, {matmul(0, 1, 2, 8, 64, 8)}}, {1, {matmul(0, 1, 2, 8, 64, 8000)}}});
  program.add_launch({{0, {matmul(0, 1, 2, 8, 64, 8)}}});
  run();
  ASSERT_EQ(seen.launches.size(), 2U);
  for (const auto& launch : seen.launches) {
    EXPECT_GE(launch.start_ps - launch.begin_ps,
              static_cast<std::uint64_t>(machine.host.kernel_launch_ps));
  }
  EXPECT_EQ(seen.launches[0].end_ps, seen.launches[1].begin_ps);
  EXPECT_EQ(seen.stalled(0, StallCause::barrier), seen.launches[0].end_ps - seen.op(0, 0).end_ps);
}

TEST_F(CardRun, AMatmulWaitsForItsOperandAndAStoreForItsResult) {
  program.add_launch(
      {{0, {load(0, 0, 8192), matmul(2, 1, 0, 8, 64, 64), store(2, 1 << 20, 2048)}}});
  run();
  EXPECT_EQ(seen.op(0, 1).begin_ps, seen.op(0, 0).end_ps);
  EXPECT_EQ(seen.op(0, 2).begin_ps, seen.op(0, 1).end_ps);
  EXPECT_GT(seen.stalled(0, StallCause::dram_read), 0U);
  EXPECT_EQ(seen.stalled(0, StallCause::dram_write), seen.op(0, 2).end_ps - seen.op(0, 2).begin_ps);
}

TEST_F(CardRun, ASecondSlotLetsTheNextTileLoadDuringTheMatmul) {
  std::vector<models::TileOp> one, two;
  for (std::uint32_t k = 0; k < 8; ++k) {
    one.push_back(load(0, k * 65536, 65536));
    one.push_back(matmul(3, 2, 0, 64, 128, 256, k > 0));
    two.push_back(load(static_cast<models::SlotId>(k % 2), k * 65536, 65536));
    two.push_back(matmul(3, 2, static_cast<models::SlotId>(k % 2), 64, 128, 256, k > 0));
  }
  program.add_launch({{0, one}});
  program.add_launch({{0, two}});
  run();
  const auto time = [&](std::size_t launch) {
    return seen.launches[launch].end_ps - seen.launches[launch].start_ps;
  };
  EXPECT_LT(static_cast<double>(time(1)), 0.8 * static_cast<double>(time(0)));
}

TEST_F(CardRun, VectorAndMatrixUnitsRunSideBySide) {
  program.add_launch(
      {{0, {matmul(0, 1, 2, 64, 128, 512), vector_op(VectorFunction::add, 3, 4, 64, 512)}}});
  run();
  EXPECT_EQ(seen.op(0, 0).begin_ps, seen.op(0, 1).begin_ps);
}

TEST_F(CardRun, EveryPicosecondOfEveryCoreIsAccountedForOnce) {
  ScriptedProgram::CorePrograms programs;
  for (unsigned core = 0; core < 5; ++core) {
    std::vector<models::TileOp> ops;
    for (std::uint32_t k = 0; k < 4 + core; ++k) {
      ops.push_back(load(static_cast<models::SlotId>(k % 2), (core * 64 + k) * 32768ULL, 32768));
      ops.push_back(matmul(3, 2, static_cast<models::SlotId>(k % 2), 16, 64, 256, k > 0));
    }
    ops.push_back(vector_op(VectorFunction::gelu, 4, 3, 16, 64));
    ops.push_back(store(4, (1 << 24) + core * 2048ULL, 2048));
    programs[core] = ops;
  }
  program.add_launch(programs);
  program.add_launch({{2, {matmul(0, 1, 2, 8, 64, 8)}}});
  run();
  const std::uint64_t end = card->host_link.done_ps();
  std::vector<std::uint64_t> reached(static_cast<std::size_t>(machine.cores.count), 0);
  std::vector<models::CoreInterval> intervals = seen.intervals;
  std::stable_sort(intervals.begin(), intervals.end(), [](const auto& a, const auto& b) {
    return std::pair(a.core, a.begin_ps) < std::pair(b.core, b.begin_ps);
  });
  for (const auto& interval : intervals) {
    EXPECT_EQ(interval.begin_ps, reached[interval.core]) << "core " << interval.core;
    reached[interval.core] = interval.end_ps;
  }
  for (std::size_t core = 0; core < reached.size(); ++core)
    EXPECT_EQ(reached[core], end) << "core " << core;
}

TEST_F(CardRun, BusyTimeIsTheMatrixUnitsStreamingTime) {
  program.add_launch({{0, {matmul(0, 1, 2, 64, 128, 512)}}});
  run();
  const auto cycles = models::matrix_cycles(machine, 64, 128, 512, models::DataType::fp16);
  EXPECT_NEAR(static_cast<double>(seen.time_of(0, CoreActivity::matrix)),
              static_cast<double>(ps(cycles.streaming)), 1.0);
  EXPECT_NEAR(static_cast<double>(seen.stalled(0, StallCause::pipeline_fill)),
              static_cast<double>(ps(cycles.fill)), 1.0);
}

TEST_F(CardRun, RequestsAreAtMostTheLargestAndCoverTheTile) {
  program.add_launch({{0, {load(0, 128, 40000 / 128 * 128)}}});
  run();
  std::uint64_t bytes = 0;
  for (const auto& request : seen.requests) {
    EXPECT_LE(request.bytes, 4096U);
    EXPECT_GT(request.complete_ps, request.issue_ps);
    bytes += request.bytes;
  }
  EXPECT_EQ(bytes, 40000U / 128 * 128);
  EXPECT_EQ(card->memory_controller.requests(), seen.requests.size());
}

TEST_F(CardRun, NoMoreRequestsAreInFlightThanTheWindow) {
  program.add_launch(
      {{0, {load(0, 0, 262144), load(1, 1 << 20, 65536), store(0, 1 << 22, 65536)}}});
  run();
  for (const bool write : {false, true}) {
    std::vector<std::pair<std::uint64_t, int>> edges;
    for (const auto& request : seen.requests) {
      if (request.write != write) continue;
      edges.emplace_back(request.issue_ps, 1);
      edges.emplace_back(request.complete_ps, -1);
    }
    std::sort(edges.begin(), edges.end());  // at equal times a completion (-1) comes first
    int in_flight = 0;
    for (const auto& [time, change] : edges) {
      in_flight += change;
      EXPECT_LE(in_flight, machine.load_store.outstanding_requests);
    }
  }
}

TEST_F(CardRun, ASharedLoadIsReadOnceAndReachesEveryCore) {
  const auto group = cores({0, 1, 2, 3});
  ScriptedProgram::CorePrograms programs;
  for (unsigned core = 0; core < 4; ++core) {
    programs[core] = {load(0, 0, 65536, group, 0), matmul(3, 2, 0, 8, 64, 512)};
  }
  program.add_launch(programs);
  run();
  std::uint64_t bytes = 0;
  for (const auto& request : seen.requests) bytes += request.bytes;
  EXPECT_EQ(bytes, 65536U);
  for (unsigned core = 0; core < 4; ++core)
    EXPECT_GT(seen.op(core, 1).end_ps, seen.requests.back().issue_ps);
}

TEST_F(CardRun, ASharedLoadStartsWhenTheLastCoreHasItsBufferFree) {
  const auto group = cores({0, 1});
  program.add_launch(
      {{0, {load(0, 0, 4096, group, 0), matmul(3, 2, 0, 8, 64, 32)}},
       {1, {vector_op(VectorFunction::exp, 0, 1, 64, 6400), load(0, 0, 4096, group, 0)}}});
  run();
  EXPECT_GE(seen.requests.at(0).issue_ps, seen.op(1, 0).end_ps);
  EXPECT_EQ(seen.stalled(0, StallCause::multicast_wait),
            seen.op(1, 0).end_ps - seen.op(1, 0).begin_ps);
}

TEST_F(CardRun, CoresOfAGroupTakeTurnsAtIssuing) {
  const auto group = cores({3, 5});
  ScriptedProgram::CorePrograms programs;
  for (const unsigned core : {3U, 5U}) {
    programs[core] = {load(0, 0, 4096, group, 0), load(1, 4096, 4096, group, 1)};
  }
  program.add_launch(programs);
  run();
  ASSERT_EQ(seen.requests.size(), 2U);
  EXPECT_EQ(seen.requests[0].core, 3U);
  EXPECT_EQ(seen.requests[1].core, 5U);
}

TEST_F(CardRun, AGatherReadsItsIndexBeforeTheFirstRow) {
  models::TileOp gather = load(0, 0, 0);
  gather.opcode = Opcode::gather;
  gather.destination.bytes = 4096;
  gather.runs = {contiguous(8192, 2048), contiguous(65536, 2048)};
  gather.index_tensor = 7;
  gather.index_runs = {contiguous(1 << 20, 128)};
  program.add_launch({{0, {gather}}});
  run();
  ASSERT_EQ(seen.requests.size(), 3U);
  EXPECT_EQ(seen.requests[0].tensor, 7U);
  EXPECT_GE(seen.requests[1].issue_ps, seen.requests[0].complete_ps);
  EXPECT_GE(seen.requests[2].issue_ps, seen.requests[0].complete_ps);
}

TEST_F(CardRun, AnAllGatherEndsWhenTheLastTileHasArrived) {
  const auto group = cores({0, 1, 2, 3});
  ScriptedProgram::CorePrograms programs;
  for (unsigned core = 0; core < 4; ++core) {
    programs[core] = {sending(Opcode::multicast, 0, 1, group, 256), receive(1, 4),
                      vector_op(VectorFunction::copy, 2, 1, 1, 512)};
  }
  programs[3].insert(programs[3].begin(), vector_op(VectorFunction::exp, 0, 4, 64, 6400));
  program.add_launch(programs);
  run();
  const std::uint64_t last_sent = seen.op(3, 0).end_ps;
  for (unsigned core = 0; core < 3; ++core) {
    EXPECT_GT(seen.op(core, 2).begin_ps, last_sent);
    EXPECT_GT(seen.stalled(core, StallCause::ring), 0U);
  }
}

TEST_F(CardRun, APartialSumTravelsFromTheFirstCoreToTheLast) {
  const auto group = cores({0, 1, 2, 3});
  ScriptedProgram::CorePrograms programs;
  for (unsigned core = 0; core < 4; ++core)
    programs[core] = {sending(Opcode::reduce, 0, 1, group, 12800)};
  program.add_launch(programs);
  run();
  for (unsigned core = 1; core < 4; ++core)
    EXPECT_GT(seen.op(core, 0).end_ps, seen.op(core - 1, 0).end_ps);
  // Three hops of 100 cycles of partial sums each.
  EXPECT_GE(seen.op(3, 0).end_ps - seen.op(3, 0).begin_ps, ps(300));
}

TEST_F(CardRun, AWaitEndsAtTheSignalAndNotBefore) {
  program.add_launch(
      {{0, {vector_op(VectorFunction::exp, 0, 1, 64, 640), receive(2, 0)}},
       {1, {synchronise(Opcode::wait, 0, 1, 1), vector_op(VectorFunction::copy, 2, 3, 1, 64)}}});
  program.add_launch({{0, {vector_op(VectorFunction::exp, 0, 1, 64, 640)}}});
  // Core 0 signals after its vector operation only if the signal depends on it: order it by the
  // ring's queue.
  program.add_launch(
      {{0, {synchronise(Opcode::signal, cores({1}), 1)}},
       {1, {synchronise(Opcode::wait, 0, 1, 1), vector_op(VectorFunction::copy, 2, 3, 1, 64)}}});
  run();
  EXPECT_FALSE(card->host_link.job_done()) << "nobody signals in the first launch";
  EXPECT_NE(card->cores[1].sequencer.waits_for().find("signal_wait"), std::string::npos);
}

TEST_F(CardRun, ASignalReachesTheWaitingCore) {
  program.add_launch({{0, {synchronise(Opcode::signal, cores({1, 2}), 1)}},
                      {1, {synchronise(Opcode::wait, 0, 1, 1)}},
                      {2, {synchronise(Opcode::wait, 0, 1, 1)}}});
  run();
  EXPECT_TRUE(card->host_link.job_done());
  EXPECT_GT(seen.op(2, 0).end_ps, seen.op(1, 0).end_ps) << "one hop further";
}

TEST_F(CardRun, ABarrierReleasesEverybodyTogether) {
  const auto group = cores({0, 7, 19});
  const auto barrier = synchronise(Opcode::barrier, group);
  program.add_launch({{0, {barrier}}, {7, {barrier}}, {19, {barrier}}});
  run();
  EXPECT_EQ(seen.op(0, 0).end_ps, seen.op(7, 0).end_ps);
  EXPECT_EQ(seen.op(0, 0).end_ps, seen.op(19, 0).end_ps);
}

TEST_F(CardRun, TwoRunsEmitTheSameEvents) {
  ScriptedProgram again;
  ScriptedProgram::CorePrograms programs;
  for (unsigned core = 0; core < 8; ++core) {
    programs[core] = {load(0, core * 65536ULL, 65536), load(1, 0, 8192, 0xff, 0),
                      matmul(3, 1, 0, 8, 64, 512), store(3, (1 << 22) + core * 4096ULL, 2048)};
  }
  program.add_launch(programs);
  again.add_launch(programs);
  run();
  const auto first = seen.ops;
  seen.ops.clear();
  card.reset();
  sc_core::sc_get_curr_simcontext()->reset();
  card = std::make_unique<models::Card>("card", machine, again, data, observer_list);
  sc_core::sc_start();
  EXPECT_EQ(first, seen.ops);
}

}  // namespace
}  // namespace spyre::tests
