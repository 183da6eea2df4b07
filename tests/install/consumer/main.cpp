#include <cstdio>

#include "models/machine/machine_reader.h"

int main() {
  const spyre::models::MachineDescription spyre = spyre::models::read_machine(SPYRE_DESCRIPTION);
  std::printf("peak DRAM bandwidth: %.1f GB/s\n", spyre.machine.dram.peak_bytes_per_second() / 1e9);
}
