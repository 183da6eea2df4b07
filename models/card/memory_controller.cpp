#include "models/card/memory_controller.h"

#include <algorithm>
#include <limits>

#include "models/card/simulated_time.h"
#include "models/card/transactions.h"

namespace spyre::models {
namespace {

constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

}  // namespace

MemoryController::MemoryController(sc_core::sc_module_name name, const Machine& machine)
    : sc_module(name),
      sockets("socket", static_cast<std::size_t>(machine.cores.count)),
      memory_(machine),
      usable_bytes_(static_cast<std::uint64_t>(machine.dram.usable_bytes)),
      wake_time_(kNever) {
  SC_HAS_PROCESS(MemoryController);
  for (std::size_t core = 0; core < sockets.size(); ++core) {
    sockets[core].register_nb_transport_fw(this, &MemoryController::request,
                                           static_cast<int>(core));
  }
  SC_METHOD(serve);
  sensitive << wake_;
  dont_initialize();
}

void MemoryController::wake_at(Picoseconds time) {
  if (time >= wake_time_) return;
  wake_time_ = time;
  wake_.notify(delay_until(std::max(time, now_ps())));
}

tlm::tlm_sync_enum MemoryController::request(int core, tlm::tlm_generic_payload& payload,
                                             tlm::tlm_phase&, sc_core::sc_time& delay) {
  if (payload.get_address() + payload.get_data_length() > usable_bytes_) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  if (free_ids_.empty()) {
    free_ids_.push_back(static_cast<std::uint32_t>(pending_.size()));
    pending_.emplace_back();
  }
  const std::uint32_t id = free_ids_.back();
  free_ids_.pop_back();
  pending_[id] = {&payload, static_cast<std::uint32_t>(core)};
  ++requests_;

  const Picoseconds arrival = time_after(delay);
  memory_.push({id, static_cast<std::uint32_t>(core), payload.get_address(),
                payload.get_data_length(), payload.is_write(),
                payload.get_extension<RequestExtension>()->multicast, arrival});
  wake_at(arrival + memory_.lookahead_ps());
  return tlm::TLM_ACCEPTED;
}

void MemoryController::serve() {
  wake_time_ = kNever;
  completions_.clear();
  memory_.advance(now_ps(), completions_);
  // In order of time, because what follows at the cores (LX port, ring) is booked as it is
  // announced.
  std::stable_sort(
      completions_.begin(), completions_.end(),
      [](const MemoryCompletion& a, const MemoryCompletion& b) { return a.time_ps < b.time_ps; });
  for (const MemoryCompletion& completion : completions_) {
    const Pending pending = pending_[completion.id];
    free_ids_.push_back(completion.id);
    pending.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = delay_until(completion.time_ps);
    sockets[pending.core]->nb_transport_bw(*pending.payload, phase, delay);
  }
  const Picoseconds next = memory_.next_decision_ps();
  if (next != kNever) wake_at(next + memory_.lookahead_ps());
}

}  // namespace spyre::models
