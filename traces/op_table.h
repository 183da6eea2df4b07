// The table of operations: what each launch had to do, the roofline for it, and what it took.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "traces/run_result.h"

namespace spyre::traces {

/// Launches of one kind: those that differ in nothing but their layer.
struct OpGroup {
  std::string name;  ///< without the layer: "qkv"
  std::uint64_t count = 0;
  std::uint64_t flops = 0, bytes = 0;
  double roofline_ms = 0, time_ms = 0;
  double lowest_ridge = 0, highest_ridge = 0;   ///< FLOP/B
  std::map<std::string, double> time_by_bound;  ///< ms

  /// What bounds most of the group's time.
  [[nodiscard]] std::string bound() const;
};

/// In order of first appearance. Sums over the groups equal sums over the launches.
[[nodiscard]] std::vector<OpGroup> group_ops(const std::vector<OpResult>& ops);

/// One row per group, or one per launch.
[[nodiscard]] std::string op_table(const std::vector<OpResult>& ops, bool every_op, bool colour);

}  // namespace spyre::traces
