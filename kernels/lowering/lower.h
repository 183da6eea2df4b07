// From a KTIR kernel and its arguments to a tile schedule of one kernel and one launch.
//
// Modelled: what a compiler has to decide between the two languages: which tile holds which tensor
// and where in LX, which operations need no work (reshapes, broadcasts, repeated rows), in-place
// updates, double buffering, loads that can leave a loop, and stores that give way to the next
// turn's loads. Arithmetic is taken over operation by operation, each result rounded to its type.
// Not modelled: fusion that would change roundings, tilings other than the kernel's own.
#pragma once

#include "kernels/ktir/arguments.h"
#include "kernels/ktir/ir.h"
#include "kernels/schedule/schedule.h"
#include "models/machine/machine.h"

namespace spyre::kernels::lowering {

struct LoweringOptions {
  bool hoist_loads = true;    ///< loads that are the same in every turn move in front of the loop
  bool delay_stores = true;   ///< a turn's store comes after the next turn's loads
  bool double_buffer = true;  ///< tiles loaded in loops get two slots where LX has room
};

/// One kernel, one launch. The arguments are known numbers: what depends on them alone is computed
/// here. Throws InputError with positions in the KTIR file.
[[nodiscard]] Schedule lower(const ktir::Module& module, const ktir::Function& function,
                             const ktir::BoundArguments& arguments, const models::Machine& machine,
                             const LoweringOptions& options = {});

}  // namespace spyre::kernels::lowering
