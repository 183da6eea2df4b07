// Numbers as people read them.
#include <gtest/gtest.h>

#include <limits>

#include "traces/number_text.h"

namespace spyre::traces::test {
namespace {

TEST(NumberText, ThousandsAreSeparated) {
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(with_separators(1'000), "1,000");
  EXPECT_EQ(with_separators(16'341'729'280), "16,341,729,280");
  EXPECT_EQ(with_separators(std::numeric_limits<std::uint64_t>::max()),
            "18,446,744,073,709,551,615");
}

TEST(NumberText, ThreeDigitsCarryOverARoundingCarry) {
  EXPECT_EQ(three_digits(0), "0");
  EXPECT_EQ(three_digits(0.04126), "0.0413");
  EXPECT_EQ(three_digits(1.5), "1.50");
  EXPECT_EQ(three_digits(9.999), "10.0");
  EXPECT_EQ(three_digits(99.96), "100");
  EXPECT_EQ(three_digits(1296.4), "1296");
}

TEST(NumberText, PrefixesStepAtAThousand) {
  EXPECT_EQ(with_prefix(0), "0");
  EXPECT_EQ(with_prefix(999.4), "999");
  EXPECT_EQ(with_prefix(999.5), "1.00 k");
  EXPECT_EQ(with_prefix(8'454), "8.45 k");
  EXPECT_EQ(with_prefix(999'499), "999 k");
  EXPECT_EQ(with_prefix(999'600), "1.00 M");
  EXPECT_EQ(with_prefix(2.01e9), "2.01 G");
  EXPECT_EQ(with_prefix(1.8e19), "18.0 E");
}

TEST(NumberText, MillisecondsShowMicroseconds) {
  EXPECT_EQ(milliseconds(103.1416), "103.142");
  EXPECT_EQ(milliseconds(0.1), "0.100");
  EXPECT_EQ(milliseconds(0.00675), "0.00675");
  EXPECT_EQ(milliseconds(0), "0");
}

TEST(NumberText, ShortMillisecondsStayNarrow) {
  EXPECT_EQ(short_milliseconds(0), "0");
  EXPECT_EQ(short_milliseconds(0.000049), "<0.0001");
  EXPECT_EQ(short_milliseconds(0.00005), "0.0001");
  EXPECT_EQ(short_milliseconds(0.08954), "0.0895");
  EXPECT_EQ(short_milliseconds(1.7094), "1.709");
  EXPECT_EQ(short_milliseconds(9.9996), "10.00");
  EXPECT_EQ(short_milliseconds(72.473), "72.47");
  EXPECT_EQ(short_milliseconds(12'345.6), "12346");
}

TEST(NumberText, AShareThatIsThereNeverPrintsAsNothing) {
  EXPECT_EQ(percent(0, 100), "0.00");
  EXPECT_EQ(percent(0, 0), "0.00");
  EXPECT_EQ(percent(1, 1e9), "<0.01");
  EXPECT_EQ(percent(1, 3), "33.33");
}

}  // namespace
}  // namespace spyre::traces::test
