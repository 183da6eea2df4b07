// The project's own KTIR samples and the public ones, from text to values: right numbers, and the
// same cycles with and without them.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "models/diagnostics/yaml_reader.h"
#include "runtime/host_values.h"
#include "runtime/kernel_pipeline.h"
#include "runtime/suite/suite.h"
#include "runtime/suite/suite_runner.h"
#include "tests/e2e/steps.h"

namespace spyre::e2e {
namespace {

using runtime::HostArray;
using Doubles = std::vector<double>;

std::string sample(const std::string& name) {
  return std::string(SPYRE_EMU_TEST_DATA) + "/ktir/" + name + ".mlir";
}

class KernelValues : public testing::Test {
 protected:
  /// Adds an argument by its specification and gives its values as the kernel will see them.
  Doubles give(const std::string& name, const std::string& spec) {
    request.arguments[name] = runtime::make_argument(name, runtime::parse_argument_spec(spec));
    const auto* array = std::get_if<HostArray>(&request.arguments[name]);
    return array == nullptr ? Doubles{} : runtime::to_doubles(*array);
  }

  Doubles run(const std::string& name, const std::string& output) {
    request.file = sample(name);
    request.text = models::read_text_file(request.file);
    runtime::KernelOptions options;
    const runtime::KernelOutcome with_values = run_kernel(request, spyre_card(), options);
    options.data = false;
    const runtime::KernelOutcome without = run_kernel(request, spyre_card(), options);
    EXPECT_EQ(with_values.result.time_ps, without.result.time_ps);
    EXPECT_EQ(with_values.result.requests, without.result.requests);
    return runtime::to_doubles(with_values.arrays.at(output));
  }

  /// `steps` roundings to fp16 of values of about `size`.
  static void expect_near(const Doubles& got, const Doubles& want, double size, double steps) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double bound = steps / 2048 * std::max(std::fabs(want[i]), size);
      ASSERT_NEAR(got[i], want[i], bound) << "element " << i;
    }
  }

  runtime::KernelRequest request;
};

TEST_F(KernelValues, Add) {
  const Doubles a = give("a", "random(1):f16[2048]");
  const Doubles b = give("b", "random(2):f16[2048]");
  give("sum", "zeros:f16[2048]");
  Doubles want(2048);
  for (std::size_t i = 0; i < want.size(); ++i) want[i] = a[i] + b[i];
  expect_near(run("add", "sum"), want, 0, 1);
}

TEST_F(KernelValues, Softmax) {
  const Doubles x = give("in", "random(3):f16[48,256]");
  give("out", "ones:f16[48,256]");
  give("rows", "48");
  Doubles want(x.size());
  for (std::size_t r = 0; r < 48; ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < 256; ++c) sum += std::exp(x[r * 256 + c]);
    for (std::size_t c = 0; c < 256; ++c) want[r * 256 + c] = std::exp(x[r * 256 + c]) / sum;
  }
  expect_near(run("softmax", "out"), want, 1.0 / 256, 4);
}

TEST_F(KernelValues, Matmul) {
  const Doubles a = give("a", "random(4):f16[128,256]");
  const Doubles b = give("b", "random(5):f16[256,512]");
  give("c", "zeros:f16[128,512]");
  Doubles want(128 * 512, 0);
  for (std::size_t i = 0; i < 128; ++i) {
    for (std::size_t k = 0; k < 256; ++k) {
      for (std::size_t j = 0; j < 512; ++j) want[i * 512 + j] += a[i * 256 + k] * b[k * 512 + j];
    }
  }
  expect_near(run("matmul", "c"), want, 1, 1.01);  // sums in f32, one rounding
}

TEST_F(KernelValues, BatchedMatmulWithATransposedSide) {
  const Doubles a = give("a", "random(6):f16[32,16,64]");
  const Doubles b = give("b", "random(7):f16[32,128,64]");
  give("c", "zeros:f16[32,16,128]");
  Doubles want(32 * 16 * 128, 0);
  for (std::size_t n = 0; n < 32; ++n) {
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t j = 0; j < 128; ++j) {
        for (std::size_t k = 0; k < 64; ++k) {
          want[(n * 16 + i) * 128 + j] += a[(n * 16 + i) * 64 + k] * b[(n * 128 + j) * 64 + k];
        }
      }
    }
  }
  expect_near(run("bmm", "c"), want, 1, 1.01);
}

TEST_F(KernelValues, LayerNorm) {
  const Doubles x = give("in", "random(8):f16[64,384]");
  const Doubles w = give("weight", "uniform(0.5,1.5,9):bf16[384]");
  const Doubles b = give("bias", "random(10):bf16[384]");
  give("out", "zeros:f16[64,384]");
  give("eps", "1.0e-5");
  Doubles want(x.size());
  for (std::size_t r = 0; r < 64; ++r) {
    double mean = 0;
    double variance = 0;
    for (std::size_t c = 0; c < 384; ++c) mean += x[r * 384 + c] / 384;
    for (std::size_t c = 0; c < 384; ++c) variance += std::pow(x[r * 384 + c] - mean, 2) / 384;
    for (std::size_t c = 0; c < 384; ++c) {
      want[r * 384 + c] = (x[r * 384 + c] - mean) / std::sqrt(variance + 1e-5) * w[c] + b[c];
    }
  }
  expect_near(run("layernorm", "out"), want, 1, 3);
}

TEST_F(KernelValues, Gelu) {
  const Doubles x = give("in", "random(11):f16[64,512]");
  give("out", "zeros:f16[64,512]");
  give("rows", "64");
  Doubles want(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double inner = std::sqrt(2 / M_PI) * (x[i] + 0.044715 * std::pow(x[i], 3));
    want[i] = 0.5 * x[i] * (1 + std::tanh(inner));
  }
  // Where tanh comes near -1 its last place in fp16 is all that is left of the sum.
  expect_near(run("gelu", "out"), want, 1, 3);
}

