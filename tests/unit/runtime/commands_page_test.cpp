// The manual shows the help texts as the program prints them.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <sstream>

#include "runtime/cli/application.h"

namespace spyre::runtime {
namespace {

std::string help_of(std::vector<std::string> words) {
  words.insert(words.begin(), "spyre-emu");
  words.emplace_back("--help");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  const std::atomic<bool> stop{false};
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run_application(static_cast<int>(arguments.size()), arguments.data(), stop), kOk);
  return ::testing::internal::GetCapturedStdout();
}

TEST(CommandsPage, ShowsTheHelpOfEveryCommandAsItIs) {
  std::ostringstream page;
  page << std::ifstream(SPYRE_EMU_SOURCE_DIR "/docs/commands.md").rdbuf();
  const std::vector<std::vector<std::string>> commands{
      {},           {"decode"},          {"prefill"},      {"plan"},   {"run"},
      {"check"},    {"compile"},         {"ktir-suite"},   {"matmul"}, {"op"},
      {"fidelity"}, {"machine", "show"}, {"model", "show"}};
  for (const std::vector<std::string>& command : commands) {
    const std::string help = help_of(command);
    EXPECT_NE(page.str().find("```\n" + help), std::string::npos)
        << "docs/commands.md differs from --help of " << ::testing::PrintToString(command) << ":\n"
        << help;
  }
}

}  // namespace
}  // namespace spyre::runtime
