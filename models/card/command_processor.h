// Runs the program's launches in order: the card's side of a kernel launch.
//
// Models: a launch latency per kernel, then all cores start; the next launch begins when the last
// core is done (a kernel boundary is a barrier). Accounts for the cores' time outside their
// kernels: launching, waiting for the others, not taking part. Sockets: `host_socket` (from the
// host link: BEGIN_REQ runs the whole program, BEGIN_RESP when it is over), `core_sockets[core]`
// (LaunchExtension).
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include <vector>

#include "models/card/core.h"
#include "models/card/observer_list.h"
#include "models/card/transactions.h"

namespace spyre::models {

class CommandProcessor final : public sc_core::sc_module {
 public:
  using CoreSocket = tlm_utils::simple_initiator_socket_tagged<CommandProcessor>;
  tlm_utils::simple_target_socket<CommandProcessor> host_socket{"host_socket"};
  sc_core::sc_vector<CoreSocket> core_sockets;

  CommandProcessor(sc_core::sc_module_name name, const Machine& machine, ProgramSource& program,
                   sc_core::sc_vector<Core>& cores, const ObserverList& observers);
  ~CommandProcessor() override;

  [[nodiscard]] std::uint32_t launches() const { return launches_; }

 private:
  struct CoreLaunch {
    tlm::tlm_generic_payload payload;
    LaunchExtension extension;
    Picoseconds done_ps = 0;
  };

  tlm::tlm_sync_enum run_program(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay);
  tlm::tlm_sync_enum core_done(int core, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
  void next_launch();
  void start_cores(Picoseconds start);
  void end_launch();
  [[nodiscard]] bool takes_part(std::size_t core) const { return (launch_.cores >> core & 1) != 0; }

  const Machine& machine_;
  ProgramSource& program_;
  sc_core::sc_vector<Core>& cores_;
  const ObserverList& observers_;
  tlm::tlm_generic_payload* job_ = nullptr;
  std::vector<CoreLaunch> core_launches_;
  Launch launch_;
  CoreSet running_ = 0;
  Picoseconds begin_ps_ = 0, start_ps_ = 0;
  std::uint32_t launches_ = 0;
  sc_core::sc_event next_;
};

}  // namespace spyre::models
