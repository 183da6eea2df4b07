// A recorded window as a value change dump (IEEE 1364, with GTKWave's string variables).
//
// Times are absolute, in ps. No date, no program version: the same window gives the same bytes.
// Signals of the card lie in the scope spyre.card, those of a core in spyre.coreNN. z on a unit's
// operation: the unit is empty. x on anything: not recorded (between two launches of the window).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/wave_window.h"

namespace spyre::traces {

/// The signals of the card and of each core, in the order in which they are declared.
enum class CardSignal : std::uint8_t {
  kernel,         ///< string: the kernel of the running launch
  dram_read,      ///< MB/s over one microsecond
  dram_write,     ///< MB/s over one microsecond
  in_flight,      ///< DRAM requests of all cores, reads and writes
  cores_compute,  ///< cores whose matrix or vector unit computes
  cores_stalled,
};
inline constexpr std::size_t kCardSignals = 6;

enum class CoreSignal : std::uint8_t {
  activity,            ///< activity_code
  load_store,          ///< Opcode of the newest running operation
  load_store_running,  ///< operations that run
  matrix,              ///< Opcode
  vector,              ///< Opcode
  ring,                ///< Opcode
  reads,               ///< DRAM reads in flight
  writes,              ///< DRAM writes in flight
};
inline constexpr std::size_t kCoreSignals = 8;

/// "spyre.card.dram_read[31:0]": as waveform viewers name the signal.
[[nodiscard]] std::string signal_name(CardSignal signal);
[[nodiscard]] std::string signal_name(std::size_t core, CoreSignal signal);

struct VcdText {
  std::string text;
  std::uint64_t end_ps = 0;  ///< the dump's last time
  bool truncated = false;    ///< by the recording's bound, or by max_bytes
};

/// `cores` are declared, whether they took part or not; never fewer than the records name. Past
/// `max_bytes` the text ends after a whole time step; declarations and initial values are written
/// in any case.
[[nodiscard]] VcdText write_vcd(const WaveWindow& window, std::int64_t cores,
                                std::uint64_t max_bytes);

}  // namespace spyre::traces
