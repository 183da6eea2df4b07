// What a function's arguments stand for in one run: known before the kernel is lowered or priced.
#pragma once

#include <cstdint>
#include <vector>

namespace spyre::kernels::ktir {

struct BoundArgument {
  enum class Kind { pointer, integer, real };
  Kind kind = Kind::integer;
  /// pointer: the position in DRAM in elements of the array that is bound (byte address / element
  /// size), as construct_memory_view counts; integer (and index): the number.
  std::int64_t integer = 0;
  double real = 0;          ///< real
  std::uint64_t bytes = 0;  ///< pointer: how large the array is
};

/// One per argument of the function, in their order.
using BoundArguments = std::vector<BoundArgument>;

}  // namespace spyre::kernels::ktir
