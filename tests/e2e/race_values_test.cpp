// What a race does to values: a schedule computes the right ones, without one of its waits it does
// not, and the checker says which two operations are to blame.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/schedule/reader.h"
#include "models/data/data_plane.h"
#include "runtime/step_pipeline.h"
#include "runtime/tensor_io.h"
#include "tests/e2e/steps.h"

namespace spyre::e2e {
namespace {

constexpr std::size_t kElements = 64 * 64;

std::vector<float> as_floats(const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// `out`, after a run that nobody has checked; `x` holds 1, 2, 3 ...
std::vector<float> run_unchecked(const std::string& text) {
  const models::MachineDescription& card = spyre_card();
  const kernels::Schedule schedule = kernels::parse_schedule(text, "race.yaml", card.machine);
  models::DramStore dram;
  models::DataPlane data(card.machine, dram, models::Numerics::ieee, models::DataPlane::Values::on);
  runtime::TensorAccess tensors(schedule, card.machine, dram);
  std::vector<float> x(kElements);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i + 1);
  tensors.write("x", std::as_bytes(std::span(x)));
  runtime::RunOptions options;
  options.check = false;
  options.data = &data;
  (void)runtime::run_schedule(schedule, card, options);
  return as_floats(tensors.read("out"));
}

std::vector<std::string> findings_of(const std::string& text) {
  std::vector<std::string> result;
  for (const models::Diagnostic& finding :
       runtime::check_text(text, "race.yaml", spyre_card().machine)) {
    result.push_back("line " + std::to_string(finding.where.line) + ": " + finding.rule + ": " +
                     finding.message);
  }
  return result;
}

std::string plan(const std::string& body) {
  return R"(schedule: 1
machine: spyre
tensors:
  x: {dtype: fp32, shape: [64, 64]}
  y: {dtype: fp32, shape: [64, 64]}
  out: {dtype: fp32, shape: [64, 64]}
kernels:
  pass:
    cores: {n: 2}
    buffers:
      a: {dtype: fp32, shape: [64, 64]}
      b: {dtype: fp32, shape: [64, 64]}
    body:
)" + body +
         R"(launches:
  - {kernel: pass}
)";
}

std::string without(std::string text, const std::string& line) {
  const std::size_t at = text.find(line);
  EXPECT_NE(at, std::string::npos);
  // The line stays, so that all others keep their numbers.
  return text.replace(at, line.size(), "# " + line);
}

void expect_times(float factor, const std::vector<float>& values) {
  ASSERT_EQ(values.size(), kElements);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], factor * static_cast<float>(i + 1)) << "element " << i;
  }
}

TEST(RaceValues, ALoadThatDoesNotWaitForTheStoreReadsTooEarly) {
  const std::string text = plan(R"(      - load: {into: a, from: x, when: core == 0}
      - vector: {op: mul, into: b, from: [a, 3.0], when: core == 0}
      - store: {from: b, to: y, when: core == 0}
      - signal: {semaphore: done, to: 1, when: core == 0}
      - wait: {semaphore: done, when: core == 1}
      - load: {into: a, from: y, when: core == 1}
      - vector: {op: add, into: b, from: [a, a], when: core == 1}
      - store: {from: b, to: out, when: core == 1}
)");
  EXPECT_THAT(findings_of(text), testing::IsEmpty());
  expect_times(6, run_unchecked(text));

  const std::string racing = without(text, "- wait: {semaphore: done, when: core == 1}");
  expect_times(0, run_unchecked(racing));  // what lay in `y` before
  EXPECT_THAT(findings_of(racing),
              testing::Contains("line 19: race: core 0's store in line 16 and this load on core 1 "
                                "touch the same bytes of 'y' and nothing orders them: add a "
                                "barrier, or signal and wait (launch 'pass')"));
}

TEST(RaceValues, ATileThatIsNotReceivedIsUsedBeforeItHasCome) {
  const std::string text = plan(R"(      - vector: {op: fill, into: b, from: 1.0}
      - barrier: {}
      - load: {into: a, from: x, when: core == 0}
      - multicast: {from: a, into: b, when: core == 0}
      - receive: {into: b}
      - vector: {op: add, into: b, from: [b, b], when: core == 1}
      - store: {from: b, to: out, when: core == 1}
)");
  EXPECT_THAT(findings_of(text), testing::IsEmpty());
  expect_times(2, run_unchecked(text));

  const std::string racing = without(text, "- receive: {into: b}");
  const std::vector<float> values = run_unchecked(racing);
  EXPECT_THAT(values, testing::Each(2.0F));  // twice what was there before
  EXPECT_THAT(findings_of(racing),
              testing::Contains("line 19: race: core 0's multicast in line 17 and this vector "
                                "operation on core 1 touch the same bytes of 'b' in the LX of core "
                                "1 and nothing orders them: receive the tile on core 1 before the "
                                "buffer is used there (launch 'pass')"));
}

TEST(RaceValues, ATileThatComesBeforeTheLastIsUsedReplacesIt) {
  // A store reads its tile until its last byte is written; the second tile waits for a credit.
  const std::string text = plan(R"(      - load: {into: a, from: x, when: core == 0}
      - send: {from: a, into: b, to: 1, when: core == 0}
      - wait: {semaphore: used, when: core == 0}
      - vector: {op: mul, into: a, from: [a, 5.0], when: core == 0}
      - send: {from: a, into: b, to: 1, when: core == 0}
      - receive: {into: b, when: core == 1}
      - store: {from: b, to: out, when: core == 1}
      - signal: {semaphore: used, to: 0, when: core == 1}
      - receive: {into: b, when: core == 1}
      - store: {from: b, to: y, when: core == 1}
)");
  EXPECT_THAT(findings_of(text), testing::IsEmpty());
  expect_times(1, run_unchecked(text));

  const std::string racing = without(text, "- wait: {semaphore: used, when: core == 0}");
  EXPECT_THAT(findings_of(racing),
              testing::Contains(testing::AllOf(
                  testing::HasSubstr("line 20: race: core 0's send in line 18 and this store on "
                                     "core 1 touch the same bytes of 'b' in the LX of core 1"),
                  testing::HasSubstr("let core 0 wait, before it sends, for a signal of core 1"))));
  const std::vector<float> values = run_unchecked(racing);
  EXPECT_NE(values[kElements - 1], static_cast<float>(kElements));
}

}  // namespace
}  // namespace spyre::e2e
