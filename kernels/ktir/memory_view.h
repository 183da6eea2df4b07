// Memory views with numbers in place of SSA values.
//
// Modelled: strided views, distributed views whose parts are boxes, integers that lie in DRAM
// before the run. Not modelled: the ends of a view, any other contents of memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/ktir/ir.h"

namespace spyre::kernels::ktir {

/// The integer of that type at a byte address of DRAM, before the kernel starts.
using ReadInteger = std::function<std::int64_t(std::uint64_t byte_address, const ScalarType& type)>;

/// An operation and its module: where a fault is reported.
struct Site {
  const Module& module;
  const Operation& op;
  /// Throws InputError with the operation's name and place before the message.
  [[noreturn]] void fail(std::string_view message) const;
};

/// A plain view, or one part of a distributed view.
struct ViewPart {
  std::int64_t byte = 0;  ///< address of coordinate 0 in its memory
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;  ///< bytes
  std::vector<std::int64_t> symbols;  ///< the sizes that were dynamic, in their order
  bool is_local = false;              ///< in the LX memory of a core; else in DRAM
  IntegerSetPtr coordinates;          ///< nullptr where the text has none
  std::optional<IndexBox> box;        ///< part of a distributed view: the coordinates it holds
};

struct MemoryView {
  ScalarType element;
  std::vector<ViewPart> parts;
  bool is_distributed = false;
  [[nodiscard]] std::int64_t element_bytes() const;
};
using MemoryViewPtr = std::shared_ptr<const MemoryView>;

/// Tensor bytes of one element: whole bytes.
[[nodiscard]] std::int64_t bytes_of(const ScalarType& type);

/// The part that holds the coordinate, or nullptr. A plain view holds every coordinate.
[[nodiscard]] const ViewPart* part_at(const MemoryView& view,
                                      std::span<const std::int64_t> coordinate);
[[nodiscard]] std::int64_t byte_at(const ViewPart& part, std::span<const std::int64_t> coordinate,
                                   const Site& site);
/// Fails where no part in DRAM holds the coordinate.
[[nodiscard]] std::int64_t integer_in(const MemoryView& view,
                                      std::span<const std::int64_t> coordinate,
                                      const ReadInteger& read, const Site& site);

/// Arithmetic on coordinates and addresses; it fails where a result does not fit.
[[nodiscard]] std::int64_t address_sum(std::int64_t a, std::int64_t b, const Site& site);
[[nodiscard]] std::int64_t address_difference(std::int64_t a, std::int64_t b, const Site& site);
[[nodiscard]] std::int64_t address_product(std::int64_t a, std::int64_t b, const Site& site);

}  // namespace spyre::kernels::ktir
