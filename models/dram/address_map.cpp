#include "models/dram/address_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "models/diagnostics/diagnostics.h"
#include "models/diagnostics/nearest_name.h"

namespace spyre::models {
namespace {

constexpr std::uint32_t mask(unsigned bits) {
  return (1u << bits) - 1u;
}

/// log2 of a size that must be a power of two.
unsigned bits_of(std::int64_t value, const char* what) {
  if (value <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(value))) {
    throw InputError(fmt::format("{} is {}, but must be a power of two", what, value));
  }
  return static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(value)));
}

/// XOR of `value`'s chunks of `width` bits.
std::uint32_t folded(std::uint32_t value, unsigned width) {
  if (width == 0) return 0;
  std::uint32_t result = 0;
  for (; value != 0; value >>= width) result ^= value;
  return result & mask(width);
}

}  // namespace

const std::vector<std::string>& AddressMap::names() {
  static const std::vector<std::string> all{"rbc", "bgi", "bi", "bgx", "si", "six", "sic"};
  return all;
}

AddressMap::AddressMap(const DramDescription& dram, std::int64_t stick_bytes) {
  const std::string& name = dram.address_map;
  if (std::ranges::find(names(), name) == names().end()) {
    const auto nearest = nearest_name(name, names());
    throw InputError(fmt::format("dram.address_map is \"{}\", which is none of {}{}", name,
                                 fmt::join(names(), ", "),
                                 nearest ? fmt::format("; did you mean \"{}\"?", *nearest) : ""));
  }
  burst_shift_ = bits_of(dram.burst_bytes, "dram.burst_bytes");
  group_bits_ = bits_of(dram.bank_groups, "dram.bank_groups");
  bank_bits_ = bits_of(dram.banks_per_group, "dram.banks_per_group");
  if (group_bits_ + bank_bits_ > 4) {
    throw InputError(fmt::format("a DRAM channel has {} banks, but at most 16 are modelled",
                                 dram.bank_groups * dram.banks_per_group));
  }
  const unsigned page_bits = bits_of(dram.row_bytes, "dram.row_bytes");
  const unsigned stick_bits = bits_of(stick_bytes, "limits.stick_bytes");
  if (page_bits < stick_bits || stick_bits < burst_shift_) {
    throw InputError(
        fmt::format("a stick of {} bytes must hold whole bursts of {} and fit into a row of {}",
                    stick_bytes, dram.burst_bytes, dram.row_bytes));
  }
  stick_bursts_ = 1u << (stick_bits - burst_shift_);
  const unsigned column_bits = column_bits_ = page_bits - burst_shift_;
  if (name == "rbc") {
    low_column_bits_ = column_bits;
  } else if (name == "bgi" || name == "bgx") {
    middle_column_bits_ = column_bits;
  } else if (name == "bi") {
    high_column_bits_ = column_bits;
  } else {
    low_column_bits_ = stick_bits - burst_shift_;
    middle_column_bits_ = column_bits - low_column_bits_;
  }
  if (name == "bgx") row_hash_ = RowHash::low_bits;
  if (name == "six" || name == "sic") row_hash_ = RowHash::folded;
  for (std::uint32_t upper = 0; upper <= mask(column_bits - low_column_bits_); ++upper) {
    column_fold_.push_back(name == "sic" ? folded(upper, group_bits_) : 0);
  }
  rotation_banks_ = name == "rbc" ? 1 : 1u << (group_bits_ + (name == "bi" ? bank_bits_ : 0));

  if (middle_column_bits_ > 0) {
    // Only groups rotate: from an aligned start the order is that of the first group, XORed with 0,
    // 1, 2 ...
    for (std::uint32_t first = 0; first <= mask(group_bits_); ++first) {
      std::uint64_t order = 0;
      for (std::uint32_t i = 0; i <= mask(group_bits_); ++i) {
        order |= std::uint64_t{(first ^ i) << bank_bits_} << (4 * i);
      }
      aligned_rotations_.push_back(order);
    }
    for (std::uint32_t i = 0; i <= mask(group_bits_); ++i)
      every_nibble_ |= std::uint64_t{1} << (4 * i);
  }

  if (dram.channels <= 0)
    throw InputError(fmt::format("dram.channels is {}, but must be positive", dram.channels));
  channels_ = static_cast<std::uint64_t>(dram.channels);
  if (dram.channel_interleave_bytes <= 0 || dram.channel_interleave_bytes % stick_bytes != 0) {
    throw InputError(
        fmt::format("dram.channel_interleave_bytes is {}, but must be a multiple of the stick ({})",
                    dram.channel_interleave_bytes, stick_bytes));
  }
  interleave_bytes_ = static_cast<std::uint64_t>(dram.channel_interleave_bytes);
  if (column_bits + group_bits_ + bank_bits_ > 15) {
    throw InputError(
        fmt::format("dram.row_bytes is {}, more than this model's runs can hold", dram.row_bytes));
  }
  const unsigned span_bits =
      name == "rbc" ? page_bits : page_bits + group_bits_ + (name == "bi" ? bank_bits_ : 0);
  run_span_bytes_ = std::uint64_t{1} << span_bits;
}

