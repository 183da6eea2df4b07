// The ktir-cpu timing against the figures that ktir-cpu itself reports for the public KTIR files,
// where they lie beside the source tree or where SPYRE_EMU_SHARED says. Figures: ktir.md 5.2;
// arguments: the INDEX.md of the files.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "kernels/ktir/sum_of_costs.h"
#include "tests/unit/ktir/ktir_fixture.h"

namespace spyre::kernels::ktir {
namespace {

std::filesystem::path public_files() {
  if (const char* given = std::getenv("SPYRE_EMU_SHARED"))
    return std::filesystem::path(given) / "ktir";
  return std::filesystem::path(SPYRE_EMU_SOURCE_DIR).parent_path() / "shared" / "ktir";
}

/// An array placed anywhere on a stick; one at an element index; a number.
struct Argument {
  enum class Kind { array, at, number, real };
  Kind kind = Kind::number;
  std::int64_t value = 0;  ///< elements of an array, or the index, or the number
  std::int64_t element_bytes = 2;
};

Argument array(std::int64_t elements, std::int64_t element_bytes = 2) {
  return {Argument::Kind::array, elements, element_bytes};
}
Argument at(std::int64_t index) {
  return {Argument::Kind::at, index};
}
Argument number(std::int64_t value) {
  return {Argument::Kind::number, value};
}
const Argument kReal{Argument::Kind::real};

constexpr double kNotGiven = -1;

/// A line of the table. Columns that it leaves out are kNotGiven; of compute it may give the parts.
struct Figures {
  std::string file;
  std::vector<Argument> arguments;
  double cycles = 0;
  double compute = kNotGiven;
  double memory = kNotGiven;
  double comm = kNotGiven;
  std::string bottleneck;
  std::int64_t hbm_bytes = -1;
  std::int64_t flops = -1;
  std::vector<double> parts;      ///< matmul, float, transcendental, integer; as far as given
  std::int64_t index_values = 0;  ///< integers in DRAM lie below it
};

std::vector<Figures> table() {
  const std::string triton = "ktir-cpu/triton-ktir/";
  const std::string ktir = "ktir-cpu/ktir/";
  const std::string latency = "ktir-cpu/latency/";
  const std::string rfc = "ktir-cpu/rfc/";
  const std::string scheduler = "dataflow-scheduler/";
  const auto vector_f32 = [](std::int64_t n) {
    return std::vector{array(n, 4), array(n, 4), array(n, 4), number(n)};
  };
  const auto parts_copy = [](std::int64_t s0) {
    return std::vector{array(64 * s0), array(64 * s0), array(128 * s0), number(s0)};
  };
  const auto norm = std::vector{at(0), at(2097152), at(1048576), number(4096), kReal, number(1024)};
  const auto attention = array(std::int64_t{8} * 32 * 128);
  const auto cache = array(std::int64_t{64} * 16 * 8 * 128);
  return {
      {triton + "vector_add_ktir.mlir",
       {array(4096), array(4096), array(4096), number(128)},
       194,
       2,
       192,
       0,
       "memory",
       24576,
       4096,
       {}},
      {triton + "vector_add_dynamic_ktir.mlir",
       vector_f32(256),
       112,
       16,
       96,
       0,
       "memory",
       12288,
       1024,
       {}},
      {triton + "vector_add_dynamic_ktir.mlir",
       vector_f32(512),
       112,
       16,
       96,
       0,
       "memory",
       12288,
       1024,
       {}},
      {triton + "vector_add_dynamic_ktir.mlir",
       vector_f32(1024),
       112,
       16,
       96,
       0,
       "memory",
       12288,
       1024,
       {}},
      {triton + "softmax_fwd_ktir.mlir",
       {array(4096 * 1024), array(4096 * 1024), number(4096)},
       147456,
       16384,
       131072,
       0,
       "memory",
       16777216,
       20971520,
       {0, 8192, 8192}},
      {triton + "layernorm_fwd_ktir.mlir",
       {array(1151 * 8192), array(1151 * 8192), array(1151 * 8192), array(1151 * 8192), array(1151),
        array(1151), number(8192), kReal, number(1024)},
       925060.5,
       38020.5,
       887040,
       0,
       "memory",
       113442560,
       77794939,
       {}},
      {triton + "matmul_fwd_ktir.mlir",
       {array(64 * 2048), array(2048 * 8192), array(64 * 8192), number(2048), number(32),
        number(512), number(128)},
       634880,
       69632,
       565248,
       0,
       "memory",
       72351744,
       2155872256,
       {65536, 4096}},
      {triton + "paged_attention.mlir",
       {attention, attention, cache, cache, array(16, 4), number(0), number(0), number(8),
        number(120), kReal},
       18928,
       1008,
       17920,
       0,
       "memory",
       2293760,
       17688576,
       {512, 407, 68, 21},
       64},
      {triton + "sdpa_2d.mlir",
       {array(32 * 64), array(32 * 64), array(32 * 64), array(32 * 64)},
       528,
       400,
       128,
       0,
       "compute",
       16384,
       268288,
       {256, 80, 64}},
      {ktir + "ffn_swiglu.mlir",
       {array(64), array(64 * 128), array(64 * 128), array(128 * 64), array(64)},
       453,
       67,
       386,
       0,
       "memory",
       49408,
       49984,
       {48, 11, 8}},
      {ktir + "ffn_swiglu_4core.mlir",
       {at(0), at(1024), at(263168), at(525312), at(787456)},
       14256,
       1744,
       12416,
       96,
       "memory",
       1583104,
       6332416,
       {}},
      {ktir + "ring_reduce.mlir", {at(0), at(512)}, 34, 6, 16, 12, "memory", 1280, 1536, {}},
      {ktir + "ring_reduce_inner_loop.mlir",
       {at(0), at(512), number(3)},
       76,
       24,
       16,
       36,
       "comm",
       1280,
       6144,
       {}},
      {latency + "ring_reduce_multi_group.mlir",
       {at(0), at(2048)},
       130,
       6,
       64,
       60,
       "memory",
       -1,
       -1,
       {}},
      {ktir + "scalar_broadcast.mlir", {array(1), array(256)}, 5, 0, 5, 0, "memory", 640, 0, {}},
      {ktir + "reduce_generic.mlir", {array(4)}, 2.0625, 0.0625, 2, 0, "memory", 256, 4, {}},
      {ktir + "nested_yield.ktir", {array(4, 4)}, 1.375, 0.375, 1, 0, "memory", 128, 24, {}},
      {latency + "matmul_small.mlir",
       {array(16 * 64), array(64 * 64), array(16 * 64), number(64), number(8), number(32),
        number(32)},
       392,
       40,
       352,
       0,
       "memory",
       -1,
       -1,
       {}},
      {latency + "softmax_small.mlir",
       {array(4096), array(4096), number(64)},
       144,
       16,
       128,
       0,
       "memory",
       -1,
       -1,
       {}},
      {latency + "softmax_small_explicit.mlir",
       {array(4096), array(4096), number(64)},
       144,
       16,
       128,
       0,
       "memory",
       -1,
       -1,
       {}},
      {latency + "rmsnorm_4core_4x1.mlir",
       norm,
       82950,
       17414,
       65536,
       0,
       "memory",
       8388608,
       4457216,
       {}},
      {latency + "rmsnorm_4core_2x2.mlir",
       norm,
       83994,
       18446,
       65536,
       12,
       "memory",
       8388608,
       4720640,
       {}},
      {rfc + "distributed-view-copy-dynamic.mlir",
       parts_copy(16),
       64,
       0,
       64,
       0,
       "memory",
       8192,
       0,
       {}},
      {rfc + "distributed-view-copy-dynamic.mlir",
       parts_copy(32),
       192,
       0,
       192,
       0,
       "memory",
       24576,
       0,
       {}},
      {rfc + "indirect-access-copy.mlir", {}, 321, 0, 321, 0, "memory", -1, -1, {}},
      {ktir + "softmax_wide.mlir",
       {array(2 * 262144), array(2 * 262144)},
       81920.0156,
       65536.0156,
       16384,
       0,
       "compute",
       2097152,
       2621441,
       {}},
      {rfc + "indirect-scatter.mlir", {}, 321, 0, 321, 0, "memory", -1, -1, {}},
      {rfc + "add-with-control-flow.mlir", {}, 12, kNotGiven, kNotGiven, kNotGiven, "", -1, -1, {}},
      {scheduler + "arith_math.mlir",
       {number(0)},
       10,
       kNotGiven,
       kNotGiven,
       kNotGiven,
       "",
       -1,
       -1,
       {}},
      {scheduler + "arith_math.mlir",
       {number(2)},
       10,
       kNotGiven,
       kNotGiven,
       kNotGiven,
       "",
       -1,
       -1,
       {}},
      {scheduler + "nested_loops.mlir", {}, 72, kNotGiven, kNotGiven, kNotGiven, "", -1, -1, {}},
      {"ktir-mlir-frontend/tensor-extract-slice.mlir",
       {},
       11,
       kNotGiven,
       kNotGiven,
       kNotGiven,
       "",
       -1,
       -1,
       {}},
      {rfc + "distributed-view-copy.mlir", {}, 576, 0, 576, 0, "memory", 98304, 0, {}},
  };
}

BoundArguments bound(const std::vector<Argument>& arguments) {
  BoundArguments result;
  std::int64_t next_byte = 0;
  for (const Argument& argument : arguments) {
    BoundArgument one;
    switch (argument.kind) {
      case Argument::Kind::array: {
        one.kind = BoundArgument::Kind::pointer;
        one.integer = next_byte / argument.element_bytes;
        one.bytes = static_cast<std::uint64_t>(argument.value * argument.element_bytes);
        next_byte += (argument.value * argument.element_bytes + 127) / 128 * 128;
        break;
      }
      case Argument::Kind::at:
        one.kind = BoundArgument::Kind::pointer;
        one.integer = argument.value;
        break;
      case Argument::Kind::number:
        one.integer = argument.value;
        break;
      case Argument::Kind::real:
        one.kind = BoundArgument::Kind::real;
        break;
    }
    result.push_back(one);
  }
  return result;
}

SumOfCosts priced(const Figures& row) {
  const std::filesystem::path path = public_files() / row.file;
  const Module module = load_module(file_text(path), row.file).module;
  const std::int64_t values = row.index_values;
  const ReadInteger read = [values](std::uint64_t byte, const ScalarType&) {
    return values == 0 ? 0 : static_cast<std::int64_t>(byte / 4 * 11 % std::uint64_t(values));
  };
  return sum_of_costs(module, module.functions.front(), bound(row.arguments), read);
}

void expect_figure(double found, double wanted, const char* what) {
  if (wanted == kNotGiven) return;
  EXPECT_NEAR(found, wanted, 0.001 * wanted) << what;
}

TEST(KtirCpuFigures, AreReached) {
  if (!std::filesystem::exists(public_files() / "INDEX.md")) {
    GTEST_SKIP() << "no public KTIR files in " << public_files()
                 << ": set SPYRE_EMU_SHARED to the folder that holds ktir/";
  }
  for (const Figures& row : table()) {
    SCOPED_TRACE(row.file);
    const SumOfCosts found = priced(row);
    const SumOfCosts::Core& critical = found.critical();
    expect_figure(found.cycles, row.cycles, "cycles");
    expect_figure(critical.compute(), row.compute, "compute");
    expect_figure(critical.memory, row.memory, "memory");
    expect_figure(critical.comm, row.comm, "comm");
    const std::vector<double> parts{critical.matmul, critical.simd, critical.transcendental,
                                    critical.integer};
    for (std::size_t i = 0; i < row.parts.size(); ++i) {
      expect_figure(parts[i], row.parts[i], "a part of compute");
    }
    if (!row.bottleneck.empty()) {
      EXPECT_EQ(found.bottleneck, row.bottleneck);
    }
    if (row.hbm_bytes >= 0) {
      EXPECT_EQ(found.hbm_bytes, row.hbm_bytes);
    }
    if (row.flops >= 0) {
      EXPECT_EQ(found.flops, row.flops);
    }
  }
}

}  // namespace
}  // namespace spyre::kernels::ktir
