#include "traces/text_report.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "traces/summary.h"
#include "traces/text_table.h"

namespace spyre::traces {
namespace {

std::string si(double value) {
  constexpr std::array<const char*, 5> kPrefixes{"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return prefix == 0 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g} {}", value, kPrefixes[prefix]);
}

std::string headline(const RunResult& result, const Summary& summary) {
  const std::string model = meta_text(result, "model");
  const std::string phase = meta_text(result, "phase");
  std::string text = model.empty() ? "schedule" : fmt::format("{} {}", model, phase);
  for (const char* key : {"batch", "context", "chunk", "dtype"}) {
    const std::string value = meta_text(result, key);
    if (!value.empty() && !(phase == "decode" && std::string(key) == "chunk")) {
      text += fmt::format(", {} {}", key, value);
    }
  }
  text += fmt::format(", {} {}\n\n", result.cores, result.cores == 1 ? "core" : "cores");
  text += fmt::format("  simulated  {:>10.3f} ms   {} cycles{}\n", summary.time_ms, with_separators(result.cycles),
                      result.interrupted ? "   INTERRUPTED" : "");
  text += fmt::format("  roofline   {:>10.3f} ms   simulated / roofline = {:.2f}\n", summary.roofline_ms,
                      summary.roofline_ms > 0 ? summary.time_ms / summary.roofline_ms : 0.0);
  if (summary.tokens_per_s) text += fmt::format("  throughput {:>10.2f} tokens/s\n", *summary.tokens_per_s);
  return text;
}

std::string bytes_table(const RunResult& result) {
  TextTable table({"DRAM bytes", "B", "% of all"});
  const ByteCounts& bytes = result.bytes;
  const auto row = [&](const char* name, std::uint64_t value) {
    if (value == 0) return;
    table.add_row({name, with_separators(value),
                   fmt::format("{:.2f}", 100.0 * static_cast<double>(value) / static_cast<double>(bytes.total()))});
  };
  row("weights", bytes.weights);
  row("KV cache read", bytes.kv_read);
  row("KV cache write", bytes.kv_write);
  row("embedding rows", bytes.embedding);
  row("activations", bytes.activations);
  row("constants", bytes.constants);
  row("stick padding", bytes.padding);
  row("re-read", bytes.reread);
  row("total", bytes.total());
  return table.text();
}

std::string memory_lines(const RunResult& result, const Summary& summary) {
  const models::ChannelCounters& channels = summary.channels;
  const std::uint64_t runs = channels.row_hits + channels.row_misses;
  std::string text = fmt::format(
      "  DRAM {:.1f} GB/s   MBU {:.1f} % of {:.1f} GB/s peak, {:.1f} % of {:.0f} GB/s measured\n",
      summary.achieved_gbps, 100 * summary.mbu_peak, result.machine.dram.peak_bytes_per_second() * 1e-9,
      100 * summary.mbu_measured, static_cast<double>(result.machine.dram.measured_bytes_per_second) * 1e-9);
  text += fmt::format("  row hits {:.1f} %   turnarounds {}   refreshes {}   requests {}\n",
                      runs == 0 ? 0.0 : 100.0 * static_cast<double>(channels.row_hits) / static_cast<double>(runs),
                      with_separators(channels.turnarounds), with_separators(channels.refreshes),
                      with_separators(result.requests));
  text += fmt::format("  compute {:.2f} TFLOP/s   MFU {:.1f} % of {:.1f} TFLOP/s (fp16)\n",
                      summary.time_ms > 0 ? static_cast<double>(summary.flops) / summary.time_ms * 1e-9 : 0.0,
                      100 * summary.mfu, result.machine.peak_flops(models::DataType::fp16, result.cores) * 1e-12);
  return text;
}

std::string cores_table(const Summary& summary) {
  TextTable table({"core time", "core cycles", "%"});
  const auto total = static_cast<double>(summary.cores.total());
  const auto row = [&](std::string name, std::uint64_t cycles) {
    if (cycles == 0) return;
    table.add_row({std::move(name), with_separators(cycles),
                   fmt::format("{:.2f}", 100.0 * static_cast<double>(cycles) / total)});
  };
  row("busy: matrix unit", summary.cores.matrix);
  row("busy: vector unit", summary.cores.vector);
  for (std::size_t cause = 0; cause < models::kStallCauses; ++cause) {
    row(fmt::format("stalled: {}", models::to_string(static_cast<models::StallCause>(cause))),
        summary.cores.stalls[cause]);
  }
  row("idle: not taking part", summary.cores.idle);
  return table.text() + fmt::format("  load imbalance {:.3f} (largest / mean active time of the cores in use)\n",
                                    summary.load_imbalance);
}

/// "l12.qkv" without its layer.
std::string kind_of(const OpResult& op) {
  const std::string prefix = fmt::format("l{}.", op.layer);
  return op.layer >= 0 && op.name.starts_with(prefix) ? op.name.substr(prefix.size()) : op.name;
}

struct OpGroup {
  std::string name;
  int count = 0;
  std::uint64_t flops = 0, bytes = 0;
  double roofline_ms = 0, time_ms = 0;
  std::map<std::string, double> bounds;  // time by bound
};

std::string ops_table(const RunResult& result, bool every_op) {
  std::vector<OpGroup> groups;
  std::map<std::string, std::size_t> index;
  for (const OpResult& op : result.ops) {
    const std::string name = every_op ? op.name : kind_of(op);
    if (every_op || !index.contains(name)) {
      index[name] = groups.size();
      groups.emplace_back().name = name;
    }
    OpGroup& group = groups[index[name]];
    ++group.count;
    group.flops += op.flops;
    group.bytes += op.bytes;
    group.roofline_ms += op.roofline_ms;
    group.time_ms += op.time_ms;
    group.bounds[op.bound] += op.time_ms;
  }
  TextTable table({"op", "n", "FLOP", "B", "FLOP/B", "roofline ms", "ms", "ratio", "bound"});
  for (const OpGroup& group : groups) {
    std::string bound;
    double longest = -1;
    for (const auto& [name, time] : group.bounds) {
      if (time > longest) {
        longest = time;
        bound = name;
      }
    }
    table.add_row({group.name, std::to_string(group.count), si(static_cast<double>(group.flops)),
                   si(static_cast<double>(group.bytes)),
                   group.bytes == 0 ? "-"
                                    : fmt::format("{:.3g}", static_cast<double>(group.flops) /
                                                                static_cast<double>(group.bytes)),
                   fmt::format("{:.3f}", group.roofline_ms), fmt::format("{:.3f}", group.time_ms),
                   group.roofline_ms > 0 ? fmt::format("{:.2f}", group.time_ms / group.roofline_ms) : "-", bound});
  }
  return table.text();
}

}  // namespace

std::string with_separators(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string write_text_report(const RunResult& result, const ReportOptions& options) {
  const Summary summary = summarise(result);
  std::string text = headline(result, summary);
  text += "\n" + bytes_table(result);
  text += "\n" + memory_lines(result, summary);
  text += "\n" + cores_table(summary);
  text += "\n" + ops_table(result, options.every_op);
  text += fmt::format("\n  ridge point {:.0f} FLOP/B (fp16, all cores in use, DRAM peak)\n",
                      result.machine.peak_flops(models::DataType::fp16, result.cores) /
                          result.machine.dram.peak_bytes_per_second());
  return text;
}

}  // namespace spyre::traces
