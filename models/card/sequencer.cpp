#include "models/card/sequencer.h"

#include <algorithm>

#include "models/card/simulated_time.h"

namespace spyre::models {

Sequencer::Sequencer(sc_core::sc_module_name name, std::uint32_t core, const Machine& machine,
                     ProgramSource& program, DataPlane& data, const ObserverList& observers)
    : sc_module(name),
      unit_sockets("unit_socket", kUnits),
      core_(core),
      machine_(machine),
      program_(program),
      data_(data),
      observers_(observers) {
  SC_HAS_PROCESS(Sequencer);
  launch_socket.register_nb_transport_fw(this, &Sequencer::launch);
  for (std::size_t unit = 0; unit < kUnits; ++unit) {
    unit_sockets[unit].register_nb_transport_bw(this, &Sequencer::unit_answer,
                                                static_cast<int>(unit));
  }
  SC_METHOD(run);
  sensitive << wake_;
  dont_initialize();
}

Sequencer::~Sequencer() {
  for (InFlight& in_flight : pool_) in_flight.payload.clear_extension(&in_flight.extension);
}

tlm::tlm_sync_enum Sequencer::launch(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                     sc_core::sc_time& delay) {
  launch_payload_ = &payload;
  launch_ = payload.get_extension<LaunchExtension>()->launch;
  scoreboard_.reset(launch_->slots);
  accounted_ = time_after(delay);
  program_ended_ = false;
  wake_.notify(delay);
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum Sequencer::unit_answer(int, tlm::tlm_generic_payload& payload,
                                          tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const OpId id = payload.get_extension<TileOpExtension>()->in_flight_id;
  const Picoseconds time = time_after(delay);
  if (phase == tlm::END_REQ) {
    announce(Notice::accepts, id, time);
  } else if (phase == tlm::BEGIN_RESP) {
    announce(Notice::completed, id, time);
  } else {
    announce(Notice::joined, id, time);
  }
  return tlm::TLM_ACCEPTED;
}

void Sequencer::announce(Notice notice, OpId id, Picoseconds time) {
  events_.push({time, event_order_++, notice, id});
  wake_.notify(delay_until(std::max(events_.top().time, now_ps())));
}

void Sequencer::run() {
  if (launch_ == nullptr) return;
  const Picoseconds now = now_ps();
  close_interval(now);
  while (!events_.empty() && events_.top().time <= now) {
    const Event event = events_.top();
    events_.pop();
    handle(event);
  }
  while (fetch() || start_ready()) {
  }
  if (program_ended_ && live_.empty()) {
    finish_launch();
  } else if (!events_.empty()) {
    wake_.notify(delay_until(std::max(events_.top().time, now)));
  }
}

void Sequencer::handle(const Event& event) {
  InFlight& in_flight = pool_[event.id];
  UnitState& state = unit(unit_of(in_flight.op.opcode));
  switch (event.notice) {
    case Notice::accepts:
      state.accepts = true;
      break;
    case Notice::joined:
      in_flight.extension.waits_for_sharers = false;
      break;
    case Notice::completed:
      if (state.running == event.id) {
        state.running = Scoreboard::kNone;
        state.accepts = true;
      }
      data_.complete(core_, in_flight.op, event.time);
      scoreboard_.complete(event.id, in_flight.op);
      observers_.op({launch_->index, core_, unit_of(in_flight.op.opcode), in_flight.op,
                     in_flight.begun, event.time});
      ++completed_;
      live_.erase(std::find(live_.begin(), live_.end(), event.id));
      free_ids_.push_back(event.id);
      break;
  }
}

Sequencer::OpId Sequencer::allocate() {
  if (free_ids_.empty()) {
    const auto id = static_cast<OpId>(pool_.size());
    InFlight& in_flight = pool_.emplace_back();
    in_flight.extension.in_flight_id = id;
    in_flight.extension.op = &in_flight.op;
    in_flight.payload.set_extension(&in_flight.extension);
    return id;
  }
  const OpId id = free_ids_.back();
  free_ids_.pop_back();
  return id;
}

bool Sequencer::fetch() {
  bool progress = false;
  while (!program_ended_) {
    if (fetched_ == Scoreboard::kNone) {
      fetched_ = allocate();
      if (!program_.next_op(core_, pool_[fetched_].op)) {
        free_ids_.push_back(fetched_);
        fetched_ = Scoreboard::kNone;
        program_ended_ = true;
        break;
      }
    }
    InFlight& in_flight = pool_[fetched_];
    UnitState& state = unit(unit_of(in_flight.op.opcode));
    if (state.queue.size() >= static_cast<std::size_t>(machine_.cores.unit_queue_entries)) break;
    in_flight.state = State::queued;
    in_flight.order = fetch_order_++;
    scoreboard_.enter(fetched_, in_flight.op);
    state.queue.push_back(fetched_);
    live_.push_back(fetched_);
    fetched_ = Scoreboard::kNone;
    progress = true;
  }
  return progress;
}

bool Sequencer::start_ready() {
  bool progress = false;
  for (std::size_t index = 0; index < kUnits; ++index) {
    UnitState& state = units_[index];
    while (state.accepts && !state.queue.empty() && scoreboard_.ready(state.queue.front())) {
      const OpId id = state.queue.front();
      state.queue.pop_front();
      start(static_cast<Unit>(index), id);
      progress = true;
    }
  }
  return progress;
}

void Sequencer::start(Unit which, OpId id) {
  UnitState& state = unit(which);
  InFlight& in_flight = pool_[id];
  in_flight.state = State::running;
  in_flight.begun = now_ps();
  in_flight.extension.launch = launch_->index;
  in_flight.payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  state.accepts = false;
  // The load/store unit says itself when it takes the next operation; the others do so when they
  // end.
  if (which != Unit::load_store) state.running = id;

  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  UnitSocket& socket = unit_sockets[static_cast<std::size_t>(which)];
  if (socket->nb_transport_fw(in_flight.payload, phase, delay) == tlm::TLM_UPDATED) {
    announce(Notice::completed, id, time_after(delay));
  }
}

void Sequencer::finish_launch() {
  launch_ = nullptr;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  launch_socket->nb_transport_bw(*launch_payload_, phase, delay);
}

std::string Sequencer::waits_for() const {
  if (live_.empty()) return {};
  const TileOp& op = pool_[live_.front()].op;
  return std::string(to_string(op.opcode)) + " (statement " + std::to_string(op.statement) +
         "): " + std::string(to_string(cause_of(live_.front())));
}

// --- accounting
// -----------------------------------------------------------------------------------------------

void Sequencer::interval(CoreActivity activity, StallCause cause, Picoseconds until) {
  if (until <= accounted_) return;
  observers_.core_interval({launch_->index, core_, activity, cause, accounted_, until});
  accounted_ = until;
}

void Sequencer::close_interval(Picoseconds until) {
  const OpId matrix = unit(Unit::matrix).running;
  const OpId vector = unit(Unit::vector).running;
  if (matrix != Scoreboard::kNone) {
    // A matmul's duration is laid out as fill, LX conflicts, streaming.
    const InFlight& op = pool_[matrix];
    const Picoseconds filled = std::min(until, op.begun + op.extension.pipeline_fill_ps);
    const Picoseconds granted = std::min(until, filled + op.extension.lx_conflict_ps);
    if (vector != Scoreboard::kNone) {
      interval(CoreActivity::vector, StallCause::pipeline_fill, granted);
    } else {
      interval(CoreActivity::stalled, StallCause::pipeline_fill, filled);
      interval(CoreActivity::stalled, StallCause::lx_conflict, granted);
    }
    interval(CoreActivity::matrix, StallCause::launch, until);
  } else if (vector != Scoreboard::kNone) {
    const InFlight& op = pool_[vector];
    interval(CoreActivity::stalled, StallCause::lx_conflict,
             std::min(until, op.begun + op.extension.lx_conflict_ps));
    interval(CoreActivity::vector, StallCause::launch, until);
  } else if (until > accounted_) {
    interval(CoreActivity::stalled, stall_cause(), until);
  }
}

StallCause Sequencer::stall_cause() const {
  // What the oldest waiting computation waits for; without one, what the oldest operation in flight
  // does.
  for (const OpId id : live_) {
    const Unit which = unit_of(pool_[id].op.opcode);
    if (which == Unit::matrix || which == Unit::vector) return cause_of(id);
  }
  return live_.empty() ? StallCause::barrier : cause_of(live_.front());
}

StallCause Sequencer::cause_of(OpId id) const {
  for (std::size_t steps = 0; steps < pool_.size(); ++steps) {
    const InFlight& in_flight = pool_[id];
    const Unit which = unit_of(in_flight.op.opcode);
    if (in_flight.state == State::running) {
      switch (in_flight.op.opcode) {
        case Opcode::load:
        case Opcode::gather:
          return in_flight.extension.waits_for_sharers ? StallCause::multicast_wait
                                                       : StallCause::dram_read;
        case Opcode::store:
        case Opcode::scatter:
          return StallCause::dram_write;
        case Opcode::wait:
          return StallCause::signal_wait;
        case Opcode::barrier:
          return StallCause::barrier;
        case Opcode::matmul:
        case Opcode::vector:
          return StallCause::slot_wait;
        default:
          return StallCause::ring;
      }
    }
    OpId next = scoreboard_.blocker_of(id);
    if (next == Scoreboard::kNone) {
      // Nothing against it but its place in the queue: look at what is before it on its unit.
      const UnitState& state = unit(which);
      if (state.running != Scoreboard::kNone) {
        next = state.running;
      } else if (state.queue.empty() || state.queue.front() == id) {
        // The load/store unit is still issuing the operation before.
        return which == Unit::load_store ? StallCause::dram_read : StallCause::slot_wait;
      } else {
        next = state.queue.front();
      }
    }
    if (next == id) break;
    id = next;
  }
  return StallCause::slot_wait;
}

}  // namespace spyre::models
