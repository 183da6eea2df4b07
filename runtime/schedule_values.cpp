#include "runtime/schedule_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/schedule/reader.h"
#include "runtime/device_array.h"
#include "runtime/tensor_io.h"

namespace spyre::runtime {

namespace ktir = kernels::ktir;

namespace {

const kernels::Tensor* find_tensor(const kernels::Schedule& schedule, const std::string& name) {
  const auto found =
      std::find_if(schedule.tensors.begin(), schedule.tensors.end(),
                   [&](const kernels::Tensor& tensor) { return tensor.name == name; });
  return found == schedule.tensors.end() ? nullptr : &*found;
}

HostArray array_for(const kernels::Tensor& tensor, const NamedSpec& named) {
  const ArrayType wanted{host_type(tensor.type), tensor.shape};
  const ArgumentValue value = make_argument(
      named.name, named.spec, [&](const std::string&) { return std::optional(wanted); });
  const auto* array = std::get_if<HostArray>(&value);
  if (array == nullptr) {
    throw models::InputError(
        fmt::format("the tensor '{}' is an array, not a number: write {}=constant(...) to fill it",
                    named.name, named.name));
  }
  if (array->element.width != wanted.element.width ||
      array->element.is_float() != wanted.element.is_float()) {
    throw models::InputError(
        fmt::format("the tensor '{}' is {}, the array that is given is {}", named.name,
                    ktir::to_string(wanted.element), ktir::to_string(array->element)),
        tensor.position);
  }
  return *array;
}

}  // namespace

ktir::ScalarType host_type(models::DataType type) {
  using models::DataType;
  switch (type) {
    case DataType::fp32:
      return {ktir::ScalarKind::f32, 32};
    case DataType::fp16:
      return {ktir::ScalarKind::f16, 16};
    case DataType::bf16:
      return {ktir::ScalarKind::bf16, 16};
    case DataType::dl16:
      return {ktir::ScalarKind::df16, 16};
    case DataType::fp8:
      return {ktir::ScalarKind::f8_e4m3, 8};
    case DataType::fp8_e5m2:
      return {ktir::ScalarKind::f8_e5m2, 8};
    case DataType::int32:
      return {ktir::ScalarKind::integer, 32};
    case DataType::int8:
    case DataType::int4:
      return {ktir::ScalarKind::integer, 8};
  }
  return {ktir::ScalarKind::f32, 32};
}

KernelOutcome run_schedule_with_values(const ScheduleRequest& request,
                                       const models::MachineDescription& description,
                                       const KernelOptions& options) {
  const models::Machine& machine = description.machine;
  const kernels::Schedule schedule = kernels::parse_schedule(request.text, request.file, machine);
  models::DramStore dram;
  models::DataPlane data(
      machine, dram, options.numerics,
      options.data ? models::DataPlane::Values::on : models::DataPlane::Values::off);
  TensorAccess tensors(schedule, machine, dram);
  std::vector<std::byte> storage;
  const auto refuse_int4 = [](const kernels::Tensor& tensor) {
    if (tensor.type != models::DataType::int4) return;
    throw models::InputError(
        fmt::format("the tensor '{}' is int4: arrays of it cannot be given or written yet",
                    tensor.name),
        tensor.position);
  };
  for (const NamedSpec& named : request.tensors) {
    const kernels::Tensor* tensor = find_tensor(schedule, named.name);
    if (tensor == nullptr) tensors.write(named.name, {});  // says what is wrong with the name
    refuse_int4(*tensor);
    const HostArray array = array_for(*tensor, named);
    tensors.write(named.name, to_device(array, options.numerics, storage));
  }
  std::vector<const kernels::Tensor*> wanted;
  for (const std::string& name : request.read_back) {
    wanted.push_back(find_tensor(schedule, name));
    if (wanted.back() == nullptr) (void)tensors.read(name);
    refuse_int4(*wanted.back());
  }

  KernelOutcome outcome;
  RunOptions run = options.run;
  run.data = &data;
  outcome.result = run_schedule(schedule, description, run);
  for (const kernels::Tensor* tensor : wanted) {
    HostArray like{host_type(tensor->type), tensor->shape, {}};
    outcome.arrays[tensor->name] = from_device(like, tensors.read(tensor->name), options.numerics);
  }
  return outcome;
}

}  // namespace spyre::runtime
