#include "kernels/ktir/type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace spyre::kernels::ktir {
namespace {

struct NamedScalar {
  std::string_view name;
  ScalarType type;
};

constexpr std::array<NamedScalar, 8> kNamedScalars{{
    {"index", {ScalarKind::index, 64}},
    {"f16", {ScalarKind::f16, 16}},
    {"bf16", {ScalarKind::bf16, 16}},
    {"f32", {ScalarKind::f32, 32}},
    {"f64", {ScalarKind::f64, 64}},
    {"f8E4M3FN", {ScalarKind::f8_e4m3, 8}},
    {"f8E5M2", {ScalarKind::f8_e5m2, 8}},
    {"!spyreop.df16", {ScalarKind::df16, 16}},
}};

std::string size_text(std::int64_t size) {
  return size == kDynamic ? "?" : std::to_string(size);
}

std::string shaped_text(const char* name, const Type& type) {
  const std::string shape = shape_text(type.shape);
  return fmt::format("{}<{}{}{}", name, shape, shape.empty() ? "" : "x", to_string(type.element));
}

std::string memref_text(const Type& type) {
  std::string text = shaped_text("memref", type);
  if (type.layout) {
    std::vector<std::string> strides;
    for (const std::int64_t stride : type.layout->strides) strides.push_back(size_text(stride));
    text += fmt::format(", strided<[{}]", fmt::join(strides, ", "));
    if (type.layout->offset != 0) text += ", offset: " + size_text(type.layout->offset);
    text += ">";
  }
  if (type.memory_space) text += ", " + to_string(*type.memory_space);
  return text + ">";
}

std::string future_text(const Type& type) {
  std::vector<std::string> payload;
  for (const Type& tensor : type.payload) payload.push_back(to_string(tensor));
  std::string text = fmt::format("!ktdp.tile_future<({})", fmt::join(payload, ", "));
  if (type.groups) text += ", groups = " + to_string(*type.groups);
  return text + ">";
}

std::string runtime_arg_text(const Type& type) {
  std::string text = "!ktdp.runtime_arg<" + to_string(type.element);
  if (type.granularity) text += fmt::format(", granularity={}", *type.granularity);
  if (type.upper_bound) text += fmt::format(", upperbound={}", *type.upper_bound);
  return text + ">";
}

}  // namespace

Type Type::scalar(ScalarType element) {
  Type type;
  type.kind = TypeKind::scalar;
  type.element = element;
  return type;
}

Type Type::index() {
  return scalar({ScalarKind::index, 64});
}

Type Type::tensor(std::vector<std::int64_t> shape, ScalarType element) {
  Type type;
  type.kind = TypeKind::tensor;
  type.element = element;
  type.shape = std::move(shape);
  return type;
}

bool Type::is_static() const {
  return std::ranges::find(shape, kDynamic) == shape.end();
}

std::optional<std::int64_t> Type::element_count() const {
  if (!is_static()) return std::nullopt;
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  return count;
}

bool Type::operator==(const Type& other) const {
  const bool same_groups = (groups == nullptr) == (other.groups == nullptr) &&
                           (groups == other.groups || *groups == *other.groups);
  return kind == other.kind && element == other.element && shape == other.shape &&
         layout == other.layout && memory_space == other.memory_space && payload == other.payload &&
         same_groups && granularity == other.granularity && upper_bound == other.upper_bound;
}

bool sizes_agree(std::int64_t a, std::int64_t b) {
  return a == b || a == kDynamic || b == kDynamic;
}

bool shapes_agree(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  return std::ranges::equal(a, b, sizes_agree);
}

std::optional<ScalarType> scalar_type_named(std::string_view name) {
  for (const NamedScalar& known : kNamedScalars) {
    if (known.name == name) return known.type;
  }
  ScalarKind kind = ScalarKind::integer;
  std::string_view digits = name;
  if (name.starts_with("si")) {
    kind = ScalarKind::signed_integer;
    digits.remove_prefix(2);
  } else if (name.starts_with("ui")) {
    kind = ScalarKind::unsigned_integer;
    digits.remove_prefix(2);
  } else if (name.starts_with("i")) {
    digits.remove_prefix(1);
  } else {
    return std::nullopt;
  }
  int width = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), width);
  if (digits.empty() || digits.front() == '0' || failure != std::errc{} ||
      end != digits.data() + digits.size() || width < 1 || width > 64) {
    return std::nullopt;
  }
  return ScalarType{kind, width};
}

std::string to_string(const ScalarType& type) {
  if (type.kind == ScalarKind::integer) return fmt::format("i{}", type.width);
  if (type.kind == ScalarKind::signed_integer) return fmt::format("si{}", type.width);
  if (type.kind == ScalarKind::unsigned_integer) return fmt::format("ui{}", type.width);
  for (const NamedScalar& known : kNamedScalars) {
    if (known.type.kind == type.kind) return std::string(known.name);
  }
  return "none";
}

std::string to_string(const MemorySpace& space) {
  switch (space.kind) {
    case MemorySpace::Kind::global:
      return "#ktdp.memory_space<global>";
    case MemorySpace::Kind::ct_local:
      return space.core ? fmt::format("#ktdp.memory_space<ct_local, ct_id = {}>", *space.core)
                        : "#ktdp.memory_space<ct_local>";
    case MemorySpace::Kind::l0:
      return "#ktdp.spyre_memory_space<L0>";
    case MemorySpace::Kind::unspecified:
      break;
  }
  return "#ktdp.spyre_memory_space<unspecified>";
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) {
    if (!text.empty()) text += 'x';
    text += size_text(size);
  }
  return text;
}

std::string to_string(const Type& type) {
  switch (type.kind) {
    case TypeKind::none:
      return "(unknown type)";
    case TypeKind::scalar:
      return to_string(type.element);
    case TypeKind::tensor:
      return shaped_text("tensor", type) + ">";
    case TypeKind::memref:
      return memref_text(type);
    case TypeKind::access_tile:
      return shaped_text("!ktdp.access_tile", type) + ">";
    case TypeKind::tile_future:
      return future_text(type);
    case TypeKind::runtime_arg:
      break;
  }
  return runtime_arg_text(type);
}

}  // namespace spyre::kernels::ktir
