#include "traces/gtkw_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>

#include "models/diagnostics/diagnostics.h"
#include "traces/atomic_file.h"

namespace spyre::traces {
namespace {

// The save file's settings, as GTKWave 3.3 writes them.
constexpr std::string_view kHexNames = "@2022";  // hexadecimal, through a translate file
constexpr std::string_view kDecimal = "@24";
constexpr std::string_view kText = "@820";
constexpr std::string_view kAnalogStep =
    "@88024";  // decimal, steps, scaled to the highest value of the whole window
constexpr std::string_view kAnalogHeight = "@20000";
constexpr std::string_view kGroupOpen = "@800200";
constexpr std::string_view kGroupClosed = "@c00200";
constexpr std::string_view kGroupEnd = "@1000200";
constexpr std::string_view kGroupEndClosed = "@1401200";

// GTKWave's numbers. Its blue and indigo (5, 6) are hard to see on black.
enum Colour { kRed = 1, kOrange = 2, kYellow = 3, kGreen = 4, kViolet = 7 };

constexpr int kWidth = 1500, kHeight = 860;  // the window's size, in pixels
constexpr int kTreeWidth = 110, kNamesWidth = 240;
constexpr int kWaveWidth = kWidth - kTreeWidth - kNamesWidth - 60;  // what is left, after borders
constexpr double kZoomPixels = 200;  // a zoom of -z shows 2^z time units on so many pixels
constexpr std::size_t kMarkers = 26;
constexpr std::size_t kDetailedCores = 8;

class SaveFile {
 public:
  explicit SaveFile(const WavePaths& paths) : paths_(paths) {}

  void line(std::string_view text) { (text_ += text) += '\n'; }
  void open(std::string_view name, bool closed) {
    line(closed ? kGroupClosed : kGroupOpen);
    line(fmt::format("-{}", name));
  }
  void close(std::string_view name, bool closed) {
    line(closed ? kGroupEndClosed : kGroupEnd);
    line(fmt::format("-{}", name));
  }

