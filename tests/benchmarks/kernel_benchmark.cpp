// What running kernels with values and timing costs, beside what another simulator of the same
// files was measured to need (CPU seconds; ktir-cpu, tables 5.2 and 5.3 of the project's KTIR
// study).
//
// The kernels are the public KTIR files, which are not part of the project: without the folder
// there is nothing to measure, and the program says so. CPU seconds are those of run_kernel():
// loading, lowering, checking, simulating with values, and reading the results back.
//
// usage: kernel_benchmark [folder of the public KTIR files]
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "models/diagnostics/yaml_reader.h"
#include "models/machine/machine_reader.h"
#include "runtime/kernel_pipeline.h"
#include "runtime/suite/suite.h"
#include "runtime/suite/suite_request.h"

namespace spyre::runtime {
namespace {

struct Case {
  const char* name;  ///< of the run in the suite
  double others_cpu_s;
};

constexpr Case kCases[] = {{"matmul, 64 x 8192 x 2048", 9.8},
                           {"softmax, 4096 x 1024", 9.2},
                           {"layer norm", 16.6},
                           {"paged attention", 13.0}};
constexpr int kRepetitions = 5;

double cpu_seconds(const KernelRequest& request, const models::MachineDescription& machine,
                   std::uint64_t& cycles) {
  const std::clock_t start = std::clock();
  cycles = run_kernel(request, machine, {}).result.cycles;
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void measure(const std::string& directory) {
  const KernelSuite suite = read_suite(shipped_suite());
  const models::MachineDescription machine = models::read_machine("spyre", {});
  fmt::print("{:<28} {:>10} {:>9} {:>9} {:>8} {:>7}\n", "kernel, values on", "cycles", "CPU s",
             "lowest", "others", "factor");
  for (const Case& each : kCases) {
    const auto run = std::find_if(suite.runs.begin(), suite.runs.end(),
                                  [&](const SuiteRun& entry) { return entry.name == each.name; });
    if (run == suite.runs.end()) continue;
    const std::string path = directory + "/" + run->file;
    const KernelRequest request = make_request(*run, models::read_text_file(path), path);
    std::uint64_t cycles = 0;
    std::vector<double> seconds;
    for (int i = 0; i < kRepetitions; ++i) seconds.push_back(cpu_seconds(request, machine, cycles));
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[kRepetitions / 2];
    fmt::print("{:<28} {:>10} {:>9.3f} {:>9.3f} {:>8.1f} {:>6.0f}x\n", each.name, cycles, median,
               seconds.front(), each.others_cpu_s, each.others_cpu_s / median);
  }
}

}  // namespace
}  // namespace spyre::runtime

// The library of the simulation kernel asks for it.
extern "C" int sc_main(int, char**) {
  return 0;
}

int main(int argc, char** argv) {
  const std::string directory =
      argc > 1 ? argv[1] : std::string(SPYRE_EMU_SOURCE_DIR "/../shared/ktir");
  if (!std::filesystem::is_directory(directory)) {
    fmt::print("there is no folder '{}': give that of the public KTIR files\n", directory);
    return 0;
  }
  spyre::runtime::measure(directory);
  return 0;
}
