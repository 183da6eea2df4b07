// What the program says and how it ends, for good command lines and for bad ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/e2e/program.h"

namespace spyre::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kSmall = "decode --model distilgpt2 --context 64 ";

class CommandLine : public ProgramTest {
 protected:
  /// Exit 2, nothing on standard output, one sentence that holds `part`.
  void expect_bad_input(const std::string& arguments, const std::string& part) const {
    SCOPED_TRACE(arguments);
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr("error: "));
    EXPECT_THAT(outcome.err, HasSubstr(part));
    const auto lines = std::ranges::count(outcome.err, '\n');
    EXPECT_TRUE(lines == 1 ||
                (lines == 2 && outcome.err.ends_with("Run with --help for more information.\n")))
        << outcome.err;
  }
};

TEST_F(CommandLine, AWordThatMeansNothingIsToldWithTheNearest) {
  expect_bad_input("decod", "there is no command 'decod' (did you mean 'decode'?)");
  expect_bad_input("decode --modle x", "no option '--modle' (did you mean '--model'?)");
  expect_bad_input("", "a command is missing");
  expect_bad_input("machine shwo", "did you mean 'show'?");
  expect_bad_input("decode extra", "extra");
  expect_bad_input("decode --model", "--model");
  expect_bad_input("decode --dtype fp17", "fp17");
}

TEST_F(CommandLine, AModelThatIsNotThereIsTold) {
  expect_bad_input("decode --model granite-3.3-8", "did you mean 'granite-3.3-8b'?");
  expect_bad_input("decode --model ./nothing/config.json", "cannot read './nothing/config.json'");
  write("config.json",
        R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 128, "num_hidden_layers": 2,
    "num_attention_heads": 2, "intermediate_size": 256})");
  expect_bad_input("decode --model config.json", "config.json: error: 'vocab_size' is missing");
  expect_bad_input("model show nothing", "known are");
}

TEST_F(CommandLine, AScheduleOrMachineThatIsNotThereIsTold) {
  expect_bad_input("run nothing.yaml", "cannot read 'nothing.yaml'");
  expect_bad_input("check nothing.yaml", "cannot read 'nothing.yaml'");
  expect_bad_input(kSmall + "--machine spire", "spire");
  expect_bad_input(kSmall + "--set lx.byts=1", "did you mean 'lx.bytes'?");
  expect_bad_input(kSmall + "--set lx.bytes=many", "it must be a whole number");
}

TEST_F(CommandLine, AStepThatCannotBeIsTold) {
  expect_bad_input("decode --model distilgpt2 --context 5000", "1024 positions");
  expect_bad_input("decode --model distilgpt2 --context 64 --batch 100000", "are usable");
  expect_bad_input(kSmall + "--set lx.bytes=480000", "the smallest tile of kernel");
  expect_bad_input("prefill --chunk 0", "'0' is not a whole number of 1 or more");
  expect_bad_input("decode --context -1", "'-1' is not a whole number of 0 or more");
  expect_bad_input("matmul 0 64 64", "'0' is not a whole number");
}

TEST_F(CommandLine, CoresThatTheMachineLacksAreTold) {
  expect_bad_input(kSmall + "--cores 0", "'0' is not a whole number of 1 or more");
  expect_bad_input(kSmall + "--cores 33", "has 1 to 32 cores");
  expect_bad_input(kSmall + "--cores abc", "'abc' is not a whole number");
  expect_bad_input("matmul 64 64 64 --cores 33", "has 1 to 32 cores");
}

TEST_F(CommandLine, APlaceThatCannotBeWrittenIsToldBeforeTheRun) {
  expect_bad_input(kSmall + "--json nowhere/step.json", "there is no folder 'nowhere'");
  expect_bad_input(kSmall + "--json .", "it is a folder");
  expect_bad_input(kSmall + "--waves nowhere/step.vcd --json step.json",
                   "there is no folder 'nowhere'");
  EXPECT_FALSE(exists("step.json"));
}

TEST_F(CommandLine, ALayerThatTheRunLacksIsToldBeforeTheRun) {
  expect_bad_input(kSmall + "--waves step.vcd --waves-layer 6 --json step.json",
                   "its layers are 0 to 5");
  EXPECT_FALSE(exists("step.vcd"));
  EXPECT_FALSE(exists("step.json"));
}

TEST_F(CommandLine, JsonOnStandardOutputStandsAlone) {
  const Outcome outcome = run(kSmall + "--json - --waves step.vcd");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("model"), "distilgpt2");
  EXPECT_EQ(json.at("context"), 64);
}

TEST_F(CommandLine, TheJsonFileHoldsWhatStandardOutputWould) {
  const Outcome text = run(kSmall + "--json step.json");
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, StartsWith("distilgpt2 decode, batch 1, context 64"));
  EXPECT_THAT(text.err, IsEmpty());
  EXPECT_EQ(read("step.json"), run(kSmall + "--json -").out);
}

