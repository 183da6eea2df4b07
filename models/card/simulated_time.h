// Simulated time as integers: the kernel's resolution is 1 ps, and every module counts in
// picoseconds.
#pragma once

#include <systemc>

#include "models/machine/machine.h"

namespace spyre::models {

[[nodiscard]] inline Picoseconds now_ps() {
  return sc_core::sc_time_stamp().value();
}

[[nodiscard]] inline sc_core::sc_time to_sc_time(Picoseconds time) {
  return sc_core::sc_time::from_value(time);
}

/// The delay annotation that stands for the absolute time `time`, which must not lie in the past.
[[nodiscard]] inline sc_core::sc_time delay_until(Picoseconds time) {
  return sc_core::sc_time::from_value(time - now_ps());
}

/// The absolute time that a delay annotation stands for.
[[nodiscard]] inline Picoseconds time_after(const sc_core::sc_time& delay) {
  return now_ps() + delay.value();
}

}  // namespace spyre::models
