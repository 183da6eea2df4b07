#include "runtime/suite/suite_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "runtime/host_values.h"

namespace spyre::runtime {
namespace {

void repeat(HostArray& array, std::int64_t copies) {
  const std::vector<std::byte> once = array.bytes;
  array.shape.insert(array.shape.begin(), copies);
  array.bytes.reserve(once.size() * static_cast<std::size_t>(copies));
  for (std::int64_t i = 1; i < copies; ++i) {
    array.bytes.insert(array.bytes.end(), once.begin(), once.end());
  }
}

void set_minus_infinity(HostArray& array, std::int64_t from) {
  const auto step = static_cast<std::size_t>(element_bytes(array.element));
  const std::int64_t columns = array.shape.empty() ? 1 : array.shape.back();
  for (std::int64_t i = 0; i < array.elements(); ++i) {
    if (i % columns < from) continue;
    encode_element(array.element, -std::numeric_limits<double>::infinity(),
                   &array.bytes[static_cast<std::size_t>(i) * step]);
  }
}

ArgumentValue value_of(const std::string& name, const SuiteArray& array) {
  ArgumentValue value = make_argument(name, array.spec);
  if (auto* host = std::get_if<HostArray>(&value)) {
    if (array.minus_infinity_from) set_minus_infinity(*host, *array.minus_infinity_from);
    if (array.repeat > 1) repeat(*host, array.repeat);
  }
  return value;
}

MemoryImage image_of(const std::string& name, const SuiteImage& image) {
  HostArray array = std::get<HostArray>(value_of(name, image.array));
  const auto unit =
      static_cast<std::uint64_t>(image.in_elements ? element_bytes(array.element) : 1);
  return {name, image.position * unit, image.lx_core, std::move(array)};
}

ReferenceArray reference_array(const HostArray& array) {
  return {array.shape, to_doubles(array)};
}

void add_input(ReferenceInputs& inputs, const std::string& role, const std::string& name,
               const KernelRequest& request) {
  const auto argument = request.arguments.find(name);
  if (argument != request.arguments.end()) {
    if (const auto* array = std::get_if<HostArray>(&argument->second)) {
      inputs.arrays[role] = reference_array(*array);
    } else if (const auto* whole = std::get_if<std::int64_t>(&argument->second)) {
      inputs.scalars[role] = static_cast<double>(*whole);
    } else {
      inputs.scalars[role] = std::get<double>(argument->second);
    }
    return;
  }
  const auto image = std::ranges::find(request.images, name, &MemoryImage::name);
  if (image != request.images.end()) inputs.arrays[role] = reference_array(image->array);
}

}  // namespace

KernelRequest make_request(const SuiteRun& run, std::string text, std::string file) {
  KernelRequest request;
  request.text = std::move(text);
  request.file = std::move(file);
  request.function = run.function;
  for (const auto& [name, array] : run.arguments) {
    request.arguments[name] = value_of(name, array);
  }
  for (const auto& [name, image] : run.memory) request.images.push_back(image_of(name, image));
  if (run.reference.empty()) return request;
  for (const std::string& output : reference_named(run.reference).outputs) {
    const auto role = run.roles.find(output);
    if (role == run.roles.end()) continue;
    if (const auto* name = std::get_if<std::string>(&role->second))
      request.outputs.push_back(*name);
  }
  return request;
}

ReferenceInputs reference_inputs(const SuiteRun& run, const KernelRequest& request) {
  ReferenceInputs inputs;
  const std::vector<std::string>& outputs = reference_named(run.reference).outputs;
  for (const auto& [role, value] : run.roles) {
    if (std::ranges::find(outputs, role) != outputs.end()) continue;
    if (const double* number = std::get_if<double>(&value)) {
      inputs.scalars[role] = *number;
    } else {
      add_input(inputs, role, std::get<std::string>(value), request);
    }
  }
  return inputs;
}

}  // namespace spyre::runtime
