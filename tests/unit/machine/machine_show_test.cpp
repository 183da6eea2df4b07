#include "models/machine/machine_show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "models/diagnostics/yaml_reader.h"

namespace spyre::models {
namespace {

using testing::HasSubstr;

TEST(FormatMachine, FitsInto100ColumnsWhateverTheSource) {
  MachineDescription description = read_machine("spyre");
  description.entries[0].source = std::string(350, 'x');
  description.entries[1].source = "two\nlines";
  std::istringstream lines(format_machine(description));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << "'" << line << "'";
  }
}

TEST(FormatMachine, ShowsEveryValueWithItsUnitAndConfidence) {
  const MachineDescription description = read_machine("spyre");
  const std::string text = format_machine(description);
  for (const MachineEntry& entry : description.entries)
    EXPECT_THAT(text, HasSubstr("\n" + entry.key + " "));
  EXPECT_THAT(text, testing::ContainsRegex("clock\\.hz +1,500,000,000  Hz +inferred +\\[1\\]\n"));
  EXPECT_THAT(text, testing::ContainsRegex("dram\\.address_map +sic  name +assumed"));
}

TEST(FormatMachine, ShowsWhatFollowsFromTheValues) {
  const std::string text = format_machine(read_machine("spyre"));
  EXPECT_THAT(text, testing::ContainsRegex("peak DRAM bandwidth +204\\.8 GB/s"));
  EXPECT_THAT(text, testing::ContainsRegex("ridge point, fp16 +480\\.0 FLOP/B"));
  EXPECT_THAT(text, testing::ContainsRegex("LX that a schedule may use +1,625,344 B"));
}

TEST(FormatMachine, MarksWhatWasSetOnTheCommandLine) {
  const std::vector<std::string> overrides{"dram.channels=8"};
  const std::string text = format_machine(read_machine("spyre", overrides));
  EXPECT_THAT(text, testing::ContainsRegex("\\[[0-9]+\\]  --set\n"));
  EXPECT_THAT(text, testing::ContainsRegex("peak DRAM bandwidth +102\\.4 GB/s"));
}

TEST(MachinePage, PrintsTheDescriptionThatShips) {
  const std::string page = read_text_file(SPYRE_EMU_SOURCE_DIR "/docs/machine.md");
  EXPECT_TRUE(page.find("```\n" + format_machine(read_machine("spyre")) + "```\n") !=
              std::string::npos)
      << "replace the last block of docs/machine.md by the output of `spyre-emu machine show "
         "spyre`";
}

}  // namespace
}  // namespace spyre::models
