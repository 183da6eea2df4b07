// One core's sequencer: fetches tile operations, orders them by a scoreboard, starts them on their
// units, and keeps account of what every cycle of the core went into.
//
// Models: in-order fetch into one bounded in-order queue per unit; an operation starts when it is
// at the head of its queue, the unit accepts it and the scoreboard has nothing against it. Units
// run side by side. Fetch and scoreboard take no time. A core's time is `matrix` while its matrix
// unit streams, else `vector` while its vector unit works, else stalled: for fill or LX conflicts
// while an operation on those units is in that part of its duration, else for the one cause that
// the oldest computation in flight waits for (the oldest operation, when no computation is in
// flight). A load, store or computation takes effect on the bytes when it ends. Sockets:
// `launch_socket` (from the command processor: LaunchExtension), `unit_sockets[unit]`
// (TileOpExtension).
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include <array>
#include <deque>
#include <queue>
#include <string>
#include <vector>

#include "models/card/observer_list.h"
#include "models/card/scoreboard.h"
#include "models/card/transactions.h"
#include "models/data/data_plane.h"
#include "models/machine/machine.h"

namespace spyre::models {

class Sequencer final : public sc_core::sc_module {
 public:
  using UnitSocket = tlm_utils::simple_initiator_socket_tagged<Sequencer>;
  tlm_utils::simple_target_socket<Sequencer> launch_socket{"launch_socket"};
  sc_core::sc_vector<UnitSocket> unit_sockets;

  Sequencer(sc_core::sc_module_name name, std::uint32_t core, const Machine& machine,
            ProgramSource& program, DataPlane& data, const ObserverList& observers);
  ~Sequencer() override;

  [[nodiscard]] std::uint64_t completed_operations() const { return completed_; }
  /// What the oldest operation in flight is and waits for ("receive (statement 12): ring"); empty
  /// when there is none.
  [[nodiscard]] std::string waits_for() const;

 private:
  enum class State { queued, running };
  struct InFlight {
    TileOp op;
    State state = State::queued;
    std::uint64_t order = 0;  // program order
    Picoseconds begun = 0;
    tlm::tlm_generic_payload payload;
    TileOpExtension extension;
  };
  using OpId = Scoreboard::OpId;
  enum class Notice : std::uint8_t { accepts, completed, joined };
  struct Event {
    Picoseconds time;
    std::uint64_t order;
    Notice notice;
    OpId id;
    bool operator>(const Event& other) const {
      return std::pair(time, order) > std::pair(other.time, other.order);
    }
  };
  struct UnitState {
    std::deque<OpId> queue;
    bool accepts = true;
    OpId running = Scoreboard::kNone;  // matrix, vector: the one that computes
  };

  tlm::tlm_sync_enum launch(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay);
  tlm::tlm_sync_enum unit_answer(int unit, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay);
  void run();
  void handle(const Event& event);
  bool fetch();
  bool start_ready();
  void start(Unit unit, OpId id);
  void announce(Notice notice, OpId id, Picoseconds time);
  OpId allocate();
  void finish_launch();

  // accounting
  void close_interval(Picoseconds until);
  void interval(CoreActivity activity, StallCause cause, Picoseconds until);
  [[nodiscard]] StallCause stall_cause() const;
  [[nodiscard]] StallCause cause_of(OpId id) const;
  [[nodiscard]] UnitState& unit(Unit which) { return units_[static_cast<std::size_t>(which)]; }
  [[nodiscard]] const UnitState& unit(Unit which) const {
    return units_[static_cast<std::size_t>(which)];
  }

  const std::uint32_t core_;
  const Machine& machine_;
  ProgramSource& program_;
  DataPlane& data_;
  const ObserverList& observers_;

  const Launch* launch_ = nullptr;
  tlm::tlm_generic_payload* launch_payload_ = nullptr;
  bool program_ended_ = true;

  std::deque<InFlight> pool_;  // by id; a deque keeps addresses while it grows
  std::vector<OpId> free_ids_;
  std::vector<OpId> live_;            // in program order
  OpId fetched_ = Scoreboard::kNone;  // waits for room in its unit's queue
  Scoreboard scoreboard_;
  std::array<UnitState, kUnits> units_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t event_order_ = 0;
  std::uint64_t fetch_order_ = 0;
  std::uint64_t completed_ = 0;
  sc_core::sc_event wake_;

  Picoseconds accounted_ = 0;  // up to here
};

}  // namespace spyre::models
