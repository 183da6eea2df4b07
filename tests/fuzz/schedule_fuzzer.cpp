// libFuzzer target: any text either is a schedule that can be written and read again, or is refused
// with InputError.
//
// Built by hand with clang, not by default:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I.
//   tests/fuzz/schedule_fuzzer.cpp
//     kernels/schedule/{expression*,names,layout,number_text,tile_geometry,reader*,writer*}.cpp
//     models/isa/tile_op.cpp models/diagnostics/*.cpp -lyaml-cpp -lfmt -o schedule_fuzzer
//   ./schedule_fuzzer -max_len=4096 corpus/ tests/data/schedules/
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "kernels/schedule/reader.h"
#include "kernels/schedule/writer.h"
#include "tests/support/test_machine.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const spyre::models::Machine kMachine = [] {
    spyre::models::Machine machine = spyre::models::make_test_machine();
    machine.name = "spyre";
    return machine;
  }();
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string written;
  try {
    written =
        spyre::kernels::write_schedule(spyre::kernels::parse_schedule(text, "fuzz", kMachine));
  } catch (const spyre::models::InputError&) {
    return 0;
  }
  const std::string again =
      spyre::kernels::write_schedule(spyre::kernels::parse_schedule(written, "fuzz", kMachine));
  if (again != written) std::abort();
  return 0;
}
