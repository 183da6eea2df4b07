// The duration of a kernel as ktir-cpu reports it: a sum of prices, core by core. The timing policy
// 'ktir-cpu'.
//
// Modelled: every core runs the function with its own tile id and adds up the price of each
// operation it meets: matmuls, SIMD steps, sticks of DRAM over an equal share of the bandwidth,
// bytes on the ring. Nothing overlaps. The kernel takes as long as its slowest core.
//
// Not modelled, because ktir-cpu does not: waiting for another core, contention in time, overlap,
// start-up, banks, LX accesses, casts and layout changes. It is a yardstick to compare with, not a
// prediction for a card.
//
// Source: ktir.md 3.1 to 3.3; rules that the text leaves open were worked out from the figures of
// 5.2 (docs/ktir_cpu_timing.md lists them).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ktir/arguments.h"
#include "kernels/ktir/ir.h"
#include "kernels/ktir/memory_view.h"

namespace spyre::kernels::ktir {

struct SumOfCosts {
  /// Cycles of one core, by what they went into.
  struct Core {
    double matmul = 0;
    double simd = 0;
    double transcendental = 0;
    double integer = 0;
    double memory = 0;
    double comm = 0;

    [[nodiscard]] double compute() const { return matmul + simd + transcendental + integer; }
    [[nodiscard]] double cycles() const { return compute() + memory + comm; }
  };

  double cycles = 0;              ///< of the slowest core
  std::size_t critical_core = 0;  ///< the first of the slowest
  std::string bottleneck;         ///< of that core: "compute", "memory" or "comm"
  std::int64_t hbm_bytes = 0;     ///< of all cores, in whole sticks
  std::int64_t flops = 0;         ///< of all cores
  std::vector<Core> cores;        ///< by linear core number

  [[nodiscard]] const Core& critical() const { return cores[critical_core]; }
};

/// Prices one run of the function. Integers in DRAM that decide addresses, bounds or conditions are
/// asked of `read`, which knows what lies there before the run. Throws InputError, with the place,
/// for an operation that ktir-cpu does not run and for an address, bound or condition that depends
/// on other data.
[[nodiscard]] SumOfCosts sum_of_costs(const Module& module, const Function& function,
                                      const BoundArguments& arguments, const ReadInteger& read);

}  // namespace spyre::kernels::ktir
