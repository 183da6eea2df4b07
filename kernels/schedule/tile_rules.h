// Judges one step by itself: positions, sizes, shapes and types of its tiles. Keeps no state
// between steps.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/schedule/core_walk.h"
#include "kernels/schedule/findings.h"

namespace spyre::kernels {

/// What memory there is around a tensor with strides, in its elements: before its first one, and
/// from that on.
struct MemoryAround {
  std::int64_t before = 0;
  std::int64_t behind = 0;
  std::string name;  ///< "DRAM", "the LX of core 1"
};

/// Where in the program a step stands.
struct StepPlace {
  const WalkContext* context = nullptr;
  const std::vector<MemoryAround>* memory = nullptr;  ///< by tensor
  const CompiledKernel* kernel = nullptr;
  const std::string* launch = nullptr;
  std::uint32_t core = 0;

  [[nodiscard]] const SourcePosition& position(const Step& step) const {
    return *kernel->positions[step.instruction->statement];
  }
  [[nodiscard]] const std::string& buffer_name(const TileView& view) const {
    return kernel->buffers[view.buffer].buffer->name;
  }
  /// " (core 3, launch 'l0.qkv')"
  [[nodiscard]] std::string text() const;
};

/// Findings about one step. Their messages are made only where they say something new.
class StepFindings {
 public:
  StepFindings(const StepPlace& place, const Step& step, Findings& findings)
      : place_(place), where_(place.position(step)), findings_(findings) {}

  template <typename Message>
  void error(std::string_view rule, Message message) {
    if (findings_.is_new(rule, where_)) findings_.error(rule, where_, message() + place_.text());
  }
  template <typename Message>
  void warning(std::string_view rule, Message message) {
    if (findings_.is_new(rule, where_)) findings_.warning(rule, where_, message() + place_.text());
  }

 private:
  const StepPlace& place_;
  const SourcePosition& where_;
  Findings& findings_;
};

/// Rules alignment, out-of-range, tile-too-big, shape-mismatch, type-mismatch, index-values,
/// index-range, loop-limit.
void check_tiles(const StepPlace& place, const Step& step, Findings& findings);

}  // namespace spyre::kernels
