// Gives every buffer of a lowered kernel its place in LX.
//
// Buffers with disjoint lives share a region: one place, as large as the largest of them. Tiles
// that loops load, and results whose store is delayed, get a second slot and a place of their own
// as long as there is room. Places that the kernel itself names in LX (ct_local views) stay free.
#pragma once

#include <set>
#include <string>

#include "kernels/lowering/program.h"
#include "models/machine/machine.h"

namespace spyre::kernels::lowering {

/// Bytes of one slot.
[[nodiscard]] std::int64_t slot_bytes(const Buffer& buffer, const models::Machine& machine);

/// Sets addresses, regions and slots, and removes buffers that nothing touches. `delayed` are the
/// buffers whose stores come a turn late. Throws InputError (rule lx-capacity) where what is needed
/// at once does not fit.
void allocate_lx(Kernel& kernel, const Program& program, const std::set<std::string>& delayed,
                 const models::Machine& machine, bool double_buffer);

}  // namespace spyre::kernels::lowering
