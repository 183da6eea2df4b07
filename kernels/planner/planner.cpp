#include "kernels/planner/planner.h"

#include <fmt/format.h>

#include "kernels/planner/decode_kernels.h"
#include "kernels/planner/dram_kernels.h"
#include "kernels/planner/linear_kernels.h"
#include "kernels/planner/tensors.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {
namespace {

void check_cores(const models::Machine& machine, const PlanOptions& options) {
  if (options.cores >= 1 && options.cores <= machine.cores.count) return;
  throw models::InputError(fmt::format("cores is {}; {} has {}: give 1 to {}", options.cores,
                                       machine.name, machine.cores.count, machine.cores.count));
}

/// Heads are cut out of rows, and rows lie in whole sticks.
void check_head_dim(const Graph& graph, const models::Machine& machine) {
  const std::int64_t stick =
      machine.limits.stick_bytes * 8 / models::bits(graph.step.activation_type);
  if (graph.model.head_dim % stick == 0) return;
  throw models::InputError(fmt::format(
      "head_dim of {} is {}; the planner cuts heads in whole sticks of {} elements: pad the heads "
      "to a multiple of it",
      graph.model.name, graph.model.head_dim, stick));
}

void describe(Schedule& schedule, const Graph& graph, const PlanOptions& options,
              const char* planner) {
  const StepOptions& step = graph.step;
  schedule.meta = {{"model", graph.model.name},
                   {"phase", std::string(to_string(step.phase))},
                   {"batch", std::to_string(step.batch)},
                   {"context", std::to_string(step.context)},
                   {"chunk", std::to_string(step.chunk)},
                   {"dtype", std::string(models::to_string(step.weight_type))},
                   {"cores", std::to_string(options.cores)},
                   {"planner", planner}};
}

Tensor matrix(const char* name, models::DataType type, std::int64_t rows, std::int64_t columns,
              TensorKind kind) {
  Tensor tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.kind = kind;
  tensor.dims = {"d0", "d1"};
  tensor.shape = {rows, columns};
  tensor.stick_dim = 1;
  return tensor;
}

/// Sums of whole numbers keep all their bits; others come back as fp16, the narrowest type that the
/// vector unit makes.
models::DataType result_type(models::DataType type) {
  switch (type) {
    case models::DataType::int8:
    case models::DataType::int4:
    case models::DataType::int32:
      return models::DataType::int32;
    case models::DataType::fp32:
      return models::DataType::fp32;
    case models::DataType::bf16:
    case models::DataType::dl16:
      return type;
    case models::DataType::fp16:
    case models::DataType::fp8:
    case models::DataType::fp8_e5m2:
      break;
  }
  return models::DataType::fp16;
}

}  // namespace

Schedule plan_step(const Graph& graph, const models::Machine& machine, const PlanOptions& options) {
  check_cores(machine, options);
  check_head_dim(graph, machine);
  PlanContext context{graph, machine, options.cores, {}};
  context.schedule.machine = machine.name;
  add_tensors(context);
  check_capacity(context);
  if (graph.step.phase == Phase::decode && plan_resident_decode(context)) {
    describe(context.schedule, graph, options, "activations in LX");
  } else {
    plan_dram_step(context);
    check_capacity(context);
    describe(context.schedule, graph, options, "activations in DRAM");
  }
  return std::move(context.schedule);
}

Schedule plan_matmul(std::int64_t m, std::int64_t n, std::int64_t k, models::DataType type,
                     const models::Machine& machine, const PlanOptions& options) {
  check_cores(machine, options);
  const std::int64_t per_stick = machine.limits.stick_bytes * 8 / models::bits(type);
  if (m < 1 || n < 1 || k < 1) {
    throw models::InputError(
        fmt::format("matmul is {} x {} x {}; give sizes of at least 1", m, n, k));
  }
  const std::int64_t most_splits = std::min(options.cores, ceil_divide(k, per_stick));
  if (options.k_split < 1 || options.k_split > most_splits) {
    throw models::InputError(fmt::format("k_split is {}; {} cores and {} sticks of K allow 1 to {}",
                                         options.k_split, options.cores, ceil_divide(k, per_stick),
                                         most_splits));
  }
  const Graph none{};
  PlanContext context{none, machine, options.cores, {}};
  Schedule& schedule = context.schedule;
  schedule.machine = machine.name;
  schedule.meta = {{"matmul", fmt::format("{} x {} x {}", m, n, k)},
                   {"dtype", std::string(models::to_string(type))},
                   {"cores", std::to_string(options.cores)}};
  schedule.tensors = {matrix("a", type, m, k, TensorKind::activation),
                      matrix("b", type, k, n, TensorKind::weight),
                      matrix("c", result_type(type), m, n, TensorKind::activation)};
  check_capacity(context);
  DramLinear linear;
  linear.name = "matmul";
  linear.input = "a";
  linear.m = m;
  PlannedWeight b;
  b.tensor = "b";
  b.k = k;
  b.n = n;
  b.per_stick = per_stick;
  linear.pieces = {{{b}, {}}};
  linear.output = "c";
  linear.a_type = type;
  linear.b_type = type;
  linear.c_type = result_type(type);
  linear.k_split = options.k_split;
  linear.wish = options.wish;
  std::vector<PlannedKernel> kernels;
  kernels.push_back(build_dram_linear(context, linear));
  add_kernels(schedule, std::move(kernels), 1);
  return std::move(context.schedule);
}

}  // namespace spyre::kernels
