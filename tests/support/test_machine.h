// A Spyre-like machine built by hand, for unit tests that must not depend on the YAML reader.
//
// The values are those of the machine description at the time of writing; a test that needs another
// value changes the field in its own copy. Nothing here is a source: models/machines/*.yaml states
// where each number comes from.
#pragma once

#include "models/machine/machine.h"

namespace spyre::models {

/// LPDDR5-6400 x16, 16 Gb, BG mode, in CK of 800 MHz.
inline DramTiming make_test_dram_timing() {
  DramTiming timing;
  timing.tck_ps = 1250;
  timing.burst = 2;
  timing.rcd = 15;
  timing.rp_pb = 15;
  timing.rp_ab = 17;
  timing.ras = 34;
  timing.rc = 49;
  timing.rrd = 4;
  timing.faw = 16;
  timing.rl = 17;
  timing.wl = 9;
  timing.rtp = 8;
  timing.wr = 28;
  timing.wtr_s = 5;
  timing.wtr_l = 12;
  timing.read_to_write_gap = 2;
  timing.ccd_l = 4;
  timing.refi = 3125;
  timing.rfc_ab = 224;
  return timing;
}

inline DramDescription make_test_dram() {
  DramDescription dram;
  dram.capacity_bytes = std::int64_t{128} << 30;
  dram.usable_bytes = std::int64_t{112} << 30;
  dram.channels = 16;
  dram.bank_groups = 4;
  dram.banks_per_group = 4;
  dram.row_bytes = 2048;
  dram.burst_bytes = 32;
  dram.channel_interleave_bytes = 1024;
  dram.address_map = "sic";
  dram.queue_entries = 32;
  dram.ecc_data_bursts = 7;
  dram.refresh = RefreshMode::all_bank;
  dram.timing = make_test_dram_timing();
  dram.measured_bytes_per_second = 153'000'000'000;
  return dram;
}

inline Machine make_test_machine() {
  Machine machine;
  machine.name = "test";
  machine.title = "Spyre-like test machine";
  machine.clock = {.hz = 1'500'000'000};
  machine.cores = {.count = 32, .corelets = 2, .unit_queue_entries = 4};
  machine.matrix = {.rows = 8,
                    .columns = 8,
                    .lanes = 8,
                    .pass_rows = 8,
                    .row_tile = 64,
                    .block_overhead_cycles = 27,
                    .fp8_rate = 2,
                    .int8_rate = 4,
                    .int4_rate = 8};
  machine.vector = {.lanes = 64,
                    .transcendental_cycles = 4,
                    .in_stick_reduction_cycles = 12,
                    .transpose_bytes_per_cycle = 26,
                    .start_cycles = 16};
  machine.lx = {
      .bytes = std::int64_t{2} << 20,
      .program_reserve_bytes = std::int64_t{64} << 10,
      .backend_reserve_bytes = (std::int64_t{2} << 20) - (std::int64_t{64} << 10) - 1'625'344,
      .banks = 16,
      .bank_bytes_per_cycle = 128,
      .port_bytes_per_cycle = 128};
  machine.load_store = {.max_request_bytes = 4096, .outstanding_requests = 3};
  machine.request_path = {.cores_per_path = 16,
                          .interval_ps = 7500,
                          .bytes_per_second = 80'000'000'000,
                          .transit_ps = 10'000};
  machine.ring = {.bytes_per_cycle = 128, .hop_cycles = 2, .multicast_cohort = 8};
  machine.dram = make_test_dram();
  machine.host = {.link_bytes_per_second = 63'000'000'000,
                  .job_launch_ps = 10'000'000,
                  .kernel_launch_ps = 1'200'000,
                  .launch_packet_bytes = 4096};
  machine.limits = {.stick_bytes = 128,
                    .span_bytes = 268'435'456,
                    .loop_iterations = 65'535,
                    .kv_block_tokens = 64};
  return machine;
}

}  // namespace spyre::models
