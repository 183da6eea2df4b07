// The device layout that a tensor has unless its schedule says otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/schedule/schedule.h"

namespace spyre::kernels {

/// Elements of `type` in one stick of `stick_bytes`.
[[nodiscard]] constexpr std::int64_t stick_elements(DataType type, std::int64_t stick_bytes) {
  return stick_bytes * 8 / models::bits(type);
}

/// Leading dims in order, the sticks of the last dim, the last but one dim: [l, k, n] gives [l,
/// n/64, k].
[[nodiscard]] std::vector<LayoutDim> default_layout(std::size_t rank, std::int64_t elements);

}  // namespace spyre::kernels
