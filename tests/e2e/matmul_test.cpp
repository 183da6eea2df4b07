// Matmuls of shapes on which other simulators went wrong: one row, ragged edges, uneven divisions,
// memory faster and slower than the machine's.
#include "tests/e2e/steps.h"

namespace spyre::e2e {
namespace {

std::uint64_t flops(const traces::RunResult& result) {
  return traces::summarise(result).flops;
}

// T2: every weight is read for one row as for many, and costs its time.
TEST(Matmul, OneRowReadsTheSameWeightsAsManyInLessTime) {
  const traces::RunResult many = run_matmul(256, 256, 768);
  const traces::RunResult one = run_matmul(1, 256, 768);
  EXPECT_EQ(flops(many), 2U * 50'331'648);
  EXPECT_EQ(flops(one), 2U * 196'608);
  EXPECT_EQ(many.bytes.weights, 393'216U);
  EXPECT_EQ(one.bytes.weights, 393'216U);
  expect_books_balance(many);
  expect_books_balance(one);

  const models::Machine& machine = spyre_card().machine;
  const double bytes_per_cycle =
      machine.dram.peak_bytes_per_second() / static_cast<double>(machine.clock.hz);
  EXPECT_GE(static_cast<double>(one.cycles), 393'216 / bytes_per_cycle);
  EXPECT_LT(one.cycles, many.cycles);
  EXPECT_LT(traces::summarise(one).mfu, traces::summarise(many).mfu);
}

struct Shape {
  std::int64_t m, n, k;
};

class RaggedMatmul : public ::testing::TestWithParam<Shape> {};

// T5: what lies beyond the edge of a tile is neither computed nor counted.
TEST_P(RaggedMatmul, WritesEveryElementOnce) {
  const auto [m, n, k] = GetParam();
  for (const std::int64_t cores : {1, 5, 32}) {
    SCOPED_TRACE(cores);
    const traces::RunResult result = run_matmul(m, n, k, cores);
    expect_books_balance(result);
    EXPECT_EQ(flops(result), static_cast<std::uint64_t>(2 * m * n * k));
    EXPECT_EQ(useful_read(tensor_of(result, "a")), static_cast<std::uint64_t>(2 * m * k));
    EXPECT_EQ(useful_read(tensor_of(result, "b")), static_cast<std::uint64_t>(2 * k * n));
    EXPECT_EQ(useful_written(tensor_of(result, "c")), static_cast<std::uint64_t>(2 * m * n));
    EXPECT_EQ(tensor_of(result, "c").read, 0U);
    const traces::Summary summary = traces::summarise(result);
    EXPECT_EQ(result.bytes.written, tensor_of(result, "c").written);
    // The array works in passes of whole rows and blocks: never on more than it computes.
    EXPECT_GE(summary.cores.matrix * 1024, static_cast<std::uint64_t>(m * n * k));
  }
}

std::string shape_name(const ::testing::TestParamInfo<Shape>& info) {
  const auto [m, n, k] = info.param;
  return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RaggedMatmul,
                         ::testing::Values(Shape{130, 70, 200}, Shape{1, 1, 1},
                                           Shape{127, 131, 509}, Shape{131, 509, 127},
                                           Shape{509, 127, 131}, Shape{1, 509, 127},
                                           Shape{127, 1, 131}),
                         shape_name);

// T5 with its own tiles of 64 x 64 x 64 on one core.
TEST(Matmul, TilesThatOverlapTheEdgeAreUsedNoMoreThanTheirShare) {
  const std::string text = R"yaml(schedule: 1
tensors:
  a: {dtype: fp16, dims: [m, k], shape: [130, 200]}
  b: {dtype: fp16, kind: weight, dims: [k, n], shape: [200, 70]}
  c: {dtype: fp16, dims: [m, n], shape: [130, 70]}
kernels:
  gemm:
    cores: {x: 1}
    buffers:
      ta: {dtype: fp16, shape: [64, 64], slots: 2}
      tb: {dtype: fp16, shape: [64, 64], slots: 2}
      acc: {dtype: fp32, shape: [64, 64]}
      out: {dtype: fp16, shape: [64, 64]}
    body:
      - for: {i: [0, 130, 64]}
        do:
          - for: {j: [0, 70, 64]}
            do:
              - for: {k: [0, 200, 64]}
                do:
                  - load: {into: ta, from: a, at: [i, k], size: ["min(64, 130 - i)", "min(64, 200 - k)"]}
                  - load: {into: tb, from: b, at: [k, j], size: ["min(64, 200 - k)", "min(64, 70 - j)"]}
                  - matmul: {into: acc, a: ta, b: tb, accumulate: k > 0}
              - vector: {op: copy, into: out, from: [acc]}
              - store: {from: out, to: c, at: [i, j], size: ["min(64, 130 - i)", "min(64, 70 - j)"]}
launches:
  - {kernel: gemm}
)yaml";
  const traces::RunResult result = runtime::run_text(text, "tiles.yaml", spyre_card(), {});
  expect_books_balance(result);
  EXPECT_EQ(flops(result), 2U * 1'820'000);
  EXPECT_EQ(useful_written(tensor_of(result, "c")), 2U * 130 * 70);
  EXPECT_EQ(useful_read(tensor_of(result, "a")), 2U * 130 * 200);
  EXPECT_EQ(useful_read(tensor_of(result, "b")), 2U * 200 * 70);
  // 1,820,000 of the padded 192 x 128 x 256.
  EXPECT_LE(traces::summarise(result).mfu, 0.289);
}

// T7: uneven divisions are legal, complete, and no slower than fewer cores.
TEST(Matmul, MoreCoresNeverTakeLongerEvenWhenTheyDivideUnevenly) {
  double fewer_ms = 0;
  for (const std::int64_t cores : {1, 2, 3, 5, 16, 31, 32}) {
    SCOPED_TRACE(cores);
    const traces::RunResult result = run_matmul(2048, 4096, 4096, cores);
    expect_books_balance(result);
    EXPECT_LE(result.cores, cores);
    const traces::Summary summary = traces::summarise(result);
    EXPECT_EQ(summary.flops, 2 * std::uint64_t{34'359'738'368});
    // 1024 MACs per cycle of a core.
    EXPECT_NEAR(static_cast<double>(summary.cores.matrix), 34'359'738'368.0 / 1024, 100);
    EXPECT_GE(summary.load_imbalance, 1.0);
    EXPECT_LE(summary.load_imbalance, 1.1);
    if (fewer_ms > 0) {
      EXPECT_LE(summary.time_ms, 1.02 * fewer_ms);
    }
    fewer_ms = summary.time_ms;
  }
}

/// Core cycles that wait for DRAM.
std::uint64_t memory_stalls(const traces::RunResult& result) {
  const traces::CoreCycles cores = traces::summarise(result).cores;
  const auto cycles = [&](models::StallCause cause) {
    return cores.stalls[static_cast<std::size_t>(cause)];
  };
  return cycles(models::StallCause::dram_read) + cycles(models::StallCause::dram_write) +
         cycles(models::StallCause::multicast_wait);
}

traces::RunResult run_matmul_with(const std::vector<std::string>& overrides) {
  // One plan for all machines: what changes is the memory alone.
  static const std::string text = kernels::write_schedule(kernels::plan_matmul(
      512, 2048, 2048, models::DataType::fp16, spyre_card().machine, {.cores = 32}));
  return runtime::run_text(text, "matmul.yaml", models::read_machine("spyre", overrides), {});
}

// T9: unlimited bandwidth leaves the first tiles' way to the cores and nothing else.
TEST(Matmul, MemoryStallsVanishWithUnlimitedBandwidth) {
  const traces::RunResult result =
      run_matmul_with({"dram.channels=1024", "dram.refresh=none", "dram.ecc_data_bursts=0",
                       "request_path.bytes_per_second=100000000000000",
                       "request_path.interval_ps=0", "request_path.transit_ps=0",
                       "load_store.outstanding_requests=1024", "lx.port_bytes_per_cycle=65536",
                       "lx.bank_bytes_per_cycle=65536", "ring.bytes_per_cycle=65536"});
  expect_books_balance(result);
  EXPECT_LT(memory_stalls(result), traces::summarise(result).cores.total() / 100);
}

TEST(Matmul, MemoryStallsGrowAsBandwidthFalls) {
  std::uint64_t stalls = 0;
  models::Picoseconds time_ps = 0;
  std::uint64_t matrix = 0;
  for (const std::string channels : {"32", "16", "8", "4", "2"}) {
    SCOPED_TRACE(channels);
    const traces::RunResult result = run_matmul_with({"dram.channels=" + channels});
    expect_books_balance(result);
    EXPECT_GT(memory_stalls(result), stalls);
    EXPECT_GT(result.time_ps, time_ps);
    const traces::Summary summary = traces::summarise(result);
    if (matrix != 0) {
      EXPECT_NEAR(static_cast<double>(summary.cores.matrix), static_cast<double>(matrix), 100);
    }
    EXPECT_GE(summary.time_ms, summary.roofline_ms);
    stalls = memory_stalls(result);
    time_ps = result.time_ps;
    matrix = summary.cores.matrix;
  }
}

}  // namespace
}  // namespace spyre::e2e