  void plain(std::string_view flags, Colour colour, std::string_view alias,
             const std::string& signal) {
    line(flags);
    show(colour, alias, signal);
  }
  void activity(Colour colour, std::string_view alias, const std::string& signal) {
    line(kHexNames);
    line("^1 " + paths_.activity_names);
    show(colour, alias, signal);
  }
  void opcode(Colour colour, std::string_view alias, const std::string& signal) {
    line(kHexNames);
    line("^2 " + paths_.opcode_names);
    show(colour, alias, signal);
  }
  void analog(Colour colour, std::string_view alias, const std::string& signal, int rows) {
    line(kAnalogStep);
    show(colour, alias, signal);
    line(kAnalogHeight);
    for (int row = 1; row < rows; ++row) line("-");
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void show(Colour colour, std::string_view alias, const std::string& signal) {
    line(fmt::format("[color] {}", static_cast<int>(colour)));
    line(fmt::format("+{{{}}} {}", alias, signal));
  }

  const WavePaths& paths_;
  std::string text_;
};

void write_view(SaveFile& file, const WaveWindow& window, std::uint64_t end_ps,
                const WavePaths& paths) {
  file.line("[*] spyre-emu");
  file.line(fmt::format("[dumpfile] \"{}\"", paths.vcd));
  file.line(fmt::format("[savefile] \"{}\"", paths.gtkw));
  file.line(fmt::format("[timestart] {}", window.begin_ps));
  file.line(fmt::format("[size] {} {}", kWidth, kHeight));
  file.line("[pos] -1 -1");
  // The zoom, then the main marker (none) and the markers A to Z.
  const double span = static_cast<double>(std::max<std::uint64_t>(end_ps - window.begin_ps, 1));
  std::string zoom =
      fmt::format("*{:.6f} -1", -std::log2(std::max(span * kZoomPixels / kWaveWidth, 1.0)));
  for (std::size_t n = 0; n < kMarkers; ++n) {
    if (n < window.launches.size())
      zoom += fmt::format(" {}", window.launches[n].begin_ps);
    else
      zoom += " -1";
  }
  file.line(zoom);
  for (std::size_t n = 0; n < std::min(kMarkers, window.launches.size()); ++n) {
    file.line(
        fmt::format("[markername] {}{}", static_cast<char>('A' + n), window.launches[n].kernel));
  }
  file.line("[treeopen] spyre.");
  file.line(fmt::format("[sst_width] {}", kTreeWidth));
  file.line(fmt::format("[signals_width] {}", kNamesWidth));
  file.line("[sst_expanded] 0");
}

void write_core(SaveFile& file, std::size_t core, bool closed) {
  const std::string group = fmt::format("core {}", core);
  const auto name = [core](CoreSignal signal) { return signal_name(core, signal); };
  file.open(group, closed);
  file.activity(kGreen, "activity", name(CoreSignal::activity));
  file.opcode(kOrange, "load/store", name(CoreSignal::load_store));
  file.plain(kDecimal, kOrange, "  running", name(CoreSignal::load_store_running));
  file.opcode(kGreen, "matrix", name(CoreSignal::matrix));
  file.opcode(kYellow, "vector", name(CoreSignal::vector));
  file.opcode(kViolet, "ring", name(CoreSignal::ring));
  file.analog(kGreen, "reads in flight", name(CoreSignal::reads), 2);
  file.analog(kOrange, "writes in flight", name(CoreSignal::writes), 2);
  file.close(group, closed);
}

std::string name_line(unsigned code, std::string_view name) {
  return fmt::format("{:02X} {}\n", code, name);
}

// As GTKWave shows a value without a number.
constexpr std::string_view kNotRecorded = "xx not_recorded\n";
constexpr std::string_view kUnitEmpty = "zz empty\n";

}  // namespace

WavePaths wave_paths(const std::string& vcd_path) {
  std::filesystem::path stem(vcd_path);
  if (stem.extension() == ".vcd") stem.replace_extension();
  const std::string name = stem.string();
  return {vcd_path, name + ".gtkw", name + ".activity.txt", name + ".opcode.txt"};
}

std::string write_gtkw(const WaveWindow& window, std::uint64_t end_ps, std::int64_t cores,
                       const WavePaths& paths) {
  SaveFile file(paths);
  write_view(file, window, end_ps, paths);

  file.plain(kText, kYellow, "kernel", signal_name(CardSignal::kernel));
  file.analog(kGreen, "DRAM read MB/s", signal_name(CardSignal::dram_read), 4);
  file.analog(kOrange, "DRAM write MB/s", signal_name(CardSignal::dram_write), 3);
  file.analog(kYellow, "requests in flight", signal_name(CardSignal::in_flight), 3);
  file.analog(kGreen, "cores computing", signal_name(CardSignal::cores_compute), 3);
  file.analog(kRed, "cores stalled", signal_name(CardSignal::cores_stalled), 3);

  models::CoreSet taking_part = 0;
  for (const WaveRecord& record : window.records) taking_part |= models::CoreSet{1} << record.core;
  const auto count =
      static_cast<std::size_t>(std::max<std::int64_t>(cores, std::bit_width(taking_part)));
  file.open("activity", false);
  for (std::size_t core = 0; core < count; ++core) {
    // Bands of eight cores, to find a row again.
    const Colour colour = core / 8 % 2 == 0 ? kGreen : kYellow;
    file.activity(colour, fmt::format("core {}", core), signal_name(core, CoreSignal::activity));
  }
  file.close("activity", false);
  for (std::size_t core = 0; core < std::min(count, kDetailedCores); ++core)
    write_core(file, core, core != 0);
  file.line("[pattern_trace] 1");
  file.line("[pattern_trace] 0");
  return file.take();
}

std::string activity_name_file() {
  std::string text;
  for (std::uint8_t code = 0; code < kActivityCodes; ++code)
    text += name_line(code, activity_name(code));
  text += kNotRecorded;
  return text;
}

std::string opcode_name_file() {
  std::string text;
  for (std::uint8_t code = 0; code < kOpcodeCodes; ++code) {
    text += name_line(code, to_string(static_cast<models::Opcode>(code)));
  }
  text += kUnitEmpty;
  return text;
}

void write_waves(const WaveRecorder& recorder, const models::Machine& machine,
                 const std::string& vcd_path) {
  if (const std::string reason = recorder.nothing_recorded(); !reason.empty()) {
    throw models::InputError("no waves for '" + vcd_path + "': " + reason);
  }
  const WavePaths paths = wave_paths(vcd_path);
  const WaveWindow window = recorder.window();
  const VcdText vcd = write_vcd(window, machine.cores.count, recorder.options().max_bytes);
  write_file(paths.activity_names, activity_name_file());
  write_file(paths.opcode_names, opcode_name_file());
  write_file(paths.gtkw, write_gtkw(window, vcd.end_ps, machine.cores.count, paths));
  write_file(paths.vcd, vcd.text);
}

}  // namespace spyre::traces
