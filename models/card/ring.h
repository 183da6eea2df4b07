// The ring between the cores as a TLM module: carries tiles, partial sums, semaphores and barriers
// between ring ports, and forwards shared loads from the core that issued them to the others.
//
// Models: link occupancy and latency (ring_timeline.h); partial sums travel on a ring of their own,
// so that a K split does not queue behind operand traffic; a semaphore holds a link for one cycle;
// a barrier releases everybody half way round the ring (the longest way) after the last arrival.
// Does not model: the wires on which the sharers of a load find each other (joining costs no time).
// A message carries the tile that was sent. Sockets: `port_sockets[core]` (RingMessageExtension)
// and `shared_load_sockets[core]` (SharedLoadExtension).
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include <map>
#include <utility>

#include "models/card/ring_timeline.h"
#include "models/card/transactions.h"
#include "models/machine/machine.h"

namespace spyre::models {

class Ring final : public sc_core::sc_module {
 public:
  using Socket = tlm_utils::simple_target_socket_tagged<Ring>;
  sc_core::sc_vector<Socket> port_sockets;
  sc_core::sc_vector<Socket> shared_load_sockets;

  Ring(sc_core::sc_module_name name, const Machine& machine);
  ~Ring() override;

  [[nodiscard]] const RingTimeline& timeline() const { return operands_; }

 private:
  /// Base protocol: a port's message; the delay comes back as the time at which the source has sent
  /// its last byte.
  tlm::tlm_sync_enum message(int core, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum shared_load(int core, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay);
  void forward(int core, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void join(std::uint32_t core, const SharedLoadExtension& extension);
  void tell_sharers(const SharedLoadExtension& extension, CoreSet cores, Picoseconds time);
  void deliver(std::uint32_t core, const RingMessageExtension& message, Picoseconds time);
  Picoseconds enter_barrier(std::uint32_t core, const RingMessageExtension& message,
                            Picoseconds time);

  const Machine& machine_;
  RingTimeline operands_;
  RingTimeline partial_sums_;
  std::map<std::pair<CoreSet, std::uint32_t>, CoreSet> joined_;  // by group and tag
  CoreSet at_barrier_ = 0;
  Picoseconds barrier_time_ = 0;
  tlm::tlm_generic_payload delivery_;
  RingMessageExtension delivery_extension_;
  tlm::tlm_generic_payload shared_answer_;
  SharedLoadExtension shared_answer_extension_;
};

}  // namespace spyre::models
