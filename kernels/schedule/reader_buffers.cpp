// Buffers in LX, and the regions that some of them share.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "kernels/schedule/reader_parts.h"

namespace spyre::kernels {
namespace {

/// Buffers of one region lie at one place, so what says where and how much must be the same.
void check_regions(const YAML::Node& node, const std::string& path,
                   const std::vector<Buffer>& buffers, ReadContext& context) {
  std::map<std::string, const Buffer*> regions;
  for (const Buffer& buffer : buffers) {
    if (buffer.region.empty()) continue;
    const Buffer& first = *regions.emplace(buffer.region, &buffer).first->second;
    const YAML::Node entry = node[buffer.name];
    if (path == "resident") {
      context.error(entry, "region",
                    fmt::format("'{}' is resident: only buffers of one kernel can share a region",
                                buffer.name));
      continue;
    }
    if (buffer.slots != first.slots) {
      context.error(entry, "region",
                    fmt::format("'{}' has slots: {} and '{}' of the same region slots: {}: make "
                                "them equal",
                                buffer.name, buffer.slots, first.name, first.slots));
    }
    if (buffer.address != first.address) {
      context.error(entry, "region",
                    fmt::format("'{}' and '{}' are of the same region: give both the same "
                                "'address', or none",
                                buffer.name, first.name));
    }
  }
}

Buffer read_buffer(const YAML::Node& key, const YAML::Node& node, const std::string& path,
                   ReadContext& context) {
  Buffer buffer;
  buffer.name = key.Scalar();
  buffer.position = context.sink.position(key.Mark());
  check_object_name(key, "buffer", context);
  models::MapReader map(node, path + "." + buffer.name, context.sink);
  if (!map.valid()) return buffer;
  buffer.type = read_data_type(map, context);
  buffer.shape = read_shape(map, 2, context);
  const std::int64_t per_stick = elements_per_stick(buffer.type, context.machine);
  buffer.slots = map.integer_or("slots", 1, 1, kMaxSlots);
  if (!is_small_enough(buffer.shape, per_stick * buffer.slots)) {
    context.error(node, "limit",
                  fmt::format("'{}' has more than 2^48 elements", map.name_of("shape")));
    buffer.shape.assign(buffer.shape.size(), 1);
  }
  constexpr std::int64_t kHighest = std::numeric_limits<std::uint32_t>::max();
  const AddressUnit unit{context.machine.limits.stick_bytes, "a stick"};
  if (const auto address = read_address(map, kHighest, unit, context)) {
    buffer.address = static_cast<std::uint32_t>(*address);
  }
  if (const auto region = map.optional("region")) {
    buffer.region = scalar_text(*region, "the name of a region", context).value_or("");
    check_object_name(*region, "region", context);
  }
  map.finish();
  return buffer;
}

}  // namespace

std::vector<Buffer> read_buffers(const YAML::Node& node, const std::string& path,
                                 const std::vector<std::string>& taken, ReadContext& context) {
  std::vector<Buffer> buffers;
  std::int64_t slots = 0;
  each_entry(node, path, context, [&](const YAML::Node& key, const YAML::Node& value) {
    if (std::find(taken.begin(), taken.end(), key.Scalar()) != taken.end()) {
      context.error(
          key, "name-taken",
          fmt::format("'{}' is a resident buffer already: rename one of them", key.Scalar()));
    }
    buffers.push_back(read_buffer(key, value, path, context));
    slots += buffers.back().slots;
  });
  if (slots > kMaxSlots) {
    context.error(
        node, "limit",
        fmt::format("'{}' has {} slots: at most {} can be told apart", path, slots, kMaxSlots));
  }
  check_regions(node, path, buffers, context);
  return buffers;
}

}  // namespace spyre::kernels
