#include "models/formats/matmul.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "models/formats/convert.h"
#include "models/formats/vector_clones.h"

namespace spyre::models {
namespace {

constexpr std::size_t kLanes = 4;  // 16 bytes: what every x86-64 and ARM processor has
constexpr std::size_t kVectors = 2;
constexpr std::size_t kPanelColumns = kLanes * kVectors;
constexpr std::size_t kPanelRows =
    256;  // a panel of B is 8 KiB: a quarter of a common first-level cache
constexpr std::size_t kRows = 4;

using Vector = float __attribute__((vector_size(kLanes * sizeof(float))));

/// kPanelColumns columns of B, up to kPanelRows rows.
struct Panel {
  const float* values;
  std::size_t pitch;
  std::size_t rows;
};

struct Block {
  const float* a;
  std::size_t a_pitch;
  float* c;
  std::size_t c_pitch;
  std::size_t columns;
};

template <std::size_t Rows>
[[gnu::always_inline]] inline void multiply_rows(const Block& block, const Panel& panel) {
  Vector sums[Rows][kVectors] = {};
  const std::size_t bytes = block.columns * sizeof(float);
  for (std::size_t r = 0; r < Rows; ++r) std::memcpy(sums[r], block.c + r * block.c_pitch, bytes);
  for (std::size_t k = 0; k < panel.rows; ++k) {
    Vector b[kVectors];
    std::memcpy(b, panel.values + k * panel.pitch, sizeof(b));
    for (std::size_t r = 0; r < Rows; ++r) {
      const float a = block.a[r * block.a_pitch + k];
      for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] += b[v] * a;
    }
  }
  for (std::size_t r = 0; r < Rows; ++r) std::memcpy(block.c + r * block.c_pitch, sums[r], bytes);
}

/// Adds the products of columns k0 to k1 of A and rows k0 to k1 of B.
SPYRE_VECTOR_CLONES
void add_products(MatmulShape shape, const float* a, const float* b, float* c, std::size_t k0,
                  std::size_t k1) {
  alignas(64) float packed[kPanelRows * kPanelColumns];
  for (std::size_t k = k0; k < k1; k += kPanelRows) {
    const std::size_t depth = std::min(kPanelRows, k1 - k);
    for (std::size_t j = 0; j < shape.n; j += kPanelColumns) {
      const std::size_t columns = std::min(kPanelColumns, shape.n - j);
      Panel panel{b + k * shape.n + j, shape.n, depth};
      // Few rows read B once: a copy would cost as much as the product.
      if (shape.m > kRows || columns < kPanelColumns) {
        for (std::size_t r = 0; r < depth; ++r) {
          float* to = packed + r * kPanelColumns;
          std::copy_n(panel.values + r * shape.n, columns, to);
          std::fill(to + columns, to + kPanelColumns, 0.0F);
        }
        panel = {packed, kPanelColumns, depth};
      }
      std::size_t i = 0;
      Block block{a + k, shape.k, c + j, shape.n, columns};
      for (; i + kRows <= shape.m; i += kRows) {
        multiply_rows<kRows>(block, panel);
        block.a += kRows * shape.k;
        block.c += kRows * shape.n;
      }
      for (; i < shape.m; ++i) {
        multiply_rows<1>(block, panel);
        block.a += shape.k;
        block.c += shape.n;
      }
    }
  }
}

SPYRE_VECTOR_CLONES
void add_integer_products(MatmulShape shape, const std::int8_t* a, const std::int8_t* b,
                          std::uint32_t* c) {
  for (std::size_t i = 0; i < shape.m; ++i) {
    for (std::size_t k = 0; k < shape.k; ++k) {
      const std::int32_t factor = a[i * shape.k + k];
      for (std::size_t j = 0; j < shape.n; ++j) {
        c[i * shape.n + j] += static_cast<std::uint32_t>(factor * b[k * shape.n + j]);
      }
    }
  }
}

void require_sizes(MatmulShape shape, std::size_t a, std::size_t b, std::size_t c) {
  if (a != shape.m * shape.k || b != shape.k * shape.n || c != shape.m * shape.n) {
    throw std::invalid_argument("matmul: an operand is not as long as the shape says");
  }
}

}  // namespace

void matmul(MatmulShape shape, std::span<const float> a, std::span<const float> b,
            std::span<float> c, Accumulation accumulation) {
  require_sizes(shape, a.size(), b.size(), c.size());
  if (!accumulation.accumulate) std::fill(c.begin(), c.end(), 0.0F);
  const std::size_t step = accumulation.k_block == 0 ? shape.k : accumulation.k_block;
  for (std::size_t k = 0; k < shape.k; k += step) {
    add_products(shape, a.data(), b.data(), c.data(), k, std::min(shape.k, k + step));
    round_to(accumulation.result, c);
  }
  if (shape.k == 0) round_to(accumulation.result, c);
}

void matmul(MatmulShape shape, std::span<const std::int8_t> a, std::span<const std::int8_t> b,
            std::span<std::int32_t> c, bool accumulate) {
  require_sizes(shape, a.size(), b.size(), c.size());
  if (!accumulate) std::fill(c.begin(), c.end(), 0);
  // Sums wrap around, so they are made without sign.
  add_integer_products(shape, a.data(), b.data(), reinterpret_cast<std::uint32_t*>(c.data()));
}

}  // namespace spyre::models
