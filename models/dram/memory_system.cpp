#include "models/dram/memory_system.h"

#include <algorithm>

#include "models/dram/address_map.h"
#include "models/dram/lpddr5_channel.h"
#include "models/dram/request_path.h"

namespace spyre::models {

// Decisions are of two kinds: a request starts on a path, a channel's scheduler does something.
// Paths feed channels and nothing feeds back, so up to `now` all path decisions can be made first,
// in order of time over all paths (so that accesses reach each channel in order of arrival), and
// then each channel by itself.
class MemorySystem::Implementation {
 public:
  explicit Implementation(const Machine& machine)
      : map_(machine.dram, machine.limits.stick_bytes),
        cores_per_path_(static_cast<std::uint32_t>(machine.request_path.cores_per_path)),
        transit_(static_cast<Picoseconds>(machine.request_path.transit_ps)),
        tck_(static_cast<Picoseconds>(machine.dram.timing.tck_ps)) {
    const auto groups = (machine.cores.count + machine.request_path.cores_per_path - 1) /
                        machine.request_path.cores_per_path;
    paths_.assign(static_cast<std::size_t>(2 * groups), RequestPath(machine.request_path));
    channels_.reserve(static_cast<std::size_t>(machine.dram.channels));
    for (std::int64_t i = 0; i < machine.dram.channels; ++i)
      channels_.emplace_back(machine.dram, map_);
    channel_next_.assign(channels_.size(), kNever);
    due_channels_.assign(channels_.size() + 1, 0);
  }

  void push(const MemoryRequest& request) {
    const std::uint32_t slot = take_slot();
    requests_[slot] = {request.address, request.id, request.bytes, 0, 0, request.write};
    writes_outstanding_ += request.write ? 1 : 0;
    RequestPath& path = paths_[2 * (request.core / cores_per_path_) + (request.write ? 1 : 0)];
    path.push(request.arrival_ps, slot, request.bytes, request.multicast && !request.write);
  }

  void advance(Picoseconds now, std::vector<MemoryCompletion>& completions) {
    for (;;) {
      RequestPath& path = *std::ranges::min_element(paths_, {}, &RequestPath::next_start);
      const Picoseconds start = path.next_start();
      if (start > now || start == kNoDecision) break;
      send_to_channels(path.start_next(), start + transit_);
    }
    const auto until = static_cast<DramCycles>(std::min<Picoseconds>(now / tck_, kNever - 1));
    // Which channels are due is unpredictable: list them without a branch each.
    std::size_t due = 0;
    for (std::uint32_t i = 0; i < channel_next_.size(); ++i) {
      due_channels_[due] = i;
      due += channel_next_[i] <= until ? 1 : 0;
    }
    for (std::size_t i = 0; i < due; ++i) {
      const std::uint32_t index = due_channels_[i];
      run_completions_.clear();
      channels_[index].advance(until, run_completions_);
      channel_next_[index] = channels_[index].next_decision();
      for (const ChannelCompletion& run : run_completions_) finish_run(run, completions);
    }
  }

  [[nodiscard]] Picoseconds next_decision() const {
    Picoseconds next = kNoDecision;
    for (const RequestPath& path : paths_) next = std::min(next, path.next_start());
    DramCycles channel = kNever;
    for (const DramCycles time : channel_next_) channel = std::min(channel, time);
    return channel == kNever ? next : std::min(next, static_cast<Picoseconds>(channel) * tck_);
  }

  // A channel decision at t that serves a read or a write has its first column command at t or
  // later, so the data ends at least RL or WL + burst after t; reads travel back on top. A path
  // decision at t leads to channel decisions at t + transit or later only. Rounding arrivals up to
  // whole cycles only delays. So the smaller of the two holds for every decision, and the read's
  // alone while no write is outstanding.
  [[nodiscard]] Picoseconds lookahead() const {
    const auto read =
        static_cast<Picoseconds>(channels_.front().read_lookahead()) * tck_ + transit_;
    const auto write = static_cast<Picoseconds>(channels_.front().write_lookahead()) * tck_;
    return writes_outstanding_ == 0 ? read : std::min(read, write);
  }

