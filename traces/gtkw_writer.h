// The GTKWave save file that goes with a dump, and the call that writes a recorded window to disk.
//
// The save file opens on the whole window: the card at the top (kernel, DRAM bandwidth, requests,
// cores by what they do), then every core's activity, then the first cores in detail. Enum names
// come from translate files, which GTKWave finds by the path written here: absolute, or relative to
// the folder in which GTKWave is started.
#pragma once

#include <string>

#include "models/machine/machine.h"
#include "traces/vcd_writer.h"
#include "traces/wave_window.h"

namespace spyre::traces {

/// "out.vcd" gives out.gtkw, out.activity.txt and out.opcode.txt.
struct WavePaths {
  std::string vcd, gtkw, activity_names, opcode_names;
};
[[nodiscard]] WavePaths wave_paths(const std::string& vcd_path);

/// The save file's text. `end_ps` is the dump's last time.
[[nodiscard]] std::string write_gtkw(const WaveWindow& window, std::uint64_t end_ps,
                                     std::int64_t cores, const WavePaths& paths);

/// One line per value: what GTKWave shows in hexadecimal, and the name.
[[nodiscard]] std::string activity_name_file();
[[nodiscard]] std::string opcode_name_file();

/// Writes the dump, the save file and the name files. Throws models::InputError when nothing was
/// recorded or a file cannot be written.
void write_waves(const WaveRecorder& recorder, const models::Machine& machine,
                 const std::string& vcd_path);

}  // namespace spyre::traces
