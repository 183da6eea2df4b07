// Walks a schedule's launch list: loops over launches, arguments, names and layers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/schedule/schedule.h"

namespace spyre::kernels {

/// One launch as the walk comes to it.
struct LaunchStep {
  std::uint32_t index = 0;              ///< 0, 1, 2 ... in launch order
  std::size_t kernel = 0;               ///< index in Schedule::kernels
  std::vector<std::int64_t> arguments;  ///< by the kernel's params; one that is not given is 0
  std::string name;  ///< "l12.qkv" where a layer is given, else the launch's name
  std::int32_t layer = -1;
  const SourcePosition* where = nullptr;
};

class LaunchWalk {
 public:
  /// The schedule must outlive the walk.
  explicit LaunchWalk(const Schedule& schedule);
  /// False at the end. `step` is overwritten.
  bool next(LaunchStep& step);

 private:
  struct Argument {
    std::size_t param;
    Expression value;  // bound to the launch loop variables around it, outermost first
  };
  struct Item {
    enum class Kind : std::uint8_t { launch, loop, end_of_loop };
    Kind kind = Kind::launch;
    const LaunchItem* source = nullptr;
    std::size_t depth = 0;  // loops around it
    std::size_t jump = 0;   // loop: behind its end; end of loop: the first item of the body
    std::int64_t start = 0, stop = 0;
    std::size_t kernel = 0;
    std::vector<Argument> arguments;
    std::ptrdiff_t layer_loop = -1;  // which of the loops around it counts layers
  };

  void flatten(const std::vector<LaunchItem>& items, std::vector<std::string>& loops);
  void flatten_launch(const LaunchItem& item, const std::vector<std::string>& loops);

  const Schedule& schedule_;
  std::vector<Item> items_;
  std::vector<std::int64_t> values_;
  std::size_t next_item_ = 0;
  std::uint32_t launches_ = 0;
};

}  // namespace spyre::kernels
