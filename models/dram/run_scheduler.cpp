#include "models/dram/run_scheduler.h"

#include <bit>

namespace spyre::models {
namespace {

constexpr std::uint32_t bank_at(std::uint64_t banks, std::uint32_t index) {
  return static_cast<std::uint32_t>(banks >> (4 * index)) & 15u;
}

}  // namespace

RunScheduler::RunScheduler(const DramDescription& dram, const AddressMap& map, WritePolicy policy)
    : map_(map),
      timing_(dram.timing),
      gaps_(dram.timing),
      burst_ps_(static_cast<Picoseconds>(dram.timing.burst * dram.timing.tck_ps)),
      ecc_data_bursts_(static_cast<std::uint32_t>(dram.ecc_data_bursts)),
      bank_bits_(static_cast<unsigned>(
          std::countr_zero(static_cast<std::uint64_t>(dram.banks_per_group)))),
      column_to_activate_(dram.timing.rc - dram.timing.rcd),
      rotation_(map.unit_bursts() * dram.timing.burst * 2),
      activates_(dram.timing.rrd, dram.timing.faw),
      bus_(dram.timing.burst, dram.timing.ccd_l),
      window_(dram.queue_entries, map.stick_bursts()),
      next_refresh_(first_refresh(dram)),
      policy_(policy) {
  candidates_.reserve(static_cast<std::size_t>(dram.queue_entries) + 1);
}

std::uint32_t RunScheduler::push(const ChannelAccess& access) {
  const std::uint64_t span = map_.run_span_bytes();
  std::uint32_t runs = 0;
  std::uint64_t at = access.offset;
  const std::uint64_t end = access.offset + access.bytes;
  while (at < end) {
    const std::uint64_t stop = std::min(end, (at | (span - 1)) + 1);
    waiting_.push({map_.run(at, stop - at), access.tag, access.write, access.arrival});
    at = stop;
    ++runs;
  }
  if (waiting_.size() == runs) find_next_entry();
  return runs;
}

void RunScheduler::advance(DramCycles until, std::vector<ChannelCompletion>& completions) {
  for (;;) {
    const DramCycles time = next_decision();
    if (time > until) return;
    if (time >= next_refresh_) {
      skip_idle_refreshes(time);
      refresh();
    } else if (next_entry_ == time) {
      enter(time);
    } else if (next_prepare_ == time) {
      now_ = time;
      prepare_due();
      find_next_steps();
    } else {
      serve(next_candidate_, time, completions);
    }
  }
}

void RunScheduler::find_next_entry() {
  next_entry_ = kNever;
  if (waiting_.empty()) return;
  const WaitingRun& head = waiting_.front();
  const DramCycles room = window_.room_at(head.place.bursts);
  if (room < kNever) next_entry_ = std::max(std::max(head.arrival, room), now_);
}

std::uint32_t RunScheduler::ecc_bursts_for(std::uint32_t data_bursts) {
  if (ecc_data_bursts_ == 0) return 0;
  ecc_credit_ += data_bursts;
  const std::uint32_t bursts = ecc_credit_ / ecc_data_bursts_;
  ecc_credit_ %= ecc_data_bursts_;
  counters_.ecc_bursts += bursts;
  return bursts;
}

void RunScheduler::enter(DramCycles now) {
  now_ = now;
  const WaitingRun& head = waiting_.front();
  Candidate& run = candidates_.emplace_back();
  run.banks = head.place.banks;
  run.row = head.place.row;
  run.bank_count = head.place.bank_count;
  run.tag = head.tag;
  run.write = head.write;
  run.data_bursts = run.data_left = head.place.bursts;
  run.bursts = run.data_bursts + ecc_bursts_for(run.data_bursts);
  if (run.bank_count == 1)
    run.group = static_cast<std::uint8_t>(bank_at(run.banks, 0) >> bank_bits_);
  waiting_.pop();
  window_.enter(run.data_bursts);
  plan_preparation(run);
  if (run.prepare_at == now) prepare(run);
  find_next_entry();
  find_next_steps();
}

/// When the first of the run's banks can be precharged or activated; kNever while another run needs
/// a bank.
void RunScheduler::plan_preparation(Candidate& run) {
  DramCycles first = kNever;
  for (std::uint32_t i = 0; i < run.bank_count; ++i) {
    const Bank& bank = banks_[bank_at(run.banks, i)];
    if (bank.row == run.row || bank.row == kClosed) {
      first = now_;
    } else if (bank.users > 0) {
      first = kNever;
      break;
    } else {
      first = std::min(first, bank.precharge_ok);
    }
  }
  run.prepare_at = first == kNever ? kNever : std::max(first, now_);
}

void RunScheduler::prepare_due() {
  for (Candidate& run : candidates_) {
    if (run.prepared || run.prepare_at > now_) continue;
    plan_preparation(run);  // an older run may have taken a bank in this cycle
    if (run.prepare_at <= now_) prepare(run);
  }
}

/// Opens the run's row in its banks from now on. Where refresh comes first the run stays
/// unprepared.
void RunScheduler::prepare(Candidate& run) {
  std::array<DramCycles, 16> ready;  // when each bank can take a column command, ascending
  for (std::uint32_t i = 0; i < run.bank_count; ++i) {
    Bank& bank = banks_[bank_at(run.banks, i)];
    DramCycles column_ok = bank.column_ok;
    if (bank.row != run.row) {
      const bool open = bank.row != kClosed;
      DramCycles time = open ? std::max(now_, bank.precharge_ok) + timing_.rp_pb : now_;
      time =
          activates_.book_earliest(std::max(time, column_ok + column_to_activate_), next_refresh_);
      if (time == kNever) {
        run.prepare_at = next_refresh_;
        for (std::uint32_t k = 0; k < i; ++k) --banks_[bank_at(run.banks, k)].users;
        return;
      }
      ++counters_.activates;
      if (open) ++counters_.precharges;
      run.missed = true;
      bank.row = run.row;
      bank.column_ok = column_ok = time + timing_.rcd;
      bank.precharge_ok = time + timing_.ras;
    }
    ++bank.users;
    std::uint32_t at = i;
    for (; at > 0 && ready[at - 1] > column_ok; --at) ready[at] = ready[at - 1];
    ready[at] = column_ok;
  }
  // What is left of the run once a bank is ready: that bank's own bursts at tCCD_L (ECC bursts hold
  // the bus only), or those of all banks that are not ready earlier.
  const std::uint32_t count = run.bank_count;
  const auto burst = static_cast<std::uint32_t>(timing_.burst);
  const std::uint32_t share =
      16 * run.bursts * burst / count;  // bus time of one bank's bursts, in 1/16 cycle
  // The rest of a run that a refresh cut short may have fewer bursts than banks.
  const std::uint32_t more = run.data_left > count ? run.data_left - count : 0;
  const DramCycles own =
      (more * static_cast<std::uint32_t>(timing_.ccd_l - timing_.burst)) / count + share / 16;
  run.ready = ready[0];
  run.earliest_end = ready[count - 1] + own;
  for (std::uint32_t i = 0; i < count; ++i) {
    run.earliest_end = std::max(run.earliest_end, ready[i] + share * (count - i) / 16);
  }
  run.prepared = true;
}

DramCycles RunScheduler::start_of(const Candidate& run) const {
  const DramCycles bus = std::max(bus_.earliest(), run.write ? write_ok_ : read_ok_);
  DramCycles start = std::max(std::max(now_, run.ready), bus);
  if (run.group != kSeveralGroups) {
    start = std::max(start, group_ok_[run.group]);
    if (!run.write) start = std::max(start, group_read_ok_[run.group]);
  }
  return start;
}

void RunScheduler::find_next_steps() {
  next_start_ = next_prepare_ = kNever;
  const bool batch_over = policy_.batch_bursts > 0 && batch_ >= policy_.batch_bursts;
  bool turned = false;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const Candidate& run = candidates_[i];
    if (!run.prepared) {
      next_prepare_ = std::min(next_prepare_, run.prepare_at);
      continue;
    }
    const bool turns = batch_over && run.write != last_was_write_;
    if (turned && !turns) continue;
    const DramCycles start = start_of(run);
    if (start < next_start_ || (turns && !turned)) {
      next_start_ = start;
      next_candidate_ = i;
    }
    turned = turned || turns;
  }
}

