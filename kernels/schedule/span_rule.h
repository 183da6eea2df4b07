// How far apart the addresses lie that one core reaches of one tensor in one launch: the machine's
// limit on it.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/schedule/tile_rules.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

/// Rule span.
class SpanRule {
 public:
  SpanRule(const WalkContext& context, const models::Machine& machine);

  void start_launch() { ++launch_; }
  /// A cut rectangle, not empty, that the core reads or writes.
  void touch(std::uint32_t core, std::size_t tensor, const Rectangle& rectangle,
             const SourcePosition& where);
  void finish_launch(const CompiledKernel& kernel, const std::string& name, Findings& findings);

 private:
  struct Reach {
    std::uint32_t launch = 0;
    ByteRange range;
    Rectangle box;
    const SourcePosition* where = nullptr;  // the statement that reached so far
  };
  [[nodiscard]] std::string remedy(const TensorGeometry& geometry, const Tensor& tensor,
                                   Rectangle box) const;

  const WalkContext& context_;
  std::uint64_t limit_;
  std::uint32_t launch_ = 0;
  std::vector<std::size_t> large_;         // tensors that can break the limit
  std::vector<std::vector<Reach>> reach_;  // by core, by tensor
};

}  // namespace spyre::kernels
