// What a planned schedule does, found by expanding it: which sticks it moves, and what it computes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/planner/planner.h"
#include "kernels/schedule/checker.h"
#include "kernels/schedule/expander.h"
#include "kernels/schedule/reader.h"
#include "kernels/schedule/writer.h"
#include "tests/support/test_machine.h"

namespace spyre::kernels {

/// Moves between DRAM and LX of one tensor.
struct TensorTraffic {
  std::uint64_t read_bytes = 0;  ///< whole sticks; a shared read counts once
  std::uint64_t write_bytes = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> reads, writes;  ///< [begin, end) in DRAM

  [[nodiscard]] static bool overlap(std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges) {
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      if (ranges[i].first < ranges[i - 1].second) return true;
    }
    return false;
  }
  [[nodiscard]] bool reads_each_stick_once() const { return !overlap(reads); }
  [[nodiscard]] bool writes_each_stick_once() const { return !overlap(writes); }
};

struct PlanWalk {
  Schedule schedule;
  Placement placement;
  std::vector<models::Diagnostic> findings;
  std::map<std::string, TensorTraffic> tensors;
  std::map<std::string, std::uint64_t> macs;  ///< by kernel
  std::vector<std::uint64_t> core_bytes;

  [[nodiscard]] std::uint64_t read_bytes(TensorKind kind) const {
    std::uint64_t sum = 0;
    for (const Tensor& tensor : schedule.tensors) {
      const auto found = tensors.find(tensor.name);
      if (tensor.kind == kind && found != tensors.end()) sum += found->second.read_bytes;
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t write_bytes(TensorKind kind) const {
    std::uint64_t sum = 0;
    for (const Tensor& tensor : schedule.tensors) {
      const auto found = tensors.find(tensor.name);
      if (tensor.kind == kind && found != tensors.end()) sum += found->second.write_bytes;
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t all_macs() const {
    std::uint64_t sum = 0;
    for (const auto& entry : macs) sum += entry.second;
    return sum;
  }
  /// Bytes of weights as they lie in DRAM, padding included.
  [[nodiscard]] std::uint64_t device_bytes_of(TensorKind kind) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < schedule.tensors.size(); ++i) {
      if (schedule.tensors[i].kind == kind) sum += placement.tensor_bytes[i];
    }
    return sum;
  }
  [[nodiscard]] double balance() const {
    std::uint64_t sum = 0;
    std::uint64_t most = 0;
    for (const std::uint64_t bytes : core_bytes) {
      sum += bytes;
      most = std::max(most, bytes);
    }
    return static_cast<double>(most) * static_cast<double>(core_bytes.size()) /
           static_cast<double>(sum);
  }
  [[nodiscard]] std::string first_error() const {
    for (const models::Diagnostic& finding : findings) {
      if (finding.severity == models::Severity::error) return to_string(finding);
    }
    return {};
  }
};

inline void note_runs(const models::TileOp& op, TensorTraffic& traffic) {
  const bool reads = op.opcode == models::Opcode::load || op.opcode == models::Opcode::gather;
  for (const models::StickRuns& runs : op.runs) {
    (reads ? traffic.read_bytes : traffic.write_bytes) += runs.bytes();
    for (std::uint32_t i = 0; i < runs.count[2]; ++i) {
      for (std::uint32_t j = 0; j < runs.count[1]; ++j) {
        for (std::uint32_t k = 0; k < runs.count[0]; ++k) {
          const std::uint64_t begin =
              runs.base + static_cast<std::uint64_t>(i * runs.stride[2] + j * runs.stride[1] +
                                                     k * runs.stride[0]);
          (reads ? traffic.reads : traffic.writes).emplace_back(begin, begin + runs.run_bytes);
        }
      }
    }
  }
}

/// Writes the plan as text, reads it back, checks and expands it: the way that every plan takes.
inline PlanWalk walk_plan(const Schedule& plan, const models::Machine& machine,
                          std::int64_t cores) {
  PlanWalk walk;
  walk.schedule = parse_schedule(write_schedule(plan), "plan.yaml", machine);
  walk.placement = place(walk.schedule, machine);
  walk.findings = check_schedule(walk.schedule, walk.placement, machine);
  walk.core_bytes.assign(static_cast<std::size_t>(cores), 0);
  Expander expander(walk.schedule, walk.placement, machine);
  models::Launch launch;
  models::TileOp op;
  while (expander.next_launch(launch)) {
    for (models::CoreSet left = launch.cores; left != 0; left &= left - 1) {
      const auto core = static_cast<unsigned>(std::countr_zero(left));
      while (expander.next_op(core, op)) {
        if (op.opcode == models::Opcode::matmul) {
          walk.macs[launch.kernel] += std::uint64_t{op.m} * op.n * op.k;
        }
        if (op.tensor == models::kNoTensor || op.runs.empty()) continue;
        const bool leads =
            op.sharers == 0 || static_cast<unsigned>(std::countr_zero(op.sharers)) == core;
        TensorTraffic& traffic = walk.tensors[walk.schedule.tensors[op.tensor].name];
        if (leads) note_runs(op, traffic);
        std::uint64_t bytes = 0;
        for (const models::StickRuns& runs : op.runs) bytes += runs.bytes();
        if (op.sharers == 0) walk.core_bytes[core] += bytes;
      }
    }
  }
  return walk;
}

/// A shipped model with few layers: all layers are alike.
inline Graph small_graph(const std::string& name, const StepOptions& step,
                         std::int64_t layers = 2) {
  ModelConfig model = find_model(name);
  model.layers = layers;
  return build_graph(model, step);
}

inline PlanWalk walk_step(const Graph& graph, const models::Machine& machine, std::int64_t cores) {
  return walk_plan(plan_step(graph, machine, PlanOptions{.cores = cores}), machine, cores);
}

/// MACs of the graph's matrices alone (the head: the rows it computes), without attention.
inline std::uint64_t linear_macs(const Graph& graph) {
  std::int64_t macs = 0;
  for (const Node& node : graph.layer) {
    if (node.kind == NodeKind::linear) macs += node.m * node.n * node.k;
  }
  macs *= graph.model.layers;
  for (const Node& node : graph.epilogue) {
    if (node.kind == NodeKind::linear) macs += node.m * node.n * node.k;
  }
  return static_cast<std::uint64_t>(macs);
}

}  // namespace spyre::kernels
