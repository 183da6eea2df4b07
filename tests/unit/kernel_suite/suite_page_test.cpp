// The manual lists every reference as the program has it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "models/diagnostics/yaml_reader.h"
#include "runtime/suite/references.h"

namespace spyre::runtime::test {
namespace {

TEST(SuitePage, ListsEveryReference) {
  const std::string page = models::read_text_file(SPYRE_EMU_SOURCE_DIR "/docs/ktir_suite.md");
  for (const Reference& reference : references()) {
    const std::string numbers =
        reference.scalars.empty() ? "" : fmt::format("{} ", fmt::join(reference.scalars, ", "));
    const std::string row =
        fmt::format("| `{}` | {} | {} | {}| {} |\n", reference.name, reference.meaning,
                    fmt::join(reference.arrays, ", "), numbers, fmt::join(reference.outputs, ", "));
    EXPECT_NE(page.find(row), std::string::npos) << "docs/ktir_suite.md lacks\n" << row;
  }
}

}  // namespace
}  // namespace spyre::runtime::test
