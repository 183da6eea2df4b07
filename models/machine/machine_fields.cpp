#include "models/machine/machine_fields.h"

#include <algorithm>
#include <array>

#include "models/isa/tile_op.h"

namespace spyre::models {
namespace {

// The maps of models/dram/address_map.h.
constexpr std::array<std::string_view, 7> kAddressMaps{"rbc", "bgi", "bi", "bgx",
                                                       "si",  "six", "sic"};
constexpr std::array<std::string_view, 2> kRefreshModes{"none", "all_bank"};  // as RefreshMode

constexpr MachineField number(std::string_view key, std::string_view unit, std::int64_t low,
                              std::int64_t high, MachineField::Number member) {
  return {.key = key, .unit = unit, .low = low, .high = high, .number = member};
}

constexpr MachineField address_map_field() {
  return {.key = "dram.address_map",
          .unit = "name",
          .choices = kAddressMaps,
          .set_choice = [](Machine& m, std::size_t i) { m.dram.address_map = kAddressMaps[i]; },
          .choice =
              [](const Machine& m) {
                const auto found = std::ranges::find(kAddressMaps, m.dram.address_map);
                return static_cast<std::size_t>(found - kAddressMaps.begin());
              }};
}

constexpr MachineField refresh_field() {
  return {
      .key = "dram.refresh",
      .unit = "name",
      .choices = kRefreshModes,
      .set_choice = [](Machine& m, std::size_t i) { m.dram.refresh = static_cast<RefreshMode>(i); },
      .choice = [](const Machine& m) { return static_cast<std::size_t>(m.dram.refresh); }};
}

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 46;  // 64 TiB
constexpr std::int64_t kMaxRate = 100'000'000'000'000;     // 100 TB/s
constexpr std::int64_t kSecond = 1'000'000'000'000;        // in ps
constexpr std::int64_t kMaxCycles = 1'000'000;
constexpr std::int64_t kMaxCk = 100'000;

using M = Machine;

// clang-format off
constexpr std::array kFields{
    number("clock.hz", "Hz", 1'000'000, 100'000'000'000, [](M& m) { return &m.clock.hz; }),

    number("cores.count", "cores", 1, kMaxCores, [](M& m) { return &m.cores.count; }),
    number("cores.corelets", "corelets/core", 1, 16, [](M& m) { return &m.cores.corelets; }),
    number("cores.unit_queue_entries", "operations", 1, 1024, [](M& m) { return &m.cores.unit_queue_entries; }),

    number("matrix.rows", "PE", 1, 1024, [](M& m) { return &m.matrix.rows; }),
    number("matrix.columns", "PE", 1, 1024, [](M& m) { return &m.matrix.columns; }),
    number("matrix.lanes", "MAC/PE", 1, 1024, [](M& m) { return &m.matrix.lanes; }),
    number("matrix.pass_rows", "rows", 1, 65'536, [](M& m) { return &m.matrix.pass_rows; }),
    number("matrix.row_tile", "rows", 1, 65'536, [](M& m) { return &m.matrix.row_tile; }),
    number("matrix.block_overhead_cycles", "cycles", 0, kMaxCycles, [](M& m) { return &m.matrix.block_overhead_cycles; }),
    number("matrix.fp8_rate", "x fp16", 1, 64, [](M& m) { return &m.matrix.fp8_rate; }),
    number("matrix.int8_rate", "x fp16", 1, 64, [](M& m) { return &m.matrix.int8_rate; }),
    number("matrix.int4_rate", "x fp16", 1, 64, [](M& m) { return &m.matrix.int4_rate; }),

    number("vector.lanes", "elements/cycle", 1, 65'536, [](M& m) { return &m.vector.lanes; }),
    number("vector.transcendental_cycles", "cycles", 1, kMaxCycles, [](M& m) { return &m.vector.transcendental_cycles; }),
    number("vector.in_stick_reduction_cycles", "cycles/stick", 0, kMaxCycles, [](M& m) { return &m.vector.in_stick_reduction_cycles; }),
    number("vector.transpose_bytes_per_cycle", "B/cycle", 1, 1 << 20, [](M& m) { return &m.vector.transpose_bytes_per_cycle; }),
    number("vector.start_cycles", "cycles", 0, kMaxCycles, [](M& m) { return &m.vector.start_cycles; }),

    number("lx.bytes", "B", 1024, 1 << 30, [](M& m) { return &m.lx.bytes; }),
    number("lx.program_reserve_bytes", "B", 0, 1 << 30, [](M& m) { return &m.lx.program_reserve_bytes; }),
    number("lx.backend_reserve_bytes", "B", 0, 1 << 30, [](M& m) { return &m.lx.backend_reserve_bytes; }),
    number("lx.banks", "banks", 1, 4096, [](M& m) { return &m.lx.banks; }),
    number("lx.bank_bytes_per_cycle", "B/cycle", 1, 1 << 20, [](M& m) { return &m.lx.bank_bytes_per_cycle; }),
    number("lx.port_bytes_per_cycle", "B/cycle", 1, 1 << 20, [](M& m) { return &m.lx.port_bytes_per_cycle; }),

    number("load_store.max_request_bytes", "B", 1, 1 << 24, [](M& m) { return &m.load_store.max_request_bytes; }),
    number("load_store.outstanding_requests", "requests", 1, 4096, [](M& m) { return &m.load_store.outstanding_requests; }),

    number("request_path.cores_per_path", "cores", 1, kMaxCores, [](M& m) { return &m.request_path.cores_per_path; }),
    number("request_path.interval_ps", "ps", 0, kSecond, [](M& m) { return &m.request_path.interval_ps; }),
    number("request_path.bytes_per_second", "B/s", 1'000'000, kMaxRate, [](M& m) { return &m.request_path.bytes_per_second; }),
    number("request_path.transit_ps", "ps", 0, kSecond, [](M& m) { return &m.request_path.transit_ps; }),

    number("ring.bytes_per_cycle", "B/cycle", 1, 1 << 20, [](M& m) { return &m.ring.bytes_per_cycle; }),
    number("ring.hop_cycles", "cycles", 0, kMaxCycles, [](M& m) { return &m.ring.hop_cycles; }),
    number("ring.multicast_cohort", "cores", 1, kMaxCores, [](M& m) { return &m.ring.multicast_cohort; }),

    number("dram.capacity_bytes", "B", 1 << 20, kMaxBytes, [](M& m) { return &m.dram.capacity_bytes; }),
    number("dram.usable_bytes", "B", 1 << 20, kMaxBytes, [](M& m) { return &m.dram.usable_bytes; }),
    number("dram.channels", "channels", 1, 1024, [](M& m) { return &m.dram.channels; }),
    number("dram.bank_groups", "groups", 1, 16, [](M& m) { return &m.dram.bank_groups; }),
    number("dram.banks_per_group", "banks", 1, 16, [](M& m) { return &m.dram.banks_per_group; }),
    number("dram.row_bytes", "B", 64, 1 << 16, [](M& m) { return &m.dram.row_bytes; }),
    number("dram.burst_bytes", "B", 8, 1024, [](M& m) { return &m.dram.burst_bytes; }),
    number("dram.channel_interleave_bytes", "B", 32, 1 << 30, [](M& m) { return &m.dram.channel_interleave_bytes; }),
    address_map_field(),
    number("dram.queue_entries", "bursts", 1, 4096, [](M& m) { return &m.dram.queue_entries; }),
    number("dram.ecc_data_bursts", "bursts", 0, 4096, [](M& m) { return &m.dram.ecc_data_bursts; }),
    refresh_field(),
    number("dram.timing.tck_ps", "ps", 10, 1'000'000, [](M& m) { return &m.dram.timing.tck_ps; }),
    number("dram.timing.burst", "CK", 1, 64, [](M& m) { return &m.dram.timing.burst; }),
    number("dram.timing.rcd", "CK", 1, kMaxCk, [](M& m) { return &m.dram.timing.rcd; }),
    number("dram.timing.rp_pb", "CK", 1, kMaxCk, [](M& m) { return &m.dram.timing.rp_pb; }),
    number("dram.timing.rp_ab", "CK", 1, kMaxCk, [](M& m) { return &m.dram.timing.rp_ab; }),
    number("dram.timing.ras", "CK", 1, kMaxCk, [](M& m) { return &m.dram.timing.ras; }),
    number("dram.timing.rc", "CK", 1, kMaxCk, [](M& m) { return &m.dram.timing.rc; }),
    number("dram.timing.rrd", "CK", 1, kMaxCk, [](M& m) { return &m.dram.timing.rrd; }),
    number("dram.timing.faw", "CK", 1, kMaxCk, [](M& m) { return &m.dram.timing.faw; }),
    number("dram.timing.rl", "CK", 1, kMaxCk, [](M& m) { return &m.dram.timing.rl; }),
    number("dram.timing.wl", "CK", 1, kMaxCk, [](M& m) { return &m.dram.timing.wl; }),
    number("dram.timing.rtp", "CK", 1, kMaxCk, [](M& m) { return &m.dram.timing.rtp; }),
    number("dram.timing.wr", "CK", 1, kMaxCk, [](M& m) { return &m.dram.timing.wr; }),
    number("dram.timing.wtr_s", "CK", 0, kMaxCk, [](M& m) { return &m.dram.timing.wtr_s; }),
    number("dram.timing.wtr_l", "CK", 0, kMaxCk, [](M& m) { return &m.dram.timing.wtr_l; }),
    number("dram.timing.read_to_write_gap", "CK", 0, kMaxCk, [](M& m) { return &m.dram.timing.read_to_write_gap; }),
    number("dram.timing.ccd_l", "CK", 1, 128, [](M& m) { return &m.dram.timing.ccd_l; }),
    number("dram.timing.refi", "CK", 1, 100'000'000, [](M& m) { return &m.dram.timing.refi; }),
    number("dram.timing.rfc_ab", "CK", 1, kMaxCk, [](M& m) { return &m.dram.timing.rfc_ab; }),
    number("dram.measured_bytes_per_second", "B/s", 1'000'000, kMaxRate, [](M& m) { return &m.dram.measured_bytes_per_second; }),

    number("host.link_bytes_per_second", "B/s", 1'000'000, kMaxRate, [](M& m) { return &m.host.link_bytes_per_second; }),
    number("host.job_launch_ps", "ps", 0, kSecond, [](M& m) { return &m.host.job_launch_ps; }),
    number("host.kernel_launch_ps", "ps", 0, kSecond, [](M& m) { return &m.host.kernel_launch_ps; }),
    number("host.launch_packet_bytes", "B", 0, 1 << 30, [](M& m) { return &m.host.launch_packet_bytes; }),

    number("limits.stick_bytes", "B", 8, 1 << 16, [](M& m) { return &m.limits.stick_bytes; }),
    number("limits.span_bytes", "B", 1, kMaxBytes, [](M& m) { return &m.limits.span_bytes; }),
    number("limits.loop_iterations", "iterations", 1, std::int64_t{1} << 40, [](M& m) { return &m.limits.loop_iterations; }),
    number("limits.kv_block_tokens", "tokens", 1, 1 << 20, [](M& m) { return &m.limits.kv_block_tokens; }),
};
// clang-format on

}  // namespace

std::span<const MachineField> machine_fields() {
  return kFields;
}

std::optional<std::size_t> find_machine_field(std::string_view key) {
  const auto found = std::ranges::find(kFields, key, &MachineField::key);
  if (found == kFields.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kFields.begin());
}

std::string value_text(const MachineField& field, const Machine& machine) {
  if (field.number == nullptr) return std::string(field.choices[field.choice(machine)]);
  Machine copy = machine;  // the table's accessors hand out a pointer to write through
  return std::to_string(*field.number(copy));
}

}  // namespace spyre::models
