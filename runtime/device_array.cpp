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

std::span<const std::byte> to_device(const HostArray& array, models::Numerics numerics,
                                     std::vector<std::byte>& storage) {
  if (!changes(array, numerics)) return array.bytes;
  storage = converted(array.bytes, models::Format::fp16, models::Format::dl16);
  return storage;
}

HostArray from_device(const HostArray& like, std::vector<std::byte> bytes,
                      models::Numerics numerics) {
  if (changes(like, numerics)) {
    bytes = converted(bytes, models::Format::dl16, models::Format::fp16);
  }
  return {like.element, like.shape, std::move(bytes)};
}

}  // namespace spyre::runtime
