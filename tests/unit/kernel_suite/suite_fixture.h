// A folder with a kernel, and runners that stand for a simulation.
#pragma once

#include <fstream>
#include <string>

#include "runtime/host_values.h"
#include "runtime/suite/suite_runner.h"
#include "tests/unit/host_data/array_fixture.h"

namespace spyre::runtime::test {

inline const char* const kKernel = "module {\n  func.func @f(%x: index) {\n    return\n  }\n}\n";

class SuiteFolder : public Folder {
 protected:
  void SetUp() override {
    Folder::SetUp();
    std::ofstream(path("k.mlir")) << kKernel;
  }

  [[nodiscard]] std::vector<SuiteRow> run(const std::string& runs, const KernelRunner& runner) {
    options_.directory = folder_.string();
    return run_suite(parse_suite("suite: 1\nruns:\n" + runs, "s.yaml"), runner, options_);
  }

  SuiteOptions options_;
};

/// Gives back the arrays as they came, `x` with `offset` added.
inline KernelRunner adding(double offset) {
  return [offset](const KernelRequest& request, const KernelOptions&) {
    KernelOutcome outcome;
    outcome.result.cycles = 1234;
    for (const auto& [name, value] : request.arguments) {
      const auto* array = std::get_if<HostArray>(&value);
      if (array == nullptr) continue;
      std::vector<double> values = to_doubles(*array);
      if (name == "x") {
        for (double& element : values) element += offset;
      }
      outcome.arrays[name] = from_doubles(array->element, array->shape, values);
    }
    for (const MemoryImage& image : request.images) outcome.arrays[image.name] = image.array;
    return outcome;
  };
}

inline const char* const kCopy =
    "- file: k.mlir\n  name: copy\n  arguments:\n    x: arange:f32[2,3]\n"
    "  reference: copy\n  roles: {x: x, y: x}\n  tolerance: {relative: 0.01}\n";

}  // namespace spyre::runtime::test
