#include "models/card/host_link.h"

#include "models/card/simulated_time.h"

namespace spyre::models {
namespace {

constexpr std::uint64_t kPsPerSecond = 1'000'000'000'000;

}  // namespace

HostLink::HostLink(sc_core::sc_module_name name, const Machine& machine)
    : sc_module(name), machine_(machine) {
  SC_HAS_PROCESS(HostLink);
  card_socket.register_nb_transport_bw(this, &HostLink::finished);
  SC_METHOD(launch);
}

void HostLink::launch() {
  const HostDescription& host = machine_.host;
  const std::uint64_t transfer = static_cast<std::uint64_t>(host.launch_packet_bytes) *
                                 kPsPerSecond /
                                 static_cast<std::uint64_t>(host.link_bytes_per_second);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = to_sc_time(static_cast<Picoseconds>(host.job_launch_ps) + transfer);
  card_socket->nb_transport_fw(job_, phase, delay);
}

tlm::tlm_sync_enum HostLink::finished(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                      sc_core::sc_time& delay) {
  done_ = true;
  done_ps_ = time_after(delay);
  sc_core::sc_stop();
  return tlm::TLM_COMPLETED;
}

}  // namespace spyre::models
