// The TLM-2.0 extensions that the card's units exchange. All are mandatory between the card's own
// sockets.
//
// Timing style: every transaction carries its time as a delay annotation, and a delay may lie in
// the future. A unit that already knows when something will happen says so at once; nobody waits
// for the kernel to get there. A payload is owned by its initiator, in storage that outlives the
// transaction; no memory manager is involved.
#pragma once

#include <systemc>
#include <tlm>

#include "models/data/data_plane.h"
#include "models/isa/tile_op.h"
#include "models/machine/machine.h"

namespace spyre::models {

/// Load/store unit to sequencer, between BEGIN_REQ and END_REQ: all sharers of a load have joined.
DECLARE_EXTENDED_PHASE(SHARERS_JOINED);

/// Value extensions need nothing but copying.
template <typename Derived>
class ValueExtension : public tlm::tlm_extension<Derived> {
 public:
  tlm::tlm_extension_base* clone() const override {
    return new Derived(static_cast<const Derived&>(*this));
  }
  void copy_from(const tlm::tlm_extension_base& other) override {
    static_cast<Derived&>(*this) = static_cast<const Derived&>(other);
  }
};

/// Sequencer to a unit, one transaction per tile operation.
/// BEGIN_REQ starts the operation. END_REQ: the unit takes the next one. BEGIN_RESP: the operation
/// has taken effect. The matrix and vector units answer with BEGIN_RESP at once (TLM_UPDATED), its
/// delay being the duration.
class TileOpExtension : public ValueExtension<TileOpExtension> {
 public:
  const TileOp* op = nullptr;
  std::uint32_t launch = 0;
  std::uint32_t in_flight_id = 0;    ///< the sequencer's; comes back untouched
  Picoseconds pipeline_fill_ps = 0;  ///< set by the matrix unit: part of the duration
  Picoseconds lx_conflict_ps = 0;    ///< set by the matrix and vector units: part of the duration
  bool waits_for_sharers =
      false;  ///< set by the load/store unit, cleared by the sequencer on SHARERS_JOINED
};

/// Load/store unit to memory controller, one transaction per request. BEGIN_REQ, then BEGIN_RESP
/// ends it.
class RequestExtension : public ValueExtension<RequestExtension> {
 public:
  std::uint32_t slot = 0;  ///< the load/store unit's
  bool multicast = false;
};

/// Load/store units to the ring, for loads that several cores share.
class SharedLoadExtension : public ValueExtension<SharedLoadExtension> {
 public:
  enum class Step {
    join,     ///< this core's buffer is free
    start,    ///< ring to all: everyone has joined; the leader issues the requests
    forward,  ///< b_transport: this many bytes from the leader to all sharers; the delay comes back
              ///< as the last arrival
    issued,   ///< leader: the last request is out; ring to the others: take the next operation
    complete,  ///< leader: the last byte has arrived everywhere; ring to the others: the load is
               ///< complete
  };
  Step step = Step::join;
  CoreSet sharers = 0;
  std::uint32_t tag = 0;
  std::uint32_t leader = 0;  ///< start: the core that issues; forward: the core that sends
  std::uint32_t bytes = 0;   ///< forward
};

/// Ring ports to the ring and back.
class RingMessageExtension : public ValueExtension<RingMessageExtension> {
 public:
  enum class Kind { tile, partial_sum, semaphore, barrier };
  Kind kind = Kind::tile;
  CoreSet destinations = 0;
  std::uint32_t bytes = 0;
  std::uint32_t key = 0;  ///< tile: slot; semaphore: number
  LxOperand operand;      ///< tile: where it goes on the receiving core
  TileInFlight tile;      ///< tile, partial_sum: what it holds; none when values are off
};

/// Command processor to a sequencer: one transaction per launch. BEGIN_REQ starts, BEGIN_RESP: this
/// core is done.
class LaunchExtension : public ValueExtension<LaunchExtension> {
 public:
  const Launch* launch = nullptr;
};

}  // namespace spyre::models
