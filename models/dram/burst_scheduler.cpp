#include "models/dram/burst_scheduler.h"

#include <algorithm>
#include <bit>

#include "models/diagnostics/diagnostics.h"

namespace spyre::models {

BurstScheduler::BurstScheduler(const DramDescription& dram, const AddressMap& map)
    : map_(map),
      timing_(dram.timing),
      gaps_(dram.timing),
      burst_ps_(static_cast<Picoseconds>(dram.timing.burst * dram.timing.tck_ps)),
      ecc_data_bursts_(static_cast<std::uint32_t>(dram.ecc_data_bursts)),
      bank_bits_(static_cast<unsigned>(
          std::countr_zero(static_cast<std::uint64_t>(dram.banks_per_group)))),
      burst_shift_(
          static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(dram.burst_bytes)))),
      activates_(dram.timing.rrd, dram.timing.faw),
      entries_(static_cast<std::size_t>(dram.queue_entries)),
      free_entries_(static_cast<std::uint32_t>(dram.queue_entries)),
      next_refresh_(first_refresh(dram)) {
  if (dram.queue_entries < map.stick_bursts() || dram.queue_entries > 32'767) {
    throw InputError("dram.queue_entries must hold the bursts of one stick and at most 32767");
  }
  for (std::size_t i = 0; i + 1 < entries_.size(); ++i)
    entries_[i].next = static_cast<std::int16_t>(i + 1);
}

std::uint32_t BurstScheduler::push(const ChannelAccess& access) {
  waiting_.push(access);
  if (waiting_.size() == 1) find_next_entry();
  return access.bytes >> burst_shift_;
}

void BurstScheduler::advance(DramCycles until, std::vector<ChannelCompletion>& completions) {
  for (;;) {
    const DramCycles time = std::min(next_entry_, next_command_);
    if (time > until) return;
    if (time >= next_refresh_) {
      skip_idle_refreshes(time);
      refresh();
    } else if (next_entry_ <= next_command_) {
      enter(time);
    } else {
      issue(completions);
    }
  }
}

void BurstScheduler::find_next_entry() {
  next_entry_ = kNever;
  if (waiting_.empty()) return;
  const std::uint32_t left = (waiting_.front().bytes - entered_bytes_) >> burst_shift_;
  if (free_entries_ >= std::min(left, map_.stick_bursts())) {
    next_entry_ = std::max(waiting_.front().arrival, room_since_);
  }
}

/// The next stick of the access at the head, or what is left of it, enters the queue.
void BurstScheduler::enter(DramCycles now) {
  const ChannelAccess access = waiting_.front();
  room_since_ = std::max(room_since_, now);
  const std::uint32_t left = (access.bytes - entered_bytes_) >> burst_shift_;
  for (std::uint32_t i = std::min(left, map_.stick_bursts()); i > 0; --i) {
    const BankAddress place = map_.decode(access.offset + entered_bytes_);
    entered_bytes_ += 1u << burst_shift_;
    const std::uint32_t id = (place.group << bank_bits_) + place.bank;
    const std::int16_t slot = free_entry_;
    Burst& burst = entries_[static_cast<std::size_t>(slot)];
    free_entry_ = burst.next;
    --free_entries_;
    burst = {next_age_++, place.row, access.tag, kNone, access.write};
    Bank& bank = banks_[id];
    const std::int16_t previous = bank.youngest;
    bank.youngest = slot;
    if (previous == kNone) {
      bank.oldest = bank.offered = slot;
      bank.before_offered = kNone;
      banks_with_work_ |= 1u << id;
    } else {
      entries_[static_cast<std::size_t>(previous)].next = slot;
      if (place.row == bank.row &&
          entries_[static_cast<std::size_t>(bank.offered)].row != bank.row) {
        bank.offered = slot;
        bank.before_offered = previous;
      }
    }
  }
  if (entered_bytes_ == access.bytes) {
    waiting_.pop();
    entered_bytes_ = 0;
  }
  find_next_entry();
  find_next_command();
}

/// The bank's oldest row hit, else its oldest burst.
void BurstScheduler::offer(Bank& bank) {
  bank.offered = bank.oldest;
  bank.before_offered = kNone;
  if (bank.row == kClosed) return;
  std::int16_t previous = kNone;
  for (std::int16_t i = bank.oldest; i != kNone;
       previous = i, i = entries_[static_cast<std::size_t>(i)].next) {
    if (entries_[static_cast<std::size_t>(i)].row == bank.row) {
      bank.offered = i;
      bank.before_offered = previous;
      return;
    }
  }
}

void BurstScheduler::find_next_command() {
  next_command_ = kNever;
  if (banks_with_work_ == 0) return;
  const DramCycles first = std::max(now_ + 1, room_since_);
  const DramCycles activate_ok = activates_.earliest(first);
  std::uint64_t age = 0;
  for (std::uint32_t left = banks_with_work_; left != 0; left &= left - 1) {
    const auto id = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint32_t group = id >> bank_bits_;
    const Bank& bank = banks_[id];
    const Burst& burst = entries_[static_cast<std::size_t>(bank.offered)];
    DramCycles time = first;
    if (bank.row == kClosed) {
      time = std::max(activate_ok, bank.activate_ok);
    } else if (bank.row != burst.row) {
      time = std::max(first, bank.precharge_ok);
    } else if (burst.write) {
      time = std::max({first, bank.column_ok, write_ok_, group_write_ok_[group]});
    } else {
      time = std::max({first, bank.column_ok, read_ok_, group_read_ok_[group]});
    }
    if (time < next_command_ || (time == next_command_ && burst.age < age)) {
      next_command_ = time;
      next_bank_ = id;
      age = burst.age;
    }
  }
}

