// One row per launch: work done, time taken, and what the cores' time went to.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/events/observer.h"
#include "models/machine/machine.h"
#include "traces/dram_ledger.h"
#include "traces/run_result.h"

namespace spyre::traces {

class OpLedger final : public models::Observer {
 public:
  explicit OpLedger(const models::Machine& machine) : machine_(machine) {}

  void on_launch_begin(const models::Launch& launch, std::uint64_t begin_ps) override;
  void on_op(const models::OpEvent& event) override;
  void on_core_interval(const models::CoreInterval& interval) override;
  void on_launch_end(const models::LaunchEvent& event) override;

  /// The rows, with byte counts from `dram`. Roofline: max(FLOPs / peak of the launch's cores,
  /// useful bytes / peak).
  [[nodiscard]] std::vector<OpResult> rows(const DramLedger& dram) const;

 private:
  enum Share { memory, compute, ring, overhead };
  struct Row {
    std::string name;
    std::int32_t layer = -1;
    models::CoreSet cores = 0;
    std::uint64_t flops = 0;
    double compute_seconds = 0;  // at the peak of each matmul's type on all the launch's cores
    std::uint64_t begin_ps = 0, end_ps = 0;
    std::array<std::uint64_t, 4> core_ps{};  // by Share
  };

  const models::Machine& machine_;
  std::vector<Row> rows_;
};

}  // namespace spyre::traces