// The largest value of each column over a group of four rows; the sum over the group is four times
// that.
TEST_F(KernelValues, InterTileReduce) {
  const Doubles x = give("in", "random(12):f16[8,128]");
  give("out", "zeros:f16[2,128]");
  Doubles want(2 * 128, -std::numeric_limits<double>::infinity());
  for (std::size_t r = 0; r < 8; ++r) {
    for (std::size_t c = 0; c < 128; ++c) {
      double& largest = want[r / 4 * 128 + c];
      largest = std::max(largest, x[r * 128 + c]);
    }
  }
  for (double& value : want) value *= 4;
  expect_near(run("inter_tile_reduce", "out"), want, 0, 2);
}

TEST_F(KernelValues, PagedAttention) {
  const Doubles q = give("query", "random(13):f16[4,64]");
  const Doubles k = give("keys", "random(14):f16[256,32,4,64]");
  const Doubles v = give("values", "random(15):f16[256,32,4,64]");
  const Doubles table = give("table", "integers(0,255,16):i32[64]");
  give("out", "zeros:f16[4,64]");
  give("pages", "5");
  give("length", "140");  // within the fifth page
  give("scale", "0.125");
  Doubles want(4 * 64, 0);
  for (std::size_t h = 0; h < 4; ++h) {
    const auto at = [&](std::size_t p, std::size_t d) {
      const auto page = static_cast<std::size_t>(table[p / 32]);
      return ((page * 32 + p % 32) * 4 + h) * 64 + d;
    };
    double sum = 0;
    for (std::size_t p = 0; p < 140; ++p) {
      double score = 0;
      for (std::size_t d = 0; d < 64; ++d) score += q[h * 64 + d] * k[at(p, d)];
      const double weight = std::exp(0.125 * score);
      sum += weight;
      for (std::size_t d = 0; d < 64; ++d) want[h * 64 + d] += weight * v[at(p, d)];
    }
    for (std::size_t d = 0; d < 64; ++d) want[h * 64 + d] /= sum;
  }
  expect_near(run("paged_attention", "out"), want, 0.1, 2);
}

// Eight cores of 128 GB/s in all: three tiles of 4 sticks at 16 B per cycle, one addition.
TEST_F(KernelValues, AnotherModelOfTimeStandsBesideTheCards) {
  give("a", "zeros:f16[2048]");
  give("b", "zeros:f16[2048]");
  give("sum", "zeros:f16[2048]");
  request.file = sample("add");
  request.text = models::read_text_file(request.file);
  runtime::KernelOptions options;
  const auto alone = run_kernel(request, spyre_card(), options).result;
  EXPECT_TRUE(alone.other_timings.empty());
  options.timing = runtime::Timing::ktir_cpu;
  const auto both = run_kernel(request, spyre_card(), options).result;
  ASSERT_EQ(both.other_timings.size(), 1U);
  EXPECT_EQ(both.other_timings[0].model, "ktir-cpu");
  EXPECT_DOUBLE_EQ(both.other_timings[0].cycles, 3 * 4 * 128.0 / 16 + 256.0 / 64);
  EXPECT_EQ(both.other_timings[0].dram_bytes, 3U * 4096);
  EXPECT_EQ(both.cycles, alone.cycles);
}

// The accelerator's own 16-bit format has a fraction bit less.
TEST_F(KernelValues, SpyreNumericsRoundCoarser) {
  const Doubles a = give("a", "random(1):f16[2048]");
  const Doubles b = give("b", "random(2):f16[2048]");
  give("sum", "zeros:f16[2048]");
  request.file = sample("add");
  request.text = models::read_text_file(request.file);
  runtime::KernelOptions options;
  options.numerics = models::Numerics::spyre;
  const auto got = runtime::to_doubles(run_kernel(request, spyre_card(), options).arrays.at("sum"));
  double largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double size = std::max({std::fabs(a[i]), std::fabs(b[i]), std::fabs(a[i] + b[i])});
    largest = std::max(largest, std::fabs(got[i] - (a[i] + b[i])) / size);
  }
  EXPECT_LE(largest, 3.0 / 1024);
  EXPECT_GT(largest, 1.0 / 2048);  // more than IEEE's rounding could leave
}

TEST(PublicKernels, RunAsTheSuiteExpectsWithAndWithoutValues) {
  const std::string directory = SPYRE_EMU_SOURCE_DIR "/../shared/ktir";
  if (!std::filesystem::is_directory(directory)) {
    GTEST_SKIP() << "the public KTIR files are not there: " << directory;
  }
  const runtime::KernelSuite suite = runtime::read_suite(runtime::shipped_suite());
  const auto runner = [](const runtime::KernelRequest& request,
                         const runtime::KernelOptions& options) {
    return runtime::run_kernel(request, spyre_card(), options);
  };
  runtime::SuiteOptions options;
  options.directory = directory;
  const auto with_values = run_suite(suite, runner, options);
  options.kernel.data = false;
  const auto without = run_suite(suite, runner, options);
  ASSERT_EQ(with_values.size(), without.size());
  for (std::size_t i = 0; i < with_values.size(); ++i) {
    EXPECT_NE(with_values[i].status, runtime::SuiteStatus::failed)
        << with_values[i].file << " (" << with_values[i].kernel << "): " << with_values[i].reason;
    EXPECT_EQ(with_values[i].cycles, without[i].cycles) << with_values[i].file;
  }
}

}  // namespace
}  // namespace spyre::e2e
