#include "models/card/ring_port.h"

#include <algorithm>
#include <bit>

#include "models/card/lx_scratchpad.h"
#include "models/card/simulated_time.h"

namespace spyre::models {
namespace {

using Kind = RingMessageExtension::Kind;

}  // namespace

RingPort::RingPort(sc_core::sc_module_name name, std::uint32_t core, DataPlane& data)
    : sc_module(name), core_(core), data_(data) {
  op_socket.register_nb_transport_fw(this, &RingPort::start);
  ring_socket.register_nb_transport_bw(this, &RingPort::arrive);
  message_.set_extension(&message_extension_);
}

RingPort::~RingPort() {
  message_.clear_extension(&message_extension_);
}

void RingPort::reset(const Launch& launch) {
  tiles_.assign(launch.slots, {});
  semaphores_.assign(launch.semaphores, {});
  partial_sums_.clear();
  partial_tiles_.clear();
  barrier_.clear();
}

tlm::tlm_sync_enum RingPort::start(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay) {
  op_ = payload.get_extension<TileOpExtension>()->op;
  begun_ = time_after(delay);
  Picoseconds time = begun_;
  if (op_->opcode == Opcode::barrier) send(Kind::barrier, op_->peers, 0, 0, begun_);
  if (!try_finish(time)) {
    waiting_ = &payload;
    return tlm::TLM_ACCEPTED;
  }
  delay = delay_until(time);
  phase = tlm::BEGIN_RESP;
  return tlm::TLM_UPDATED;
}

bool RingPort::try_finish(Picoseconds& time) {
  time = begun_;
  const LxOperand& source = op_->sources[0];
  switch (op_->opcode) {
    case Opcode::send:
    case Opcode::multicast:
      time = send(Kind::tile, op_->peers, source.bytes, op_->destination.slot, begun_,
                  data_.take(core_, source, begun_));
      return true;
    case Opcode::receive:
      return take(tiles_[op_->destination.slot], op_->count, time);
    case Opcode::reduce: {
      const auto first = static_cast<std::uint32_t>(std::countr_zero(op_->peers));
      if (core_ != first && !take(partial_sums_, 1, time)) return false;
      time = pass_partial_sum(time);
      return true;
    }
    case Opcode::signal:
      time = send(Kind::semaphore, op_->peers, 1, op_->semaphore, begun_);
      return true;
    case Opcode::wait:
      return take(semaphores_[op_->semaphore], op_->count, time);
    case Opcode::barrier:
      return take(barrier_, 1, time);
    default:
      break;
  }
  return true;
}

/// Adds this core's tile to the sum so far and sends it on; on the group's last core it is the
/// result.
Picoseconds RingPort::pass_partial_sum(Picoseconds time) {
  const LxOperand& source = op_->sources[0];
  TileInFlight sum;
  if (!partial_tiles_.empty()) {
    sum = std::move(partial_tiles_.front());
    partial_tiles_.pop_front();
  }
  sum = data_.add(core_, source, sum, time);
  const CoreSet after = op_->peers & ~((CoreSet{2} << core_) - 1);
  if (after == 0) {
    data_.deliver(core_, op_->destination, std::move(sum), time);
    return time;
  }
  const CoreSet next = after & (~after + 1);
  return send(Kind::partial_sum, next, source.bytes, 0, time, std::move(sum));
}

bool RingPort::take(Arrivals& arrivals, std::size_t count, Picoseconds& time) {
  if (arrivals.size() < count) return false;
  if (count == 0) return true;
  const auto last = arrivals.begin() + static_cast<std::ptrdiff_t>(count) - 1;
  std::nth_element(arrivals.begin(), last, arrivals.end());
  time = std::max(time, *last);
  arrivals.erase(arrivals.begin(), last + 1);
  return true;
}

Picoseconds RingPort::send(Kind kind, CoreSet destinations, std::uint32_t bytes, std::uint32_t key,
                           Picoseconds time, TileInFlight tile) {
  sc_core::sc_time delay = delay_until(time);
  if (bytes > 0 && (kind == Kind::tile || kind == Kind::partial_sum)) {
    set_lx_access(lx_access_, op_->sources[0].address, bytes, false);
    lx_socket->b_transport(lx_access_, delay);
  }
  message_extension_.kind = kind;
  message_extension_.destinations = destinations;
  message_extension_.bytes = bytes;
  message_extension_.key = key;
  message_extension_.operand = op_->destination;
  message_extension_.tile = std::move(tile);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  ring_socket->nb_transport_fw(message_, phase, delay);
  return time_after(delay);
}

tlm::tlm_sync_enum RingPort::arrive(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                    sc_core::sc_time& delay) {
  const auto& message = *payload.get_extension<RingMessageExtension>();
  Picoseconds time = time_after(delay);
  switch (message.kind) {
    case Kind::tile:
      if (message.bytes > 0) {
        set_lx_access(lx_access_, 0, message.bytes, true);
        lx_socket->b_transport(lx_access_, delay);
        time = time_after(delay);
      }
      data_.deliver(core_, message.operand, message.tile, time);
      tiles_[message.key].push_back(time);
      break;
    case Kind::partial_sum:
      partial_sums_.push_back(time);
      partial_tiles_.push_back(message.tile);
      break;
    case Kind::semaphore:
      semaphores_[message.key].push_back(time);
      break;
    case Kind::barrier:
      barrier_.push_back(time);
      break;
  }
  Picoseconds end = 0;
  if (waiting_ != nullptr && try_finish(end)) {
    tlm::tlm_generic_payload& finished = *waiting_;
    waiting_ = nullptr;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time until = delay_until(std::max(end, now_ps()));
    op_socket->nb_transport_bw(finished, phase, until);
  }
  return tlm::TLM_COMPLETED;
}

}  // namespace spyre::models
