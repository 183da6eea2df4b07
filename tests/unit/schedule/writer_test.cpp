#include "kernels/schedule/writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "models/diagnostics/yaml_reader.h"
#include "tests/unit/schedule/random_schedule.h"
#include "tests/unit/schedule/reader_fixture.h"
#include "tests/unit/schedule/schedule_text.h"

namespace spyre::kernels {
namespace {

void expect_round_trip(const Schedule& schedule) {
  const std::string text = write_schedule(schedule);
  Schedule again;
  try {
    again = parse_schedule(text, schedule.file, spyre_like());
  } catch (const models::InputError& error) {
    FAIL() << error.what() << '\n' << text;
  }
  ASSERT_EQ(StructureText::of(again), StructureText::of(schedule)) << text;
  ASSERT_EQ(write_schedule(again), text);
}

TEST(ScheduleWriter, TheExamplesSurviveARoundTrip) {
  for (const char* name : {"gemm.yaml", "ring.yaml", "values.yaml"}) {
    const std::string path = std::string(SPYRE_EMU_TEST_DATA) + "/schedules/" + name;
    expect_round_trip(read_schedule(path, spyre_like()));
  }
}

TEST(ScheduleWriter, OneStatementIsOneLine) {
  const std::string path = std::string(SPYRE_EMU_TEST_DATA) + "/schedules/ring.yaml";
  const std::string text = write_schedule(read_schedule(path, spyre_like()));
  const Schedule schedule = parse_schedule(text, "f", spyre_like());
  int last = 0;
  const std::function<void(const std::vector<Statement>&)> walk =
      [&](const std::vector<Statement>& body) {
        for (const Statement& statement : body) {
          EXPECT_GT(statement.position.line, last);
          last = statement.position.line;
          if (const auto* loop = std::get_if<ForStatement>(&statement.action)) walk(loop->body);
        }
      };
  for (const Kernel& kernel : schedule.kernels) walk(kernel.body);
}

TEST(ScheduleWriter, AnEmptyScheduleReadsBack) {
  expect_round_trip(Schedule{});
}

TEST(ScheduleWriter, TextsOfEveryKindReadBack) {
  Schedule schedule;
  schedule.meta = {{"plain", "granite-3.3-8b"},
                   {"number", "007"},
                   {"null", "null"},
                   {"tilde", "~"},
                   {"empty", ""},
                   {"true", "true"},
                   {"colon", "a: b"},
                   {"hash", "a #b"},
                   {"quote", "say \"x\" \\ 'y'"},
                   {"lines", "a\nb\n"},
                   {"blank", " a "},
                   {"tab", "a\tb"},
                   {"control", "\x01\x7f"},
                   {"umlaut", "Z\xc3\xbcrich"},
                   {"dash", "- a"},
                   {"star", "*a"},
                   {"key: with [signs]", "!tag"},
                   {"return", "a\rb"},
                   {"merge", "<<"},
                   {"percent", "%x"}};
  expect_round_trip(schedule);
}

/// What a vector statement's number is read back as.
NumberOperand number_read_back(const NumberOperand& number) {
  Schedule schedule =
      read_schedule(std::string(SPYRE_EMU_TEST_DATA) + "/schedules/values.yaml", spyre_like());
  auto& statement = std::get<VectorStatement>(schedule.kernels[0].body[2].action);
  statement.number = number;
  const Schedule again = parse_schedule(write_schedule(schedule), "f", spyre_like());
  return *std::get<VectorStatement>(again.kernels[0].body[2].action).number;
}

TEST(ScheduleWriter, ConstantsKeepEveryBit) {
  using Limits = std::numeric_limits<double>;
  for (const double constant :
       {0.0, -0.0, 1.0, 0.1, -1e-5, 1e22, 123456789012345678.0, Limits::max(), Limits::min(),
        Limits::denorm_min(), Limits::infinity(), -Limits::infinity()}) {
    const NumberOperand again = number_read_back({1, constant, {}});
    EXPECT_EQ(again.constant, constant);
    EXPECT_EQ(std::signbit(again.constant), std::signbit(constant));
    EXPECT_FALSE(again.expression);
    EXPECT_EQ(again.place, 1U);
  }
  EXPECT_TRUE(std::isnan(number_read_back({0, Limits::quiet_NaN(), {}}).constant));
}

TEST(ScheduleWriter, AnExpressionThatLooksLikeAConstantStaysAnExpression) {
  const NumberOperand again = number_read_back({0, 0, Expression(-16)});
  ASSERT_TRUE(again.expression);
  EXPECT_EQ(again.expression->text(), "-16");
}

TEST(ScheduleWriter, RandomSchedulesSurviveARoundTrip) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(expect_round_trip(RandomSchedule(seed).make()));
  }
}

}  // namespace
}  // namespace spyre::kernels
