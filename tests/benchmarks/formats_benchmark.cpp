// Speed of the arithmetic behind the data plane, on one core: products, elementwise functions,
// conversions.
//
// usage: formats_benchmark [seconds per figure, default 0.2]
#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "models/formats/convert.h"
#include "models/formats/elementwise.h"
#include "models/formats/matmul.h"
#include "models/formats/reductions.h"

namespace spyre::models {
namespace {

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Seconds of one call, the mean over `budget` seconds after one call to warm up.
template <class Call>
double seconds_of(double budget, Call call) {
  call();
  const double start = cpu_seconds();
  double elapsed = 0.0;
  std::size_t calls = 0;
  while (elapsed < budget) {
    call();
    ++calls;
    elapsed = cpu_seconds() - start;
  }
  return elapsed / static_cast<double>(calls);
}

std::vector<float> values(std::size_t n) {
  std::vector<float> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    result[i] = static_cast<float>(i * 2654435761U % 4096) / 512.0F - 4.0F;
  }
  return result;
}

void products(double budget) {
  for (const MatmulShape shape :
       {MatmulShape{64, 128, 512}, MatmulShape{64, 64, 64}, MatmulShape{512, 512, 512},
        MatmulShape{64, 2048, 8192}, MatmulShape{1, 128, 4096}, MatmulShape{127, 131, 509}}) {
    const std::vector<float> a = values(shape.m * shape.k);
    const std::vector<float> b = values(shape.k * shape.n);
    std::vector<float> c(shape.m * shape.n);
    const double seconds =
        seconds_of(budget, [&] { matmul(shape, a, b, c, {.result = Format::fp16}); });
    const double flop = 2.0 * static_cast<double>(shape.m * shape.n) * static_cast<double>(shape.k);
    fmt::print("matmul {:4}x{:4}x{:4}  {:7.2f} GFLOP/s\n", shape.m, shape.n, shape.k,
               flop / seconds / 1e9);
  }
}

void conversions(double budget, std::size_t n) {
  std::vector<float> floats = values(n);
  std::vector<std::byte> codes(n * sizeof(float));
  for (const Format format : {Format::fp16, Format::bf16, Format::dl16, Format::fp8_e4m3,
                              Format::fp8_e5m2, Format::int8, Format::int4}) {
    const double encoding = seconds_of(budget, [&] { encode(format, floats, codes); });
    const double decoding = seconds_of(budget, [&] { decode(format, codes, floats); });
    const double rounding = seconds_of(budget, [&] { round_to(format, floats); });
    const auto rate = [n](double seconds) { return static_cast<double>(n) / seconds / 1e9; };
    fmt::print("{:9} encode {:6.2f}  decode {:6.2f}  round {:6.2f} G/s\n", to_string(format),
               rate(encoding), rate(decoding), rate(rounding));
  }
}

void elementwise(double budget, std::size_t n) {
  const std::vector<float> x = values(n);
  std::vector<float> y(n);
  const auto print = [n](const char* name, double seconds) {
    fmt::print("{:14} fp16  {:6.2f} G elements/s\n", name, static_cast<double>(n) / seconds / 1e9);
  };
  const auto apply = [&](VectorFunction function, std::span<const float> second) {
    Operands<float> operands;
    operands[0] = {x, 1, n};
    operands[1] = {second, 1, second.size()};
    apply_elementwise(function, operands, n, y);
    round_to(Format::fp16, y);
  };
  const auto unary = [&](const char* name, VectorFunction function) {
    print(name, seconds_of(budget, [&] { apply(function, {}); }));
  };
  const std::vector<float> factor{0.125F};
  print("add", seconds_of(budget, [&] { apply(VectorFunction::add, x); }));
  print("scale", seconds_of(budget, [&] { apply(VectorFunction::mul, factor); }));
  unary("exp", VectorFunction::exp);
  unary("tanh", VectorFunction::tanh);
  unary("silu", VectorFunction::silu);
  unary("gelu (tanh)", VectorFunction::gelu);
  unary("rsqrt", VectorFunction::rsqrt);
  std::vector<float> rows(n / 1024);
  const std::span<const float> tile(x.data(), rows.size() * 1024);
  print("row sum",
        seconds_of(budget, [&] { reduce_rows(Reduction::sum, Format::fp16, 1024, tile, rows); }));
  print("row max",
        seconds_of(budget, [&] { reduce_rows(Reduction::max, Format::fp16, 1024, tile, rows); }));
}

}  // namespace
}  // namespace spyre::models

int main(int argc, char** argv) {
  const double budget = argc > 1 ? std::atof(argv[1]) : 0.2;
  spyre::models::products(budget);
  spyre::models::conversions(budget, 65536);
  spyre::models::elementwise(budget, 65536);
}
