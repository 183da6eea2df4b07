// libFuzzer target: any text either is a KTIR module whose canonical text reads back as the same
// module, or is refused with InputError.
//
// Built by hand with clang, not by default:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I.
//     tests/fuzz/ktir_fuzzer.cpp kernels/ktir/*.cpp
//     models/diagnostics/{diagnostics,nearest_name}.cpp -lfmt -o ktir_fuzzer
//   ./ktir_fuzzer -max_len=8192 -timeout=5 -rss_limit_mb=1024 corpus/ tests/data/ktir/
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "kernels/ktir/load.h"
#include "kernels/ktir/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spyre::kernels::ktir;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string written;
  try {
    written = print_module(load_module(text, "fuzz").module);
  } catch (const spyre::models::InputError&) {
    return 0;
  }
  if (print_module(load_module(written, "fuzz").module) != written) std::abort();
  return 0;
}
