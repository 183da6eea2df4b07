// Matrix product over float scratch, as the matrix unit's arithmetic: products and sums in fp32,
// rounded to the result's format once at the end or after every block of k.
//
// Modelled: the order of the sum. Each element of C starts at its old value (or 0) and adds its
// products for k = 0, 1, 2
// ... one after the other, so a product cut into tiles along k gives the same bits as the whole,
// and every processor the same bits as every other. Not modelled: the real array's order and
// accumulator width, which are not public.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "models/formats/format.h"

namespace spyre::models {

/// C[m,n] (+)= A[m,k] B[k,n], all row-major and dense.
struct MatmulShape {
  std::size_t m = 0, n = 0, k = 0;
};

struct Accumulation {
  bool accumulate = false;       ///< C keeps its old value as the first term
  Format result = Format::fp32;  ///< what C is rounded to
  std::size_t k_block = 0;  ///< C is rounded after every so many products too; 0 = at the end only
};

/// Operands must be as long as the shape says, else std::invalid_argument. C may not overlap A or
/// B.
void matmul(MatmulShape shape, std::span<const float> a, std::span<const float> b,
            std::span<float> c, Accumulation accumulation = {});

/// The same with integer operands and 32-bit sums that wrap around.
void matmul(MatmulShape shape, std::span<const std::int8_t> a, std::span<const std::int8_t> b,
            std::span<std::int32_t> c, bool accumulate = false);

}  // namespace spyre::models
