// The types of KTIR: scalars, tensors, memory views, access tiles, futures and runtime arguments.
// Unranked and nested shaped types do not occur.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ktir/affine.h"

namespace spyre::kernels::ktir {

/// A size that is known at run time only, written '?'.
inline constexpr std::int64_t kDynamic = -1;
inline constexpr std::size_t kMaxRank = 32;

enum class ScalarKind {
  index,
  integer,           ///< iN: width says N
  signed_integer,    ///< siN
  unsigned_integer,  ///< uiN
  f16,
  bf16,
  f32,
  f64,
  f8_e4m3,  ///< f8E4M3FN
  f8_e5m2,  ///< f8E5M2
  df16,     ///< !spyreop.df16, DLFloat16
};

struct ScalarType {
  ScalarKind kind = ScalarKind::index;
  int width = 64;  ///< bits; index counts as 64

  [[nodiscard]] bool is_float() const { return kind >= ScalarKind::f16; }
  [[nodiscard]] bool is_integer() const {
    return kind >= ScalarKind::integer && kind <= ScalarKind::unsigned_integer;
  }
  bool operator==(const ScalarType&) const = default;
};

/// Which memory a view lies in: #ktdp.memory_space<...>, or the older
/// #ktdp.spyre_memory_space<...>.
struct MemorySpace {
  enum class Kind { global, ct_local, l0, unspecified };
  Kind kind = Kind::global;
  std::optional<std::int64_t> core;  ///< of ct_local: whose memory; absent for the executing core's

  bool operator==(const MemorySpace&) const = default;
};

/// strided<[64, 1], offset: ?> of a memref.
struct StridedLayout {
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;

  bool operator==(const StridedLayout&) const = default;
};

enum class TypeKind {
  none,  ///< not known, after a fault in the text
  scalar,
  tensor,
  memref,
  access_tile,
  tile_future,
  runtime_arg,
};

struct Type {
  TypeKind kind = TypeKind::none;
  ScalarType element;  ///< the scalar itself, or the element; index for access tiles
  std::vector<std::int64_t> shape;

  std::optional<StridedLayout> layout;      ///< memref
  std::optional<MemorySpace> memory_space;  ///< memref
  std::vector<Type> payload;                ///< tile_future: the tensors it carries
  IntegerSetPtr groups;                     ///< tile_future
  std::optional<std::int64_t> granularity;  ///< runtime_arg
  std::optional<std::int64_t> upper_bound;  ///< runtime_arg

  static Type scalar(ScalarType element);
  static Type index();
  static Type tensor(std::vector<std::int64_t> shape, ScalarType element);

  [[nodiscard]] bool is_scalar() const { return kind == TypeKind::scalar; }
  [[nodiscard]] bool is_index() const { return is_scalar() && element.kind == ScalarKind::index; }
  [[nodiscard]] bool is_tensor() const { return kind == TypeKind::tensor; }
  [[nodiscard]] bool is_known() const { return kind != TypeKind::none; }
  [[nodiscard]] bool is_static() const;
  [[nodiscard]] std::size_t rank() const { return shape.size(); }
  /// The product of a static shape; nothing if it is dynamic or does not fit in 64 bits.
  [[nodiscard]] std::optional<std::int64_t> element_count() const;

  bool operator==(const Type& other) const;
};

/// Sizes agree if they are equal or one is dynamic.
[[nodiscard]] bool sizes_agree(std::int64_t a, std::int64_t b);
[[nodiscard]] bool shapes_agree(const std::vector<std::int64_t>& a,
                                const std::vector<std::int64_t>& b);

/// The scalar type of that name ("i32", "f16", "index"), if there is one.
[[nodiscard]] std::optional<ScalarType> scalar_type_named(std::string_view name);

/// KTIR text of a type; to_string(parsed) parses back to the same type.
[[nodiscard]] std::string to_string(const ScalarType& type);
[[nodiscard]] std::string to_string(const MemorySpace& space);
[[nodiscard]] std::string to_string(const Type& type);
/// "2x?x64".
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace spyre::kernels::ktir
