// From the text of a KTIR kernel and its arguments to values and times: load, place the arrays,
// lower to a tile schedule, check, simulate with bytes, read the arrays back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "models/formats/format.h"
#include "models/machine/machine_reader.h"
#include "runtime/argument_spec.h"
#include "runtime/host_array.h"
#include "runtime/step_pipeline.h"
#include "traces/run_result.h"

namespace spyre::runtime {

/// Bytes that lie at a fixed place before the run: what a kernel with constant addresses reads.
struct MemoryImage {
  std::string name;           ///< for reading it back
  std::uint64_t address = 0;  ///< bytes, in DRAM or in the LX of `lx_core`
  std::int32_t lx_core = -1;  ///< -1: DRAM
  HostArray array;
};

struct KernelRequest {
  std::string text;
  std::string file;      ///< names the text in messages
  std::string function;  ///< empty: the only one
  /// By argument name. An array goes to DRAM and the argument points at it; an argument that is
  /// bound to a number while it is used as a pointer is a fixed element position.
  std::map<std::string, ArgumentValue> arguments;
  std::vector<MemoryImage> images;
  /// Which arrays and images are wanted back; empty: all of them.
  std::vector<std::string> outputs;
};

/// Which models of time are asked: the card's always; ktir_cpu beside it (docs/ktir_cpu_timing.md).
enum class Timing { card, ktir_cpu };

struct KernelOptions {
  models::Numerics numerics = models::Numerics::ieee;
  bool data = true;  ///< off: the same cycles without the arithmetic
  Timing timing = Timing::card;
  RunOptions run;
};

struct KernelOutcome {
  traces::RunResult result;
  /// Array arguments and DRAM images by name, as they are in DRAM after the run.
  std::map<std::string, HostArray> arrays;
};

/// What the kernel takes its arguments as: for each array the element type and shape of the first
/// view of it, where the text says. Throws InputError if the text is no kernel.
[[nodiscard]] ArrayTypeOf argument_types(const std::string& text, const std::string& file,
                                         const std::string& function,
                                         const std::map<std::string, std::int64_t>& integers);

/// Throws InputError (no kernel, arguments that do not fit it), PlanError (does not fit the
/// machine, or deadlocks).
[[nodiscard]] KernelOutcome run_kernel(const KernelRequest& request,
                                       const models::MachineDescription& machine,
                                       const KernelOptions& options);

/// The schedule that run_kernel() would run, as text. Arrays are placed as run_kernel() does.
[[nodiscard]] std::string compile_kernel_text(const KernelRequest& request,
                                              const models::MachineDescription& machine);

struct KernelCheck {
  std::vector<models::Diagnostic> findings;  ///< of the kernel's text, then of its schedule
  bool lowered = false;  ///< false: arguments are missing, so the text alone was judged
};

/// Judges a kernel without running it. Throws InputError where it is no kernel, or cannot be
/// lowered with the arguments that are given.
[[nodiscard]] KernelCheck check_kernel(const KernelRequest& request,
                                       const models::MachineDescription& machine);

}  // namespace spyre::runtime
