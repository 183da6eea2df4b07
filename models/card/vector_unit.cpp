#include "models/card/vector_unit.h"

#include "models/card/lx_scratchpad.h"
#include "models/card/simulated_time.h"
#include "models/card/transactions.h"
#include "models/card/vector_timing.h"

namespace spyre::models {

VectorUnit::VectorUnit(sc_core::sc_module_name name, const Machine& machine)
    : sc_module(name), machine_(machine) {
  op_socket.register_nb_transport_fw(this, &VectorUnit::start);
}

tlm::tlm_sync_enum VectorUnit::start(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
  auto& extension = *payload.get_extension<TileOpExtension>();
  const TileOp& op = *extension.op;
  const Cycles cycles = vector_cycles(machine_, op.function, op.m, op.n, op.type, op.axis);

  std::uint64_t lx_bytes = op.destination.bytes;
  for (std::size_t i = 0; i < op.source_count; ++i) lx_bytes += op.sources[i].bytes;
  set_lx_access(lx_access_, op.destination.address, lx_bytes, true);
  lx_access_.set_streaming_width(static_cast<unsigned>(cycles));
  const Picoseconds begin = time_after(delay);
  lx_socket->b_transport(lx_access_, delay);

  extension.lx_conflict_ps = time_after(delay) - begin;
  extension.pipeline_fill_ps = 0;
  delay += to_sc_time(machine_.clock.to_ps(cycles));
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  phase = tlm::BEGIN_RESP;
  return tlm::TLM_UPDATED;
}

}  // namespace spyre::models
