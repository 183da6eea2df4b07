// Steps of models through the library path, and the books that every result of one must keep.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/planner/planner.h"
#include "kernels/schedule/writer.h"
#include "kernels/workload/graph.h"
#include "models/machine/machine_reader.h"
#include "runtime/step_pipeline.h"
#include "traces/run_result.h"
#include "traces/summary.h"

namespace spyre::e2e {

/// Sanitizers make a run more than ten times slower.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

inline const models::MachineDescription& spyre_card() {
  static const models::MachineDescription machine = models::read_machine("spyre");
  return machine;
}

inline kernels::StepOptions decode_step(std::int64_t context, std::int64_t batch = 1) {
  kernels::StepOptions step;
  step.context = context;
  step.batch = batch;
  return step;
}

inline kernels::StepOptions prefill_step(std::int64_t context, std::int64_t chunk) {
  kernels::StepOptions step;
  step.phase = kernels::Phase::prefill;
  step.context = context;
  step.chunk = chunk;
  return step;
}

/// The model with fewer layers, which are all alike; everything before and after them stays.
inline kernels::ModelConfig shortened(const std::string& name, std::int64_t layers) {
  kernels::ModelConfig model = kernels::find_model(name);
  model.layers = layers;
  return model;
}

/// A step that has run, with the closed forms it is held against.
struct Step {
  kernels::Graph graph;
  kernels::StepLedger ledger;
  traces::RunResult result;
  traces::Summary summary;
};

inline Step run_step(const kernels::ModelConfig& model, const kernels::StepOptions& options,
                     std::int64_t cores = 32) {
  Step step;
  step.graph = kernels::build_graph(model, options);
  step.ledger = kernels::step_ledger(step.graph);
  step.result =
      runtime::run_text(runtime::plan_text(model, options, spyre_card().machine, {.cores = cores}),
                        "plan.yaml", spyre_card(), {});
  step.summary = traces::summarise(step.result);
  return step;
}

inline traces::RunResult run_matmul(std::int64_t m, std::int64_t n, std::int64_t k,
                                    std::int64_t cores = 32,
                                    const models::MachineDescription& machine = spyre_card()) {
  const kernels::Schedule schedule =
      kernels::plan_matmul(m, n, k, models::DataType::fp16, machine.machine, {.cores = cores});
  return runtime::run_text(kernels::write_schedule(schedule), "matmul.yaml", machine, {});
}

/// The row of a tensor in the ledger.
inline const traces::TensorBytes& tensor_of(const traces::RunResult& result,
                                            const std::string& name) {
  for (const traces::TensorBytes& tensor : result.tensors) {
    if (tensor.name == name) return tensor;
  }
  throw std::out_of_range("the run has no tensor " + name);
}

/// Bytes of its elements, each read counted once since the last write.
inline std::uint64_t useful_read(const traces::TensorBytes& tensor) {
  return tensor.read - tensor.read_padding - tensor.reread;
}
inline std::uint64_t useful_written(const traces::TensorBytes& tensor) {
  return tensor.written - tensor.written_padding;
}

/// Bytes: channels, tensors and operations tell the same. Cycles: every one of every core has one
/// owner.
inline void expect_books_balance(const traces::RunResult& result) {
  const traces::ByteCounts& bytes = result.bytes;
  const auto burst = static_cast<std::uint64_t>(result.machine.dram.burst_bytes);
  std::uint64_t read = 0, written = 0;
  for (const models::ChannelCounters& channel : result.channels) {
    read += channel.read_bursts * burst;
    written += channel.write_bursts * burst;
  }
  EXPECT_EQ(bytes.read, read);
  EXPECT_EQ(bytes.written, written);
  EXPECT_EQ(read + written, bytes.weights + bytes.kv_read + bytes.kv_write + bytes.embedding +
                                bytes.activations + bytes.constants + bytes.padding + bytes.reread);
  std::uint64_t tensors = 0, ops = 0;
  for (const traces::TensorBytes& tensor : result.tensors) tensors += tensor.read + tensor.written;
  for (const traces::OpResult& op : result.ops) ops += op.bytes;
  EXPECT_EQ(tensors, read + written);
  EXPECT_EQ(ops, bytes.useful());

  ASSERT_EQ(result.core_cycles.size(), static_cast<std::size_t>(result.machine.cores.count));
  for (std::size_t core = 0; core < result.core_cycles.size(); ++core) {
    EXPECT_EQ(result.core_cycles[core].total(), result.cycles) << "core " << core;
  }
}

/// Every layer is simulated, each launch no faster than its roofline.
inline void expect_every_layer(const Step& step) {
  std::set<std::int32_t> layers;
  for (const traces::OpResult& op : step.result.ops) {
    if (op.layer >= 0) layers.insert(op.layer);
    EXPECT_GE(op.time_ms, op.roofline_ms) << op.name;
  }
  ASSERT_EQ(static_cast<std::int64_t>(layers.size()), step.graph.model.layers);
  EXPECT_EQ(*layers.rbegin(), step.graph.model.layers - 1);
}

/// Two per multiplication and addition of the matrices and of attention; gains and biases, which
/// the ledger counts, are vector work and no FLOPs of an operation.
inline std::uint64_t matrix_flops(const kernels::Graph& graph) {
  std::uint64_t flops = step_ledger(graph).flops;
  const auto vector_flops = [&](const kernels::Node& node) {
    std::int64_t parameters = 0;
    for (std::size_t w = 0; w < node.weights.size(); ++w) {
      if (node.kind != kernels::NodeKind::linear || w > 0) {
        parameters += node.weights[w].parameters();
      }
    }
    return static_cast<std::uint64_t>(2 * parameters * node.m);
  };
  for (const kernels::Node& node : graph.layer) {
    flops -= static_cast<std::uint64_t>(graph.model.layers) * vector_flops(node);
  }
  for (const kernels::Node& node : graph.epilogue) flops -= vector_flops(node);
  return flops;
}

/// A model's name as gtest wants it.
inline std::string model_test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

}  // namespace spyre::e2e
