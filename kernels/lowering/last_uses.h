// Where in a function each value is used for the last time, and which operations matter at all.
//
// Operations have positions in the order of the text; an operation with regions has one where it
// begins and one where it ends. What a loop uses but does not define is used until the loop ends.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernels/ktir/ir.h"

namespace spyre::kernels::lowering {

class LastUses {
 public:
  explicit LastUses(const ktir::Function& function);

  [[nodiscard]] std::int64_t begin(const ktir::Operation& op) const { return spans_.at(&op).begin; }
  [[nodiscard]] std::int64_t end(const ktir::Operation& op) const { return spans_.at(&op).end; }
  /// Where the value comes into being; arguments of a region where the region begins.
  [[nodiscard]] std::int64_t definition(ktir::ValueId id) const { return definitions_[id]; }
  /// -1 if it is never used by an operation that matters.
  [[nodiscard]] std::int64_t last_use(ktir::ValueId id) const { return last_uses_[id]; }
  void keep_until(ktir::ValueId id, std::int64_t position);
  /// False for operations without effect whose results nothing that matters uses.
  [[nodiscard]] bool matters(const ktir::Operation& op) const;
  [[nodiscard]] bool is_used(ktir::ValueId id) const { return used_[id]; }

 private:
  struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  void number(const ktir::Region& region);
  bool mark(const ktir::Region& region);
  bool mark(const ktir::Operation& op);
  bool use(ktir::ValueId id);
  void find_uses(const ktir::Region& region, std::vector<const ktir::Operation*>& loops);
  void define(ktir::ValueId id, std::int64_t position, std::size_t depth);

  std::map<const ktir::Operation*, Span> spans_;
  std::vector<std::int64_t> definitions_, last_uses_;
  std::vector<std::size_t> depths_;
  std::vector<bool> used_;
  std::map<const ktir::Operation*, bool> has_effect_;
  std::int64_t next_ = 0;
};

/// Whether the operation, or one in its regions, does more than make results: stores and
/// exchanges between cores.
[[nodiscard]] bool has_effect(const ktir::Operation& op);

}  // namespace spyre::kernels::lowering
