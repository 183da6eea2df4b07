// What signals, barriers, tiles and partial sums order between the cores of one launch.
//
// Ring operations of a core are done one at a time, so a core's place in its own is a number, and
// what a core knows of the others is one number for each: a vector clock. Counts order no more than
// they must: a wait or receive is after a signal or tile only if without that one (and those that
// its core sends there later: they stay in order) the count could not be reached, whatever else may
// arrive before. What is itself after the wait or receive cannot, so what the analysis learns lets
// it learn more: it goes over the launch until nothing changes.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "kernels/schedule/core_order.h"

namespace spyre::kernels {

class RingOrder {
 public:
  void start(std::uint32_t cores);
  /// In an order in which everything can happen. `event` is the operation's place on its core.
  void enter(std::uint32_t core, const CompiledKernel& kernel, const Step& step,
             const CoreEvent& event);
  /// False if that would take too long; then fewer operations are known to be ordered than are.
  bool solve();

  /// The first ring operation of `core` that starts after `event` of that core has completed; a
  /// number beyond all if none does.
  [[nodiscard]] std::uint32_t release(std::uint32_t core, const CoreEvent& event) const;
  /// How many ring operations of `of` have at least started when `count` of `core` have completed;
  /// all of them but the last have completed.
  [[nodiscard]] std::uint32_t known(std::uint32_t core, std::uint32_t count,
                                    std::uint32_t of) const {
    return count == 0 ? 0 : clocks_[nodes_of_[core][count - 1] * cores_ + of];
  }
  /// The receive of `target` (its number among the ring operations there) that the tile sent by
  /// ring operation `index` of `core` is sure to have come to; a number beyond all if none is.
  [[nodiscard]] std::uint32_t received(std::uint32_t core, std::uint32_t index,
                                       std::uint32_t target) const;

  static constexpr std::uint32_t kNever = 0xffffffff;

 private:
  struct Arrivals {  // what one core sends to one counter, in order
    std::uint32_t core = 0;
    std::vector<std::uint32_t> nodes;
    std::vector<std::uint32_t> taken_by;  // the receive or wait that is sure to come after it
  };
  struct Counter {  // a semaphore of a core, or the tiles in a slot of it
    std::vector<Arrivals> from;
    std::int64_t taken = 0;
  };
  struct Node {
    models::Opcode opcode = models::Opcode::barrier;
    std::uint32_t core = 0;
    std::uint32_t index = 0;  // among the ring operations of its core, from 1 on
    std::uint32_t counter = 0;
    std::int64_t reaches = 0;         // wait, receive: taken from the counter up to here
    std::uint32_t previous = kNever;  // reduce: the node that hands the sum on to it
    std::uint32_t barrier = 0;
    CoreClock before{};
  };

  std::uint32_t counter(std::uint32_t core, bool tiles, std::uint32_t which);
  void arrive(std::uint32_t counter, std::uint32_t core, std::uint32_t node);
  void acquire(std::uint32_t node);
  void acquire_count(std::uint32_t node);
  void join(std::uint32_t node, std::uint32_t other);
  [[nodiscard]] std::uint32_t* clock(std::uint32_t node) { return &clocks_[node * cores_]; }
  /// Whether `sender`'s message can only have been sent when `taker` was over.
  [[nodiscard]] bool is_after(std::uint32_t sender, const Node& taker) const {
    const Node& node = nodes_[sender];
    return node.core == taker.core ? node.index > taker.index
                                   : known(node.core, node.index - 1, taker.core) > taker.index;
  }

  std::size_t cores_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::vector<std::uint32_t>> nodes_of_;  // by core
  std::vector<std::uint32_t> clocks_;                 // by node and core: when it has completed
  std::vector<Counter> counters_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> counter_ids_;
  std::vector<std::vector<std::uint32_t>> barriers_;  // nodes, by number of the barrier
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> reductions_;
  std::uint64_t work_ = 0;
  bool changed_ = false;
};

}  // namespace spyre::kernels