ChannelAddress AddressMap::to_channel(std::uint64_t address) const {
  const std::uint64_t block = address / interleave_bytes_;
  return {static_cast<std::uint32_t>(block % channels_),
          block / channels_ * interleave_bytes_ + address % interleave_bytes_};
}

std::uint64_t AddressMap::from_channel(const ChannelAddress& place) const {
  const std::uint64_t block = place.offset / interleave_bytes_ * channels_ + place.channel;
  return block * interleave_bytes_ + place.offset % interleave_bytes_;
}

std::uint32_t AddressMap::row_fold(std::uint32_t row) const {
  switch (row_hash_) {
    case RowHash::none:
      return 0;
    case RowHash::low_bits:
      return row & mask(bank_bits_ + group_bits_);
    case RowHash::folded:
      return folded(row, bank_bits_ + group_bits_);
  }
  return 0;
}

std::uint32_t AddressMap::group_of(std::uint32_t field, std::uint32_t column,
                                   std::uint32_t fold) const {
  return field ^ column_fold_[column >> low_column_bits_] ^ (fold >> bank_bits_);
}

BankAddress AddressMap::decode(std::uint64_t offset) const {
  std::uint64_t rest = offset >> burst_shift_;
  const auto take = [&rest](unsigned bits) {
    const auto value = static_cast<std::uint32_t>(rest) & mask(bits);
    rest >>= bits;
    return value;
  };
  std::uint32_t column = take(low_column_bits_);
  const std::uint32_t group = take(group_bits_);
  column |= take(middle_column_bits_) << low_column_bits_;
  const std::uint32_t bank = take(bank_bits_);
  column |= take(high_column_bits_) << (low_column_bits_ + middle_column_bits_);
  const auto row = static_cast<std::uint32_t>(rest);
  const std::uint32_t fold = row_fold(row);
  return {group_of(group, column, fold), bank ^ (fold & mask(bank_bits_)), row, column};
}

std::uint64_t AddressMap::encode(const BankAddress& place) const {
  const std::uint32_t fold = row_fold(place.row);
  std::uint64_t result = place.row;
  const auto put = [&result](std::uint32_t value, unsigned bits) {
    result = result << bits | (value & mask(bits));
  };
  put(place.column >> (low_column_bits_ + middle_column_bits_), high_column_bits_);
  put(place.bank ^ fold, bank_bits_);
  put(place.column >> low_column_bits_, middle_column_bits_);
  put(group_of(place.group, place.column, fold), group_bits_);
  put(place.column, low_column_bits_);
  return result << burst_shift_;
}

BurstRun AddressMap::run(std::uint64_t offset, std::uint64_t bytes) const {
  BurstRun result;
  result.bursts = static_cast<std::uint16_t>(bytes >> burst_shift_);
  const BankAddress first = decode(offset);
  result.row = first.row;
  // Within a span only group, column and (map bi) bank move, one step per unit of bursts.
  const std::uint32_t fold = row_fold(first.row);
  const unsigned unit_shift = burst_shift_ + low_column_bits_;
  const std::uint64_t last = (offset + bytes - 1) >> unit_shift;
  if (!aligned_rotations_.empty() && ((offset >> unit_shift) & mask(group_bits_)) == 0 &&
      last - (offset >> unit_shift) >= mask(group_bits_)) {
    result.bank_count = static_cast<std::uint8_t>(rotation_banks_);
    result.banks = aligned_rotations_[first.group] + first.bank * every_nibble_;
    return result;
  }
  std::uint32_t seen = 0;
  for (std::uint64_t unit = offset >> unit_shift;
       unit <= last && result.bank_count < rotation_banks_; ++unit) {
    const auto field = static_cast<std::uint32_t>(unit);
    const std::uint32_t column = (field >> group_bits_ & mask(middle_column_bits_))
                                 << low_column_bits_;
    const std::uint32_t group = low_column_bits_ == column_bits_
                                    ? first.group
                                    : group_of(field & mask(group_bits_), column, fold);
    const std::uint32_t bank =
        high_column_bits_ > 0 ? (field >> group_bits_ ^ fold) & mask(bank_bits_) : first.bank;
    const std::uint32_t id = (group << bank_bits_) + bank;
    if ((seen >> id & 1u) != 0) continue;
    seen |= 1u << id;
    result.banks |= std::uint64_t{id} << (4 * result.bank_count++);
  }
  return result;
}

}  // namespace spyre::models