/// How much of the run may be served before the other direction's turn.
DramCycles RunScheduler::bursts_until_turn(const Candidate& run) const {
  if (policy_.batch_bursts == 0) return run.bursts;
  for (const Candidate& other : candidates_) {
    if (other.prepared && other.write != run.write) {
      const std::uint32_t used =
          run.write == last_was_write_ ? std::min(batch_, policy_.batch_bursts - 1) : 0;
      return std::min(run.bursts, policy_.batch_bursts - used);
    }
  }
  return run.bursts;
}

void RunScheduler::serve(std::size_t index, DramCycles start,
                         std::vector<ChannelCompletion>& completions) {
  now_ = start;
  Candidate& run = candidates_[index];
  const auto bursts = static_cast<DramCycles>(run.bursts);
  const bool one_group = run.group != kSeveralGroups;
  DramCycles served = bursts_until_turn(run);
  const DramCycles not_before = run.earliest_end - (bursts - served) * timing_.burst;
  DramCycles end =
      one_group ? bus_.take_one_lane(start, served) : bus_.take_all(start, served, not_before);
  if (end > next_refresh_) {
    served = std::clamp<DramCycles>(served * (next_refresh_ - start) / (end - start), 1, served);
    end = next_refresh_;
    bus_.cut(next_refresh_);
  }
  const bool last_part = served == bursts;
  if (one_group) group_ok_[run.group] = end;

  if (run.write != last_was_write_) {
    ++counters_.turnarounds;
    batch_ = 0;
  }
  batch_ += static_cast<std::uint32_t>(served);
  last_was_write_ = run.write;
  // The last column command goes one slot before `end`.
  if (run.write) {
    const DramCycles last = end - timing_.burst;
    read_ok_ = last + gaps_.write_to_read;
    for (std::uint32_t i = run.bank_count > 2 ? run.bank_count - 2u : 0u; i < run.bank_count; ++i) {
      group_read_ok_[bank_at(run.banks, i) >> bank_bits_] = last + gaps_.write_to_read_same_group;
    }
  } else {
    write_ok_ = end - timing_.burst + gaps_.read_to_write;
  }
  release_banks(run, end, last_part);
  const DramCycles data_served = last_part ? run.data_left : run.data_left * served / bursts;
  window_.leave(data_served, start, end);
  counters_.busy_ps += static_cast<Picoseconds>(served) * burst_ps_;

  if (last_part) {
    (run.write ? counters_.write_bursts : counters_.read_bursts) += run.data_bursts;
    ++(run.missed ? counters_.row_misses : counters_.row_hits);
    const DramCycles last = end - (one_group ? timing_.ccd_l : timing_.burst);
    completions.push_back(
        {run.tag, last + (run.write ? gaps_.write_to_data_end : gaps_.read_to_data_end)});
    for (std::size_t i = index + 1; i < candidates_.size(); ++i)
      candidates_[i - 1] = candidates_[i];
    candidates_.pop_back();
    for (Candidate& other : candidates_) {
      if (other.prepared) continue;
      plan_preparation(other);
      if (other.prepare_at == now_) prepare(other);
    }
  } else {
    run.bursts -= static_cast<std::uint32_t>(served);
    run.data_left -= static_cast<std::uint32_t>(data_served);
  }
  find_next_entry();
  find_next_steps();
}

