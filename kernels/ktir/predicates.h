// The comparisons of arith.cmpi and arith.cmpf, in the order of the numbers that MLIR's generic
// form writes for them.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "kernels/ktir/op_table.h"

namespace spyre::kernels::ktir {

inline constexpr std::array<std::string_view, 10> kIntegerPredicates{
    "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
inline constexpr std::array<std::string_view, 16> kFloatPredicates{
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
    "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};

/// The predicates of arith.cmpi or arith.cmpf.
inline std::span<const std::string_view> predicates_of(OpCode code) {
  if (code == OpCode::arith_cmpi) return kIntegerPredicates;
  return kFloatPredicates;
}

}  // namespace spyre::kernels::ktir