void BurstScheduler::issue(std::vector<ChannelCompletion>& completions) {
  now_ = next_command_;
  Bank& bank = banks_[next_bank_];
  const Burst& burst = entries_[static_cast<std::size_t>(bank.offered)];
  if (bank.row == burst.row) {
    issue_column(next_bank_, completions);
    room_since_ = std::max(room_since_, now_);
    find_next_entry();
  } else if (bank.row == kClosed) {
    observe(DramCommand::activate, next_bank_, burst.row, now_);
    activates_.book_earliest(now_);
    ++counters_.activates;
    bank.row = burst.row;
    bank.column_ok = now_ + timing_.rcd;
    bank.precharge_ok = now_ + timing_.ras;
    bank.activate_ok = now_ + timing_.rc;
    bank.missed = true;
    offer(bank);
  } else {
    observe(DramCommand::precharge, next_bank_, bank.row, now_);
    ++counters_.precharges;
    bank.row = kClosed;
    bank.activate_ok = std::max(bank.activate_ok, now_ + timing_.rp_pb);
  }
  find_next_command();
}

void BurstScheduler::issue_column(std::uint32_t id, std::vector<ChannelCompletion>& completions) {
  Bank& bank = banks_[id];
  const Burst& burst = entries_[static_cast<std::size_t>(bank.offered)];
  observe(burst.write ? DramCommand::write : DramCommand::read, id, bank.row, now_);
  // An ECC burst follows in the same row: it holds the bus, and moves everything behind it.
  DramCycles last = now_;
  DramCycles slots = 1;
  if (ecc_data_bursts_ > 0 && ++ecc_credit_ == ecc_data_bursts_) {
    ecc_credit_ = 0;
    ++counters_.ecc_bursts;
    ++slots;
    last += timing_.burst;
  }
  const std::uint32_t group = id >> bank_bits_;
  if (burst.write) {
    write_ok_ = last + timing_.burst;
    group_write_ok_[group] = last + timing_.ccd_l;
    read_ok_ = std::max(read_ok_, last + gaps_.write_to_read);
    group_read_ok_[group] = std::max(group_read_ok_[group], last + gaps_.write_to_read_same_group);
    bank.precharge_ok = std::max(bank.precharge_ok, last + gaps_.write_to_precharge);
    ++counters_.write_bursts;
  } else {
    read_ok_ = last + timing_.burst;
    group_read_ok_[group] = last + timing_.ccd_l;
    write_ok_ = std::max(write_ok_, last + gaps_.read_to_write);
    bank.precharge_ok = std::max(bank.precharge_ok, last + gaps_.read_to_precharge);
    ++counters_.read_bursts;
  }
  ++(bank.missed ? counters_.row_misses : counters_.row_hits);
  bank.missed = false;
  counters_.busy_ps += static_cast<Picoseconds>(slots) * burst_ps_;
  if (burst.write != last_was_write_) ++counters_.turnarounds;
  last_was_write_ = burst.write;
  completions.push_back(
      {burst.tag, now_ + (burst.write ? gaps_.write_to_data_end : gaps_.read_to_data_end)});
  take_out(id);
}

void BurstScheduler::take_out(std::uint32_t id) {
  Bank& bank = banks_[id];
  const std::int16_t slot = bank.offered;
  Burst& burst = entries_[static_cast<std::size_t>(slot)];
  if (bank.before_offered == kNone) {
    bank.oldest = burst.next;
  } else {
    entries_[static_cast<std::size_t>(bank.before_offered)].next = burst.next;
  }
  if (bank.youngest == slot) bank.youngest = bank.before_offered;
  burst.next = free_entry_;
  free_entry_ = slot;
  ++free_entries_;
  if (bank.oldest == kNone) {
    bank.offered = kNone;
    banks_with_work_ &= ~(1u << id);
  } else {
    offer(bank);
  }
}

/// A channel without work refreshes on time; only the last of those refreshes matters.
void BurstScheduler::skip_idle_refreshes(DramCycles until) {
  if (banks_with_work_ != 0) return;
  const DramCycles missed = (until - next_refresh_) / timing_.refi;
  counters_.refreshes += static_cast<std::uint64_t>(missed);
  next_refresh_ += missed * timing_.refi;
}

void BurstScheduler::refresh() {
  const DramCycles precharge = std::max(next_refresh_, now_ + 1);
  DramCycles last_precharge = precharge, start = precharge;
  for (const Bank& bank : banks_) {
    if (bank.row == kClosed) {
      start = std::max(start, bank.activate_ok);
    } else {
      last_precharge = std::max(last_precharge, bank.precharge_ok);
      start = std::max(start, last_precharge + timing_.rp_ab);
      ++counters_.precharges;
    }
  }
  observe(DramCommand::refresh, 0, 0, start);
  for (Bank& bank : banks_) {
    bank.row = kClosed;
    bank.missed = false;
    bank.activate_ok = std::max(bank.activate_ok, start + timing_.rfc_ab);
    if (bank.oldest != kNone) offer(bank);
  }
  now_ = std::max(now_, last_precharge);
  ++counters_.refreshes;
  next_refresh_ += timing_.refi;
  find_next_entry();
  find_next_command();
}

}  // namespace spyre::models
