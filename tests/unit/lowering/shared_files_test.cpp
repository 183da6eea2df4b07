// The public KTIR kernels, where they lie beside the source tree or where SPYRE_EMU_SHARED says:
// all of them lower, and the smaller ones compute the right numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "kernels/lowering/live_tensors.h"
#include "tests/unit/lowering/lowering_fixture.h"
#include "tests/unit/lowering/schedule_values.h"

namespace spyre::kernels::lowering {
namespace {

using Matrix = std::vector<double>;  // row-major

std::filesystem::path shared_folder() {
  if (const char* given = std::getenv("SPYRE_EMU_SHARED"))
    return std::filesystem::path(given) / "ktir";
  return std::filesystem::path(SPYRE_EMU_SOURCE_DIR).parent_path() / "shared" / "ktir";
}

std::string text_of(const std::string& name) {
  std::ifstream stream(shared_folder() / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct SharedKernel {
  std::string file;
  ktir::BoundArguments arguments;
};

std::vector<SharedKernel> shared_kernels() {
  const std::string t = "ktir-cpu/triton-ktir/";
  const std::string k = "ktir-cpu/ktir/";
  const std::string l = "ktir-cpu/latency/";
  const std::string r = "ktir-cpu/rfc/";
  return {
      {t + "vector_add_ktir.mlir", {pointer(0), pointer(4096), pointer(8192), number(128)}},
      {t + "vector_add_dynamic_ktir.mlir", {pointer(0), pointer(4096), pointer(8192), number(256)}},
      {t + "vector_add_dynamic_ktir.mlir",
       {pointer(0), pointer(4096), pointer(8192), number(1024)}},
      {t + "softmax_fwd_ktir.mlir", {pointer(8000000), pointer(0), number(4096)}},
      {t + "layernorm_fwd_ktir.mlir",
       {pointer(0), pointer(10000000), pointer(20000000), pointer(30000000), pointer(40000000),
        pointer(40010000), number(8192), real(1e-5), number(1024)}},
      {t + "matmul_fwd_ktir.mlir",
       {pointer(0), pointer(200000), pointer(20000000), number(2048), number(32), number(512),
        number(128)}},
      {t + "sdpa_2d.mlir", {pointer(0), pointer(2048), pointer(4096), pointer(6144)}},
      {t + "paged_attention.mlir",
       {pointer(4000000), pointer(0), pointer(40000), pointer(1100000), pointer(1500000), number(0),
        number(0), number(8), number(120), real(0.08838834764831843)}},
      {k + "ffn_swiglu.mlir",
       {pointer(0), pointer(64), pointer(8256), pointer(16448), pointer(24640)}},
      {k + "ffn_swiglu_4core.mlir",
       {pointer(0), pointer(1024), pointer(263168), pointer(525312), pointer(787456)}},
      {k + "nested_yield.ktir", {pointer(0)}},
      {k + "reduce_generic.mlir", {pointer(0)}},
      {k + "ring_reduce.mlir", {pointer(0), pointer(512)}},
      {k + "ring_reduce_inner_loop.mlir", {pointer(0), pointer(512), number(3)}},
      {k + "scalar_broadcast.mlir", {pointer(0), pointer(64)}},
      {k + "softmax_wide.mlir", {pointer(600000), pointer(0)}},
      {l + "matmul_small.mlir",
       {pointer(0), pointer(1024), pointer(5120), number(64), number(8), number(32), number(32)}},
      {l + "softmax_small.mlir", {pointer(4096), pointer(0), number(64)}},
      {l + "softmax_small_explicit.mlir", {pointer(4096), pointer(0), number(64)}},
      {l + "ring_reduce_multi_group.mlir", {pointer(0), pointer(2048)}},
      {l + "rmsnorm_4core_4x1.mlir",
       {pointer(0), pointer(2097152), pointer(1048576), number(4096), real(1e-5), number(1024)}},
      {l + "rmsnorm_4core_2x2.mlir",
       {pointer(0), pointer(2097152), pointer(1048576), number(4096), real(1e-5), number(1024)}},
      {r + "add-with-control-flow.mlir", {}},
      {r + "distributed-view-copy.mlir", {}},
      {r + "distributed-view-copy-dynamic.mlir",
       {pointer(0), pointer(1024), pointer(2048), number(16)}},
      {r + "distributed-view-copy-dynamic.mlir",
       {pointer(0), pointer(2048), pointer(4096), number(32)}},
      {r + "indirect-access-copy.mlir", {}},
      {r + "indirect-scatter.mlir", {}},
      {"dataflow-scheduler/arith_math.mlir", {number(1)}},
      {"dataflow-scheduler/nested_loops.mlir", {}},
      {"ktir-mlir-frontend/tensor-extract-slice.mlir", {}},
  };
}

class LoweringSharedFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(shared_folder() / "INDEX.md")) {
      GTEST_SKIP() << "no public KTIR files in " << shared_folder()
                   << ": set SPYRE_EMU_SHARED to the folder that holds ktir/";
    }
  }
  /// Lowers the file with the arguments that the list above gives it the `nth` time.
  Schedule shared(const std::string& ending, std::size_t nth = 0) {
    for (const SharedKernel& kernel : shared_kernels()) {
      if (kernel.file.ends_with(ending) && nth-- == 0) {
        return lowered(text_of(kernel.file), kernel.arguments, options_);
      }
    }
    throw std::runtime_error("not in the list: " + ending);
  }
  /// `count` numbers from -1 to 1 that f16 holds, from element `first` on.
  Matrix fill(ScheduleValues& values, std::int64_t first, std::int64_t count, double scale = 1,
              std::int64_t bytes = 2) {
    std::uniform_int_distribution<int> numbers(-256, 256);
    Matrix result;
    for (std::int64_t i = 0; i < count; ++i) {
      result.push_back(numbers(random_) / 256.0 * scale);
      values.memory.at(static_cast<std::size_t>((first + i) * bytes)) = result.back();
    }
    return result;
  }
  static Matrix stored(const ScheduleValues& values, std::int64_t first, std::int64_t count,
                       std::int64_t bytes = 2) {
    Matrix result;
    for (std::int64_t i = 0; i < count; ++i) {
      result.push_back(values.memory.at(static_cast<std::size_t>((first + i) * bytes)));
    }
    return result;
  }
  static Matrix product(const Matrix& a, const Matrix& b, std::size_t m, std::size_t k,
                        std::size_t n) {
    Matrix c(m * n);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t p = 0; p < k; ++p) {
        for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
      }
    }
    return c;
  }
  static Matrix softmax(Matrix x, std::size_t columns) {
    for (std::size_t r = 0; r < x.size(); r += columns) {
      double top = -INFINITY;
      for (std::size_t c = 0; c < columns; ++c) top = std::max(top, x[r + c]);
      double sum = 0;
      for (std::size_t c = 0; c < columns; ++c) sum += x[r + c] = std::exp(x[r + c] - top);
      for (std::size_t c = 0; c < columns; ++c) x[r + c] /= sum;
    }
    return x;
  }
  static void expect_near(const Matrix& got, const Matrix& wanted, double tolerance) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_LE(std::abs(got[i] - wanted[i]), tolerance * (1 + std::abs(wanted[i])))
          << "element " << i << " is " << got[i] << ", not " << wanted[i];
    }
  }

  LoweringOptions options_;
  std::mt19937 random_{1};
};

