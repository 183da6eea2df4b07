// Attribute values: what stands behind the names in attribute dictionaries and in op syntax.
// Immutable and shared, so an alias used many times is stored once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/ktir/affine.h"
#include "kernels/ktir/source.h"
#include "kernels/ktir/type.h"

namespace spyre::kernels::ktir {

struct Attribute;
using AttributePtr = std::shared_ptr<const Attribute>;
using NamedAttribute = std::pair<std::string, AttributePtr>;

struct UnitValue {
  bool operator==(const UnitValue&) const = default;
};

/// Integers of a type of N bits hold the value those bits mean (0xFF800000 : i32 is negative).
struct IntegerValue {
  std::int64_t value = 0;
  std::optional<ScalarType> type;
  bool operator==(const IntegerValue&) const = default;
};

/// A literal before it is rounded to its type; for a hexadecimal literal `bits` decide.
struct RealValue {
  double value = 0;  ///< NaN where `bits` are of a format that is not decoded here (DLFloat16)
  std::optional<std::uint64_t> bits;
  std::optional<ScalarType> type;
};

struct StringValue {
  std::string text;
  bool operator==(const StringValue&) const = default;
};

struct SymbolValue {
  std::string name;
  bool operator==(const SymbolValue&) const = default;
};

struct ArrayValue {
  std::vector<AttributePtr> elements;
};

struct DictionaryValue {
  std::vector<NamedAttribute> entries;  ///< sorted by name
};

/// array<i64: 1, 2>, and the integer lists of op syntax such as dimensions = [1].
struct IntegersValue {
  std::vector<std::int64_t> values;
  bool operator==(const IntegersValue&) const = default;
};

/// dense<...> : type. One element if it is a splat.
struct DenseValue {
  Type type;
  std::vector<AttributePtr> elements;  ///< IntegerValue or RealValue, row-major
  [[nodiscard]] bool is_splat() const { return elements.size() == 1; }
};

/// An attribute of a dialect that KTIR kernels do not depend on, kept as text.
struct OpaqueValue {
  std::string text;
  bool operator==(const OpaqueValue&) const = default;
};

struct Attribute {
  std::variant<UnitValue, bool, IntegerValue, RealValue, StringValue, SymbolValue, Type, ArrayValue,
               DictionaryValue, IntegersValue, AffineMapPtr, IntegerSetPtr, DenseValue, MemorySpace,
               SourceMappingPtr, OpaqueValue>
      value;
};

template <class Value>
AttributePtr make_attribute(Value value) {
  return std::make_shared<const Attribute>(Attribute{std::move(value)});
}

/// The alternative, or nullptr if the attribute is absent or another one.
template <class Value>
const Value* value_of(const AttributePtr& attribute) {
  return attribute == nullptr ? nullptr : std::get_if<Value>(&attribute->value);
}

/// Whole numbers from [1, 2] or array<i64: 1, 2>; nothing if it is neither.
[[nodiscard]] std::optional<std::vector<std::int64_t>> integers_of(const AttributePtr& attribute);

/// The number that `bits` mean in an IEEE-like format; NaN for formats not decoded here.
[[nodiscard]] double decode_bits(const ScalarType& type, std::uint64_t bits);

/// KTIR text that parses back to the same attribute.
[[nodiscard]] std::string to_string(const Attribute& attribute);
/// "loc(...)".
[[nodiscard]] std::string to_string(const SourceMapping& mapping);
/// A name as a dictionary key: quoted unless it is a word.
[[nodiscard]] std::string key_text(std::string_view name);
/// A quoted string with escapes.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace spyre::kernels::ktir
