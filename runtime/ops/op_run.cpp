#include "runtime/ops/op_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "kernels/schedule/writer.h"
#include "models/formats/format.h"
#include "runtime/argument_spec.h"
#include "runtime/device_array.h"
#include "runtime/host_values.h"
#include "runtime/ops/op_references.h"
#include "runtime/schedule_values.h"
#include "runtime/suite/comparison.h"

namespace spyre::runtime {
namespace {

using kernels::Op;
using kernels::OpInput;
using kernels::Schedule;
using kernels::Tensor;
using models::DataType;
using models::Format;

const Tensor* find_tensor(const Schedule& schedule, const std::string& name) {
  const auto found = std::find_if(schedule.tensors.begin(), schedule.tensors.end(),
                                  [&](const Tensor& tensor) { return tensor.name == name; });
  return found == schedule.tensors.end() ? nullptr : &*found;
}

/// Whole numbers of int8 are small enough that their products' sums stay within int32.
std::string fill_text(const OpInput& input, const Tensor& tensor, const kernels::OpSizes& sizes,
                      std::uint64_t seed) {
  if (input.fill == OpInput::Fill::index) {
    return fmt::format("integers(0, {}, {})", sizes.at(input.limit) - 1, seed);
  }
  if (tensor.type == DataType::int8) return fmt::format("integers(-127, 127, {})", seed);
  if (input.fill == OpInput::Fill::positive) return fmt::format("uniform(0.25, 4, {})", seed);
  if (input.fill == OpInput::Fill::unit) return fmt::format("uniform(-1, 1, {})", seed);
  return fmt::format("random({})", seed);
}

/// Half the distance from 1 to the next number, relative; 0 for whole numbers. fp32 stands for the
/// sums of many terms that are made in it.
double unit_roundoff(DataType type, models::Numerics numerics) {
  switch (models::format_of(type, numerics)) {
    case Format::fp32:
      return 0x1p-20;
    case Format::fp16:
      return 0x1p-11;
    case Format::bf16:
      return 0x1p-8;
    case Format::dl16:
      return 0x1p-10;
    case Format::fp8_e4m3:
      return 0x1p-4;
    case Format::fp8_e5m2:
      return 0x1p-3;
    case Format::int32:
    case Format::int8:
    case Format::int4:
      break;
  }
  return 0;
}

ReferenceArray to_reference(const HostArray& array) {
  return {array.shape, to_doubles(array)};
}

std::string place_text(const std::string& tensor, const std::vector<std::int64_t>& shape,
                       std::size_t element) {
  std::vector<std::int64_t> index(shape.size());
  auto rest = static_cast<std::int64_t>(element);
  for (std::size_t dim = shape.size(); dim-- > 0;) {
    index[dim] = rest % shape[dim];
    rest /= shape[dim];
  }
  return fmt::format("{}[{}]", tensor, fmt::join(index, ", "));
}

void add_comparison(const std::string& name, const HostArray& got, const std::vector<double>& want,
                    OpValues& values) {
  const std::vector<double> numbers = to_doubles(got);
  const Comparison comparison = compare(numbers, want);
  values.elements += static_cast<std::int64_t>(want.size());
  if (comparison.max_relative <= values.max_relative) return;
  values.max_relative = comparison.max_relative;
  values.worst =
      fmt::format("{} is {:.6g}, not {:.6g}", place_text(name, got.shape, comparison.worst),
                  comparison.got, comparison.want);
}

class OpRun {
 public:
  OpRun(const OpRequest& request, const models::MachineDescription& machine)
      : request_(request),
        machine_(machine),
        op_(*request.op),
        sizes_(kernels::op_sizes(op_, request.sizes)),
        plan_(kernels::plan_op(op_, sizes_, request.options, machine.machine)) {}

  OpOutcome run(const RunOptions& options) {
    ScheduleRequest schedule{kernels::write_schedule(plan_), "the plan", {}, {}};
    std::uint64_t seed = request_.seed;
    for (const OpInput& input : op_.inputs) {
      const Tensor* tensor = find_tensor(plan_, input.tensor);
      ++seed;
      if (tensor == nullptr) continue;  // a shorter chain has fewer inputs
      // Without values, addresses still come from what tables hold.
      if (!request_.data && input.fill != OpInput::Fill::index) continue;
      schedule.tensors.push_back(parse_named_spec(
          fmt::format("{}={}", input.tensor, fill_text(input, *tensor, sizes_, seed - 1))));
    }
    if (request_.data) schedule.read_back = op_.outputs;
    KernelOptions kernel;
    kernel.numerics = request_.numerics;
    kernel.data = request_.data;
    kernel.run = options;
    KernelOutcome outcome = run_schedule_with_values(schedule, machine_, kernel);
    OpOutcome result{std::move(outcome.result), {}, std::move(outcome.arrays)};
    if (request_.data && !result.result.interrupted) {
      result.values = compare_with_reference(schedule.tensors, result.outputs);
    }
    return result;
  }

 private:
  /// The array as the device holds it.
  [[nodiscard]] ReferenceArray rounded(const NamedSpec& named) const {
    const Tensor& tensor = *find_tensor(plan_, named.name);
    const ArrayType type{host_type(tensor.type), tensor.shape};
    const HostArray array = std::get<HostArray>(make_argument(
        named.name, named.spec, [&](const std::string&) { return std::optional(type); }));
    std::vector<std::byte> storage;
    const auto bytes = to_device(array, request_.numerics, storage);
    return to_reference(from_device(array, {bytes.begin(), bytes.end()}, request_.numerics));
  }

  [[nodiscard]] OpValues compare_with_reference(
      const std::vector<NamedSpec>& specs, const std::map<std::string, HostArray>& outputs) const {
    ReferenceArrays inputs;
    for (const NamedSpec& named : specs) inputs.emplace(named.name, rounded(named));
    const ReferenceArrays wanted = op_reference(op_.reference)(inputs, sizes_);
    OpValues values;
    for (const std::string& name : op_.outputs) {
      const Tensor& tensor = *find_tensor(plan_, name);
      if (op_.error_bits > 0) {
        values.bound =
            std::max(values.bound,
                     std::ldexp(unit_roundoff(tensor.type, request_.numerics), op_.error_bits));
      }
      add_comparison(name, outputs.at(name), wanted.at(name).values, values);
    }
    return values;
  }

  const OpRequest& request_;
  const models::MachineDescription& machine_;
  const Op& op_;
  kernels::OpSizes sizes_;
  Schedule plan_;
};

}  // namespace

std::string op_plan_text(const OpRequest& request, const models::Machine& machine) {
  return kernels::write_schedule(
      kernels::plan_op(*request.op, request.sizes, request.options, machine));
}

OpOutcome run_op(const OpRequest& request, const models::MachineDescription& machine,
                 const RunOptions& options) {
  return OpRun(request, machine).run(options);
}

OpValues compare_outputs(const OpOutcome& a, const OpOutcome& b, double bound) {
  OpValues values;
  values.bound = bound;
  for (const auto& [name, array] : a.outputs) {
    add_comparison(name, array, to_doubles(b.outputs.at(name)), values);
  }
  return values;
}

}  // namespace spyre::runtime
