// Questions about a function that checks and the lowering share: who defines and uses a value,
// which values are known before the run, how often a loop turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/ktir/ir.h"

namespace spyre::kernels::ktir {

/// Definitions and uses of one function. Points into it: the function must not change meanwhile.
class DefUse {
 public:
  struct Use {
    const Operation* user = nullptr;
    std::size_t operand = 0;
  };

  explicit DefUse(const Function& function);
  /// nullptr for arguments of the function and of regions.
  [[nodiscard]] const Operation* definition(ValueId id) const { return definitions_[id]; }
  /// In the order of the text.
  [[nodiscard]] std::span<const Use> uses(ValueId id) const { return uses_[id]; }

 private:
  void visit(const Region& region);
  std::vector<const Operation*> definitions_;
  std::vector<std::vector<Use>> uses_;
};

/// The integers that are the same on every core and in every turn of a loop: constants and integer
/// arithmetic on them, and the tile id where there is one core.
class Constants {
 public:
  explicit Constants(const Function& function);
  [[nodiscard]] std::optional<std::int64_t> value(ValueId id) const { return values_[id]; }
  /// All of them, or nothing.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> values(std::span<const ValueId> ids) const;

 private:
  void visit(const Region& region);
  void fold(const Operation& op);
  const Function& function_;
  std::vector<std::optional<std::int64_t>> values_;
};

/// What is known of an scf.for before the run.
struct LoopBounds {
  std::optional<std::int64_t> lower;
  std::optional<std::int64_t> upper;  ///< not reached
  std::optional<std::int64_t> step;

  /// How often the body runs, if the three are known and the step is positive.
  [[nodiscard]] std::optional<std::int64_t> trip_count() const;
};
[[nodiscard]] LoopBounds loop_bounds(const Operation& loop, const Constants& constants);

}  // namespace spyre::kernels::ktir
