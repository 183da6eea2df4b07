// What `--timing ktir-cpu` prints.
#pragma once

#include <string>

#include "kernels/ktir/sum_of_costs.h"

namespace spyre::runtime {

[[nodiscard]] std::string sum_of_costs_text(const kernels::ktir::SumOfCosts& costs);

}  // namespace spyre::runtime
