// One core's vector unit as a TLM target of tile operations: vector_timing.h behind a socket.
//
// `op_socket`: nb_transport_fw BEGIN_REQ, answered at once with BEGIN_RESP and the operation's
// duration as delay. The sequencer sends the next operation when that time has come. LX conflicts
// lengthen the operation. Does not compute values.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/machine/machine.h"

namespace spyre::models {

class VectorUnit final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<VectorUnit> op_socket{"op_socket"};
  tlm_utils::simple_initiator_socket<VectorUnit> lx_socket{"lx_socket"};

  VectorUnit(sc_core::sc_module_name name, const Machine& machine);

 private:
  tlm::tlm_sync_enum start(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                           sc_core::sc_time& delay);

  const Machine& machine_;
  tlm::tlm_generic_payload lx_access_;
};

}  // namespace spyre::models