  [[nodiscard]] const ChannelCounters& counters(std::size_t channel) const {
    return channels_.at(channel).counters();
  }
  [[nodiscard]] std::size_t channels() const { return channels_.size(); }

 private:
  struct Request {
    std::uint64_t address = 0;
    std::uint32_t id = 0, bytes = 0;
    std::uint32_t completions_left = 0;  ///< runs that the channels have not finished
    DramCycles end = 0;                  ///< of the runs finished so far
    bool write = false;
  };

  std::uint32_t take_slot() {
    if (free_slots_.empty()) {
      requests_.emplace_back();
      free_slots_.reserve(requests_.capacity());
      return static_cast<std::uint32_t>(requests_.size() - 1);
    }
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }

  void send_to_channels(std::uint32_t slot, Picoseconds arrival) {
    Request& request = requests_[slot];
    const auto cycle = static_cast<DramCycles>((arrival + tck_ - 1) / tck_);
    const std::uint64_t grain = map_.interleave_bytes();
    ChannelAddress place = map_.to_channel(request.address);
    std::uint64_t in_grain = request.address % grain;
    for (std::uint64_t left = request.bytes; left > 0;) {
      const std::uint64_t bytes = std::min(left, grain - in_grain);
      Lpddr5Channel& channel = channels_[place.channel];
      request.completions_left += channel.push(
          {place.offset, static_cast<std::uint32_t>(bytes), slot, request.write, cycle});
      channel_next_[place.channel] = channel.next_decision();
      left -= bytes;
      // The next grain lies in the next channel, at the start of the same row of grains, or of the
      // next one.
      place.offset -= in_grain;
      in_grain = 0;
      if (++place.channel == channels_.size()) {
        place.channel = 0;
        place.offset += grain;
      }
    }
  }

  void finish_run(const ChannelCompletion& run, std::vector<MemoryCompletion>& completions) {
    Request& request = requests_[run.tag];
    request.end = std::max(request.end, run.time);
    if (--request.completions_left > 0) return;
    writes_outstanding_ -= request.write ? 1 : 0;
    const Picoseconds end = static_cast<Picoseconds>(request.end) * tck_;
    completions.push_back({request.id, request.write ? end : end + transit_});
    free_slots_.push_back(run.tag);
  }

  AddressMap map_;
  std::uint32_t cores_per_path_;
  Picoseconds transit_, tck_;
  std::vector<RequestPath>
      paths_;  ///< reads and writes of the first group of cores, then of the second ...
  std::vector<Lpddr5Channel> channels_;
  std::vector<DramCycles> channel_next_;
  std::vector<std::uint32_t> due_channels_;  ///< one entry more than there are channels
  std::vector<Request> requests_;
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t writes_outstanding_ = 0;
  std::vector<ChannelCompletion> run_completions_;
};

MemorySystem::MemorySystem(const Machine& machine)
    : implementation_(std::make_unique<Implementation>(machine)) {}
MemorySystem::~MemorySystem() = default;

void MemorySystem::push(const MemoryRequest& request) {
  implementation_->push(request);
}

void MemorySystem::advance(Picoseconds now, std::vector<MemoryCompletion>& completions) {
  implementation_->advance(now, completions);
}

Picoseconds MemorySystem::next_decision_ps() const {
  return implementation_->next_decision();
}
Picoseconds MemorySystem::lookahead_ps() const {
  return implementation_->lookahead();
}

const ChannelCounters& MemorySystem::counters(std::size_t channel) const {
  return implementation_->counters(channel);
}
std::size_t MemorySystem::channels() const {
  return implementation_->channels();
}

}  // namespace spyre::models
