#include "traces/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "traces/number_text.h"
#include "traces/op_table.h"
#include "traces/summary.h"
#include "traces/text_table.h"

namespace spyre::traces {
namespace {

std::string cores_text(std::int64_t cores) {
  return fmt::format("{} {}", cores, cores == 1 ? "core" : "cores");
}

/// "granite-3.3-8b decode, batch 1, context 4096, fp16, 32 cores".
std::string title(const RunResult& result) {
  const std::string phase = meta_text(result, "phase");
  std::string text = meta_text(result, "model");
  if (!text.empty() && !phase.empty()) text += " " + phase;
  if (const std::string shape = meta_text(result, "matmul"); text.empty() && !shape.empty()) {
    text = "matmul " + shape;
  }
  if (const std::string function = meta_text(result, "function");
      text.empty() && !function.empty()) {
    text = "kernel " + function;
  }
  if (text.empty()) text = "schedule";
  for (const std::string key : {"batch", "context", "chunk"}) {
    const std::string value = meta_text(result, key);
    if (!value.empty() && !(phase == "decode" && key == "chunk"))
      text += fmt::format(", {} {}", key, value);
  }
  if (const std::string type = meta_text(result, "dtype"); !type.empty()) text += ", " + type;
  return (text + ", " + cores_text(result.cores)).substr(0, kTerminalColumns);
}

std::string line(std::string_view name, const std::string& value, std::string_view unit,
                 const std::string& note) {
  std::string text = fmt::format("  {:<10} {:>10} {:<9} {}", name, value, unit, note);
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string one_decimal(double value) {
  return fmt::format("{:.1f}", value);
}

std::string figures(const RunResult& result, const Summary& summary) {
  std::string text;
  if (result.interrupted) text += "  INTERRUPTED: what follows is what had happened by then\n";
  text += line("simulated", milliseconds(summary.time_ms), "ms",
               with_separators(result.cycles) + " cycles");
  text += line("roofline", milliseconds(summary.roofline_ms), "ms",
               summary.roofline_ms > 0 ? fmt::format("simulated / roofline = {:.2f}",
                                                     summary.time_ms / summary.roofline_ms)
                                       : "");
  if (summary.tokens_per_s) {
    text += line("throughput", fmt::format("{:.2f}", *summary.tokens_per_s), "tokens/s", "");
  }
  const models::DramDescription& dram = result.machine.dram;
  text += line("DRAM", one_decimal(summary.achieved_gbps), "GB/s",
               fmt::format("bus busy {:.1f} %, row hits {:.1f} % of bursts",
                           100 * summary.bus_utilisation, 100 * summary.row_hit_rate));
  text += line("MBU", one_decimal(100 * summary.mbu_peak), "%",
               fmt::format("of {:.1f} GB/s peak, {:.1f} % of {:.0f} measured",
                           dram.peak_bytes_per_second() * 1e-9, 100 * summary.mbu_measured,
                           static_cast<double>(dram.measured_bytes_per_second) * 1e-9));
  const double flops_per_ms =
      summary.time_ms > 0 ? static_cast<double>(summary.flops) / summary.time_ms : 0;
  text += line("compute", three_digits(flops_per_ms * 1e-9), "TFLOP/s", "");
  text += line("MFU", one_decimal(100 * summary.mfu), "%",
               fmt::format("of {:.1f} TFLOP/s peak (fp16, {})",
                           result.machine.peak_flops(models::DataType::fp16, result.cores) * 1e-12,
                           cores_text(result.cores)));
  text += line("ridge", three_digits(summary.ridge_point), "FLOP/B", "both peaks meet there");
  return text;
}

/// Useful bytes of a tensor.
std::uint64_t useful(const TensorBytes& tensor) {
  return tensor.read + tensor.written - tensor.read_padding - tensor.written_padding -
         tensor.reread;
}

/// The large weights by name, the many small ones in one row; they add up to all weights.
void add_weight_rows(const RunResult& result, TextTable& table, double total) {
  constexpr double kLarge = 0.005;  // of all weights
  std::uint64_t others = 0;
  int small = 0;
  const auto row = [&](const std::string& name, std::uint64_t bytes) {
    table.add_row(
        {"  " + name, with_separators(bytes), percent(static_cast<double>(bytes), total)});
  };
  for (const TensorBytes& tensor : result.tensors) {
    const std::uint64_t bytes = useful(tensor);
    if (tensor.kind != "weight" || bytes == 0) continue;
    if (static_cast<double>(bytes) >= kLarge * static_cast<double>(result.bytes.weights)) {
      row(tensor.name, bytes);
    } else {
      others += bytes;
      ++small;
    }
  }
  if (others > 0) row(fmt::format("{} smaller ones", small), others);
}

std::string bytes_table(const RunResult& result, bool colour) {
  TextTable table({"DRAM bytes", "B", "%"});
  const ByteCounts& bytes = result.bytes;
  const auto total = static_cast<double>(bytes.total());
  const auto row = [&](const char* name, std::uint64_t value) {
    if (value != 0)
      table.add_row({name, with_separators(value), percent(static_cast<double>(value), total)});
  };
  row("weights", bytes.weights);
  add_weight_rows(result, table, total);
  row("KV cache read", bytes.kv_read);
  row("KV cache write", bytes.kv_write);
  row("embedding rows", bytes.embedding);
  row("activations", bytes.activations);
  row("constants", bytes.constants);
  row("stick padding", bytes.padding);
  row("re-read", bytes.reread);
  row("total", bytes.total());
  return table.text(colour);
}

std::string cores_table(const RunResult& result, const Summary& summary, bool colour) {
  TextTable table({"core time", "core cycles", "%"});
  const auto total = static_cast<double>(summary.cores.total());
  const auto row = [&](const std::string& name, std::uint64_t cycles) {
    if (cycles != 0)
      table.add_row({name, with_separators(cycles), percent(static_cast<double>(cycles), total)});
  };
  row("busy: matrix unit", summary.cores.matrix);
  row("busy: vector unit", summary.cores.vector);
  for (std::size_t cause = 0; cause < models::kStallCauses; ++cause) {
    row(fmt::format("stalled: {}", models::to_string(static_cast<models::StallCause>(cause))),
        summary.cores.stalls[cause]);
  }
  row("idle: takes no part", summary.cores.idle);
  row(fmt::format("total: {} cores x cycles", result.core_cycles.size()), summary.cores.total());
  return table.text(colour) +
         fmt::format("  load imbalance {:.3f} (longest / mean active time of the cores in use)\n",
                     summary.load_imbalance);
}

/// Another model's cycles of the critical core, with what they go into.
std::string other_timing(const OtherTiming& other, bool colour) {
  TextTable table({other.model, "cycles", "%"});
  const auto row = [&](const std::string& name, double cycles) {
    table.add_row({name, fmt::format("{:.4f}", cycles), percent(cycles, other.cycles)});
  };
  for (const auto& [name, cycles] : other.parts) {
    if (cycles != 0) row(name, cycles);
  }
  row("total", other.cycles);
  return table.text(colour) +
         fmt::format("  bound by {}; {} B of DRAM, {} operations on all cores\n", other.bound,
                     with_separators(other.dram_bytes), with_separators(other.operations));
}

}  // namespace

std::string write_text_report(const RunResult& result, const ReportOptions& options) {
  const Summary summary = summarise(result);
  std::string text = bold(title(result), options.colour) + "\n\n";
  text += figures(result, summary);
  text += "\n" + bytes_table(result, options.colour);
  text += "\n" + cores_table(result, summary, options.colour);
  text += "\n" + op_table(result.ops, options.every_op, options.colour);
  text += fmt::format("\n  {} tile operations, {} DRAM requests\n",
                      with_separators(result.tile_ops), with_separators(result.requests));
  for (const OtherTiming& other : result.other_timings) {
    text += "\n" + other_timing(other, options.colour);
  }
  return text;
}

}  // namespace spyre::traces
