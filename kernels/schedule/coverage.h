// Which elements of the tensors that kernels store to have been written: twice in one launch, or
// never before they are read. Exact for the stick-aligned rectangles of a schedule; kept as one bit
// per stick.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/schedule/core_walk.h"
#include "kernels/schedule/findings.h"
#include "kernels/schedule/tile_geometry.h"

namespace spyre::kernels {

/// One bit per stick of a tensor.
class StickBitmap {
 public:
  explicit StickBitmap(std::uint64_t sticks = 0) : words_((sticks + 63) / 64) {}
  /// Sets `count` bits from `first`; returns how many of them were not set before.
  std::uint64_t set(std::uint64_t first, std::uint64_t count);
  /// Clears all bits; costs as much as the stretch between the lowest and highest that were set.
  void clear();

 private:
  std::vector<std::uint64_t> words_;
  std::size_t low_ = SIZE_MAX;
  std::size_t high_ = 0;
};

class Coverage {
 public:
  Coverage(const WalkContext& context, Findings& findings);

  void begin_launch(std::uint32_t launch, const std::string& name);
  /// A tile that is stored; `rectangle` is cut and not empty.
  void store(std::size_t tensor, const Rectangle& rectangle, std::uint32_t core,
             const SourcePosition& where);
  /// A tensor that is read: what was stored to it in earlier launches must be complete.
  void read(std::size_t tensor);
  void end_launch();
  void end_program();

 private:
  struct Written {
    bool known = false;      // the bitmaps exist
    bool in_launch = false;  // stored to in this launch
    bool open = false;       // stored to since it was last read
    StickBitmap launch, since_read;
    std::int64_t elements = 0;  // written since it was last read
    std::uint32_t last_launch = 0;
    const SourcePosition* first_store = nullptr;
    std::string launch_name;  // of the first store
  };
  void close(std::size_t tensor);

  const WalkContext& context_;
  Findings& findings_;
  std::vector<Written> tensors_;
  std::vector<std::size_t> stored_;  // in this launch
  std::vector<models::StickRuns> runs_;
  std::uint32_t launch_ = 0;
  std::string launch_name_;
};

}  // namespace spyre::kernels
