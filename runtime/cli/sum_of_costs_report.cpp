#include "runtime/cli/sum_of_costs_report.h"

#include <fmt/format.h>

namespace spyre::runtime {

std::string sum_of_costs_text(const kernels::ktir::SumOfCosts& costs) {
  const auto& core = costs.critical();
  std::string text =
      fmt::format("\n  ktir-cpu sum of costs {:.4f} cycles of 1 ns on core {} of {}, bound by {}\n",
                  costs.cycles, costs.critical_core, costs.cores.size(), costs.bottleneck);
  text += fmt::format(
      "    matmul {:.4f} + SIMD {:.4f} + transcendental {:.4f} + integer {:.4f}\n"
      "    + memory {:.4f} + ring {:.4f}\n",
      core.matmul, core.simd, core.transcendental, core.integer, core.memory, core.comm);
  text += fmt::format("    all cores: {} B of DRAM, {} operations\n", costs.hbm_bytes, costs.flops);
  return text;
}

}  // namespace spyre::runtime
