// One core: sequencer, load/store unit, matrix unit, vector unit, ring port and LX scratchpad,
// wired together.
#pragma once

#include <systemc>

#include "models/card/load_store_unit.h"
#include "models/card/lx_scratchpad.h"
#include "models/card/matrix_unit.h"
#include "models/card/observer_list.h"
#include "models/card/ring_port.h"
#include "models/card/sequencer.h"
#include "models/card/vector_unit.h"

namespace spyre::models {

class Core final : public sc_core::sc_module {
 public:
  Core(sc_core::sc_module_name name, std::uint32_t core, const Machine& machine,
       ProgramSource& program, DataPlane& data, const ObserverList& observers);

  // Public parts: the card binds their outer sockets.
  LxScratchpad lx;
  Sequencer sequencer;
  LoadStoreUnit load_store;
  MatrixUnit matrix;
  VectorUnit vector;
  RingPort ring_port;
};

}  // namespace spyre::models
