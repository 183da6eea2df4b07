#include "models/card/card.h"

namespace spyre::models {

Card::Card(sc_core::sc_module_name name, const Machine& machine, ProgramSource& program,
           DataPlane& data, const ObserverList& observers)
    : sc_module(name),
      cores("core", static_cast<std::size_t>(machine.cores.count),
            [&](const char* core_name, std::size_t core) {
              return new Core(core_name, static_cast<std::uint32_t>(core), machine, program, data,
                              observers);
            }),
      memory_controller("memory_controller", machine),
      ring("ring", machine),
      command_processor("command_processor", machine, program, cores, observers),
      host_link("host_link", machine) {
  host_link.card_socket.bind(command_processor.host_socket);
  for (std::size_t core = 0; core < cores.size(); ++core) {
    command_processor.core_sockets[core].bind(cores[core].sequencer.launch_socket);
    cores[core].load_store.memory_socket.bind(memory_controller.sockets[core]);
    cores[core].load_store.shared_load_socket.bind(ring.shared_load_sockets[core]);
    cores[core].ring_port.ring_socket.bind(ring.port_sockets[core]);
  }
}

}  // namespace spyre::models
