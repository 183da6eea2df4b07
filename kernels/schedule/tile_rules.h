// Judges one step by itself: positions, sizes, shapes and types of its tiles. Keeps no state
// between steps.
#pragma once

#include <string>

#include "kernels/schedule/core_walk.h"
#include "kernels/schedule/findings.h"

namespace spyre::kernels {

/// Where in the program a step stands.
struct StepPlace {
  const WalkContext* context = nullptr;
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

/// Rules alignment, out-of-range, tile-too-big, shape-mismatch, type-mismatch, index-values,
/// index-range, loop-limit.
void check_tiles(const StepPlace& place, const Step& step, Findings& findings);

}  // namespace spyre::kernels
