#include "models/machine/machine_show.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace spyre::models {
namespace {

constexpr std::size_t kColumns = 100;

/// `lines` joined to one text and broken at spaces, lines after the first indented; a word longer
/// than a line is cut.
std::string wrapped(std::string lines, std::size_t indent) {
  std::ranges::replace(lines, '\n', ' ');
  std::string_view text = lines;
  const std::size_t width = kColumns - indent;
  std::string result;
  while (text.size() > width) {
    const std::size_t space = text.rfind(' ', width);
    const bool breaks = space != std::string_view::npos && space > 0;
    const std::size_t length = breaks ? space : width;
    result += fmt::format("{}\n{:{}}", text.substr(0, length), "", indent);
    text.remove_prefix(breaks ? length + 1 : length);
  }
  return result.append(text);
}

std::string grouped(const std::string& digits) {
  std::string result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0 &&
        digits.find_first_not_of("0123456789") == std::string::npos) {
      result += ',';
    }
    result += digits[i];
  }
  return result;
}

std::string derived_line(std::string_view name, const std::string& value, std::string_view how) {
  return fmt::format("  {:<28}  {:>18}  {}\n", name, value, how);
}

std::string derived(const Machine& machine) {
  const double flops = machine.peak_flops(DataType::fp16, machine.cores.count);
  const double bandwidth = machine.dram.peak_bytes_per_second();
  std::string text = "Follows from the values:\n";
  text += derived_line("peak fp16", fmt::format("{:.3f} TFLOP/s", flops / 1e12),
                       "cores x corelets x PEs x lanes x 2 x clock");
  text += derived_line("peak DRAM bandwidth", fmt::format("{:.1f} GB/s", bandwidth / 1e9),
                       "channels x burst bytes / burst time");
  text += derived_line("ridge point, fp16", fmt::format("{:.1f} FLOP/B", flops / bandwidth),
                       "peak fp16 / peak DRAM bandwidth");
  text += derived_line("LX that a schedule may use",
                       fmt::format("{} B", grouped(std::to_string(machine.lx.usable_bytes()))),
                       "lx.bytes less both reserves");
  return text;
}

}  // namespace

std::string format_machine(const MachineDescription& description) {
  const std::vector<MachineEntry>& entries = description.entries;
  std::size_t key_width = 3, value_width = 5, unit_width = 4;
  for (const MachineEntry& entry : entries) {
    key_width = std::max(key_width, entry.key.size());
    value_width = std::max(value_width, grouped(entry.value).size());
    unit_width = std::max(unit_width, entry.unit.size());
  }
  std::string text =
      wrapped(fmt::format("{}: {}", description.machine.name, description.machine.title), 2);
  text += fmt::format("\n\n{:<{}}  {:>{}}  {:<{}}  {:<10}  source\n", "key", key_width, "value",
                      value_width, "unit", unit_width, "confidence");
  std::vector<std::string> sources;
  std::array<std::size_t, 4> counts{};
  for (const MachineEntry& entry : entries) {
    auto source = std::find(sources.begin(), sources.end(), entry.source);
    if (source == sources.end()) source = sources.insert(source, entry.source);
    ++counts[static_cast<std::size_t>(entry.confidence)];
    text += fmt::format("{:<{}}  {:>{}}  {:<{}}  {:<10}  [{}]\n", entry.key, key_width,
                        grouped(entry.value), value_width, entry.unit, unit_width,
                        to_string(entry.confidence), source - sources.begin() + 1);
  }
  text += fmt::format("\n{} values:", entries.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    text += fmt::format("{} {} {}", i == 0 ? "" : ",", counts[i],
                        to_string(static_cast<Confidence>(i)));
  }
  text += "\n\n" + derived(description.machine) + "\nSources:\n";
  for (std::size_t i = 0; i < sources.size(); ++i) {
    text += fmt::format("{:>4}  {}\n", fmt::format("[{}]", i + 1), wrapped(sources[i], 6));
  }
  return text;
}

}  // namespace spyre::models
