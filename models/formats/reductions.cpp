#include "models/formats/reductions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "models/formats/convert.h"
#include "models/formats/vector_clones.h"

namespace spyre::models {
namespace {

constexpr std::size_t kReductionLanes = 64;

[[gnu::always_inline]] inline float larger(float x, float y) {
  return x > y || x != x ? x : y;
}
[[gnu::always_inline]] inline float smaller(float x, float y) {
  return x < y || x != x ? x : y;
}

template <class Combine, class Term>
[[gnu::always_inline]] inline float reduced(const float* x, std::size_t n, float neutral,
                                            Combine combine, Term term) {
  std::array<float, kReductionLanes> lanes;
  lanes.fill(neutral);
  std::size_t i = 0;
  for (; i + kReductionLanes <= n; i += kReductionLanes) {
    for (std::size_t lane = 0; lane < kReductionLanes; ++lane) {
      lanes[lane] = combine(lanes[lane], term(x[i + lane]));
    }
  }
  for (std::size_t lane = 0; i + lane < n; ++lane) {
    lanes[lane] = combine(lanes[lane], term(x[i + lane]));
  }
  for (std::size_t apart = kReductionLanes / 2; apart > 0; apart /= 2) {
    for (std::size_t lane = 0; lane < apart; ++lane) {
      lanes[lane] = combine(lanes[lane], lanes[lane + apart]);
    }
  }
  return lanes[0];
}

SPYRE_VECTOR_CLONES
float reduce_row(Reduction op, const float* x, std::size_t n) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto add = [](float a, float b) { return a + b; };
  const auto same = [](float a) { return a; };
  switch (op) {
    case Reduction::sum:
      return reduced(x, n, 0.0F, add, same);
    case Reduction::sum_of_squares:
      return reduced(x, n, 0.0F, add, [](float a) { return a * a; });
    case Reduction::max:
      return reduced(x, n, -kInfinity, larger, same);
    case Reduction::min:
      return reduced(x, n, kInfinity, smaller, same);
  }
  return 0.0F;
}

void require_length(std::size_t length, std::size_t wanted) {
  if (length != wanted) throw std::invalid_argument("vector operation: lengths differ");
}

}  // namespace

void reduce_rows(Reduction op, Format format, std::size_t columns, std::span<const float> x,
                 std::span<float> result) {
  require_length(x.size(), columns * result.size());
  for (std::size_t r = 0; r < result.size(); ++r) {
    result[r] = reduce_row(op, x.data() + r * columns, columns);
  }
  round_to(format, result);
}

}  // namespace spyre::models
