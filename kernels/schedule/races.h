// Races between the cores of a launch, and between operations of one core that the scoreboard does
// not see: two operations touch the same bytes, one of them writes, and nothing orders them.
//
// What is touched: a tile that is sent, in the buffers of its receivers, from its send until the
// receive that is sure to have counted it; what operations read and write of such buffers; loads,
// stores, gathers and scatters, byte for byte. What is ordered: core_order.h within a core,
// ring_order.h between cores. The joint start of a shared load orders nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/schedule/core_order.h"
#include "kernels/schedule/findings.h"
#include "kernels/schedule/launch_walk.h"
#include "kernels/schedule/memory_box.h"
#include "kernels/schedule/race_watch.h"
#include "kernels/schedule/ring_order.h"

namespace spyre::kernels {

/// One operation's use of one piece of memory.
struct RaceAccess {
  static constexpr std::uint32_t kNever = RingOrder::kNever;

  MemoryBox box;
  std::int64_t end = 0;
  std::uint32_t order = 0;  ///< in the walk over the launch
  std::uint32_t statement = 0;
  std::uint32_t core = 0;     ///< that does it
  std::int32_t lx_core = -1;  ///< in whose LX; -1: in DRAM
  std::uint32_t subject = 0;  ///< tensor, or buffer
  bool is_buffer = false;     ///< of the core's own, or of the one it sends to
  bool is_delivery = false;   ///< the arrival of a tile that `core` has sent
  bool writes = false;
  bool uncertain = false;  ///< indices decide at run time; the box is all that they may reach
  bool at_start = false;   ///< reads when it starts, as a send does
  CoreEvent event;         ///< delivery: of the send
  std::uint32_t released = kNever;  ///< the core's first ring operation that is sure to be later
  std::uint32_t received = kNever;  ///< delivery: the receive that is sure to be later
};

class Races {
 public:
  Races(const WalkContext& context, const Placement& placement, const models::Machine& machine,
        Findings& findings);

  /// Whether launches of the kernel can race at all.
  [[nodiscard]] bool concern(const CompiledKernel& kernel) { return !watch_of(kernel).idle(); }
  /// False if the launch is like one that has been looked at; else its steps are to be told, in an
  /// order in which everything can happen. `resident_state`: of all its cores.
  bool begin(const CompiledKernel& kernel, const LaunchStep& launch, std::uint64_t resident_state);
  void step(std::uint32_t core, const Step& step);
  /// The launch has come to its end on every core.
  void end();

 private:
  using Key = std::tuple<const CompiledKernel*, std::vector<std::int64_t>, std::uint64_t>;
  const RaceWatch& watch_of(const CompiledKernel& kernel);
  void add_transfer(const Step& step, RaceAccess access);
  void add_indexed(const Step& step, RaceAccess access);
  void add_tables(const Step& step, RaceAccess access);
  void add_rectangle(std::size_t tensor, const Rectangle& rectangle, std::int64_t offset,
                     RaceAccess access);
  void add_buffers(const Step& step, RaceAccess access);
  void add_buffer(const TileView& view, RaceAccess access);
  void add(RaceAccess& access);
  void find_order(RaceAccess& access) const;
  void compare_all();
  [[nodiscard]] bool may_conflict(const RaceAccess& a, const RaceAccess& b) const;
  [[nodiscard]] bool ordered(const RaceAccess& first, const RaceAccess& second) const;
  void report(const RaceAccess& first, const RaceAccess& second, bool certain);
  void report_limit(const std::string& what);
  [[nodiscard]] std::string subject_text(const RaceAccess& a, const RaceAccess& b) const;
  [[nodiscard]] static std::string remedy(const RaceAccess& first, const RaceAccess& second);

  const WalkContext& context_;
  const Placement& placement_;
  const std::int64_t stick_bytes_;
  Findings& findings_;
  std::map<const CompiledKernel*, std::unique_ptr<RaceWatch>> watches_;
  std::set<Key> known_;

  const CompiledKernel* kernel_ = nullptr;
  const LaunchStep* launch_ = nullptr;
  const RaceWatch* watch_ = nullptr;
  std::vector<CoreOrder> orders_;
  RingOrder ring_;
  bool exact_ = true;  // the order is known in full
  std::uint32_t steps_ = 0;
  bool full_ = false;  // there were more accesses than are kept
  std::vector<RaceAccess> accesses_;
  std::vector<MemoryBox> boxes_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> reported_;
};

}  // namespace spyre::kernels
