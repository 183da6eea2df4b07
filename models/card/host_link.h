// The host's link to the card (PCIe): starts the job and learns when it is over.
//
// Models: one job launch latency and the transfer of the launch packet (program correction) at the
// link's rate. Does not model: loading of weights, host work between steps. Socket: `card_socket`
// (to the command processor).
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "models/machine/machine.h"

namespace spyre::models {

class HostLink final : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<HostLink> card_socket{"card_socket"};

  HostLink(sc_core::sc_module_name name, const Machine& machine);

  [[nodiscard]] bool job_done() const { return done_; }
  [[nodiscard]] Picoseconds done_ps() const { return done_ps_; }

 private:
  void launch();
  tlm::tlm_sync_enum finished(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);

  const Machine& machine_;
  tlm::tlm_generic_payload job_;
  bool done_ = false;
  Picoseconds done_ps_ = 0;
};

}  // namespace spyre::models
