// The table, which fits its width, and the JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/suite/suite_report.h"

namespace spyre::runtime::test {
namespace {

using ::testing::HasSubstr;

SuiteRow row_of(std::string file, std::string kernel, SuiteStatus status) {
  SuiteRow row;
  row.file = std::move(file);
  row.kernel = std::move(kernel);
  row.status = status;
  return row;
}

std::vector<SuiteRow> rows() {
  SuiteRow ok = row_of("ktir-mlir-frontend/tiles/construct-access-tile.mlir",
                       "kernel_unified_attention_spyre_2d", SuiteStatus::ok);
  ok.max_rel_err = 1.25e-3;
  ok.max_abs_err = 0.5;
  ok.cycles = 1234567;
  ok.cpu_s = 12.345;
  SuiteRow failed = row_of("b.mlir", "b", SuiteStatus::failed);
  failed.max_rel_err = std::numeric_limits<double>::infinity();
  failed.reason = "y[0] is nan, expected 1";
  return {ok, failed, row_of("c.mlir", "c", SuiteStatus::parsed)};
}

TEST(SuiteReport, TheTableFitsAndNamesTheFailures) {
  const std::string text = suite_text(rows());
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), kSuiteColumns) << line;
  }
  EXPECT_THAT(text, HasSubstr("\n../construct-access-tile.mlir "));
  EXPECT_THAT(text,
              HasSubstr("  kernel_unified_attention..  ok         1.25e-03  1,234,567  12.35\n"));
  EXPECT_THAT(text, HasSubstr("c                           parsed            -          -      -"));
  EXPECT_THAT(text, HasSubstr("\nfailed: b.mlir (b)\n  y[0] is nan, expected 1\n"));
  EXPECT_THAT(text, HasSubstr("\n3 runs: 1 ok, 1 parsed, 1 failed\n"));
}

TEST(SuiteReport, JsonHasEveryRun) {
  SuiteOptions options;
  options.directory = "kernels";
  const auto json = nlohmann::json::parse(suite_json({"s.yaml", {}}, options, rows()));
  EXPECT_EQ(json["suite"], "s.yaml");
  EXPECT_EQ(json["numerics"], "ieee");
  EXPECT_EQ(json["data"], true);
  EXPECT_EQ(json["as_expected"], false);
  ASSERT_EQ(json["runs"].size(), 3U);
  const auto& ok = json["runs"][0];
  EXPECT_EQ(ok["kernel"], "kernel_unified_attention_spyre_2d");
  EXPECT_EQ(ok["status"], "ok");
  EXPECT_EQ(ok["max_rel_err"], 1.25e-3);
  EXPECT_EQ(ok["max_abs_err"], 0.5);
  EXPECT_EQ(ok["cycles"], 1234567);
  EXPECT_EQ(ok["cpu_s"], 12.345);
  EXPECT_TRUE(json["runs"][1]["max_rel_err"].is_null());
  EXPECT_EQ(json["runs"][1]["reason"], "y[0] is nan, expected 1");
  EXPECT_TRUE(json["runs"][2]["cycles"].is_null());
}

}  // namespace
}  // namespace spyre::runtime::test
