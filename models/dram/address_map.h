// Byte address -> channel, bank group, bank, row, column: the policy that decides which accesses
// collide.
//
// Across channels: plain interleave in grains, any channel count, no hash. Within a channel, from
// the least significant bit, after the offset in a burst:
//   rbc  column | group | bank | row         a stream stays one page long in one bank
//   bgi  group | column | bank | row         each burst in the next bank group
//   bi   group | bank | column | row         each burst in the next bank
//   bgx  bgi, bank and group XORed with the low row bits
//   si   stick column | group | column | bank | row
//                                            each 128 B stick in one group, the next in the next
//   six  si, bank and group XORed with all row bits, folded
//   sic  six, group XORed with the upper column bits too: strides do not stay in one group
// XOR never touches row or column, so decoding is a bijection. The maps of a real card are not
// public; these are the ones for which reference figures of DRAM simulators exist
// (docs/models/lpddr5_channel.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/machine/machine.h"

namespace spyre::models {

/// A place in one channel. `bank` counts within the group.
struct BankAddress {
  std::uint32_t group = 0, bank = 0, row = 0, column = 0;  ///< column in bursts
  friend bool operator==(const BankAddress&, const BankAddress&) = default;
};

struct ChannelAddress {
  std::uint32_t channel = 0;
  std::uint64_t offset = 0;  ///< bytes within the channel, contiguous
  friend bool operator==(const ChannelAddress&, const ChannelAddress&) = default;
};

/// Consecutive bursts of one channel that lie in one row number.
struct BurstRun {
  std::uint64_t banks =
      0;  ///< distinct banks in touch order, four bits each: group * banks per group + bank
  std::uint32_t row = 0;
  std::uint16_t bursts = 0;
  std::uint8_t bank_count = 0;
};

class AddressMap {
 public:
  /// Throws InputError when the map's name is unknown or a size is not a power of two.
  AddressMap(const DramDescription& dram, std::int64_t stick_bytes);

  [[nodiscard]] ChannelAddress to_channel(std::uint64_t address) const;
  [[nodiscard]] std::uint64_t from_channel(const ChannelAddress& place) const;

  /// The bank that holds the burst at this offset of a channel.
  [[nodiscard]] BankAddress decode(std::uint64_t offset) const;
  [[nodiscard]] std::uint64_t encode(const BankAddress& place) const;

  /// The run of `bytes` from `offset`; must not cross a multiple of run_span_bytes().
  [[nodiscard]] BurstRun run(std::uint64_t offset, std::uint64_t bytes) const;

  /// Contiguous bytes of a channel that share one row number and one set of banks.
  [[nodiscard]] std::uint64_t run_span_bytes() const { return run_span_bytes_; }
  /// Consecutive bursts in one bank before the next bank is touched.
  [[nodiscard]] std::uint32_t unit_bursts() const { return 1u << low_column_bits_; }
  [[nodiscard]] std::uint32_t stick_bursts() const { return stick_bursts_; }
  [[nodiscard]] std::uint64_t interleave_bytes() const { return interleave_bytes_; }

  static const std::vector<std::string>& names();

 private:
  [[nodiscard]] std::uint32_t row_fold(std::uint32_t row) const;
  [[nodiscard]] std::uint32_t group_of(std::uint32_t field, std::uint32_t column,
                                       std::uint32_t fold) const;

  // Field widths, least significant first: low column, group, middle column, bank, high column,
  // row.
  unsigned burst_shift_ = 0, low_column_bits_ = 0, group_bits_ = 0, middle_column_bits_ = 0,
           bank_bits_ = 0, high_column_bits_ = 0, column_bits_ = 0;
  enum class RowHash { none, low_bits, folded } row_hash_ = RowHash::none;
  std::vector<std::uint32_t> column_fold_;  ///< what the upper column bits add to the group
  std::vector<std::uint64_t>
      aligned_rotations_;  ///< banks of a whole rotation by its first group; bank 0 of each
  std::uint64_t every_nibble_ = 0;
  std::uint32_t stick_bursts_ = 0, rotation_banks_ = 1;
  std::uint64_t channels_ = 1, interleave_bytes_ = 0, run_span_bytes_ = 0;
};

}  // namespace spyre::models
