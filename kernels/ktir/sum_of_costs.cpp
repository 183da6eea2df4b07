#include "kernels/ktir/sum_of_costs.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/ktir/core_walk.h"

namespace spyre::kernels::ktir {
namespace {

/// Every core is walked: more than any accelerator of this kind has.
constexpr std::int64_t kMostCores = 1024;

std::string largest_of(const SumOfCosts::Core& core) {
  const double largest = std::max({core.compute(), core.memory, core.comm});
  if (largest == core.compute()) return "compute";
  return largest == core.memory ? "memory" : "comm";
}

}  // namespace

SumOfCosts sum_of_costs(const Module& module, const Function& function,
                        const BoundArguments& arguments, const ReadInteger& read) {
  const std::size_t wanted = function.body.arguments.size();
  if (arguments.size() != wanted) {
    throw models::InputError(fmt::format("'@{}' takes {} arguments, here are {}", function.name,
                                         wanted, arguments.size()),
                             module.position(function.where));
  }
  const std::int64_t cores = function.core_count();
  if (cores > kMostCores) {
    throw models::InputError(
        fmt::format("the grid has {} cores, at most {} are priced", cores, kMostCores),
        module.position(function.where));
  }
  WalkContext context{module, function, arguments, read, cores, 0, 0, 0, {}};
  SumOfCosts total;
  for (std::int64_t core = 0; core < cores; ++core) {
    total.cores.push_back(CoreWalk(context, core).run());
  }
  const auto slowest = std::ranges::max_element(total.cores, {}, &SumOfCosts::Core::cycles);
  total.critical_core = static_cast<std::size_t>(slowest - total.cores.begin());
  total.cycles = slowest->cycles();
  total.bottleneck = largest_of(*slowest);
  total.hbm_bytes = context.hbm_bytes;
  total.flops = context.flops;
  return total;
}

}  // namespace spyre::kernels::ktir
