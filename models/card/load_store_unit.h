// One core's load/store unit: turns load, store, gather and scatter into DRAM requests, in order.
//
// Models: one in-order queue for reads and writes (an output write queues before the next block's
// operand loads), requests of at most max_request_bytes cut from the device layout's contiguous
// runs, a bounded number in flight (reads and writes each), the LX port. An operation is accepted
// while the last one's requests are still in flight. A shared load is issued by one core of the
// group (the members take turns) once all have their buffer free, and forwarded to the others over
// the ring. A gather reads its index sticks before the first row. A transfer whose memory is the LX
// of a core goes over the ring as one message. Sockets: `op_socket` (from the sequencer; phases in
// transactions.h), `memory_socket`, `lx_socket`, `shared_load_socket`. The
// bytes themselves are the data plane's affair.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include <array>
#include <deque>
#include <vector>

#include "models/card/observer_list.h"
#include "models/card/request_iterator.h"
#include "models/card/transactions.h"
#include "models/data/data_plane.h"
#include "models/machine/machine.h"

namespace spyre::models {

class LoadStoreUnit final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<LoadStoreUnit> op_socket{"op_socket"};
  tlm_utils::simple_initiator_socket<LoadStoreUnit> memory_socket{"memory_socket"};
  tlm_utils::simple_initiator_socket<LoadStoreUnit> lx_socket{"lx_socket"};
  tlm_utils::simple_initiator_socket<LoadStoreUnit> shared_load_socket{"shared_load_socket"};

  LoadStoreUnit(sc_core::sc_module_name name, std::uint32_t core, const Machine& machine,
                const DataPlane& data, const ObserverList& observers);
  ~LoadStoreUnit() override;

 private:
  /// A tile operation whose requests are being issued or are in flight.
  struct Transfer {
    tlm::tlm_generic_payload* payload = nullptr;
    TileOpExtension* extension = nullptr;
    std::vector<StickRuns> resolved;  // gather, scatter: what the index numbers came to
    RequestIterator rows;
    RequestIterator index;
    std::uint32_t in_flight = 0;
    bool write = false;
    bool shared = false;
    bool index_arrived = false;  // gather, scatter: the row numbers are known
    bool all_issued = false;
    Picoseconds not_before = 0;  // the next request may not leave earlier
    Picoseconds last = 0;        // latest completion so far
  };
  struct Request {
    tlm::tlm_generic_payload payload;
    RequestExtension extension;
    Transfer* transfer = nullptr;
    std::uint16_t tensor = kNoTensor;
    Picoseconds issued = 0;
  };

  tlm::tlm_sync_enum start(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                           sc_core::sc_time& delay);
  tlm::tlm_sync_enum respond(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum shared_load(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay);
  void begin_issuing(Transfer& transfer);
  /// gather, scatter: the index has arrived, so it is known where the rows lie.
  void resolve_rows(Transfer& transfer);
  /// A transfer whose memory is an LX: over the ring, in one piece.
  void copy_between_lx(Transfer& transfer);
  void issue();
  void send(Transfer& transfer, RequestIterator& requests, std::uint16_t tensor, bool write);
  void complete(Transfer& transfer);
  void retire(Transfer& transfer);
  void tell_sequencer(Transfer& transfer, tlm::tlm_phase phase, Picoseconds time);
  void tell_ring(const Transfer& transfer, SharedLoadExtension::Step step, Picoseconds time);
  [[nodiscard]] Picoseconds lx_transfer(const LxOperand& tile, std::uint32_t bytes, bool write,
                                        Picoseconds time);
  [[nodiscard]] std::vector<Picoseconds>& window(bool write) { return free_slots_[write ? 1 : 0]; }

  const std::uint32_t core_;
  const Machine& machine_;
  const DataPlane& data_;
  const ObserverList& observers_;
  std::deque<Transfer> transfers_;  // in program order; a deque keeps addresses while it grows
  Transfer* issuing_ = nullptr;
  std::array<std::vector<Picoseconds>, 2>
      free_slots_;  // reads, writes: when each free window slot became free
  std::vector<Request> requests_;
  std::vector<std::uint32_t> free_requests_;
  tlm::tlm_generic_payload lx_access_;
  tlm::tlm_generic_payload shared_payload_;
  SharedLoadExtension shared_extension_;
};

}  // namespace spyre::models