TEST_F(CommandLine, TheBooksBalance) {
  for (const std::string cores : {"1", "7", "32"}) {
    const Outcome outcome = run(kSmall + "--json - --cores " + cores);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    const auto number = [&](const char* group, const char* key) {
      return json.at(group).at(key).get<std::uint64_t>();
    };
    EXPECT_EQ(number("bytes", "total"),
              number("dram", "read_bytes") + number("dram", "write_bytes"));
    EXPECT_EQ(number("core_cycles", "total"), 32 * json.at("cycles").get<std::uint64_t>());
    std::uint64_t stalls = 0;
    for (const auto& stall : json.at("stalls")) stalls += stall.get<std::uint64_t>();
    EXPECT_EQ(number("core_cycles", "stalled"), stalls);
    double launches_ms = 0;
    for (const auto& op : json.at("ops")) launches_ms += op.at("time_ms").get<double>();
    EXPECT_NEAR(launches_ms, json.at("time_ms").get<double>(), 1e-9);
    EXPECT_EQ(json.at("cores"), std::stoi(cores));
  }
}

TEST_F(CommandLine, WavesAreDescribedBeforeAndAfterTheRun) {
  const Outcome outcome = run(kSmall + "--waves step.vcd --waves-layer 2 --waves-max-mb 8");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Not(HasSubstr("waves")));
  EXPECT_THAT(outcome.err, StartsWith("waves: layer 2, "));
  EXPECT_THAT(outcome.err.substr(0, outcome.err.find('\n')), HasSubstr("), at most 8 MB"));
  EXPECT_THAT(outcome.err.substr(outcome.err.find('\n')), HasSubstr("32 cores, about "));
  EXPECT_TRUE(exists("step.vcd"));
  EXPECT_TRUE(exists("step.gtkw"));
}

TEST_F(CommandLine, APlanThatIsRunIsTheStep) {
  const std::string step = "--model distilgpt2 --context 64 ";
  ASSERT_EQ(run("plan " + step + "-o step.yaml").exit_code, 0);
  const Outcome planned = run("run step.yaml --json -");
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  EXPECT_EQ(planned.out, run("decode " + step + "--json -").out);
  EXPECT_EQ(run("plan " + step).out, read("step.yaml"));
  const Outcome checked = run("check step.yaml");
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
  EXPECT_EQ(checked.out, "step.yaml: 0 errors, 0 warnings\n");
}

TEST_F(CommandLine, AContextBeyondTheWindowIsWarnedOf) {
  const std::string config =
      R"({"architectures": ["MistralForCausalLM"], "hidden_size": 128, "num_hidden_layers": 1,
    "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 256, "vocab_size": 256,
    "max_position_embeddings": 1024, "sliding_window": 128, "rms_norm_eps": 1e-5})";
  write("windowed.json", config);
  const Outcome beyond = run("decode --model windowed.json --context 128");
  EXPECT_EQ(beyond.exit_code, 0) << beyond.err;
  EXPECT_THAT(beyond.err, StartsWith("warning: windowed attends to the last 128 tokens only"));
  const Outcome within = run("decode --model windowed.json --context 127");
  EXPECT_EQ(within.exit_code, 0) << within.err;
  EXPECT_THAT(within.err, IsEmpty());
}

TEST_F(CommandLine, AFullDiskIsTold) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  for (const std::string& arguments : {kSmall, kSmall + "--json -"}) {
    const Outcome outcome = run(arguments, ">/dev/full");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("No space left on device"));
  }
  EXPECT_EQ(run(kSmall + "--json /dev/full").exit_code, 2);
}

TEST_F(CommandLine, AReaderThatLeavesIsNoTrouble) {
  const Outcome outcome = run(kSmall, "| head -n 1 >stdout.txt");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, StartsWith("distilgpt2 decode"));
}

TEST_F(CommandLine, EveryCommandHasHelpWithAnExample) {
  for (const std::string command : {"", "decode ", "prefill ", "plan ", "run ", "check ", "matmul ",
                                    "machine show ", "model show "}) {
    const Outcome outcome = run(command + "--help");
    EXPECT_EQ(outcome.exit_code, 0) << command;
    EXPECT_THAT(outcome.out, HasSubstr("Example")) << command;
    EXPECT_THAT(outcome.err, IsEmpty()) << command;
  }
  EXPECT_THAT(run("--version").out, StartsWith("spyre-emu "));
}

TEST_F(CommandLine, TheCataloguesListWhatShips) {
  EXPECT_THAT(run("model list").out, HasSubstr("granite-3.3-8b"));
  EXPECT_THAT(run("machine list").out, HasSubstr("spyre"));
  EXPECT_THAT(run("model show distilgpt2").out, HasSubstr("GPT2LMHeadModel"));
  EXPECT_THAT(run("machine show spyre --set cores.count=16").out, HasSubstr("--set"));
}

}  // namespace
}  // namespace spyre::e2e
