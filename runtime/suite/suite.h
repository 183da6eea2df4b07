// A list of kernel runs with their inputs and what is right about them, read from YAML.
// docs/ktir_suite.md has the grammar.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/diagnostics/diagnostics.h"
#include "runtime/argument_spec.h"

namespace spyre::runtime {

struct SuiteArray {
  ArgumentSpec spec;
  std::int64_t repeat = 1;  ///< more than 1: so many copies, in a new outermost dimension
  /// Columns from here on become -infinity.
  std::optional<std::int64_t> minus_infinity_from;
};

struct SuiteImage {
  SuiteArray array;
  std::uint64_t position = 0;
  bool in_elements = false;   ///< position counts elements of the array, not bytes
  std::int32_t lx_core = -1;  ///< -1: in DRAM
};

/// A number, or the name of an argument or image.
using SuiteRole = std::variant<double, std::string>;

struct SuiteTolerance {
  double relative = 0;
  double absolute = 0;  ///< passes too where the largest absolute error is no larger
};

struct SuiteExpectation {
  enum class Kind { ok, error, parse_only };
  Kind kind = Kind::ok;
  std::string message;  ///< error: part of it; thousands separators of the message do not count
};

struct SuiteRun {
  std::string file;  ///< below the folder of the kernels
  std::string name;
  std::string function;  ///< empty: the only one
  SuiteExpectation expect;
  std::map<std::string, SuiteArray> arguments;  ///< numbers too
  std::map<std::string, SuiteImage> memory;
  std::string reference;  ///< empty: nothing is compared
  std::map<std::string, SuiteRole> roles;
  SuiteTolerance tolerance;
  models::SourcePosition where;
};

struct KernelSuite {
  std::string file;
  std::vector<SuiteRun> runs;
};

/// Throws models::InputError with every fault and its place. Files that it names lie beside it.
[[nodiscard]] KernelSuite read_suite(const std::string& path);
[[nodiscard]] KernelSuite parse_suite(const std::string& text, const std::string& file);

/// The path of the suite that ships with the program: the public kernels.
[[nodiscard]] std::string shipped_suite();

}  // namespace spyre::runtime
