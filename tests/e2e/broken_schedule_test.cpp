// A plan that somebody edited and broke: one clear sentence with its place, and nothing runs.
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>

#include "models/diagnostics/diagnostics.h"
#include "tests/e2e/program.h"
#include "tests/e2e/steps.h"

namespace spyre::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string& plan() {
  static const std::string text = runtime::plan_text(
      kernels::find_model("distilgpt2"), decode_step(64), spyre_card().machine, {.cores = 32});
  return text;
}

/// The plan with the first `from` after `after` replaced.
std::string broken(const std::string& after, const std::string& from, const std::string& to) {
  std::string text = plan();
  const std::size_t start = text.find(after);
  EXPECT_NE(start, std::string::npos) << after;
  const std::size_t at = start == std::string::npos ? start : text.find(from, start);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// "file:line:column" of what follows the first `before` after `after` in `text`.
std::string place(const std::string& text, const std::string& after, const std::string& before) {
  const std::string upto = text.substr(0, text.find(before, text.find(after)) + before.size());
  const auto line = 1 + std::count(upto.begin(), upto.end(), '\n');
  return "d.yaml:" + std::to_string(line) + ":" + std::to_string(upto.size() - upto.rfind('\n'));
}

struct Failure {
  int exit_code = 0;  ///< what the command line would return
  std::string message;
  std::size_t findings = 0;
  models::SourcePosition where;
};

/// The outcome of `spyre-emu run`.
Failure failure_of(const std::string& text) {
  const auto failure = [](int exit_code, const models::InputError& error) {
    const auto& findings = error.diagnostics();
    return Failure{exit_code, error.what(), findings.size(), findings.at(0).where};
  };
  try {
    (void)runtime::run_text(text, "d.yaml", spyre_card(), {});
  } catch (const runtime::PlanError& error) {
    return failure(1, error);
  } catch (const models::InputError& error) {
    return failure(2, error);
  }
  return {0, "it runs", 0, {}};
}

/// One finding, one line.
Failure expect_one_sentence(const std::string& text, int exit_code) {
  const Failure failure = failure_of(text);
  EXPECT_EQ(failure.exit_code, exit_code) << failure.message;
  EXPECT_EQ(failure.findings, 1U) << failure.message;
  EXPECT_EQ(failure.message.find('\n'), std::string::npos) << failure.message;
  EXPECT_GT(failure.where.line, 0) << failure.message;
  EXPECT_GT(failure.where.column, 0) << failure.message;
  return failure;
}

TEST(BrokenSchedule, ATileTooBigForLxIsToldWithItsSize) {
  const std::string text = broken("  qkv:\n", "w: {dtype: fp16, shape: [384, 128]",
                                  "w: {dtype: fp16, shape: [38400, 128]");
  const Failure failure = expect_one_sentence(text, 1);
  EXPECT_THAT(failure.message, StartsWith("d.yaml:"));
  EXPECT_THAT(failure.message, HasSubstr("kernel 'qkv' needs"));
  EXPECT_THAT(failure.message, HasSubstr("w fp16 [38400, 128] x 2 slots = 19660800 B"));
  EXPECT_THAT(failure.message, HasSubstr("has 1625344 B"));
}

TEST(BrokenSchedule, ABufferThatIsMissingIsToldWhereItIsUsed) {
  const std::string text = broken("  attn_out:\n", "      w: {dtype", "      u: {dtype");
  const Failure failure = expect_one_sentence(text, 2);  // at the load, not again at the matmul
  std::string used = text;                               // of the same length up to there
  used.replace(used.find("{into: w, ", used.find("  attn_out:\n")), 7, "{INTO: ");
  EXPECT_EQ(to_string(failure.where), place(used, "  attn_out:\n", "{INTO: "));
  EXPECT_THAT(failure.message, HasSubstr("unknown buffer 'w': "));
}

TEST(BrokenSchedule, ASlotThatNothingFillsIsToldWhereItIsRead) {
  std::string text = plan();
  const std::size_t load = text.rfind('\n', text.find("load: {into: w, from: mlp.proj"));
  text.erase(load, text.find('\n', load + 1) - load);
  const Failure failure = expect_one_sentence(text, 1);
  EXPECT_EQ(to_string(failure.where).substr(0, 10),
            place(text, "  mlp_down:\n", "- matmul: ").substr(0, 10));
  EXPECT_THAT(failure.message, HasSubstr("'w' is read, but nothing has written it"));
}

TEST(BrokenSchedule, NoSlotAtAllIsTold) {
  const std::string text = broken("  qkv:\n", "slots: 2", "slots: 0");
  const Failure failure = expect_one_sentence(text, 2);
  EXPECT_EQ(to_string(failure.where), place(text, "  qkv:\n", "slots: "));
  EXPECT_THAT(failure.message, HasSubstr("slots' is 0"));
}

// Single buffering is slower, not wrong.
TEST(BrokenSchedule, OneSlotWhereTwoWerePlannedStillRuns) {
  std::string text = plan();
  for (std::size_t at = 0; (at = text.find(", slots: 2", at)) != std::string::npos;) {
    text.erase(at, std::string(", slots: 2").size());
  }
  const traces::RunResult slow = runtime::run_text(text, "d.yaml", spyre_card(), {});
  const traces::RunResult fast = runtime::run_text(plan(), "d.yaml", spyre_card(), {});
  EXPECT_EQ(slow.bytes.total(), fast.bytes.total());
  EXPECT_GT(slow.time_ps, fast.time_ps);
}

TEST(BrokenSchedule, AnAddressBesideASticksStartIsTold) {
  const std::string text =
      broken("  head:", "shape: [768, 50257]", "shape: [768, 50257], address: 100");
  const Failure failure = expect_one_sentence(text, 2);
  EXPECT_EQ(to_string(failure.where), place(text, "  head:", "address: "));
  EXPECT_THAT(failure.message, HasSubstr("a multiple of 128"));
}

TEST(BrokenSchedule, AnUnknownKeyIsToldWithTheNearest) {
  const std::string text = broken("  qkv:\n", "share: n", "shaer: n");
  const Failure failure = expect_one_sentence(text, 2);
  EXPECT_EQ(failure.message, place(text, "  qkv:\n", "size: [1, 768], ") +
                                 ": error: unknown key 'load.shaer': did you mean 'share'?");
}

TEST(BrokenSchedule, AnUnknownOperationIsToldWithItsPlace) {
  const std::string text = broken("  qkv:\n", "op: layernorm", "op: FooNorm");
  const Failure failure = expect_one_sentence(text, 2);
  EXPECT_EQ(to_string(failure.where), place(text, "  qkv:\n", "op: "));
  EXPECT_THAT(failure.message, HasSubstr("FooNorm"));
}

TEST(BrokenSchedule, ALaunchOfNothingIsTold) {
  const std::string text = broken("launches:", "kernel: mlp_up", "kernel: mlp_upp");
  const Failure failure = expect_one_sentence(text, 2);
  EXPECT_EQ(
      to_string(failure.where),
      place(text, "launches:", "kernel: attn_out, with: {l: l}, layer: l}\n      - {kernel: "));
  EXPECT_THAT(failure.message, HasSubstr("did you mean 'mlp_up'?"));
}

TEST(BrokenSchedule, ATileBeyondItsTensorIsTold) {
  const std::string text = broken("  mlp_up:\n", "for: {k: [0, 768", "for: {k: [0, 1536");
  const Failure failure = failure_of(text);
  EXPECT_EQ(failure.exit_code, 1);
  EXPECT_GT(failure.where.line, 0) << failure.message;
  EXPECT_THAT(failure.message, HasSubstr("lies outside"));
}

// Wherever a file ends too early: in the middle of a line, or between two entries of a list.
TEST(BrokenSchedule, ATruncatedFileIsToldWhereverItEnds) {
  const std::string& text = plan();
  std::vector<std::size_t> lengths;
  for (std::size_t length = 1; length < text.size(); length += 89) lengths.push_back(length);
  for (std::size_t end = text.find('\n'); end + 1 < text.size(); end = text.find('\n', end + 1)) {
    lengths.push_back(end);
  }
  for (const std::size_t length : lengths) {
    SCOPED_TRACE(length);
    expect_one_sentence(text.substr(0, length), 2);
  }
}

class BrokenFile : public ProgramTest {};

TEST_F(BrokenFile, EndsTheProgramWithTheSentenceAndNoResult) {
  const std::vector<std::pair<int, std::string>> cases{
      {1, broken("  qkv:\n", "w: {dtype: fp16, shape: [384", "w: {dtype: fp16, shape: [38400")},
      {2, broken("  qkv:\n", "      w: {", "      u: {")},
      {2, broken("  head:", "50257]", "50257], address: 100")},
      {2, broken("  qkv:\n", "share: n", "shaer: n")},
      {2, plan().substr(0, plan().size() / 2)}};
  for (const auto& [exit_code, text] : cases) {
    write("d.yaml", text);
    const Outcome outcome = run("run d.yaml --json out.json");
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(
        std::regex_search(outcome.err, std::regex("^d\\.yaml:[1-9][0-9]*:[1-9][0-9]*: error: ")))
        << outcome.err;
    EXPECT_FALSE(exists("out.json"));
  }
}

}  // namespace
}  // namespace spyre::e2e
