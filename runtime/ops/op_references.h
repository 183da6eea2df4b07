// What the kernels of our own should compute, by the reference name in their registry: plain loops
// in double precision over whole arrays. Where the suite of KTIR kernels has the same family, its
// reference is used.
//
// Modelled: the mathematical meaning. Not modelled: types, rounding, tiles, the order of sums.
#pragma once

#include <functional>
#include <string>

#include "kernels/ops/registry.h"
#include "runtime/suite/references.h"

namespace spyre::runtime {

/// Outputs by tensor name, of the shapes that the plan's tensors have.
using OpReference =
    std::function<ReferenceArrays(const ReferenceArrays& inputs, const kernels::OpSizes& sizes)>;

/// Throws std::invalid_argument for a name that there is not: a mistake in the registry.
[[nodiscard]] const OpReference& op_reference(const std::string& name);

// By file.
using NamedOpReference = std::pair<std::string, OpReference>;
[[nodiscard]] std::vector<NamedOpReference> array_op_references();
[[nodiscard]] std::vector<NamedOpReference> elementwise_op_references();
[[nodiscard]] std::vector<NamedOpReference> attention_op_references();

}  // namespace spyre::runtime
