// The vector unit's functions that work on whole rows: norms, rotary embedding, the steps of an
// online softmax.
//
// Modelled: sums and means in fp32 over a row in the order of formats/reductions.h; one rounding to
// the result's format at the end, by the caller. Sources: RMSNorm Zhang and Sennrich 2019;
// LayerNorm Ba et al. 2016; RoPE Su et al. 2021 in the half-rotated form of the Llama checkpoints;
// online softmax Milakov and Gimelshein 2018.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spyre::models {

/// A dense tile of numbers, row by row.
struct Rows {
  std::span<const float> values;
  std::size_t rows = 0, columns = 0;

  [[nodiscard]] std::span<const float> row(std::size_t index) const {
    return values.subspan((rows == 1 ? 0 : index) * columns, columns);
  }
};

inline constexpr float kDefaultEpsilon = 1e-5F;

/// y = x / sqrt(mean(x^2) + epsilon) * weight; weight is one row.
void rmsnorm(const Rows& x, const Rows& weight, float epsilon, std::span<float> y);
/// y = (x - mean) / sqrt(variance + epsilon) * weight + bias, of the whole population.
void layernorm(const Rows& x, const Rows& weight, const Rows& bias, float epsilon,
               std::span<float> y);
/// For each row of heads of `angles.columns` elements: (a, b), the halves of a head, become
/// (a cos - b sin, b cos + a sin); `angles` holds the cosines in its first half and the sines in
/// its second, one row, or one row per row of x.
void rope(const Rows& x, const Rows& angles, std::span<float> y);

/// One step of an online softmax. Scores are transposed: each column is a query, its rows are the
/// keys at hand. `state` has three rows of as many columns: running maximum, running sum, and the
/// factor by which what was summed before must be multiplied. p = exp(scale * score - new maximum).
/// A state that starts anew holds a lower bound of the maximum (a score, or -infinity) and sum 0.
void softmax_step(const Rows& scores, float scale, std::span<float> state, std::span<float> p);
/// y[r, :] = x[r, :] / state[r, 1]; state holds maximum, sum and correction in the columns of row
/// r.
void softmax_finish(const Rows& x, const Rows& state, std::span<float> y);
/// y[r, :] = y[r, :] * state[r, 2] + x[r, :].
void rescale_add(const Rows& x, const Rows& state, std::span<float> y);

}  // namespace spyre::models
