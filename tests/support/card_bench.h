// A whole card running a scripted program, with everything it emits recorded.
#pragma once

#include <memory>

#include "models/card/card.h"
#include "tests/support/kernel_test.h"
#include "tests/support/recording_observer.h"
#include "tests/support/scripted_program.h"
#include "tests/support/test_machine.h"

namespace spyre::tests {

class CardTest : public KernelTest {
 protected:
  void run() {
    card = std::make_unique<models::Card>("card", machine, program, data, observer_list);
    sc_core::sc_start();
  }
  [[nodiscard]] std::uint64_t ps(std::uint64_t cycles) const { return machine.clock.to_ps(cycles); }
  static models::CoreSet cores(std::initializer_list<int> list) {
    models::CoreSet set = 0;
    for (const int core : list) set |= models::CoreSet{1} << core;
    return set;
  }

  models::Machine machine = models::make_test_machine();
  ScriptedProgram program;
  models::DramStore dram;
  models::DataPlane data{machine, dram, models::Numerics::ieee, models::DataPlane::Values::off};
  RecordingObserver seen;
  models::ObserverList observer_list{{&seen}};
  std::unique_ptr<models::Card> card;
};

}  // namespace spyre::tests