TEST_F(LoweringSharedFiles, AllLower) {
  for (const SharedKernel& kernel : shared_kernels()) {
    SCOPED_TRACE(kernel.file);
    const std::string text = text_of(kernel.file);
    ASSERT_FALSE(text.empty());
    EXPECT_EQ(lowering_fault(text, kernel.arguments), "");
  }
}

TEST_F(LoweringSharedFiles, TilesLargerThanLxAreRefused) {
  for (const char* name : {"paged-tensor-copy", "paged-tensor-write"}) {
    const std::string fault =
        lowering_fault(text_of("ktir-cpu/rfc/" + std::string(name) + ".mlir"), {});
    EXPECT_NE(fault.find("16777216 B of LX"), std::string::npos) << fault;
    EXPECT_NE(fault.find("%X_data_tile f16 [4, 8, 2048, 128] 16777216 B, line"), std::string::npos)
        << fault;
    EXPECT_TRUE(fault.ends_with("[lx-capacity]")) << fault;
  }
}

TEST_F(LoweringSharedFiles, TheWideSoftmaxNeedsThreeTilesOfLx) {
  const ktir::Module module =
      ktir::load_module(text_of("ktir-cpu/ktir/softmax_wide.mlir"), "softmax_wide.mlir").module;
  const LiveTensors::Peak peak = LiveTensors(module.functions.front()).peak();
  EXPECT_EQ(peak.bytes, 1572864);
  std::vector<std::string> names;
  for (const ktir::ValueId id : peak.tensors) {
    names.push_back(module.functions.front().value(id).name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"row_13", "row_minus_max_15", "row_minus_max_16"}));
  const Schedule schedule = shared("softmax_wide.mlir");
  std::int64_t bytes = 0;
  for (const Buffer& buffer : schedule.kernels.front().buffers) {
    bytes += buffer.slots * buffer.shape[1] * 2;
  }
  EXPECT_LE(bytes, 1572864 + 8);
}

