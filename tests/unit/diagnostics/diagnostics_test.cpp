#include "models/diagnostics/diagnostics.h"

#include <gtest/gtest.h>

namespace spyre::models {
namespace {

TEST(Diagnostics, PrintsPlaceSeverityMessageAndRule) {
  EXPECT_EQ(to_string(Diagnostic{Severity::error, "lx-capacity", {"plan.yaml", 3, 7}, "too big"}),
            "plan.yaml:3:7: error: too big [lx-capacity]");
  EXPECT_EQ(to_string(Diagnostic{Severity::warning, "", {"plan.yaml", 0, 0}, "odd"}),
            "plan.yaml: warning: odd");
  EXPECT_EQ(to_string(Diagnostic{Severity::error, "", {}, "no"}), "error: no");
}

TEST(InputErrorTest, CarriesEveryFindingOnePerLine) {
  const InputError error(
      {{Severity::error, "", {"a", 1, 2}, "first"}, {Severity::error, "", {"a", 3, 4}, "second"}});
  EXPECT_STREQ(error.what(), "a:1:2: error: first\na:3:4: error: second");
  EXPECT_EQ(error.diagnostics().size(), 2u);
}

}  // namespace
}  // namespace spyre::models
