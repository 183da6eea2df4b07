// One core's LX scratchpad as a TLM target: ports and banks (lx_ports.h) behind b_transport.
//
// Sockets: `transfer_socket` (load/store unit, ring port): b_transport, the delay comes back as the
// end of the transfer. `compute_socket` (matrix and vector unit): b_transport of an operation's LX
// traffic, in: delay = start, data length = bytes, streaming width = duration in cycles; out: the
// delay grows by the cycles that it waits. Does not hold data.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/card/lx_ports.h"

namespace spyre::models {

class LxScratchpad final : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<LxScratchpad> transfer_socket{"transfer_socket"};
  tlm_utils::multi_passthrough_target_socket<LxScratchpad> compute_socket{"compute_socket"};

  LxScratchpad(sc_core::sc_module_name name, const Machine& machine);

  [[nodiscard]] const LxPorts& ports() const { return ports_; }

 private:
  void transfer(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void compute(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  std::uint64_t bytes_;
  CoreClock clock_;
  LxPorts ports_;
};

/// The payload of one LX access. Kept by the initiator and reused.
void set_lx_access(tlm::tlm_generic_payload& payload, std::uint64_t address, std::uint64_t bytes,
                   bool write);

}  // namespace spyre::models
