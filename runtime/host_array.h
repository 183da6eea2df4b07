// An array on the host: what a run takes in and gives back. Row-major, little endian, dense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ktir/type.h"

namespace spyre::runtime {

struct HostArray {
  kernels::ktir::ScalarType element;
  std::vector<std::int64_t> shape;  ///< elements; empty: one element
  std::vector<std::byte> bytes;     ///< i1 takes a byte, every other type its width

  [[nodiscard]] std::int64_t elements() const;
};

/// Bytes of one element in memory, i1 counted as one byte.
[[nodiscard]] std::int64_t element_bytes(const kernels::ktir::ScalarType& element);

}  // namespace spyre::runtime
