#include "models/card/core.h"

namespace spyre::models {

Core::Core(sc_core::sc_module_name name, std::uint32_t core, const Machine& machine,
           ProgramSource& program, DataPlane& data, const ObserverList& observers)
    : sc_module(name),
      lx("lx", machine),
      sequencer("sequencer", core, machine, program, data, observers),
      load_store("load_store", core, machine, data, observers),
      matrix("matrix", machine),
      vector("vector", machine),
      ring_port("ring_port", core, data) {
  sequencer.unit_sockets[static_cast<std::size_t>(Unit::load_store)].bind(load_store.op_socket);
  sequencer.unit_sockets[static_cast<std::size_t>(Unit::matrix)].bind(matrix.op_socket);
  sequencer.unit_sockets[static_cast<std::size_t>(Unit::vector)].bind(vector.op_socket);
  sequencer.unit_sockets[static_cast<std::size_t>(Unit::ring)].bind(ring_port.op_socket);
  load_store.lx_socket.bind(lx.transfer_socket);
  ring_port.lx_socket.bind(lx.transfer_socket);
  matrix.lx_socket.bind(lx.compute_socket);
  vector.lx_socket.bind(lx.compute_socket);
}

}  // namespace spyre::models
