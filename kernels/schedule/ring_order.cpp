#include "kernels/schedule/ring_order.h"

#include <algorithm>
#include <bit>

namespace spyre::kernels {
namespace {

using models::Opcode;

/// Steps through clocks and counters: some tenths of a second.
constexpr std::uint64_t kMostWork = 200'000'000;

}  // namespace

void RingOrder::start(std::uint32_t cores) {
  cores_ = cores;
  nodes_.clear();
  nodes_of_.assign(cores, {});
  counters_.clear();
  counter_ids_.clear();
  barriers_.clear();
  reductions_.clear();
  work_ = 0;
}

std::uint32_t RingOrder::counter(std::uint32_t core, bool tiles, std::uint32_t which) {
  const std::pair key(std::uint64_t{core} * 2 + (tiles ? 1 : 0), which);
  const auto [found, fresh] =
      counter_ids_.emplace(key, static_cast<std::uint32_t>(counters_.size()));
  if (fresh) counters_.emplace_back();
  return found->second;
}

void RingOrder::arrive(std::uint32_t counter, std::uint32_t core, std::uint32_t node) {
  std::vector<Arrivals>& from = counters_[counter].from;
  auto known = std::find_if(from.begin(), from.end(),
                            [core](const Arrivals& arrivals) { return arrivals.core == core; });
  if (known == from.end()) known = from.insert(from.end(), {core, {}, {}});
  known->nodes.push_back(node);
}

void RingOrder::enter(std::uint32_t core, const CompiledKernel& kernel, const Step& step,
                      const CoreEvent& event) {
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  Node& node = nodes_.emplace_back();
  node.opcode = step.instruction->opcode;
  node.core = core;
  node.index = event.index;
  node.before = event.before;
  node.barrier = event.barriers;
  nodes_of_[core].push_back(id);
  const auto slot = [&] {
    const TileView& view = step.destination;
    return std::uint32_t{kernel.buffers[view.buffer].scoreboard_slot} + view.slot_in_buffer;
  };
  switch (node.opcode) {
    case Opcode::send:
    case Opcode::multicast:
    case Opcode::signal: {
      const bool tiles = node.opcode != Opcode::signal;
      node.counter = tiles ? slot() : step.instruction->semaphore;
      for (models::CoreSet peers = step.cores; peers != 0; peers &= peers - 1) {
        const auto peer = static_cast<std::uint32_t>(std::countr_zero(peers));
        arrive(counter(peer, tiles, node.counter), core, id);
      }
      break;
    }
    case Opcode::receive:
    case Opcode::wait: {
      const bool tiles = node.opcode == Opcode::receive;
      node.counter = counter(core, tiles, tiles ? slot() : step.instruction->semaphore);
      node.reaches = counters_[node.counter].taken += step.count;
      break;
    }
    case Opcode::reduce: {
      const std::uint32_t group = step.instruction->group;
      std::vector<std::uint32_t>& mine = reductions_[{group, core}];
      const models::CoreSet before = step.cores & ((models::CoreSet{1} << core) - 1);
      if (before != 0) {
        const auto previous = static_cast<std::uint32_t>(std::bit_width(before) - 1);
        const std::vector<std::uint32_t>& theirs = reductions_[{group, previous}];
        if (mine.size() < theirs.size()) node.previous = theirs[mine.size()];
      }
      mine.push_back(id);
      break;
    }
    default:
      if (barriers_.size() <= node.barrier) barriers_.resize(node.barrier + 1);
      barriers_[node.barrier].push_back(id);
      break;
  }
}

bool RingOrder::solve() {
  clocks_.assign(nodes_.size() * cores_, 0);
  for (Counter& counter : counters_) {
    for (Arrivals& arrivals : counter.from) {
      arrivals.taken_by.assign(arrivals.nodes.size(), kNever);
    }
  }
  // In the first pass nothing is known yet of what comes later: one that changes nothing is no end.
  for (int pass = 0; pass < 2 || changed_; ++pass) {
    if (work_ > kMostWork) return false;
    changed_ = false;
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) acquire(node);
  }
  return true;
}

