#include "models/data/composite_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "models/formats/elementary.h"
#include "models/formats/reductions.h"

namespace spyre::models {
namespace {

float sum_of(Reduction reduction, std::span<const float> row) {
  std::array<float, 1> sum{};
  reduce_rows(reduction, Format::fp32, row.size(), row, sum);
  return sum[0];
}

}  // namespace

void rmsnorm(const Rows& x, const Rows& weight, float epsilon, std::span<float> y) {
  for (std::size_t r = 0; r < x.rows; ++r) {
    const std::span<const float> row = x.row(r);
    const float mean = sum_of(Reduction::sum_of_squares, row) /
                       static_cast<float>(std::max<std::size_t>(x.columns, 1));
    const float factor = 1.0F / std::sqrt(mean + epsilon);
    const std::span<const float> w = weight.row(r);
    for (std::size_t c = 0; c < x.columns; ++c) y[r * x.columns + c] = row[c] * factor * w[c];
  }
}

void layernorm(const Rows& x, const Rows& weight, const Rows& bias, float epsilon,
               std::span<float> y) {
  const auto count = static_cast<float>(std::max<std::size_t>(x.columns, 1));
  std::vector<float> centred(x.columns);
  for (std::size_t r = 0; r < x.rows; ++r) {
    const std::span<const float> row = x.row(r);
    const float mean = sum_of(Reduction::sum, row) / count;
    for (std::size_t c = 0; c < x.columns; ++c) centred[c] = row[c] - mean;
    const float variance = sum_of(Reduction::sum_of_squares, centred) / count;
    const float factor = 1.0F / std::sqrt(variance + epsilon);
    const std::span<const float> w = weight.row(r);
    const std::span<const float> b = bias.row(r);
    for (std::size_t c = 0; c < x.columns; ++c) {
      y[r * x.columns + c] = centred[c] * factor * w[c] + b[c];
    }
  }
}

void rope(const Rows& x, const Rows& angles, std::span<float> y) {
  const std::size_t head = angles.columns;
  const std::size_t half = head / 2;
  for (std::size_t r = 0; r < x.rows; ++r) {
    const std::span<const float> cosine = angles.row(r).first(half);
    const std::span<const float> sine = angles.row(r).subspan(half, half);
    for (std::size_t first = 0; head > 0 && first + head <= x.columns; first += head) {
      const std::span<const float> in = x.row(r).subspan(first, head);
      const std::span<float> out = y.subspan(r * x.columns + first, head);
      for (std::size_t i = 0; i < half; ++i) {
        const float a = in[i];
        const float b = in[i + half];
        out[i] = a * cosine[i] - b * sine[i];
        out[i + half] = b * cosine[i] + a * sine[i];
      }
    }
  }
}

void softmax_step(const Rows& scores, float scale, std::span<float> state, std::span<float> p) {
  const std::size_t columns = scores.columns;
  const std::span<float> maximum = state.first(columns);
  const std::span<float> sum = state.subspan(columns, columns);
  const std::span<float> correction = state.subspan(2 * columns, columns);
  for (std::size_t c = 0; c < columns; ++c) {
    float highest = maximum[c];
    for (std::size_t r = 0; r < scores.rows; ++r) {
      highest = std::max(highest, scores.values[r * columns + c] * scale);
    }
    // Where every key so far is masked there is nothing to correct.
    const bool none = highest == -std::numeric_limits<float>::infinity();
    correction[c] = none ? 1.0F : elementary::exp(maximum[c] - highest);
    maximum[c] = highest;
    float added = 0;
    for (std::size_t r = 0; r < scores.rows; ++r) {
      const float score = scores.values[r * columns + c] * scale;
      const float probability = none ? 0.0F : elementary::exp(score - highest);
      p[r * columns + c] = probability;
      added += probability;
    }
    sum[c] = sum[c] * correction[c] + added;
  }
}

void softmax_finish(const Rows& x, const Rows& state, std::span<float> y) {
  for (std::size_t r = 0; r < x.rows; ++r) {
    const float sum = state.row(r)[1];
    for (std::size_t c = 0; c < x.columns; ++c) y[r * x.columns + c] = x.row(r)[c] / sum;
  }
}

void rescale_add(const Rows& x, const Rows& state, std::span<float> y) {
  for (std::size_t r = 0; r < x.rows; ++r) {
    const float correction = state.row(r)[2];
    for (std::size_t c = 0; c < x.columns; ++c) {
      float& element = y[r * x.columns + c];
      element = element * correction + x.row(r)[c];
    }
  }
}

}  // namespace spyre::models
