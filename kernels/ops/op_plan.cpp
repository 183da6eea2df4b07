#include "kernels/ops/op_plan.h"

#include <fmt/format.h>

#include "kernels/schedule/placement.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {

void check_cores(const OpOptions& options, const models::Machine& machine) {
  if (options.cores >= 1 && options.cores <= machine.cores.count) return;
  throw models::InputError(fmt::format("cores is {}; {} has {}: give 1 to {}", options.cores,
                                       machine.name, machine.cores.count, machine.cores.count));
}

void check_size(const std::string& name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  throw models::InputError(fmt::format("{} is {}; give {} to {}", name, value, low, high));
}

OpPlan::OpPlan(std::string title, const OpOptions& options, const models::Machine& machine)
    : machine_(machine), options_(options) {
  check_cores(options, machine);
  schedule_.machine = machine.name;
  schedule_.meta = {{"model", std::move(title)},
                    {"dtype", std::string(models::to_string(options.type))},
                    {"cores", std::to_string(options.cores)}};
}

std::int64_t OpPlan::per_stick(DataType type) const {
  return machine_.limits.stick_bytes * 8 / models::bits(type);
}

Tensor& OpPlan::add(const std::string& name, DataType type, TensorKind kind,
                    std::vector<std::int64_t> shape) {
  Tensor tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.kind = kind;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    tensor.dims.push_back("d" + std::to_string(dim));
  }
  tensor.stick_dim = shape.size() - 1;
  tensor.shape = std::move(shape);
  schedule_.tensors.push_back(std::move(tensor));
  return schedule_.tensors.back();
}

void OpPlan::tensor(const std::string& name, DataType type, TensorKind kind,
                    std::vector<std::int64_t> shape) {
  add(name, type, kind, std::move(shape));
}

void OpPlan::batch(const std::string& name, DataType type, TensorKind kind,
                   std::vector<std::int64_t> shape, BatchLayout layout) {
  Tensor& tensor = add(name, type, kind, std::move(shape));
  const LayoutDim sticks{2, per_stick(type)};
  if (layout == BatchLayout::batch_outer) {
    tensor.layout = {{0, 1}, sticks, {1, 1}};
  } else {
    tensor.layout = {{1, 1}, sticks, {0, 1}};
  }
}

void OpPlan::strided(const std::string& name, DataType type, TensorKind kind,
                     std::vector<std::int64_t> shape) {
  Tensor& tensor = add(name, type, kind, std::move(shape));
  tensor.strides.assign(tensor.shape.size(), 1);
  for (std::size_t dim = tensor.shape.size(); dim-- > 1;) {
    tensor.strides[dim - 1] = tensor.strides[dim] * tensor.shape[dim];
  }
}

void OpPlan::kernel(Kernel kernel) {
  kernels_.push_back({std::move(kernel), 1});
}

Schedule OpPlan::take() {
  std::uint64_t total = 0;
  for (const Tensor& tensor : schedule_.tensors) total += device_bytes(tensor, machine_);
  const auto usable = static_cast<std::uint64_t>(machine_.dram.usable_bytes);
  if (total > usable) {
    throw models::InputError(fmt::format(
        "dram: the tensors need {} B, but {} B are usable; use smaller sizes", total, usable));
  }
  add_kernels(schedule_, std::move(kernels_), 1);
  return std::move(schedule_);
}

void refuse_lx(const OpPlan& plan, const std::string& kernel, std::int64_t needed,
               const std::string& remedy) {
  throw models::InputError(
      fmt::format("lx: the smallest tile of kernel '{}' needs {} B, {} has {} B of LX for it; {}",
                  kernel, needed, plan.machine().name, plan.lx(), remedy));
}

}  // namespace spyre::kernels
