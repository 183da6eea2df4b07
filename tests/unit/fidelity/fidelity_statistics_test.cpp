// Errors, ranks and the report against numbers worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/fidelity/fidelity_report.h"
#include "runtime/fidelity/fidelity_statistics.h"

namespace spyre::runtime {
namespace {

FidelityRow simulated(const std::string& id, const std::string& op, double us, double measured,
                      double model) {
  FidelityRow row;
  row.kernel.id = id;
  row.kernel.op = op;
  row.kernel.measured_us = measured;
  row.simulated_us = us;
  row.model_us = model;
  return row;
}

std::vector<FidelityRow> rows() {
  FidelityRow skipped = simulated("c", "neg", 0, 50, 50);
  skipped.simulated_us.reset();
  skipped.skipped = "no such thing";
  return {simulated("a", "neg", 130, 100, 90), simulated("b", "neg", 120, 200, 220), skipped,
          simulated("d", "copy", 100, 100, 100)};
}

TEST(FidelityStatistics, RootMeanSquareAndMean) {
  EXPECT_DOUBLE_EQ(relative_error(50, 100), -0.5);
  EXPECT_DOUBLE_EQ(*rms_percent({0.3, -0.4}), 100 * std::sqrt(0.125));
  EXPECT_DOUBLE_EQ(*mean_percent({0.3, -0.4}), -5);
  EXPECT_FALSE(rms_percent({}));
  EXPECT_FALSE(mean_percent({}));
}

TEST(FidelityStatistics, Spearman) {
  EXPECT_DOUBLE_EQ(*spearman({1, 2, 3}, {10, 20, 1000}), 1);
  EXPECT_DOUBLE_EQ(*spearman({1, 2, 3}, {3, 2, 1}), -1);
  // Differences of ranks 0, 1, 1, 0: 1 - 6 * 2 / (4 * 15).
  EXPECT_DOUBLE_EQ(*spearman({1, 2, 3, 4}, {1, 3, 2, 4}), 0.8);
  // Ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3: 4.5 / sqrt(4.5 * 5).
  EXPECT_DOUBLE_EQ(*spearman({1, 2, 2, 3}, {1, 2, 3, 4}), 4.5 / std::sqrt(22.5));
  EXPECT_FALSE(spearman({1}, {1}));
  EXPECT_FALSE(spearman({1, 1}, {1, 2}));
}

TEST(FidelityStatistics, FamiliesOfSimulatedRowsAndAll) {
  const auto families = fidelity_families(rows());
  ASSERT_EQ(families.size(), 3U);
  EXPECT_EQ(families[0].op, "copy");
  EXPECT_EQ(families[1].op, "neg");
  EXPECT_EQ(families[2].op, "all");
  EXPECT_EQ(families[1].rows, 2U);
  EXPECT_NEAR(*families[1].rms_pct, 35.3553, 1e-4);  // +30 %, -40 %
  EXPECT_NEAR(*families[1].mean_pct, -5, 1e-9);
  EXPECT_NEAR(*families[1].spearman, -1, 1e-9);
  EXPECT_NEAR(*families[1].model_rms_pct, 10, 1e-9);  // -10 %, +10 %
  EXPECT_FALSE(families[0].spearman);
  EXPECT_EQ(families[2].rows, 3U);
}

TEST(FidelityReport, TextNamesTheWorstRowsAndWhatIsLeftOut) {
  const std::string text = fidelity_text(rows());
  EXPECT_NE(
      text.find("neg                      2     35.4     -5.0    -1.000       10.0   b -40 %"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("3 of 4 rows simulated\n1 left out:\n    1  no such thing (c)\n"),
            std::string::npos)
      << text;
}

TEST(FidelityReport, Json) {
  const auto json = nlohmann::json::parse(fidelity_json(rows()));
  EXPECT_EQ(json["rows"].size(), 4U);
  EXPECT_EQ(json["rows"][0]["simulated_us"], 130);
  EXPECT_TRUE(json["rows"][0]["skipped"].is_null());
  EXPECT_TRUE(json["rows"][2]["simulated_us"].is_null());
  EXPECT_EQ(json["rows"][2]["skipped"], "no such thing");
  EXPECT_EQ(json["families"][1]["op"], "neg");
  EXPECT_NEAR(json["families"][1]["ibm_rms_pct"].get<double>(), 10, 1e-9);
}

}  // namespace
}  // namespace spyre::runtime
