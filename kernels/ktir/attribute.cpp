#include "kernels/ktir/attribute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace spyre::kernels::ktir {
namespace {

struct FloatFormat {
  int exponent_bits;
  int fraction_bits;
  bool has_infinity;
};

std::optional<FloatFormat> format_of(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::f16:
      return FloatFormat{5, 10, true};
    case ScalarKind::bf16:
      return FloatFormat{8, 7, true};
    case ScalarKind::f32:
      return FloatFormat{8, 23, true};
    case ScalarKind::f64:
      return FloatFormat{11, 52, true};
    case ScalarKind::f8_e5m2:
      return FloatFormat{5, 2, true};
    case ScalarKind::f8_e4m3:
      return FloatFormat{4, 3, false};
    default:
      return std::nullopt;
  }
}

std::string with_type(std::string text, const std::optional<ScalarType>& type) {
  return type ? fmt::format("{} : {}", text, to_string(*type)) : text;
}

std::string real_text(const RealValue& real) {
  if (real.bits) return fmt::format("0x{:X}", *real.bits);
  std::string text = fmt::format("{}", real.value);  // the shortest text that reads back the same
  const std::size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos) {
    text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  }
  return text;
}

/// Row-major elements in one pair of brackets per dimension; nothing if there are none.
std::string nested_text(const std::vector<std::string>& elements,
                        const std::vector<std::int64_t>& shape) {
  std::string text;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::size_t opening = 0;
    std::size_t closing = 0;
    std::size_t block = 1;
    for (auto size = shape.rbegin(); size != shape.rend(); ++size) {
      block *= static_cast<std::size_t>(*size);
      if (i % block == 0) ++opening;
      if ((i + 1) % block == 0) ++closing;
    }
    if (i > 0) text += ", ";
    text.append(opening, '[');
    text += elements[i];
    text.append(closing, ']');
  }
  return text;
}

std::string dense_text(const DenseValue& dense) {
  std::vector<std::string> elements;
  for (const AttributePtr& element : dense.elements) {
    if (const auto* real = value_of<RealValue>(element)) {
      elements.push_back(real_text(*real));
    } else if (const auto* integer = value_of<IntegerValue>(element)) {
      const bool boolean = dense.type.element == ScalarType{ScalarKind::integer, 1};
      elements.push_back(boolean ? (integer->value != 0 ? "true" : "false")
                                 : std::to_string(integer->value));
    }
  }
  const std::string type = to_string(dense.type);
  if (dense.is_splat()) return fmt::format("dense<{}> : {}", elements.front(), type);
  return fmt::format("dense<{}> : {}", nested_text(elements, dense.type.shape), type);
}

struct Writer {
  std::string operator()(const UnitValue&) const { return "unit"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const IntegerValue& value) const {
    return with_type(std::to_string(value.value), value.type);
  }
  std::string operator()(const RealValue& value) const {
    return with_type(real_text(value), value.type);
  }
  std::string operator()(const StringValue& value) const { return quoted(value.text); }
  std::string operator()(const SymbolValue& value) const { return "@" + key_text(value.name); }
  std::string operator()(const Type& value) const { return to_string(value); }
  std::string operator()(const ArrayValue& value) const {
    std::vector<std::string> elements;
    for (const AttributePtr& element : value.elements) elements.push_back(to_string(*element));
    return fmt::format("[{}]", fmt::join(elements, ", "));
  }
  std::string operator()(const DictionaryValue& value) const {
    std::vector<std::string> entries;
    for (const auto& [name, entry] : value.entries) {
      entries.push_back(fmt::format("{} = {}", key_text(name), to_string(*entry)));
    }
    return fmt::format("{{{}}}", fmt::join(entries, ", "));
  }
  std::string operator()(const IntegersValue& value) const {
    if (value.values.empty()) return "array<i64>";
    return fmt::format("array<i64: {}>", fmt::join(value.values, ", "));
  }
  std::string operator()(const AffineMapPtr& value) const { return to_string(*value); }
  std::string operator()(const IntegerSetPtr& value) const { return to_string(*value); }
  std::string operator()(const DenseValue& value) const { return dense_text(value); }
  std::string operator()(const MemorySpace& value) const { return to_string(value); }
  std::string operator()(const SourceMappingPtr& value) const {
    return value ? to_string(*value) : "loc(unknown)";
  }
  std::string operator()(const OpaqueValue& value) const { return value.text; }
};

}  // namespace

std::optional<std::vector<std::int64_t>> integers_of(const AttributePtr& attribute) {
  if (const auto* integers = value_of<IntegersValue>(attribute)) return integers->values;
  const auto* array = value_of<ArrayValue>(attribute);
  if (array == nullptr) return std::nullopt;
  std::vector<std::int64_t> values;
  for (const AttributePtr& element : array->elements) {
    const auto* integer = value_of<IntegerValue>(element);
    if (integer == nullptr) return std::nullopt;
    values.push_back(integer->value);
  }
  return values;
}

double decode_bits(const ScalarType& type, std::uint64_t bits) {
  const std::optional<FloatFormat> format = format_of(type.kind);
  if (!format) return std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t fraction_range = std::uint64_t{1} << format->fraction_bits;
  const std::uint64_t exponent_range = std::uint64_t{1} << format->exponent_bits;
  const std::uint64_t fraction = bits % fraction_range;
  const std::uint64_t exponent = bits / fraction_range % exponent_range;
  const bool negative = (bits >> (format->fraction_bits + format->exponent_bits)) % 2 != 0;
  const int bias = static_cast<int>(exponent_range / 2) - 1;
  double magnitude = 0;
  const bool top = exponent == exponent_range - 1;
  if (top && format->has_infinity) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (top && fraction == fraction_range - 1) {
    magnitude = std::numeric_limits<double>::quiet_NaN();
  } else {
    const std::uint64_t significand = exponent == 0 ? fraction : fraction + fraction_range;
    const int scale = std::max(static_cast<int>(exponent), 1) - bias - format->fraction_bits;
    magnitude = std::ldexp(static_cast<double>(significand), scale);
  }
  return negative ? -magnitude : magnitude;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\{:02X}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string key_text(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_part = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '$' || c == '.';
  };
  const bool word = !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, is_part);
  return word ? std::string(name) : quoted(name);
}

std::string to_string(const SourceMapping& mapping) {
  std::string place;
  if (!mapping.file.empty()) {
    place = fmt::format("{}:{}:{}", quoted(mapping.file), mapping.line, mapping.column);
  }
  if (mapping.name.empty()) return fmt::format("loc({})", place.empty() ? "unknown" : place);
  const std::string name = quoted(mapping.name);
  return place.empty() ? fmt::format("loc({})", name) : fmt::format("loc({}({}))", name, place);
}

std::string to_string(const Attribute& attribute) {
  return std::visit(Writer{}, attribute.value);
}

}  // namespace spyre::kernels::ktir
