#include "models/card/lx_scratchpad.h"

#include "models/card/simulated_time.h"

namespace spyre::models {

LxScratchpad::LxScratchpad(sc_core::sc_module_name name, const Machine& machine)
    : sc_module(name),
      bytes_(static_cast<std::uint64_t>(machine.lx.bytes)),
      clock_(machine.clock),
      ports_(machine.lx, machine.clock, machine.limits.stick_bytes) {
  transfer_socket.register_b_transport(this, &LxScratchpad::transfer);
  compute_socket.register_b_transport(this, &LxScratchpad::compute);
}

void LxScratchpad::transfer(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (payload.get_address() + payload.get_data_length() > bytes_) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  delay = delay_until(ports_.transfer(payload.get_data_length(), time_after(delay)));
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void LxScratchpad::compute(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const Cycles waited = ports_.compute_conflicts(payload.get_data_length(), time_after(delay),
                                                 clock_.to_ps(payload.get_streaming_width()));
  delay += to_sc_time(clock_.to_ps(waited));
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void set_lx_access(tlm::tlm_generic_payload& payload, std::uint64_t address, std::uint64_t bytes,
                   bool write) {
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_length(static_cast<unsigned>(bytes));
  payload.set_streaming_width(static_cast<unsigned>(bytes));
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace spyre::models
