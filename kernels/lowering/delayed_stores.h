// Lets a loop's loads run ahead of its stores.
//
// Loads and stores leave a core in program order, so a store that waits for a result holds up the
// next turn's loads. Where it is safe, a turn's store moves behind the next turn's loads, and the
// last turn's behind the loop.
#pragma once

#include <set>
#include <string>

#include "kernels/lowering/program.h"

namespace spyre::kernels::lowering {

/// Rewrites the innermost loops of the kernel that load, compute and store, where no load may read
/// what a delayed store writes. Gives the buffers that the delayed stores read.
std::set<std::string> delay_stores(Kernel& kernel, const Program& program);

}  // namespace spyre::kernels::lowering
