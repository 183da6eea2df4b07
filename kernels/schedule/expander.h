// Expands a schedule lazily into tile operations: the machine's ProgramSource.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/schedule/placement.h"
#include "kernels/schedule/schedule.h"
#include "models/isa/tile_op.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

/// Walks the launch list and, per core, the kernel's loops. Memory grows with cores and nesting,
/// not with trip counts.
class Expander final : public models::ProgramSource {
 public:
  /// All three must outlive the expander. The schedule must have passed read_schedule().
  Expander(const Schedule& schedule, const Placement& placement, const models::Machine& machine);
  ~Expander() override;

  bool next_launch(models::Launch& launch) override;
  bool next_op(unsigned core, models::TileOp& op) override;

  /// The schedule line that statement `statement` (TileOp::statement) of the current launch's
  /// kernel stands on.
  [[nodiscard]] const SourcePosition& position_of(std::uint32_t statement) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace spyre::kernels
