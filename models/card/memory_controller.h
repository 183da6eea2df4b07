// The memory controller as a TLM target: memory_system.h behind one socket per core.
//
// `sockets[core]`: nb_transport_fw BEGIN_REQ with a RequestExtension, the delay being when the
// request leaves the core; answered later by nb_transport_bw BEGIN_RESP, whose delay is when the
// data has arrived (read) or lies in the row (write). The controller wakes only when a decision's
// consequences are due, and then announces all that is known: an announced time may lie in the
// future. Exact all the same: see memory_system.h. Does not hold data.
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include <vector>

#include "models/dram/memory_system.h"
#include "models/machine/machine.h"

namespace spyre::models {

class MemoryController final : public sc_core::sc_module {
 public:
  using Socket = tlm_utils::simple_target_socket_tagged<MemoryController>;
  sc_core::sc_vector<Socket> sockets;

  MemoryController(sc_core::sc_module_name name, const Machine& machine);

  [[nodiscard]] const MemorySystem& memory() const { return memory_; }
  [[nodiscard]] std::uint64_t requests() const { return requests_; }

 private:
  struct Pending {
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint32_t core = 0;
  };

  tlm::tlm_sync_enum request(int core, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  void serve();
  void wake_at(Picoseconds time);

  MemorySystem memory_;
  std::uint64_t usable_bytes_;
  std::vector<Pending> pending_;  // by request id
  std::vector<std::uint32_t> free_ids_;
  std::vector<MemoryCompletion> completions_;  // reused
  sc_core::sc_event wake_;
  Picoseconds wake_time_;
  std::uint64_t requests_ = 0;
};

}  // namespace spyre::models
