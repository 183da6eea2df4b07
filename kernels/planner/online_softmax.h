// The steps of an online softmax over tiles of keys, as statements on fixed buffer names.
//
// Scores are computed transposed, [tokens, queries] = K q^T, so that the K tile is used as it lies
// in the cache; the probabilities are transposed back before they meet V. softmax_step keeps the
// running maximum, sum and correction of every column in the rows of "state"; its transpose "scale"
// has them per row of the result "o".
#pragma once

#include "kernels/planner/schedule_builder.h"

namespace spyre::kernels {

/// Running maximum, running sum, and the factor by which the last step scales what was summed
/// before.
inline constexpr std::int64_t kStateRows = 3;

/// Columns of "state", and rows of "scale" and "o", that belong to the scores at hand.
struct SoftmaxPlace {
  Index column = 0;  ///< of "state"
  Index row = 0;     ///< of "scale" and "o"
  std::int64_t queries = 0;
  double scale = 1;  ///< of the scores
};

/// "scores" to probabilities: "p", and transposed "pt". The state starts where `first` holds.
void add_softmax(KernelBuilder& kernel, const SoftmaxPlace& place, const Index& first);

/// Adds "pv" to "o": starts it where `first` holds, rescales and adds where `later` does.
void add_weighted_values(KernelBuilder& kernel, const SoftmaxPlace& place, const Index& first,
                         const Index& later);

/// "o" divided by the sums, rows from `row`, into `into`.
void add_softmax_result(KernelBuilder& kernel, const Local& into, const Index& row,
                        const Index& rows, std::int64_t head_dim);

/// Sums of other cores, over keys of their own, that have arrived in "o_in" and "scale_in", `rows`
/// of each, one part below the other: adds them to "o" and "scale". Each is relative to its own
/// maximum, so both sides are first multiplied with exp(own maximum - the larger one).
void add_combination_of(KernelBuilder& kernel, std::int64_t parts, const Index& rows,
                        std::int64_t head_dim);
/// What that needs beside "o", "scale", "o_in" and "scale_in".
void add_combination_buffers(KernelBuilder& kernel, std::int64_t rows);

}  // namespace spyre::kernels