void RunScheduler::release_banks(const Candidate& run, DramCycles end, bool last_part) {
  const DramCycles gap = run.write ? gaps_.write_to_precharge : gaps_.read_to_precharge;
  for (std::uint32_t i = 0; i < run.bank_count; ++i) {
    Bank& bank = banks_[bank_at(run.banks, i)];
    // Banks of a rotation are served two at a time, in order; the last pair ends with the run.
    const std::uint32_t behind = run.bank_count - 1u - i;
    const DramCycles last = end - timing_.burst * (1 + behind % 2) - behind / 2 * rotation_;
    bank.precharge_ok = std::max(bank.precharge_ok, last + gap);
    if (last_part) --bank.users;
  }
}

/// A channel without work refreshes on time; only the last of those refreshes matters.
void RunScheduler::skip_idle_refreshes(DramCycles until) {
  if (!candidates_.empty()) return;
  const DramCycles missed = (until - next_refresh_) / timing_.refi;
  counters_.refreshes += static_cast<std::uint64_t>(missed);
  next_refresh_ += missed * timing_.refi;
}

void RunScheduler::refresh() {
  DramCycles start = next_refresh_;
  bool open = false;
  for (const Bank& bank : banks_) {
    if (bank.row == kClosed) continue;
    start = std::max(start, bank.precharge_ok);
    open = true;
    ++counters_.precharges;
  }
  const DramCycles end = start + (open ? timing_.rp_ab : 0) + timing_.rfc_ab;
  for (Bank& bank : banks_) {
    bank.row = kClosed;
    bank.users = 0;
    bank.column_ok = std::max(bank.column_ok, end - column_to_activate_);
  }
  ++counters_.refreshes;
  next_refresh_ += timing_.refi;
  now_ = std::max(now_, start);
  for (Candidate& run : candidates_) {
    run.prepared = false;
    plan_preparation(run);
    if (run.prepare_at == now_) prepare(run);
  }
  find_next_entry();
  find_next_steps();
}

}  // namespace spyre::models
