// T17: the same input gives the same bytes, whoever watches and whatever else runs.
#include <cstdio>
#include <memory>

#include "tests/e2e/program.h"
#include "tests/e2e/steps.h"
#include "traces/result_json.h"
#include "traces/wave_window.h"

namespace spyre::e2e {
namespace {

std::string json_of(const std::string& text, const runtime::RunOptions& options = {}) {
  return traces::write_result_json(runtime::run_text(text, "plan.yaml", spyre_card(), options));
}

std::vector<std::string> plans() {
  const kernels::ModelConfig model = kernels::find_model("distilgpt2");
  const auto plan = [&](const kernels::StepOptions& step, std::int64_t cores) {
    return runtime::plan_text(model, step, spyre_card().machine, {.cores = cores});
  };
  return {plan(decode_step(100), 32), plan(decode_step(65, 3), 7), plan(prefill_step(64, 64), 32)};
}

TEST(Determinism, TheSamePlanGivesTheSameJsonInOneProcess) {
  for (const std::string& text : plans()) EXPECT_EQ(json_of(text), json_of(text));
}

TEST(Determinism, PlanningTwiceGivesTheSameText) {
  EXPECT_EQ(plans(), plans());
}

TEST(Determinism, WavesChangeNothing) {
  for (const std::string& text : plans()) {
    traces::WaveRecorder waves;
    runtime::RunOptions watched;
    watched.observers = {&waves};
    EXPECT_EQ(json_of(text, watched), json_of(text));
    EXPECT_GT(waves.window().records.size(), 0U);
  }
}

TEST(Determinism, AskingForProgressChangesNothing) {
  const std::string text = plans().front();
  int calls = 0;
  runtime::RunOptions asked;
  asked.simulation.progress = [&](models::Picoseconds, std::uint32_t) { ++calls; };
  EXPECT_EQ(json_of(text, asked), json_of(text));
  EXPECT_GT(calls, 0);
}

TEST(Determinism, TheCheckChangesNothing) {
  const std::string text = plans().front();
  runtime::RunOptions unchecked;
  unchecked.check = false;
  EXPECT_EQ(json_of(text, unchecked), json_of(text));
}

class Programs : public ProgramTest {
 protected:
  struct Close {
    void operator()(FILE* pipe) const { pclose(pipe); }
  };
  using Pipe = std::unique_ptr<FILE, Close>;

  [[nodiscard]] Pipe start(const std::string& arguments) const {
    return Pipe(popen(("'" SPYRE_EMU_PROGRAM "' " + arguments).c_str(), "r"));
  }
  static std::string output(const Pipe& pipe) {
    std::string text;
    char block[4096];
    for (std::size_t n = 0; (n = fread(block, 1, sizeof block, pipe.get())) > 0;) {
      text.append(block, n);
    }
    return text;
  }
};

TEST_F(Programs, OneAfterTheOtherOrTwoAtATimeGiveTheSameJson) {
  const std::string arguments = "decode --model distilgpt2 --context 64 --json -";
  const std::string alone = run(arguments).out;
  const Pipe first = start(arguments), second = start(arguments);
  EXPECT_EQ(output(first), alone);
  EXPECT_EQ(output(second), alone);
  EXPECT_EQ(alone.front(), '{');
}

TEST_F(Programs, WriteTheSameWavesTwice) {
  const std::string arguments = "decode --model distilgpt2 --context 64 --waves-layer 1 --json -";
  ASSERT_EQ(run(arguments + " --waves one.vcd").exit_code, 0);
  const std::string watched = read("stdout.txt");
  ASSERT_EQ(run(arguments + " --waves two.vcd").exit_code, 0);
  EXPECT_GT(read("one.vcd").size(), 10'000U);
  EXPECT_TRUE(read("one.vcd") == read("two.vcd"));
  EXPECT_EQ(read("stdout.txt"), watched);
}

// `plan` and `run` together are `decode`, and so for `prefill`.
TEST_F(Programs, RunAPlanAsTheStepItself) {
  const std::string model = " --model distilgpt2 --context 65 --cores 5 ";
  for (const auto& [step, phase] :
       {std::pair<std::string, std::string>{"decode --batch 2", "--batch 2"},
        {"prefill --chunk 33", "--phase prefill --chunk 33"}}) {
    SCOPED_TRACE(step);
    ASSERT_EQ(run("plan" + model + phase + " -o step.yaml").exit_code, 0);
    const Outcome planned = run("run step.yaml --json -");
    EXPECT_EQ(planned.exit_code, 0) << planned.err;
    EXPECT_TRUE(planned.out == run(step + model + "--json -").out);
  }
}

}  // namespace
}  // namespace spyre::e2e
