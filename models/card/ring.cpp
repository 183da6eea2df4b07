#include "models/card/ring.h"

#include <algorithm>
#include <array>
#include <bit>

#include "models/card/simulated_time.h"

namespace spyre::models {
namespace {

/// The `index`-th core of a set.
std::uint32_t member(CoreSet cores, std::uint32_t index) {
  while (index-- > 0) cores &= cores - 1;
  return static_cast<std::uint32_t>(std::countr_zero(cores));
}

}  // namespace

Ring::Ring(sc_core::sc_module_name name, const Machine& machine)
    : sc_module(name),
      port_sockets("port_socket", static_cast<std::size_t>(machine.cores.count)),
      shared_load_sockets("shared_load_socket", static_cast<std::size_t>(machine.cores.count)),
      machine_(machine),
      operands_(machine.ring, machine.clock, machine.cores.count),
      partial_sums_(machine.ring, machine.clock, machine.cores.count) {
  for (std::size_t core = 0; core < port_sockets.size(); ++core) {
    const int id = static_cast<int>(core);
    port_sockets[core].register_nb_transport_fw(this, &Ring::message, id);
    shared_load_sockets[core].register_nb_transport_fw(this, &Ring::shared_load, id);
    shared_load_sockets[core].register_b_transport(this, &Ring::forward, id);
  }
  delivery_.set_extension(&delivery_extension_);
  shared_answer_.set_extension(&shared_answer_extension_);
}

Ring::~Ring() {
  delivery_.clear_extension(&delivery_extension_);
  shared_answer_.clear_extension(&shared_answer_extension_);
}

tlm::tlm_sync_enum Ring::message(int core, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay) {
  const RingMessageExtension message = *payload.get_extension<RingMessageExtension>();
  const auto source = static_cast<std::uint32_t>(core);
  const Picoseconds time = time_after(delay);
  Picoseconds injected = time;
  if (message.kind == RingMessageExtension::Kind::barrier) {
    injected = enter_barrier(source, message, time);
  } else {
    RingTimeline& timeline =
        message.kind == RingMessageExtension::Kind::partial_sum ? partial_sums_ : operands_;
    std::array<Picoseconds, kMaxCores> arrivals{};
    injected =
        timeline.send(source, message.destinations, message.bytes, time, &arrivals).injected_ps;
    for (CoreSet left = message.destinations; left != 0; left &= left - 1) {
      const auto destination = static_cast<std::uint32_t>(std::countr_zero(left));
      deliver(destination, message, arrivals[destination]);
    }
  }
  delay = delay_until(injected);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void Ring::deliver(std::uint32_t core, const RingMessageExtension& message, Picoseconds time) {
  delivery_extension_ = message;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = delay_until(time);
  port_sockets[core]->nb_transport_bw(delivery_, phase, delay);
}

Picoseconds Ring::enter_barrier(std::uint32_t core, const RingMessageExtension& message,
                                Picoseconds time) {
  at_barrier_ |= CoreSet{1} << core;
  barrier_time_ = std::max(barrier_time_, time);
  if (at_barrier_ == message.destinations) {
    const Picoseconds release =
        barrier_time_ + operands_.latency(0, static_cast<std::uint32_t>(machine_.cores.count / 2));
    at_barrier_ = 0;
    barrier_time_ = 0;
    for (CoreSet left = message.destinations; left != 0; left &= left - 1) {
      deliver(static_cast<std::uint32_t>(std::countr_zero(left)), message, release);
    }
  }
  return time;
}

tlm::tlm_sync_enum Ring::shared_load(int core, tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                     sc_core::sc_time& delay) {
  const SharedLoadExtension extension = *payload.get_extension<SharedLoadExtension>();
  if (extension.step == SharedLoadExtension::Step::join) {
    join(static_cast<std::uint32_t>(core), extension);
  } else {
    tell_sharers(extension, extension.sharers & ~(CoreSet{1} << core), time_after(delay));
  }
  return tlm::TLM_COMPLETED;
}

void Ring::join(std::uint32_t core, const SharedLoadExtension& extension) {
  const std::pair key(extension.sharers, extension.tag);
  CoreSet& joined = joined_[key];
  joined |= CoreSet{1} << core;
  if (joined != extension.sharers) return;
  joined_.erase(key);
  SharedLoadExtension start = extension;
  start.step = SharedLoadExtension::Step::start;
  start.leader =
      member(extension.sharers,
             extension.tag % static_cast<std::uint32_t>(std::popcount(extension.sharers)));
  tell_sharers(start, extension.sharers, now_ps());
}

void Ring::tell_sharers(const SharedLoadExtension& extension, CoreSet cores, Picoseconds time) {
  for (; cores != 0; cores &= cores - 1) {
    const auto core = static_cast<std::uint32_t>(std::countr_zero(cores));
    shared_answer_extension_ = extension;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = delay_until(time);
    shared_load_sockets[core]->nb_transport_bw(shared_answer_, phase, delay);
  }
}

void Ring::forward(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const auto& extension = *payload.get_extension<SharedLoadExtension>();
  delay = delay_until(
      operands_.send(extension.leader, extension.sharers, extension.bytes, time_after(delay))
          .arrived_ps);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace spyre::models
