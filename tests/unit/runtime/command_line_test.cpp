// The commands that need no simulation, and every way to use one wrongly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/cli/application.h"

namespace spyre::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class CommandLine : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("spyre_cli_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  struct Outcome {
    int code;
    std::string out, err;
  };
  Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), "spyre-emu");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    const std::atomic<bool> stop{false};
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int code = run_application(static_cast<int>(arguments.size()), arguments.data(), stop);
    const std::string out = ::testing::internal::GetCapturedStdout();
    return {code, out, ::testing::internal::GetCapturedStderr()};
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  fs::path folder_;
};

TEST_F(CommandLine, EveryCommandHasHelpWithAnExample) {
  const std::vector<std::vector<std::string>> commands{
      {"decode"}, {"prefill"},         {"plan"},         {"run"}, {"check"},
      {"matmul"}, {"machine", "show"}, {"model", "show"}};
  for (std::vector<std::string> words : commands) {
    words.emplace_back("--help");
    const Outcome help = run(words);
    EXPECT_EQ(help.code, kOk) << words[0];
    EXPECT_THAT(help.out, HasSubstr("spyre-emu " + words[0])) << words[0];
    EXPECT_EQ(help.err, "") << words[0];
  }
  EXPECT_THAT(run({"--help"}).out, HasSubstr("Exit codes:"));
}

TEST_F(CommandLine, TheVersionStandsAlone) {
  const Outcome version = run({"--version"});
  EXPECT_EQ(version.code, kOk);
  EXPECT_THAT(version.out, ::testing::MatchesRegex("spyre-emu [0-9.]+\n"));
}

