// The machine description: every number of the card as plain values, and what follows from them by
// arithmetic.
//
// No number of the machine stands here or anywhere else in the code: the values, with unit, source
// and confidence, are in models/machines/*.yaml and reach this struct through machine_reader.h.
// Integers throughout, except where the source itself is a ratio.
#pragma once

#include <cstdint>
#include <string>

#include "models/isa/data_type.h"

namespace spyre::models {

using Picoseconds = std::uint64_t;
using Cycles = std::uint64_t;

struct CoreClock {
  std::int64_t hz = 0;

  /// Cycles to picoseconds, rounded to nearest. Good for 2^64 ps, 213 days.
  [[nodiscard]] Picoseconds to_ps(Cycles cycles) const;
  /// Whole cycles that have elapsed at `time`: floor(time * hz). Differences of it add up exactly.
  [[nodiscard]] Cycles elapsed(Picoseconds time) const;
};

struct CoreDescription {
  std::int64_t count = 0;
  std::int64_t corelets = 0;
  std::int64_t unit_queue_entries = 0;  ///< tile operations waiting per unit
};

/// The PT array of each corelet: rows x columns of PEs with `lanes` MACs each, weights stationary.
struct MatrixUnitDescription {
  std::int64_t rows = 0;       ///< K elements held by the array
  std::int64_t columns = 0;    ///< PE columns; columns * lanes = N elements held
  std::int64_t lanes = 0;      ///< fp16 MACs per PE and cycle
  std::int64_t pass_rows = 0;  ///< rows of A streamed per pass: M is padded to this
  std::int64_t row_tile = 0;  ///< rows of A streamed over one stationary block before it is swapped
  std::int64_t block_overhead_cycles =
      0;                      ///< weight load not hidden, fill and drain, per stationary block
  std::int64_t fp8_rate = 0;  ///< MAC rate relative to fp16
  std::int64_t int8_rate = 0;
  std::int64_t int4_rate = 0;
};

struct VectorUnitDescription {
  std::int64_t lanes = 0;                  ///< fp16 elements per cycle and core
  std::int64_t transcendental_cycles = 0;  ///< cycles per vector for exp, tanh, sigmoid, rsqrt ...
  std::int64_t in_stick_reduction_cycles = 0;  ///< cycles to reduce the lanes of one stick
  std::int64_t transpose_bytes_per_cycle = 0;  ///< on-chip restickify
  std::int64_t start_cycles = 0;               ///< fill and drain of one operation
};

struct LxDescription {
  std::int64_t bytes = 0;
  std::int64_t program_reserve_bytes = 0;
  std::int64_t backend_reserve_bytes = 0;
  std::int64_t banks = 0;
  std::int64_t bank_bytes_per_cycle = 0;
  std::int64_t port_bytes_per_cycle = 0;  ///< LX to memory and neighbours, each way

  /// What a schedule may allocate.
  [[nodiscard]] std::int64_t usable_bytes() const {
    return bytes - program_reserve_bytes - backend_reserve_bytes;
  }
};

struct LoadStoreDescription {
  std::int64_t max_request_bytes = 0;
  std::int64_t outstanding_requests = 0;  ///< in flight per core, reads and writes each
};

/// Cores reach the memory controller on shared request paths.
struct RequestPathDescription {
  std::int64_t cores_per_path = 0;
  std::int64_t interval_ps = 0;       ///< between request starts on one path
  std::int64_t bytes_per_second = 0;  ///< private reads, or writes, of one path
  std::int64_t transit_ps = 0;        ///< one way, core to controller
};

struct RingDescription {
  std::int64_t bytes_per_cycle = 0;  ///< per direction
  std::int64_t hop_cycles = 0;
  std::int64_t multicast_cohort = 0;  ///< cores that one multicast stream serves
};

/// LPDDR5 timing in clock cycles of the DRAM command clock (CK).
struct DramTiming {
  std::int64_t tck_ps = 0;
  std::int64_t burst = 0;  ///< CK that one BL16 burst holds the data bus
  std::int64_t rcd = 0, rp_pb = 0, rp_ab = 0, ras = 0, rc = 0, rrd = 0, faw = 0;
  std::int64_t rl = 0, wl = 0, rtp = 0, wr = 0, wtr_s = 0, wtr_l = 0, read_to_write_gap = 0;
  std::int64_t ccd_l = 0;
  std::int64_t refi = 0, rfc_ab = 0;
};

enum class RefreshMode { none, all_bank };

struct DramDescription {
  std::int64_t capacity_bytes = 0;  ///< physical, ECC included
  std::int64_t usable_bytes = 0;    ///< open to tensors
  std::int64_t channels = 0;
  std::int64_t bank_groups = 0;
  std::int64_t banks_per_group = 0;
  std::int64_t row_bytes = 0;  ///< page of one bank
  std::int64_t burst_bytes = 0;
  std::int64_t channel_interleave_bytes = 0;
  std::string address_map;           ///< see models/dram/address_map.h
  std::int64_t queue_entries = 0;    ///< bursts that a channel's scheduler looks at
  std::int64_t ecc_data_bursts = 0;  ///< one in-line ECC burst per so many data bursts; 0 = no ECC
  RefreshMode refresh = RefreshMode::all_bank;
  DramTiming timing;
  std::int64_t measured_bytes_per_second = 0;  ///< one-direction ceiling seen on the card

  /// Peak of all channels: burst_bytes per `burst` CK each.
  [[nodiscard]] double peak_bytes_per_second() const;
};

struct HostDescription {
  std::int64_t link_bytes_per_second = 0;
  std::int64_t job_launch_ps = 0;        ///< host to card, once per job
  std::int64_t kernel_launch_ps = 0;     ///< on the card, per launch of a compiled kernel
  std::int64_t launch_packet_bytes = 0;  ///< program correction sent per job
};

struct LimitDescription {
  std::int64_t stick_bytes = 0;
  std::int64_t span_bytes = 0;  ///< contiguous bytes that one core reaches per tensor
  std::int64_t loop_iterations = 0;
  std::int64_t kv_block_tokens = 0;
};

struct Machine {
  std::string name;
  std::string title;
  CoreClock clock;
  CoreDescription cores;
  MatrixUnitDescription matrix;
  VectorUnitDescription vector;
  LxDescription lx;
  LoadStoreDescription load_store;
  RequestPathDescription request_path;
  RingDescription ring;
  DramDescription dram;
  HostDescription host;
  LimitDescription limits;

  /// MACs per cycle of one core when the wider operand has this type.
  [[nodiscard]] std::int64_t macs_per_cycle(DataType type) const;
  /// FLOP/s of `cores_used` cores, 2 per MAC.
  [[nodiscard]] double peak_flops(DataType type, std::int64_t cores_used) const;
};

}  // namespace spyre::models
