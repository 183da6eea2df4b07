// One core's port to the ring: executes send, multicast, receive, reduce, signal, wait and barrier,
// in order.
//
// Models: one operation at a time; a sending operation ends when its last byte has left (its source
// may be overwritten then); a receive ends when enough tiles have arrived; a partial sum travels
// from the group's first core to its last, each adding its own on the way, a whole tile at a time;
// semaphores count signals. Does not model: the time of the addition, its LX accesses beyond
// reading the tile that is sent, flow control. A sent tile is read when the operation starts and is
// at its receivers when it arrives there. Sockets: `op_socket` (from the sequencer), `ring_socket`,
// `lx_socket`.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include <deque>
#include <vector>

#include "models/card/transactions.h"
#include "models/machine/machine.h"

namespace spyre::models {

class RingPort final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<RingPort> op_socket{"op_socket"};
  tlm_utils::simple_initiator_socket<RingPort> ring_socket{"ring_socket"};
  tlm_utils::simple_initiator_socket<RingPort> lx_socket{"lx_socket"};

  RingPort(sc_core::sc_module_name name, std::uint32_t core, DataPlane& data);
  ~RingPort() override;

  /// Forgets arrivals and signals of the last launch.
  void reset(const Launch& launch);

 private:
  using Arrivals = std::vector<Picoseconds>;  // times not yet consumed, in no order

  tlm::tlm_sync_enum start(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                           sc_core::sc_time& delay);
  tlm::tlm_sync_enum arrive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay);
  /// Whether the operation can end, and when: consumes what it waited for.
  bool try_finish(Picoseconds& time);
  Picoseconds send(RingMessageExtension::Kind kind, CoreSet destinations, std::uint32_t bytes,
                   std::uint32_t key, Picoseconds time, TileInFlight tile = nullptr);
  Picoseconds pass_partial_sum(Picoseconds time);
  [[nodiscard]] static bool take(Arrivals& arrivals, std::size_t count, Picoseconds& time);

  const std::uint32_t core_;
  DataPlane& data_;
  tlm::tlm_generic_payload* waiting_ = nullptr;  // the operation that waits for arrivals
  const TileOp* op_ = nullptr;
  Picoseconds begun_ = 0;
  std::vector<Arrivals> tiles_;  // by slot
  std::vector<Arrivals> semaphores_;
  Arrivals partial_sums_;
  std::deque<TileInFlight> partial_tiles_;  // in the order of arrival
  Arrivals barrier_;
  tlm::tlm_generic_payload message_;
  RingMessageExtension message_extension_;
  tlm::tlm_generic_payload lx_access_;
};

}  // namespace spyre::models