void RingOrder::join(std::uint32_t node, std::uint32_t other) {
  std::uint32_t* mine = clock(node);
  const std::uint32_t* theirs = clock(other);
  for (std::size_t i = 0; i < cores_; ++i) mine[i] = std::max(mine[i], theirs[i]);
  work_ += cores_;
}

void RingOrder::acquire(std::uint32_t id) {
  const Node& node = nodes_[id];
  if (node.index > 1) join(id, nodes_of_[node.core][node.index - 2]);
  std::uint32_t& own = clock(id)[node.core];
  own = std::max(own, node.index);
  switch (node.opcode) {
    case Opcode::receive:
    case Opcode::wait:
      return acquire_count(id);
    case Opcode::reduce:
      if (node.previous != kNever) join(id, node.previous);
      return;
    case Opcode::barrier:
      // Every core has arrived: what each has done before is known to all.
      for (const std::uint32_t other : barriers_[node.barrier]) {
        const Node& arrived = nodes_[other];
        if (arrived.index > 1) join(id, nodes_of_[arrived.core][arrived.index - 2]);
        clock(id)[arrived.core] = std::max(clock(id)[arrived.core], arrived.index);
      }
      return;
    default:
      return;
  }
}

void RingOrder::acquire_count(std::uint32_t id) {
  const Node& node = nodes_[id];
  Counter& counter = counters_[node.counter];
  std::vector<std::size_t> possible(counter.from.size());
  std::int64_t all = 0;
  for (std::size_t i = 0; i < counter.from.size(); ++i) {
    const std::vector<std::uint32_t>& nodes = counter.from[i].nodes;
    possible[i] = static_cast<std::size_t>(
        std::partition_point(nodes.begin(), nodes.end(),
                             [&](std::uint32_t sender) { return !is_after(sender, node); }) -
        nodes.begin());
    all += static_cast<std::int64_t>(possible[i]);
    work_ += 8;
  }
  for (std::size_t i = 0; i < counter.from.size(); ++i) {
    Arrivals& arrivals = counter.from[i];
    // Without the j-th of these (from 0 on) and those after it, all - (possible - j) can come.
    const std::int64_t sure = std::min(node.reaches - all + static_cast<std::int64_t>(possible[i]),
                                       static_cast<std::int64_t>(possible[i]));
    if (sure <= 0) continue;
    for (std::size_t j = static_cast<std::size_t>(sure); j-- > 0;) {
      if (arrivals.taken_by[j] <= node.index) break;
      arrivals.taken_by[j] = node.index;
      changed_ = true;
    }
    join(id, arrivals.nodes[static_cast<std::size_t>(sure) - 1]);
  }
}

std::uint32_t RingOrder::release(std::uint32_t core, const CoreEvent& event) const {
  const std::vector<std::uint32_t>& nodes = nodes_of_[core];
  if (event.chain == kNoChain) {
    // Not followed, but every barrier waits for it.
    const auto barrier = std::find_if(nodes.begin(), nodes.end(), [&](std::uint32_t node) {
      return nodes_[node].opcode == Opcode::barrier && nodes_[node].barrier >= event.barriers;
    });
    return barrier == nodes.end() ? kNever : nodes_[*barrier].index;
  }
  const auto first = std::partition_point(nodes.begin(), nodes.end(), [&](std::uint32_t node) {
    return nodes_[node].before[event.chain] < event.index;
  });
  return first == nodes.end() ? kNever : nodes_[*first].index;
}

std::uint32_t RingOrder::received(std::uint32_t core, std::uint32_t index,
                                  std::uint32_t target) const {
  const std::uint32_t node = nodes_of_[core][index - 1];
  const auto found = counter_ids_.find({std::uint64_t{target} * 2 + 1, nodes_[node].counter});
  if (found == counter_ids_.end()) return kNever;
  for (const Arrivals& arrivals : counters_[found->second].from) {
    if (arrivals.core != core) continue;
    const auto place = std::lower_bound(arrivals.nodes.begin(), arrivals.nodes.end(), node);
    if (place == arrivals.nodes.end() || *place != node) return kNever;
    return arrivals.taken_by[static_cast<std::size_t>(place - arrivals.nodes.begin())];
  }
  return kNever;
}

}  // namespace spyre::kernels