TEST_F(CommandLine, WrongUseIsOneSentenceOnStandardErrorAndCodeTwo) {
  struct Case {
    std::vector<std::string> words;
    std::string sentence;
  };
  const std::vector<Case> cases{
      {{}, "a command is missing"},
      {{"decod"}, "did you mean 'decode'?"},
      {{"decode", "--modle", "x"}, "did you mean '--model'?"},
      {{"decode", "surplus"}, "surplus"},
      {{"decode", "--model", "granite-3.3-8"}, "did you mean 'granite-3.3-8b'?"},
      {{"decode", "--model", path("none.json")}, path("none.json")},
      {{"decode", "--batch", "0"}, "--batch: '0' is not a whole number of 1 or more"},
      {{"decode", "--context", "-1"}, "--context"},
      {{"decode", "--context", "1000000000"}, "1000000000"},
      {{"decode", "--cores", "33"}, "--cores 33: the machine 'spyre' has 1 to 32 cores"},
      {{"decode", "--dtype", "fp17"}, "fp17"},
      {{"decode", "--machine", "spyer"}, "did you mean 'spyre'?"},
      {{"decode", "--set", "dram.chanels=8"}, "did you mean 'dram.channels'?"},
      {{"decode", "--set", "dram.channels"}, "key=value"},
      {{"decode", "--set", "dram.channels=many"}, "many"},
      {{"decode", "--json", path("none/out.json")}, "cannot write"},
      {{"decode", "--json", folder_.string()}, "cannot write"},
      {{"decode", "--waves", path("none/out.vcd")}, "cannot write"},
      {{"decode", "--waves-max-mb", "0"}, "--waves-max-mb"},
      {{"prefill", "--chunk", "0"}, "--chunk"},
      {{"prefill", "--batch", "2"}, "prefill has no option '--batch'"},
      {{"plan", "--phase", "train"}, "train"},
      {{"plan", "--phase", "decode", "--chunk", "2"}, "use prefill"},
      {{"plan", "-o", path("none/d.yaml")}, "cannot write"},
      {{"run"}, "file is required"},
      {{"run", path("none.yaml")}, "cannot read '" + path("none.yaml") + "'"},
      {{"check", path("none.yaml")}, "cannot read"},
      {{"matmul", "64", "64"}, "K is required"},
      {{"matmul", "0", "64", "64"}, "M: '0' is not a whole number"},
      {{"matmul", "64", "64", "64", "--k-split", "2"}, "k_split is 2"},
      {{"machine"}, "the commands are list, show"},
      {{"machine", "show", "spyer"}, "did you mean 'spyre'?"},
      {{"model", "show", "gpt3"}, "gpt3"},
  };
  for (const Case& wrong : cases) {
    const Outcome outcome = run(wrong.words);
    const std::string name = ::testing::PrintToString(wrong.words);
    EXPECT_EQ(outcome.code, kBadInput) << name;
    EXPECT_THAT(outcome.err, HasSubstr(wrong.sentence)) << name;
    EXPECT_THAT(outcome.err, HasSubstr("error: ")) << name;
    EXPECT_EQ(outcome.out, "") << name;
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(CommandLine, APlanGoesToTheFileOrToStandardOutputAndChecksClean) {
  const std::vector<std::string> plan{"plan", "--model", "distilgpt2", "--context", "64"};
  const Outcome printed = run(plan);
  EXPECT_EQ(printed.code, kOk);
  EXPECT_THAT(printed.out, StartsWith("schedule: 1\n"));
  std::vector<std::string> to_file = plan;
  to_file.insert(to_file.end(), {"-o", path("d.yaml")});
  EXPECT_EQ(run(to_file).code, kOk);
  EXPECT_EQ(read("d.yaml"), printed.out);
  const Outcome check = run({"check", path("d.yaml")});
  EXPECT_EQ(check.code, kOk) << check.err;
  EXPECT_THAT(check.out, HasSubstr("0 errors, "));
}

TEST_F(CommandLine, WithoutAContextAStepTakesWhatTheModelsPositionsLeave) {
  EXPECT_THAT(run({"plan", "--model", "distilgpt2"}).out, HasSubstr("context: 1023\n"));
  const Outcome prefill = run({"plan", "--model", "distilgpt2", "--phase", "prefill"});
  EXPECT_THAT(prefill.out, HasSubstr("chunk: 512\n"));
  EXPECT_THAT(prefill.out, HasSubstr("context: 512\n"));
  EXPECT_THAT(run({"plan", "--model", "granite-3.3-8b"}).out, HasSubstr("context: 4096\n"));
}

TEST_F(CommandLine, CheckNamesTheLineAndTheColumnOfEachFault) {
  ASSERT_EQ(run({"plan", "--model", "distilgpt2", "--context", "64", "-o", path("d.yaml")}).code,
            kOk);
  const std::string whole = read("d.yaml");

  std::string text = whole;  // a key that does not exist
  text.replace(text.find("shape: [6, 768, 768]"), 5, "shpae");
  write("key.yaml", text);
  const Outcome key = run({"check", path("key.yaml")});
  EXPECT_EQ(key.code, kBadInput);
  EXPECT_THAT(key.err,
              ::testing::ContainsRegex("key.yaml:[0-9]+:[0-9]+: error: .*did you mean 'shape'"));

  write("cut.yaml", whole.substr(0, whole.size() / 2));  // a file cut in the middle
  const Outcome cut = run({"check", path("cut.yaml")});
  EXPECT_EQ(cut.code, kBadInput);
  EXPECT_THAT(cut.err, ::testing::ContainsRegex("cut.yaml:[0-9]+:[0-9]+: error: "));

  text = whole;  // a tile that no scratchpad holds
  const std::size_t buffer = text.find("rows: {dtype: fp16, shape: [1, 768]");
  ASSERT_NE(buffer, std::string::npos);
  text.replace(text.find("[1, 768]", buffer), 8, "[9999, 768]");
  write("big.yaml", text);
  const Outcome big = run({"check", path("big.yaml")});
  EXPECT_EQ(big.code, kPlanFailed);
  EXPECT_THAT(big.out, ::testing::ContainsRegex("big.yaml:[0-9]+:[0-9]+: error: .*LX"));
  EXPECT_THAT(big.out, HasSubstr("1 error, "));
  EXPECT_EQ(run({"run", path("big.yaml")}).code, kPlanFailed);
}

TEST_F(CommandLine, CataloguesListWhatShips) {
  EXPECT_THAT(run({"machine", "list"}).out, HasSubstr("spyre"));
  const Outcome machine = run({"machine", "show", "spyre", "--set", "dram.channels=8"});
  EXPECT_THAT(machine.out, HasSubstr("dram.channels"));
  EXPECT_THAT(machine.out, HasSubstr("--set"));
  const Outcome models = run({"model", "list"});
  for (const char* name : {"distilgpt2", "gpt2", "llama-2-7b", "llama-2-13b", "llama-3.1-8b",
                           "granite-3.3-8b", "mistral-7b", "qwen3-8b"}) {
    EXPECT_THAT(models.out, HasSubstr(name));
  }
  EXPECT_THAT(run({"model", "show"}).out, HasSubstr("16,341,729,280"));
}

}  // namespace
}  // namespace spyre::runtime