TEST_F(LoweringSharedFiles, VectorAddAlsoOfFewerElementsThanTheTile) {
  const Schedule plain = shared("vector_add_ktir.mlir");
  ScheduleValues values(plain, 30000);
  const Matrix x = fill(values, 0, 4096);
  const Matrix y = fill(values, 4096, 4096);
  values.run();
  Matrix sum;
  for (std::size_t i = 0; i < x.size(); ++i) sum.push_back(x[i] + y[i]);
  EXPECT_EQ(stored(values, 8192, 4096), sum);

  const Schedule dynamic = shared("vector_add_dynamic_ktir.mlir");
  ScheduleValues part(dynamic, 50000);
  const Matrix u = fill(part, 0, 1024, 1, 4);
  const Matrix v = fill(part, 4096, 1024, 1, 4);
  part.run();
  Matrix head(1024);
  for (std::size_t i = 0; i < 256; ++i) head[i] = u[i] + v[i];
  EXPECT_EQ(stored(part, 8192, 1024, 4), head);
}

TEST_F(LoweringSharedFiles, SoftmaxWithAndWithoutDelayedStores) {
  for (const bool delay : {true, false}) {
    options_.delay_stores = delay;
    for (const char* name : {"softmax_small.mlir", "softmax_small_explicit.mlir"}) {
      const Schedule schedule = shared(name);
      ScheduleValues values(schedule, 20000);
      const Matrix x = fill(values, 0, 4096, 3);
      values.run();
      expect_near(stored(values, 4096, 4096), softmax(x, 64), 2e-3);
    }
  }
}

TEST_F(LoweringSharedFiles, Products) {
  const Schedule schedule = shared("matmul_small.mlir");
  ScheduleValues values(schedule, 20000);
  const Matrix a = fill(values, 0, 16 * 64);
  const Matrix b = fill(values, 1024, 64 * 64);
  values.run();
  expect_near(stored(values, 5120, 16 * 64), product(a, b, 16, 64, 64), 2e-3);
}

TEST_F(LoweringSharedFiles, Attention) {
  const Schedule schedule = shared("sdpa_2d.mlir");
  ScheduleValues values(schedule, 20000);
  const Matrix q = fill(values, 0, 2048);
  const Matrix k = fill(values, 2048, 2048);
  const Matrix v = fill(values, 4096, 2048);
  values.run();
  Matrix scores(32 * 32);
  for (std::size_t i = 0; i < 32; ++i) {
    for (std::size_t j = 0; j < 32; ++j) {
      for (std::size_t d = 0; d < 64; ++d) scores[i * 32 + j] += q[i * 64 + d] * k[j * 64 + d] / 8;
    }
  }
  expect_near(stored(values, 6144, 2048), product(softmax(scores, 32), v, 32, 32, 64), 3e-3);
}

