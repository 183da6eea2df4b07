// A kernel's arguments bound to what a run gives for them: arrays to places in DRAM, numbers to
// numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/ktir/arguments.h"
#include "kernels/ktir/ir.h"
#include "runtime/argument_spec.h"

namespace spyre::runtime {

/// An array argument in DRAM.
struct PlacedArray {
  std::string name;
  std::uint64_t address = 0;  ///< bytes
  const HostArray* array = nullptr;
};

struct KernelBinding {
  kernels::ktir::BoundArguments arguments;  ///< in the order of the function's arguments
  std::vector<PlacedArray> arrays;
};

/// The only function, or the one of that name. Throws InputError that lists the functions.
[[nodiscard]] const kernels::ktir::Function& choose_function(const kernels::ktir::Module& module,
                                                             const std::string& name);

/// Places arrays one after the other from `first_address` on. Throws InputError for a missing or
/// unknown argument, an array where a number belongs, and an array whose element type or size does
/// not fit a view of it.
[[nodiscard]] KernelBinding bind_arguments(const kernels::ktir::Module& module,
                                           const kernels::ktir::Function& function,
                                           const std::map<std::string, ArgumentValue>& values,
                                           std::uint64_t first_address);

/// Element type and sizes of the first view that starts at argument `name`; dynamic sizes from
/// `integers`, which are arguments. Nothing where the text does not say.
[[nodiscard]] std::optional<ArrayType> viewed_as(
    const kernels::ktir::Function& function, const std::string& name,
    const std::map<std::string, std::int64_t>& integers);

}  // namespace spyre::runtime
