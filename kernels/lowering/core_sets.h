// Formulas of `core` for sets of cores: who belongs to one, and the place of each in its group.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ktir/affine.h"
#include "kernels/lowering/integer.h"

namespace spyre::kernels::lowering {

using Cores = std::vector<std::int64_t>;  ///< ascending
using Groups = std::vector<Cores>;

/// 1 on the cores of any of the groups, of `count` cores in all.
[[nodiscard]] Integer membership(const Groups& groups, std::int64_t count);
/// On each core of a group what `values` holds for it (in the shape of the groups); anything
/// elsewhere.
[[nodiscard]] Integer chosen(const Groups& groups, const Groups& values, std::int64_t count);
/// On each core of a group its place in the group.
[[nodiscard]] Integer rank(const Groups& groups, std::int64_t count);
/// On each core of a group the group's value.
[[nodiscard]] Integer per_group(const Groups& groups, const std::vector<std::int64_t>& values,
                                std::int64_t count);
/// The cores below `count` that the set holds with these symbols.
[[nodiscard]] Cores cores_of(const ktir::IntegerSet& set, std::vector<std::int64_t> symbols,
                             std::int64_t count);

}  // namespace spyre::kernels::lowering
