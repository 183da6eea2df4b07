#include "models/machine/machine.h"

namespace spyre::models {
namespace {

// Cycles times picoseconds per second overflow 64 bits after 18 million cycles.
__extension__ using Wide = unsigned __int128;

constexpr Wide kPsPerSecond = 1'000'000'000'000;

}  // namespace

Picoseconds CoreClock::to_ps(Cycles cycles) const {
  const auto frequency = static_cast<Wide>(hz);
  return static_cast<Picoseconds>((cycles * kPsPerSecond + frequency / 2) / frequency);
}

Cycles CoreClock::elapsed(Picoseconds time) const {
  // to_ps rounds to nearest, so a boundary may lie half a picosecond early: count it as reached.
  const auto frequency = static_cast<Wide>(hz);
  return static_cast<Cycles>((time * frequency + frequency / 2) / kPsPerSecond);
}

double DramDescription::peak_bytes_per_second() const {
  return static_cast<double>(channels * burst_bytes) * 1e12 /
         static_cast<double>(timing.burst * timing.tck_ps);
}

std::int64_t Machine::macs_per_cycle(DataType type) const {
  const std::int64_t fp16 = cores.corelets * matrix.rows * matrix.columns * matrix.lanes;
  switch (type) {
    case DataType::fp8:
    case DataType::fp8_e5m2:
      return fp16 * matrix.fp8_rate;
    case DataType::int8:
      return fp16 * matrix.int8_rate;
    case DataType::int4:
      return fp16 * matrix.int4_rate;
    case DataType::fp16:
    case DataType::bf16:
    case DataType::dl16:
    case DataType::fp32:
    case DataType::int32:
      break;
  }
  return fp16;
}

double Machine::peak_flops(DataType type, std::int64_t cores_used) const {
  return 2.0 * static_cast<double>(macs_per_cycle(type) * cores_used) *
         static_cast<double>(clock.hz);
}

}  // namespace spyre::models
