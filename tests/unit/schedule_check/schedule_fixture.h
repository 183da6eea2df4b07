// Schedules from text, and what the expander and the checker make of them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/schedule/checker.h"
#include "kernels/schedule/expander.h"
#include "kernels/schedule/placement.h"
#include "kernels/schedule/reader.h"
#include "tests/support/test_machine.h"

namespace spyre::kernels {

/// Every finding as "line: severity: rule: message".
inline std::vector<std::string> findings_of(const std::string& text,
                                            const models::Machine& machine) {
  const Schedule schedule = parse_schedule(text, "plan.yaml", machine);
  std::vector<std::string> result;
  for (const models::Diagnostic& finding :
       check_schedule(schedule, place(schedule, machine), machine)) {
    result.push_back(std::to_string(finding.where.line) +
                     (finding.severity == models::Severity::error ? ": error: " : ": warning: ") +
                     finding.rule + ": " + finding.message);
  }
  return result;
}
inline std::vector<std::string> findings_of(const std::string& text) {
  return findings_of(text, models::make_test_machine());
}

struct ExpandedOp {
  std::uint32_t launch = 0;
  unsigned core = 0;
  models::TileOp op;
};

struct Expansion {
  std::vector<models::Launch> launches;
  std::vector<ExpandedOp> ops;

  [[nodiscard]] std::uint64_t macs() const {
    std::uint64_t sum = 0;
    for (const ExpandedOp& entry : ops) {
      if (entry.op.opcode == models::Opcode::matmul) {
        sum += std::uint64_t{entry.op.m} * entry.op.n * entry.op.k;
      }
    }
    return sum;
  }
  [[nodiscard]] std::vector<models::TileOp> of_core(unsigned core) const {
    std::vector<models::TileOp> result;
    for (const ExpandedOp& entry : ops) {
      if (entry.core == core) result.push_back(entry.op);
    }
    return result;
  }
};

inline Expansion expand(const std::string& text, const models::Machine& machine) {
  const Schedule schedule = parse_schedule(text, "plan.yaml", machine);
  const Placement placement = place(schedule, machine);
  Expander expander(schedule, placement, machine);
  Expansion result;
  models::Launch launch;
  while (expander.next_launch(launch)) {
    result.launches.push_back(launch);
    for (unsigned core = 0; core < models::kMaxCores; ++core) {
      models::TileOp op;
      while (expander.next_op(core, op)) result.ops.push_back({launch.index, core, op});
    }
  }
  return result;
}
inline Expansion expand(const std::string& text) {
  return expand(text, models::make_test_machine());
}

}  // namespace spyre::kernels
