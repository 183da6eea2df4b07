#include "models/machine/machine_rules.h"

#include <fmt/format.h>

#include <bit>

#include "models/machine/machine_fields.h"

namespace spyre::models {
namespace {

using Finding = std::optional<std::string>;

std::int64_t value_of(std::string_view key, const Machine& machine) {
  Machine copy = machine;  // the table's accessors hand out a pointer to write through
  return *machine_fields()[find_machine_field(key).value()].number(copy);
}

MachineRule power_of_two(std::string_view key) {
  return {{key}, [=](const Machine& m) -> Finding {
            const auto value = static_cast<std::uint64_t>(value_of(key, m));
            if (std::has_single_bit(value)) return std::nullopt;
            const std::uint64_t below = std::bit_floor(value);
            return fmt::format("'{}' is {}: it must be a power of two, such as {} or {}", key,
                               value, below, 2 * below);
          }};
}

MachineRule at_most(std::string_view key, std::string_view other) {
  return {{key, other}, [=](const Machine& m) -> Finding {
            const std::int64_t value = value_of(key, m), limit = value_of(other, m);
            if (value <= limit) return std::nullopt;
            return fmt::format("'{}' is {}: it must be at most '{}', which is {}", key, value,
                               other, limit);
          }};
}

MachineRule multiple_of(std::string_view key, std::string_view other) {
  return {{key, other}, [=](const Machine& m) -> Finding {
            const std::int64_t value = value_of(key, m), unit = value_of(other, m);
            if (value % unit == 0) return std::nullopt;
            const std::int64_t below = value / unit * unit;
            return fmt::format("'{}' is {}: it must be a multiple of '{}', which is {}: {}{}", key,
                               value, other, unit, below > 0 ? fmt::format("{} or ", below) : "",
                               below + unit);
          }};
}

/// LX must leave room for a schedule, in whole sticks, once both reserves are taken.
Finding lx_leaves_room(const Machine& m) {
  const std::int64_t usable = m.lx.usable_bytes();
  if (usable > 0 && usable % m.limits.stick_bytes == 0) return std::nullopt;
  return fmt::format(
      "'lx.bytes' is {}: less the reserves 'lx.program_reserve_bytes' ({}) and "
      "'lx.backend_reserve_bytes' ({}) it leaves {}, which must be a whole number of sticks of {} "
      "bytes",
      m.lx.bytes, m.lx.program_reserve_bytes, m.lx.backend_reserve_bytes, usable,
      m.limits.stick_bytes);
}

/// The DRAM models number the banks of a channel with four bits.
Finding banks_fit(const Machine& m) {
  const std::int64_t banks = m.dram.bank_groups * m.dram.banks_per_group;
  if (banks <= 16) return std::nullopt;
  return fmt::format("'dram.bank_groups' times 'dram.banks_per_group' is {}: it must be at most 16",
                     banks);
}

/// The data bus is modelled as one lane, or as two when one bank group reaches half the rate.
Finding group_rate(const Machine& m) {
  const DramTiming& t = m.dram.timing;
  if (t.ccd_l == t.burst || t.ccd_l == 2 * t.burst) return std::nullopt;
  return fmt::format(
      "'dram.timing.ccd_l' is {}: it must be 'dram.timing.burst' ({}) or twice that ({})", t.ccd_l,
      t.burst, 2 * t.burst);
}

/// A write must not overtake the read before it.
Finding read_to_write(const Machine& m) {
  const DramTiming& t = m.dram.timing;
  const std::int64_t limit = t.rl + t.burst + t.read_to_write_gap;
  if (t.wl < limit) return std::nullopt;
  return fmt::format(
      "'dram.timing.wl' is {}: it must be below rl + burst + read_to_write_gap, which is {}", t.wl,
      limit);
}

/// Something must fit between two refreshes; a bank that was just opened and written is closed
/// first.
Finding refresh_interval(const Machine& m) {
  if (m.dram.refresh == RefreshMode::none) return std::nullopt;
  const DramTiming& t = m.dram.timing;
  const std::int64_t closed = t.rfc_ab + t.rp_ab + t.rcd + t.ras + t.wl + t.burst + t.wr + t.rp_pb;
  if (t.refi > closed) return std::nullopt;
  return fmt::format(
      "'dram.timing.refi' is {}: it must be above {}, the cycles that a refresh can keep the banks "
      "closed",
      t.refi, closed);
}

}  // namespace

const std::vector<MachineRule>& machine_rules() {
  static const std::vector<MachineRule> rules{
      multiple_of("matrix.row_tile", "matrix.pass_rows"),
      {{"lx.bytes", "lx.program_reserve_bytes", "lx.backend_reserve_bytes", "limits.stick_bytes"},
       lx_leaves_room},
      multiple_of("load_store.max_request_bytes", "limits.stick_bytes"),
      at_most("dram.usable_bytes", "dram.capacity_bytes"),
      multiple_of("dram.usable_bytes", "limits.stick_bytes"),
      power_of_two("dram.bank_groups"),
      power_of_two("dram.banks_per_group"),
      {{"dram.bank_groups", "dram.banks_per_group"}, banks_fit},
      power_of_two("dram.row_bytes"),
      multiple_of("dram.row_bytes", "limits.stick_bytes"),
      power_of_two("dram.burst_bytes"),
      power_of_two("dram.channel_interleave_bytes"),
      multiple_of("dram.channel_interleave_bytes", "limits.stick_bytes"),
      at_most("dram.timing.ras", "dram.timing.rc"),
      at_most("dram.timing.rp_pb", "dram.timing.rp_ab"),
      at_most("dram.timing.rrd", "dram.timing.faw"),
      at_most("dram.timing.wtr_s", "dram.timing.wtr_l"),
      {{"dram.timing.ccd_l", "dram.timing.burst"}, group_rate},
      {{"dram.timing.wl", "dram.timing.rl", "dram.timing.burst", "dram.timing.read_to_write_gap"},
       read_to_write},
      {{"dram.timing.refi", "dram.timing.rfc_ab", "dram.timing.rp_ab", "dram.timing.rcd",
        "dram.timing.ras", "dram.timing.wl", "dram.timing.burst", "dram.timing.wr",
        "dram.timing.rp_pb", "dram.refresh"},
       refresh_interval},
      power_of_two("limits.stick_bytes"),
      multiple_of("limits.stick_bytes", "dram.burst_bytes"),
      multiple_of("limits.span_bytes", "limits.stick_bytes"),
  };
  return rules;
}

}  // namespace spyre::models
