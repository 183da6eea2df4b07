// What the commands that run with values share: --arg, --out, --data, --numerics, --timing.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

#include "runtime/kernel_pipeline.h"

namespace spyre::runtime {

struct ValueOptions {
  std::vector<std::string> arguments;  ///< "NAME=VALUE"
  std::vector<std::string> outputs;    ///< "NAME=FILE.npy"
  std::string data;                    ///< "on", "off"; empty: on where there are values
  std::string numerics = "ieee";
  std::string timing = "card";
  std::string function;

  /// --arg and --function alone.
  void add_arguments_to(CLI::App& command);
  void add_to(CLI::App& command);

  [[nodiscard]] models::Numerics chosen_numerics() const;
  /// Reads and generates the arguments; what a kernel's text leaves open comes from its views.
  [[nodiscard]] KernelRequest kernel_request(const std::string& text,
                                             const std::string& file) const;
  /// The argument's name and the file that it goes to. Throws InputError for a missing '='.
  [[nodiscard]] std::map<std::string, std::string> output_files() const;
};

/// Whether the file is a KTIR kernel (.mlir, .ktir, or MLIR text), not a tile schedule.
[[nodiscard]] bool is_kernel(const std::string& file, const std::string& text);

}  // namespace spyre::runtime
