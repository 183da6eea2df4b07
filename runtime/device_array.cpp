#include "runtime/device_array.h"

#include "models/formats/convert.h"

namespace spyre::runtime {
namespace {

std::vector<std::byte> converted(std::span<const std::byte> bytes, models::Format from,
                                 models::Format to) {
  std::vector<float> values(bytes.size() / 2);
  models::decode(from, bytes, values);
  std::vector<std::byte> result(bytes.size());
  models::encode(to, values, result);
  return result;
}

bool changes(const HostArray& array, models::Numerics numerics) {
  return numerics == models::Numerics::spyre &&
         array.element.kind == kernels::ktir::ScalarKind::f16;
}

}  // namespace

std::vector<std::byte> to_device(const HostArray& array, models::Numerics numerics) {
  if (!changes(array, numerics)) return array.bytes;
  return converted(array.bytes, models::Format::fp16, models::Format::dl16);
}

HostArray from_device(const HostArray& like, std::span<const std::byte> bytes,
                      models::Numerics numerics) {
  HostArray array{like.element, like.shape, {bytes.begin(), bytes.end()}};
  if (changes(like, numerics)) {
    array.bytes = converted(bytes, models::Format::dl16, models::Format::fp16);
  }
  return array;
}

}  // namespace spyre::runtime
