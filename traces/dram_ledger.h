// Who moved which bytes: the exact ledger of DRAM traffic by tensor, kind and launch.
//
// One bit per DRAM stick says "read since it was last written". A first read counts as useful,
// apart from what lies in the stick beyond the tensor's logical edge (padding); a further read is a
// re-read. A write makes its sticks fresh. Traffic that belongs to no tensor does not exist: every
// request names one.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/schedule/placement.h"
#include "kernels/schedule/schedule.h"
#include "models/events/observer.h"
#include "models/machine/machine.h"
#include "traces/run_result.h"

namespace spyre::traces {

class DramLedger final : public models::Observer {
 public:
  /// Copies what it needs of its arguments.
  DramLedger(const kernels::Schedule& schedule, const kernels::Placement& placement,
             const models::Machine& machine);

  void on_request(const models::RequestEvent& event) override;

  [[nodiscard]] ByteCounts totals() const;
  [[nodiscard]] const std::vector<TensorBytes>& tensors() const { return tensors_; }
  /// Useful bytes of launch `index`, both directions.
  [[nodiscard]] std::uint64_t useful_bytes(std::size_t index) const;

 private:
  /// Where a tensor lies, and which of its sticks reach beyond its edge.
  struct Extent {
    std::uint64_t first_stick = 0;
    std::uint64_t sticks_per_block = 1;  // device sticks inside one step of the stick dimension
    std::uint64_t blocks = 1;            // steps of the stick dimension
    std::uint64_t edge_padding = 0;      // bytes beyond the edge in a stick of the last block
  };
  /// How many of the sticks lie at the tensor's edge; of those only the ones that a read finds
  /// fresh, if asked.
  [[nodiscard]] std::uint64_t edge_sticks(const Extent& extent, std::uint64_t first,
                                          std::uint64_t count, bool only_fresh) const;
  std::uint64_t mark_read(std::uint64_t first, std::uint64_t count);
  void mark_written(std::uint64_t first, std::uint64_t count);

  std::uint64_t stick_bytes_;
  std::vector<Extent> extents_;
  std::vector<kernels::TensorKind> kinds_;
  std::vector<TensorBytes> tensors_;
  std::vector<std::uint64_t> read_;  // bit per stick
  std::vector<std::uint64_t> launch_useful_;
};

}  // namespace spyre::traces
