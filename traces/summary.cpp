#include "traces/summary.h"

#include <algorithm>
#include <charconv>

#include "models/analytic/roofline.h"

namespace spyre::traces {
namespace {

double imbalance(const RunResult& result) {
  double largest = 0, sum = 0;
  int used = 0;
  for (const CoreCycles& core : result.core_cycles) {
    const std::uint64_t waiting =
        core.idle + core.stalls[static_cast<std::size_t>(models::StallCause::barrier)] +
        core.stalls[static_cast<std::size_t>(models::StallCause::launch)];
    const auto active = static_cast<double>(core.total() - waiting);
    if (active == 0) continue;
    largest = std::max(largest, active);
    sum += active;
    ++used;
  }
  return used == 0 ? 1.0 : largest * used / sum;
}

models::ChannelCounters sum(const std::vector<models::ChannelCounters>& channels) {
  models::ChannelCounters total;
  for (const models::ChannelCounters& channel : channels) {
    total.read_bursts += channel.read_bursts;
    total.write_bursts += channel.write_bursts;
    total.ecc_bursts += channel.ecc_bursts;
    total.row_hits += channel.row_hits;
    total.row_misses += channel.row_misses;
    total.activates += channel.activates;
    total.precharges += channel.precharges;
    total.refreshes += channel.refreshes;
    total.turnarounds += channel.turnarounds;
    total.busy_ps += channel.busy_ps;
  }
  return total;
}

}  // namespace

std::optional<std::int64_t> meta_number(const RunResult& result, const std::string& key) {
  const auto found = result.meta.find(key);
  if (found == result.meta.end()) return std::nullopt;
  const std::string& text = found->second;
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string meta_text(const RunResult& result, const std::string& key) {
  const auto found = result.meta.find(key);
  return found == result.meta.end() ? std::string() : found->second;
}

Summary summarise(const RunResult& result) {
  Summary summary;
  const double seconds = static_cast<double>(result.time_ps) * 1e-12;
  summary.time_ms = seconds * 1e3;
  for (const OpResult& op : result.ops) {
    summary.roofline_ms += op.roofline_ms;
    summary.flops += op.flops;
  }
  if (const auto batch = meta_number(result, "batch");
      batch && seconds > 0 && !result.interrupted) {
    const std::int64_t chunk = meta_number(result, "chunk").value_or(1);
    summary.tokens_per_s = static_cast<double>(*batch * chunk) / seconds;
  }
  if (seconds > 0)
    summary.achieved_gbps = static_cast<double>(result.bytes.total()) / seconds * 1e-9;
  const auto useful = static_cast<double>(result.bytes.useful());
  summary.mbu_peak = models::mbu(useful, seconds, result.machine.dram.peak_bytes_per_second());
  summary.mbu_measured = models::mbu(
      useful, seconds, static_cast<double>(result.machine.dram.measured_bytes_per_second));
  summary.mfu = models::mfu(static_cast<double>(summary.flops), seconds,
                            result.machine.peak_flops(models::DataType::fp16, result.cores));
  for (const CoreCycles& core : result.core_cycles) {
    summary.cores.matrix += core.matrix;
    summary.cores.vector += core.vector;
    summary.cores.idle += core.idle;
    for (std::size_t cause = 0; cause < core.stalls.size(); ++cause) {
      summary.cores.stalls[cause] += core.stalls[cause];
    }
  }
  summary.load_imbalance = imbalance(result);
  summary.channels = sum(result.channels);
  const models::ChannelCounters& channels = summary.channels;
  const std::uint64_t bursts = channels.read_bursts + channels.write_bursts + channels.ecc_bursts;
  // A row that is closed before it is used has been activated for nothing.
  const std::uint64_t opening = std::min(channels.activates, bursts);
  if (bursts > 0)
    summary.row_hit_rate = static_cast<double>(bursts - opening) / static_cast<double>(bursts);
  const double bus_ps =
      static_cast<double>(result.time_ps) * static_cast<double>(result.channels.size());
  if (bus_ps > 0) summary.bus_utilisation = static_cast<double>(channels.busy_ps) / bus_ps;
  const double dram_peak = result.machine.dram.peak_bytes_per_second();
  if (dram_peak > 0) {
    summary.ridge_point =
        result.machine.peak_flops(models::DataType::fp16, result.cores) / dram_peak;
  }
  return summary;
}

}  // namespace spyre::traces
