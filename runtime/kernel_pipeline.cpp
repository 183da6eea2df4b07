#include "runtime/kernel_pipeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "kernels/ktir/load.h"
#include "kernels/ktir/sum_of_costs.h"
#include "kernels/lowering/lower.h"
#include "kernels/schedule/reader.h"
#include "kernels/schedule/writer.h"
#include "runtime/device_array.h"
#include "runtime/kernel_arguments.h"

namespace spyre::runtime {
namespace {

namespace ktir = kernels::ktir;

/// A kernel with its arguments in place.
struct BoundKernel {
  ktir::LoadedModule loaded;
  const ktir::Function* function = nullptr;
  KernelBinding binding;
};

/// Arrays lie above whatever the images take.
std::uint64_t end_of_images(const std::vector<MemoryImage>& images) {
  std::uint64_t end = 0;
  for (const MemoryImage& image : images) {
    if (image.lx_core < 0) end = std::max(end, image.address + image.array.bytes.size());
  }
  return end;
}

void check_outputs(const KernelRequest& request, const KernelBinding& binding) {
  std::vector<std::string> names;
  for (const PlacedArray& array : binding.arrays) names.push_back(array.name);
  for (const MemoryImage& image : request.images) {
    if (image.lx_core < 0) names.push_back(image.name);
  }
  for (const std::string& output : request.outputs) {
    if (std::find(names.begin(), names.end(), output) != names.end()) continue;
    throw models::InputError(
        fmt::format("'{}' is no array argument of this run, so it has nothing "
                    "to give back: its arrays are {}",
                    output, fmt::join(names, ", ")));
  }
}

BoundKernel bind(const KernelRequest& request) {
  BoundKernel kernel;
  kernel.loaded = ktir::load_module(request.text, request.file);
  kernel.function = &choose_function(kernel.loaded.module, request.function);
  kernel.binding = bind_arguments(kernel.loaded.module, *kernel.function, request.arguments,
                                  end_of_images(request.images));
  check_outputs(request, kernel.binding);
  return kernel;
}

std::string schedule_text(const BoundKernel& kernel, const models::Machine& machine) {
  kernels::Schedule schedule = kernels::lowering::lower(kernel.loaded.module, *kernel.function,
                                                        kernel.binding.arguments, machine);
  return kernels::write_schedule(schedule);
}

/// What is said about a statement is said about the line of the kernel that it came from.
void point_at_kernel(std::vector<kernels::Statement>& body, const std::string& file) {
  for (kernels::Statement& statement : body) {
    if (statement.line > 0) statement.position = {file, static_cast<int>(statement.line), 0};
    if (auto* loop = std::get_if<kernels::ForStatement>(&statement.action)) {
      point_at_kernel(loop->body, file);
    }
  }
}

void write_inputs(const KernelRequest& request, const KernelBinding& binding,
                  models::DataPlane& data) {
  std::vector<std::byte> storage;
  for (const PlacedArray& placed : binding.arrays) {
    data.dram().write(placed.address, to_device(*placed.array, data.numerics(), storage));
  }
  for (const MemoryImage& image : request.images) {
    const std::span<const std::byte> bytes = to_device(image.array, data.numerics(), storage);
    if (image.lx_core < 0) {
      data.dram().write(image.address, bytes);
    } else if (data.has_values()) {
      const std::span<std::byte> lx = data.lx(static_cast<std::uint32_t>(image.lx_core), 0);
      if (image.address + bytes.size() > lx.size()) {
        throw models::InputError("the memory image '" + image.name + "' ends at LX byte " +
                                 std::to_string(image.address + bytes.size()) + ": an LX has " +
                                 std::to_string(lx.size()));
      }
      std::memcpy(lx.subspan(image.address).data(), bytes.data(), bytes.size());
    }
  }
}

HostArray read_back(const HostArray& like, std::uint64_t address, models::DataPlane& data) {
  std::vector<std::byte> bytes(like.bytes.size());
  data.dram().read(address, bytes);
  return from_device(like, std::move(bytes), data.numerics());
}

traces::OtherTiming price(const BoundKernel& kernel, const models::DramStore& dram) {
  const auto read = [&](std::uint64_t address, const ktir::ScalarType& type) {
    std::int64_t number = 0;
    const auto bytes = static_cast<std::size_t>(element_bytes(type));
    dram.read(address, std::as_writable_bytes(std::span(&number, 1)).first(bytes));
    const int unused = 64 - static_cast<int>(8 * bytes);
    return unused == 0
               ? number
               : static_cast<std::int64_t>(static_cast<std::uint64_t>(number) << unused) >> unused;
  };
  const ktir::SumOfCosts costs =
      ktir::sum_of_costs(kernel.loaded.module, *kernel.function, kernel.binding.arguments, read);
  const ktir::SumOfCosts::Core& core = costs.critical();
  return {"ktir-cpu",
          costs.cycles,
          costs.bottleneck,
          {{"matmul", core.matmul},
           {"SIMD", core.simd},
           {"transcendental", core.transcendental},
           {"integer", core.integer},
           {"memory", core.memory},
           {"communication", core.comm}},
          static_cast<std::uint64_t>(costs.hbm_bytes),
          static_cast<std::uint64_t>(costs.flops)};
}

}  // namespace

ArrayTypeOf argument_types(const std::string& text, const std::string& file,
                           const std::string& function,
                           const std::map<std::string, std::int64_t>& integers) {
  auto loaded = std::make_shared<ktir::LoadedModule>(ktir::load_module(text, file));
  const ktir::Function* chosen = &choose_function(loaded->module, function);
  return [loaded, chosen, integers](const std::string& argument) {
    return viewed_as(*chosen, argument, integers);
  };
}

KernelOutcome run_kernel(const KernelRequest& request,
                         const models::MachineDescription& description,
                         const KernelOptions& options) {
  const models::Machine& machine = description.machine;
  const BoundKernel kernel = bind(request);
  kernels::Schedule schedule =
      kernels::parse_schedule(schedule_text(kernel, machine), request.file, machine);
  for (kernels::Kernel& each : schedule.kernels) point_at_kernel(each.body, request.file);

  models::DramStore dram;
  models::DataPlane data(
      machine, dram, options.numerics,
      options.data ? models::DataPlane::Values::on : models::DataPlane::Values::off);
  write_inputs(request, kernel.binding, data);

  std::vector<traces::OtherTiming> other_timings;
  if (options.timing == Timing::ktir_cpu) other_timings.push_back(price(kernel, dram));
  KernelOutcome outcome;
  RunOptions run = options.run;
  run.data = &data;
  outcome.result = run_schedule(schedule, description, run);
  outcome.result.other_timings = std::move(other_timings);
  const auto is_wanted = [&](const std::string& name) {
    return request.outputs.empty() ||
           std::find(request.outputs.begin(), request.outputs.end(), name) != request.outputs.end();
  };
  for (const PlacedArray& placed : kernel.binding.arrays) {
    if (!is_wanted(placed.name)) continue;
    outcome.arrays[placed.name] = read_back(*placed.array, placed.address, data);
  }
  for (const MemoryImage& image : request.images) {
    if (image.lx_core < 0 && is_wanted(image.name)) {
      outcome.arrays[image.name] = read_back(image.array, image.address, data);
    }
  }
  return outcome;
}

KernelCheck check_kernel(const KernelRequest& request,
                         const models::MachineDescription& description) {
  KernelCheck check;
  const ktir::LoadedModule loaded = ktir::load_module(request.text, request.file);
  check.findings = loaded.warnings;
  const ktir::Function& function = choose_function(loaded.module, request.function);
  if (request.arguments.empty() && !function.body.arguments.empty()) return check;
  const auto of_schedule =
      check_text(compile_kernel_text(request, description), request.file, description.machine);
  check.findings.insert(check.findings.end(), of_schedule.begin(), of_schedule.end());
  check.lowered = true;
  return check;
}

std::string compile_kernel_text(const KernelRequest& request,
                                const models::MachineDescription& description) {
  return schedule_text(bind(request), description.machine);
}

}  // namespace spyre::runtime
