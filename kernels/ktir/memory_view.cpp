#include "kernels/ktir/memory_view.h"

#include <fmt/format.h>

namespace spyre::kernels::ktir {

void Site::fail(std::string_view message) const {
  throw models::InputError(fmt::format("'{}': {}", op.info->name, message),
                           module.position(op.where));
}

std::int64_t bytes_of(const ScalarType& type) {
  return (type.width + 7) / 8;
}

std::int64_t MemoryView::element_bytes() const {
  return bytes_of(element);
}

std::int64_t address_sum(std::int64_t a, std::int64_t b, const Site& site) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) site.fail("an address does not fit in 64 bits");
  return result;
}

std::int64_t address_difference(std::int64_t a, std::int64_t b, const Site& site) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) site.fail("an address does not fit in 64 bits");
  return result;
}

std::int64_t address_product(std::int64_t a, std::int64_t b, const Site& site) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) site.fail("an address does not fit in 64 bits");
  return result;
}

const ViewPart* part_at(const MemoryView& view, std::span<const std::int64_t> coordinate) {
  for (const ViewPart& part : view.parts) {
    bool inside = true;
    for (std::size_t d = 0; part.box && d < coordinate.size(); ++d) {
      inside = inside && coordinate[d] >= part.box->low[d] && coordinate[d] <= part.box->high[d];
    }
    if (inside) return &part;
  }
  return nullptr;
}

std::int64_t byte_at(const ViewPart& part, std::span<const std::int64_t> coordinate,
                     const Site& site) {
  std::int64_t byte = part.byte;
  for (std::size_t d = 0; d < coordinate.size(); ++d) {
    const std::int64_t local =
        part.box ? address_difference(coordinate[d], part.box->low[d], site) : coordinate[d];
    byte = address_sum(byte, address_product(local, part.strides[d], site), site);
  }
  return byte;
}

std::int64_t integer_in(const MemoryView& view, std::span<const std::int64_t> coordinate,
                        const ReadInteger& read, const Site& site) {
  const ViewPart* part = part_at(view, coordinate);
  if (part == nullptr || part->is_local) {
    site.fail("it depends on integers that do not lie in DRAM: they are not known before the run");
  }
  const std::int64_t byte = byte_at(*part, coordinate, site);
  if (byte < 0) site.fail(fmt::format("it reads an integer at byte address {}", byte));
  return read(static_cast<std::uint64_t>(byte), view.element);
}

}  // namespace spyre::kernels::ktir