TEST_F(LoweringSharedFiles, PagedAttention) {
  const Schedule schedule = shared("paged_attention.mlir");
  ScheduleValues values(schedule, 8100000);
  // As elements: output 4,000,000 and query 0 of f16, the caches behind it, the table as i32.
  const Matrix query = fill(values, 0, 8 * 32 * 128);
  const Matrix keys = fill(values, 40000, 64 * 16 * 8 * 128);
  const Matrix cached = fill(values, 1100000, 64 * 16 * 8 * 128);
  std::vector<std::size_t> pages;
  for (std::size_t i = 0; i < 16; ++i) {
    pages.push_back((i * 37 + 11) % 64);
    values.memory.at((1500000 + i) * 4) = static_cast<double>(pages.back());
  }
  values.run();
  const Matrix out = stored(values, 4000000, 8 * 32 * 128);
  for (const std::size_t token : {0U, 5U}) {
    for (const std::size_t head : {0U, 3U, 29U}) {
      Matrix scores;
      const auto row = [&](std::size_t p) {
        return ((pages[p / 16] * 16 + p % 16) * 8 + head / 4) * 128;
      };
      for (std::size_t p = 0; p <= 120 + token; ++p) {
        double sum = 0;
        for (std::size_t d = 0; d < 128; ++d) {
          sum += query[(token * 32 + head) * 128 + d] * keys[row(p) + d];
        }
        scores.push_back(sum * 0.08838834764831843);
      }
      const Matrix weights = softmax(scores, scores.size());
      Matrix wanted(128);
      for (std::size_t p = 0; p < weights.size(); ++p) {
        for (std::size_t d = 0; d < 128; ++d) wanted[d] += weights[p] * cached[row(p) + d];
      }
      const auto begin = out.begin() + static_cast<std::ptrdiff_t>((token * 32 + head) * 128);
      // The sums start from 1, not 0, as the kernel has it; its weight is exp(-inf) = 0.
      expect_near(Matrix(begin, begin + 128), wanted, 2e-3);
    }
  }
}

TEST_F(LoweringSharedFiles, FeedForwardOnOneAndFourCores) {
  struct Case {
    const char* file;
    std::size_t rows, model, inner;
    std::int64_t out;
  };
  for (const Case& each : {Case{"/ffn_swiglu.mlir", 1, 64, 128, 24640},
                           Case{"/ffn_swiglu_4core.mlir", 4, 256, 1024, 787456}}) {
    const Schedule schedule = shared(each.file);
    ScheduleValues values(schedule, 2000000);
    const auto size = static_cast<std::int64_t>(each.model * each.inner);
    const auto begin = static_cast<std::int64_t>(each.rows * each.model);
    const Matrix x = fill(values, 0, begin);
    const Matrix gate = fill(values, begin, size, 0.1);
    const Matrix up = fill(values, begin + size, size, 0.1);
    const Matrix down = fill(values, begin + 2 * size, size, 0.1);
    values.run();
    Matrix g = product(x, gate, each.rows, each.model, each.inner);
    const Matrix u = product(x, up, each.rows, each.model, each.inner);
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = g[i] / (1 + std::exp(-g[i])) * u[i];
    Matrix wanted = product(g, down, each.rows, each.inner, each.model);
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] += x[i];
    expect_near(stored(values, each.out, begin), wanted, 4e-3);
  }
}

TEST_F(LoweringSharedFiles, SmallReductionsAndBroadcasts) {
  const Schedule nested = shared("nested_yield.ktir");
  ScheduleValues n(nested, 100);
  n.run();
  EXPECT_EQ(stored(n, 0, 4, 4), (Matrix{2, 2, 2, 2}));

  const Schedule reduce = shared("reduce_generic.mlir");
  ScheduleValues r(reduce, 100);
  for (std::size_t i = 0; i < 4; ++i) r.memory[i * 2] = static_cast<double>(i + 1);
  r.run();
  EXPECT_EQ(stored(r, 0, 4), (Matrix{10, 10, 10, 10}));

  const Schedule broadcast = shared("scalar_broadcast.mlir");
  ScheduleValues b(broadcast, 1000);
  b.memory[0] = 0.5;
  b.run();
  EXPECT_EQ(stored(b, 64, 256), Matrix(256, 0.5));
}

TEST_F(LoweringSharedFiles, ReductionsOverCores) {
  struct Case {
    const char* file;
    std::int64_t groups, out;
    double times;
  };
  for (const Case& each :
       {Case{"/ring_reduce.mlir", 1, 512, 1}, Case{"/ring_reduce_inner_loop.mlir", 1, 512, 3},
        Case{"/ring_reduce_multi_group.mlir", 4, 2048, 1}}) {
    SCOPED_TRACE(each.file);
    const Schedule schedule = shared(each.file);
    ScheduleValues values(schedule, 10000);
    const Matrix rows = fill(values, 0, each.groups * 4 * 128);
    values.run();
    Matrix wanted(static_cast<std::size_t>(each.groups * 128));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      wanted[i / 512 * 128 + i % 128] += rows[i] * each.times;
    }
    expect_near(stored(values, each.out, each.groups * 128), wanted, 2e-3);
  }
}

