// Occupancy of the ring between the cores, as a plain object.
//
// Models: two directions of links, each bytes_per_cycle wide, wormhole routing by the shorter way,
// a head latency per hop, contention on every link, multicast (one stream per direction passes all
// its receivers; more receivers than a cohort are served by further streams in turn). A message
// books its links when it is announced; messages that are announced later but start earlier queue
// behind it, an error bounded by the announcement lead (about a DRAM latency for shared loads).
// Does not model: flow control credits, data.
#pragma once

#include <array>
#include <vector>

#include "models/isa/tile_op.h"
#include "models/machine/machine.h"

namespace spyre::models {

class RingTimeline {
 public:
  RingTimeline(const RingDescription& ring, const CoreClock& clock, std::int64_t cores);

  struct Arrival {
    Picoseconds injected_ps = 0;  ///< the source has sent its last byte
    Picoseconds arrived_ps = 0;   ///< the last byte is at the last destination
  };

  /// Sends `bytes` from `source` to every core of `destinations` (the source itself costs nothing),
  /// not before `time`. When `arrivals` is given, the time at each destination is stored at its
  /// core number.
  Arrival send(std::uint32_t source, CoreSet destinations, std::uint64_t bytes, Picoseconds time,
               std::array<Picoseconds, kMaxCores>* arrivals = nullptr);

  /// Head latency between two cores.
  [[nodiscard]] Picoseconds latency(std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] Picoseconds busy_ps() const { return busy_ps_; }  ///< summed over links

 private:
  enum Direction { clockwise, counter_clockwise };
  [[nodiscard]] std::uint32_t distance(std::uint32_t from, std::uint32_t to,
                                       Direction direction) const;
  Arrival stream(std::uint32_t source, CoreSet destinations, Picoseconds duration, Picoseconds time,
                 Direction direction, std::array<Picoseconds, kMaxCores>* arrivals);

  std::uint32_t cores_;
  std::uint64_t bytes_per_cycle_;
  std::int64_t cohort_;
  CoreClock clock_;
  Picoseconds hop_ps_;
  std::array<std::vector<Picoseconds>, 2>
      link_free_;  // by direction, by the core that the link leaves
  Picoseconds busy_ps_ = 0;
};

}  // namespace spyre::models
