#include "models/formats/tile_math.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "models/formats/convert.h"
#include "models/formats/elementary.h"
#include "models/formats/vector_clones.h"

namespace spyre::models {
namespace {

constexpr std::size_t kReductionLanes = 64;
constexpr std::size_t kBlock =
    1024;  // elements rounded while they are still in the first-level cache

[[gnu::always_inline]] inline float larger(float x, float y) {
  return x > y || x != x ? x : y;
}
[[gnu::always_inline]] inline float smaller(float x, float y) {
  return x < y || x != x ? x : y;
}

template <class Function>
[[gnu::always_inline]] inline void for_each(std::size_t n, Function function) {
  for (std::size_t i = 0; i < n; ++i) function(i);
}

SPYRE_VECTOR_CLONES
void unary_block(UnaryOp op, const float* x, float* result, std::size_t n) {
  using std::size_t;
  switch (op) {
    case UnaryOp::copy:
      std::copy_n(x, n, result);
      break;
    case UnaryOp::neg:
      for_each(n, [=](size_t i) { result[i] = -x[i]; });
      break;
    case UnaryOp::abs:
      for_each(n, [=](size_t i) { result[i] = std::fabs(x[i]); });
      break;
    case UnaryOp::exp:
      for_each(n, [=](size_t i) { result[i] = elementary::exp(x[i]); });
      break;
    case UnaryOp::log:
      for_each(n, [=](size_t i) { result[i] = static_cast<float>(std::log(double{x[i]})); });
      break;
    case UnaryOp::sqrt:
      for_each(n, [=](size_t i) { result[i] = std::sqrt(x[i]); });
      break;
    case UnaryOp::rsqrt:
      for_each(n, [=](size_t i) { result[i] = static_cast<float>(1.0 / std::sqrt(double{x[i]})); });
      break;
    case UnaryOp::reciprocal:
      for_each(n, [=](size_t i) { result[i] = 1.0F / x[i]; });
      break;
    case UnaryOp::tanh:
      for_each(n, [=](size_t i) { result[i] = elementary::tanh(x[i]); });
      break;
    case UnaryOp::sigmoid:
      for_each(n, [=](size_t i) { result[i] = elementary::sigmoid(x[i]); });
      break;
    case UnaryOp::silu:
      for_each(n, [=](size_t i) { result[i] = elementary::silu(x[i]); });
      break;
    case UnaryOp::erf:
      for_each(n, [=](size_t i) { result[i] = static_cast<float>(std::erf(double{x[i]})); });
      break;
    case UnaryOp::gelu_tanh:
      for_each(n, [=](size_t i) { result[i] = elementary::gelu_tanh(x[i]); });
      break;
    case UnaryOp::gelu_erf:
      for_each(n, [=](size_t i) { result[i] = elementary::gelu_erf(x[i]); });
      break;
  }
}

/// `y(i)` is the second operand.
template <class Second>
[[gnu::always_inline]] inline void binary_block(BinaryOp op, const float* x, Second y,
                                                float* result, std::size_t n) {
  using std::size_t;
  switch (op) {
    case BinaryOp::add:
      for_each(n, [=](size_t i) { result[i] = x[i] + y(i); });
      break;
    case BinaryOp::sub:
      for_each(n, [=](size_t i) { result[i] = x[i] - y(i); });
      break;
    case BinaryOp::mul:
      for_each(n, [=](size_t i) { result[i] = x[i] * y(i); });
      break;
    case BinaryOp::div:
      for_each(n, [=](size_t i) { result[i] = x[i] / y(i); });
      break;
    case BinaryOp::max:
      for_each(n, [=](size_t i) { result[i] = larger(x[i], y(i)); });
      break;
    case BinaryOp::min:
      for_each(n, [=](size_t i) { result[i] = smaller(x[i], y(i)); });
      break;
  }
}

SPYRE_VECTOR_CLONES
void tile_block(BinaryOp op, const float* x, const float* y, float* result, std::size_t n) {
  binary_block(
      op, x, [y](std::size_t i) { return y[i]; }, result, n);
}

SPYRE_VECTOR_CLONES
void scalar_block(BinaryOp op, const float* x, float y, float* result, std::size_t n) {
  binary_block(
      op, x, [y](std::size_t) { return y; }, result, n);
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

/// Calls block(first, length) over cache-sized pieces of the result and rounds each.
template <class Block>
void in_blocks(Format format, std::span<float> result, Block block) {
  for (std::size_t i = 0; i < result.size(); i += kBlock) {
    const std::span<float> piece = result.subspan(i, std::min(kBlock, result.size() - i));
    block(i, piece);
    round_to(format, piece);
  }
}

void require_length(std::size_t length, std::size_t wanted) {
  if (length != wanted) throw std::invalid_argument("vector operation: lengths differ");
}

}  // namespace

void apply(UnaryOp op, Format format, std::span<const float> x, std::span<float> result) {
  require_length(x.size(), result.size());
  in_blocks(format, result, [&](std::size_t i, std::span<float> piece) {
    unary_block(op, &x[i], piece.data(), piece.size());
  });
}

void apply(BinaryOp op, Format format, std::span<const float> x, std::span<const float> y,
           std::span<float> result) {
  require_length(x.size(), result.size());
  require_length(y.size(), result.size());
  in_blocks(format, result, [&](std::size_t i, std::span<float> piece) {
    tile_block(op, &x[i], &y[i], piece.data(), piece.size());
  });
}

void apply(BinaryOp op, Format format, std::span<const float> x, float y, std::span<float> result) {
  require_length(x.size(), result.size());
  in_blocks(format, result, [&](std::size_t i, std::span<float> piece) {
    scalar_block(op, &x[i], y, piece.data(), piece.size());
  });
}

void reduce_rows(Reduction op, Format format, std::size_t columns, std::span<const float> x,
                 std::span<float> result) {
  require_length(x.size(), columns * result.size());
  for (std::size_t r = 0; r < result.size(); ++r) {
    result[r] = reduce_row(op, x.data() + r * columns, columns);
  }
  round_to(format, result);
}

}  // namespace spyre::models