TEST_F(LoweringSharedFiles, RmsNormOnWholeAndHalvedRows) {
  for (const char* name : {"rmsnorm_4core_4x1.mlir", "rmsnorm_4core_2x2.mlir"}) {
    SCOPED_TRACE(name);
    const Schedule schedule = shared(name);
    ScheduleValues values(schedule, 6300000);
    const Matrix x = fill(values, 0, 256 * 4096);
    const Matrix w = fill(values, 1048576, 256 * 4096);
    values.run();
    const Matrix out = stored(values, 2097152, 256 * 4096);
    for (std::size_t row = 0; row < 256; row += 51) {
      double sum = 0;
      for (std::size_t c = 0; c < 4096; ++c) sum += x[row * 4096 + c] * x[row * 4096 + c];
      Matrix wanted;
      Matrix got;
      for (std::size_t c = 0; c < 4096; ++c) {
        const std::size_t i = row * 4096 + c;
        wanted.push_back(x[i] / std::sqrt(sum / 4096 + 1e-5) * w[i]);
        got.push_back(out[i]);
      }
      expect_near(got, wanted, 4e-3);
    }
  }
}

TEST_F(LoweringSharedFiles, CopiesOfDistributedViews) {
  const Schedule schedule = shared("distributed-view-copy.mlir");
  ScheduleValues values(schedule, 80000);
  Matrix all = fill(values, 0, 96 * 64);
  for (std::int64_t r = 96; r < 192; ++r) {
    for (std::int64_t c = 0; c < 64; ++c) {
      all.push_back(static_cast<double>(r) + static_cast<double>(c) / 64);
      if (r < 128) {
        values.lx[0][(12288 + (r - 96) + 64 * c) * 2] = all.back();
      } else {
        values.lx[1][(16384 + (r - 128) * 64 + c) * 2] = all.back();
      }
    }
  }
  values.run();
  expect_near(stored(values, 24576, 192 * 64), all, 1e-3);

  for (const std::size_t nth : {0U, 1U}) {
    const Schedule dynamic = shared("distributed-view-copy-dynamic.mlir", nth);
    ScheduleValues parts(dynamic, 20000);
    const std::int64_t width = nth == 0 ? 16 : 32;
    const Matrix left = fill(parts, 0, 64 * width);
    const Matrix right = fill(parts, 64 * width, 64 * width);
    parts.run();
    Matrix wanted;
    for (std::int64_t i = 0; i < 64 * 2 * width; ++i) {
      const std::int64_t row = i / (2 * width);
      const std::int64_t column = i % (2 * width);
      wanted.push_back(column < width
                           ? left[static_cast<std::size_t>(row * width + column)]
                           : right[static_cast<std::size_t>(row * width + column - width)]);
    }
    EXPECT_EQ(stored(parts, 128 * width, 64 * 2 * width), wanted);
  }
}

TEST_F(LoweringSharedFiles, RowsOfConstantAddresses) {
  const Schedule math = shared("arith_math.mlir");
  ScheduleValues m(math, 70000);
  const Matrix a = fill(m, 1024, 6144);
  const Matrix b = fill(m, 12288, 6144);
  Matrix c = fill(m, 18432, 6144);
  for (std::size_t i = 0; i < c.size(); ++i) {
    m.memory[(18432 + i) * 2] = c[i] = std::abs(c[i]);
  }
  m.run();
  for (std::size_t i = 0; i < 192; ++i) {
    const double wanted = i / 64 == 1 ? a[i] * b[i] + std::sqrt(c[i]) : 0;
    EXPECT_NEAR(m.memory[(24576 + i) * 2], wanted, 2e-3) << i;
  }

  for (const char* name : {"add-with-control-flow.mlir", "nested_loops.mlir"}) {
    SCOPED_TRACE(name);
    const bool nested = std::string(name) == "nested_loops.mlir";
    const Schedule schedule = shared(name);
    ScheduleValues values(schedule, 70000);
    const Matrix x = fill(values, nested ? 2048 : 1024, 192);
    const Matrix y = fill(values, nested ? 4096 : 12288, 192);
    values.run();
    for (std::size_t i = 0; i < 192; ++i) {
      EXPECT_EQ(values.memory[((nested ? 8192U : 18432U) + i) * 2], x[i] + y[i]) << i;
    }
  }
}

}  // namespace
}  // namespace spyre::kernels::lowering
