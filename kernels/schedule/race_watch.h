// What of a kernel could race at all, known from its statements alone; and which launches of it are
// alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/schedule/compiled_kernel.h"
#include "kernels/schedule/core_walk.h"

namespace spyre::kernels {

class RaceWatch {
 public:
  RaceWatch(const WalkContext& context, const Placement& placement, const CompiledKernel& kernel);

  /// Nothing that the scoreboard does not see is written and touched again.
  [[nodiscard]] bool idle() const { return idle_; }
  /// Memory in which something is stored that another statement, or core, touches as well.
  [[nodiscard]] bool tensor(std::size_t tensor) const { return tensors_[tensor]; }
  /// Buffers that other cores reach: by tiles that they send, or by a tensor in LX.
  [[nodiscard]] bool buffer(std::size_t buffer) const { return buffers_[buffer]; }

  /// Launches with equal keys race alike. A parameter that does no more than choose one index of
  /// each tensor, such as a layer, is no part of it.
  [[nodiscard]] std::vector<std::int64_t> key(std::span<const std::int64_t> arguments) const;

 private:
  struct Place {  // of one tensor's memory
    std::int64_t core = -1;
    std::uint64_t begin = 0, end = 0;
  };
  struct Use {  // a parameter as the only offset along a dim
    std::size_t tensor = 0;
    std::size_t dim = 0;
    std::int64_t size = 0;
  };
  void watch_tensors(const WalkContext& context, const Placement& placement,
                     const CompiledKernel& kernel);
  void watch_buffers(const CompiledKernel& kernel);
  void find_shifts(const WalkContext& context, const CompiledKernel& kernel);
  [[nodiscard]] bool overlap(std::size_t a, std::size_t b) const {
    return places_[a].core == places_[b].core && places_[a].begin < places_[b].end &&
           places_[b].begin < places_[a].end;
  }

  bool idle_ = true;
  std::vector<bool> tensors_;
  std::vector<bool> buffers_;
  std::vector<std::size_t> touched_;      // tensors
  std::vector<Place> places_;             // by tensor
  std::vector<std::vector<Use>> shifts_;  // by parameter; empty: it is part of the key
};

}  // namespace spyre::kernels
