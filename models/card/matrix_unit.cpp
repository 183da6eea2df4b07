#include "models/card/matrix_unit.h"

#include "models/card/lx_scratchpad.h"
#include "models/card/matrix_timing.h"
#include "models/card/simulated_time.h"
#include "models/card/transactions.h"

namespace spyre::models {

MatrixUnit::MatrixUnit(sc_core::sc_module_name name, const Machine& machine)
    : sc_module(name), machine_(machine) {
  op_socket.register_nb_transport_fw(this, &MatrixUnit::start);
}

tlm::tlm_sync_enum MatrixUnit::start(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
  auto& extension = *payload.get_extension<TileOpExtension>();
  const TileOp& op = *extension.op;
  const MatrixCycles cycles = matrix_cycles(machine_, op.m, op.n, op.k, op.type, op.corelets);

  std::uint64_t lx_bytes = op.destination.bytes * (op.accumulate ? 2U : 1U);
  for (std::size_t i = 0; i < op.source_count; ++i) lx_bytes += op.sources[i].bytes;
  set_lx_access(lx_access_, op.destination.address, lx_bytes, true);
  lx_access_.set_streaming_width(static_cast<unsigned>(cycles.total()));
  const Picoseconds begin = time_after(delay);
  lx_socket->b_transport(lx_access_, delay);

  extension.lx_conflict_ps = time_after(delay) - begin;
  extension.pipeline_fill_ps = machine_.clock.to_ps(cycles.fill);
  delay += to_sc_time(machine_.clock.to_ps(cycles.total()));
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  phase = tlm::BEGIN_RESP;
  return tlm::TLM_UPDATED;
}

}  // namespace spyre::models
