// What docs/schedule.md shows must be true: its example is the file that the tests read, and it
// passes the checker.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "kernels/schedule/checker.h"
#include "models/diagnostics/yaml_reader.h"
#include "tests/unit/schedule/reader_fixture.h"

namespace spyre::kernels {
namespace {

const std::string kSource = SPYRE_EMU_SOURCE_DIR;

TEST(ScheduleDocument, ItsExampleIsTheFileThatIsTested) {
  const std::string page = models::read_text_file(kSource + "/docs/schedule.md");
  const std::string opening = "```yaml\n";
  const std::size_t start = page.find(opening) + opening.size();
  const std::string example = page.substr(start, page.find("```", start) - start);
  EXPECT_EQ(example, models::read_text_file(kSource + "/tests/data/schedules/gemm.yaml"));
}

TEST(ScheduleDocument, TheExamplesPassTheChecker) {
  for (const char* name : {"gemm.yaml", "ring.yaml", "values.yaml"}) {
    const models::Machine machine = spyre_like();
    const Schedule schedule = read_schedule(kSource + "/tests/data/schedules/" + name, machine);
    for (const models::Diagnostic& finding :
         check_schedule(schedule, place(schedule, machine), machine)) {
      ADD_FAILURE() << models::to_string(finding);
    }
  }
}

TEST(ScheduleDocument, ItListsEveryVectorFunctionWithItsOperands) {
  const std::string page = models::read_text_file(kSource + "/docs/schedule.md");
  for (const models::VectorFunctionInfo& info : models::kVectorFunctions) {
    std::vector<std::string> operands;
    for (int i = 0; i < info.sources; ++i) operands.emplace_back(1, static_cast<char>('a' + i));
    if (info.optional_numbers > 0) operands.emplace_back("[number]");
    const std::string row = fmt::format("| `{}` | {} |", info.name, fmt::join(operands, ", "));
    EXPECT_NE(page.find(row), std::string::npos) << row << " is not in docs/schedule.md";
  }
}

TEST(ScheduleDocument, ItListsEveryElementType) {
  const std::string page = models::read_text_file(kSource + "/docs/schedule.md");
  const std::size_t begin = page.find("| `dtype` | - |");
  const std::string row = page.substr(begin, page.find('\n', begin) - begin);
  for (const char* name :
       {"fp32", "fp16", "bf16", "dl16", "fp8", "fp8_e5m2", "int32", "int8", "int4"}) {
    EXPECT_TRUE(models::data_type_named(name));
    EXPECT_NE(row.find(fmt::format("`{}`", name)), std::string::npos) << name;
  }
}

/// Ids are the first quoted word of a call that reports something.
TEST(ScheduleDocument, ItListsEveryId) {
  const std::string page = models::read_text_file(kSource + "/docs/schedule.md");
  const std::regex call(
      R"re((?:error|warning)\(\s*(?:\w+(?:->|\.)?\w*,\s*)?"([a-z]+(?:-[a-z]+)*)")re");
  std::set<std::string> ids;
  for (const auto& entry : std::filesystem::directory_iterator(kSource + "/kernels/schedule")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string code = models::read_text_file(entry.path().string());
    for (std::sregex_iterator match(code.begin(), code.end(), call), end; match != end; ++match) {
      ids.insert((*match)[1]);
    }
  }
  EXPECT_GT(ids.size(), 30U);
  for (const std::string& id : ids) {
    EXPECT_NE(page.find("`" + id + "`"), std::string::npos) << id << " is not in docs/schedule.md";
  }
}

}  // namespace
}  // namespace spyre::kernels
