// The shipped suite: its references take its inputs, its tolerances leave room for one rounding,
// and its arguments are those of the public KTIR files, where these lie beside the source tree or
// where SPYRE_EMU_SHARED says.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "kernels/ktir/load.h"
#include "models/diagnostics/yaml_reader.h"
#include "runtime/host_values.h"
#include "runtime/suite/comparison.h"
#include "runtime/suite/suite_request.h"

namespace spyre::runtime::test {
namespace {

constexpr std::int64_t kMostElements = 2'000'000;  // of a run that is tried here

std::int64_t elements_of(const SuiteRun& run) {
  std::int64_t elements = 0;
  const auto add = [&](const SuiteArray& array) {
    std::int64_t count = array.repeat;
    if (!array.spec.shape) return;
    for (const std::int64_t size : *array.spec.shape) count *= size;
    elements += count;
  };
  for (const auto& [name, array] : run.arguments) add(array);
  for (const auto& [name, image] : run.memory) add(image.array);
  return elements;
}

const HostArray& array_named(const KernelRequest& request, const std::string& name) {
  const auto argument = request.arguments.find(name);
  if (argument != request.arguments.end()) return std::get<HostArray>(argument->second);
  return std::ranges::find(request.images, name, &MemoryImage::name)->array;
}

/// A reference rounded once to the type of its output must pass; anything further may be right too.
TEST(ShippedSuite, ARoundedReferencePasses) {
  for (const SuiteRun& run : read_suite(shipped_suite()).runs) {
    if (run.reference.empty() || elements_of(run) > kMostElements) continue;
    SCOPED_TRACE(run.name);
    const KernelRequest request = make_request(run, "", run.file);
    const ReferenceArrays expected =
        compute_reference(reference_named(run.reference), reference_inputs(run, request));
    for (const auto& [output, want] : expected) {
      const auto role = run.roles.find(output);
      if (role == run.roles.end()) continue;
      const HostArray& target = array_named(request, std::get<std::string>(role->second));
      ASSERT_EQ(target.elements(), static_cast<std::int64_t>(want.values.size()));
      const std::vector<double> rounded =
          to_doubles(from_doubles(target.element, target.shape, want.values));
      EXPECT_LE(compare(rounded, want.values).max_relative, run.tolerance.relative) << output;
      const std::vector<double> before = to_doubles(target);
      if (want.values != before) {
        EXPECT_GT(compare(before, want.values).max_relative, run.tolerance.relative)
            << output << ": a kernel that does nothing would pass";
      }
    }
  }
}

TEST(ShippedSuite, BindsTheArgumentsOfThePublicFiles) {
  const char* given = std::getenv("SPYRE_EMU_SHARED");
  const std::filesystem::path folder =
      (given != nullptr ? std::filesystem::path(given)
                        : std::filesystem::path(SPYRE_EMU_SOURCE_DIR).parent_path() / "shared") /
      "ktir";
  if (!std::filesystem::exists(folder / "INDEX.md")) {
    GTEST_SKIP() << "no public KTIR files in " << folder
                 << ": set SPYRE_EMU_SHARED to the folder that holds ktir/";
  }
  for (const SuiteRun& run : read_suite(shipped_suite()).runs) {
    if (run.reference.empty()) continue;
    SCOPED_TRACE(run.name);
    const std::string path = (folder / run.file).string();
    const auto loaded = kernels::ktir::load_module(models::read_text_file(path), path);
    ASSERT_EQ(loaded.module.functions.size(), 1U);
    const kernels::ktir::Function& function = loaded.module.functions[0];
    std::set<std::string> bound, needed;
    for (const auto& [name, array] : run.arguments) bound.insert(name);
    for (const kernels::ktir::ValueId id : function.body.arguments) {
      needed.insert(function.value(id).name);
    }
    EXPECT_EQ(bound, needed);
  }
}

}  // namespace
}  // namespace spyre::runtime::test
