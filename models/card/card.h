// The card: cores on a ring, memory controller, command processor and host link.
//
//   host link -> command processor -> sequencer (per core) -> load/store, matrix, vector unit, ring
//   port load/store unit -> memory controller (request paths, address map, LPDDR5 channels)
//   load/store unit, ring port -> ring -> the other cores
//   every unit -> its core's LX scratchpad
#pragma once

#include <systemc>

#include "models/card/command_processor.h"
#include "models/card/core.h"
#include "models/card/host_link.h"
#include "models/card/memory_controller.h"
#include "models/card/observer_list.h"
#include "models/card/ring.h"

namespace spyre::models {

class Card final : public sc_core::sc_module {
 public:
  /// All arguments must outlive the card.
  Card(sc_core::sc_module_name name, const Machine& machine, ProgramSource& program,
       DataPlane& data, const ObserverList& observers);

  sc_core::sc_vector<Core> cores;
  MemoryController memory_controller;
  Ring ring;
  CommandProcessor command_processor;
  HostLink host_link;
};

}  // namespace spyre::models
