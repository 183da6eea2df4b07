// One rounding from the double to every element type, and back.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "runtime/host_values.h"
#include "tests/unit/host_data/array_fixture.h"

namespace spyre::runtime::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double kept(const char* type, double value) {
  return to_doubles(from_doubles(scalar(type), {}, std::vector{value}))[0];
}

TEST(HostValues, ElementsAreTheProductOfTheShape) {
  EXPECT_EQ((HostArray{scalar("f16"), {}, {}}.elements()), 1);
  EXPECT_EQ((HostArray{scalar("f16"), {3, 4, 5}, {}}.elements()), 60);
  EXPECT_EQ((HostArray{scalar("f16"), {3, 0}, {}}.elements()), 0);
}

TEST(HostValues, AnElementTakesItsWidthAndABitTakesAByte) {
  const std::vector<std::pair<const char*, std::int64_t>> expected{
      {"i1", 1},  {"i8", 1},   {"i16", 2}, {"i32", 4}, {"i64", 8},      {"index", 8},
      {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"f8E4M3FN", 1}, {"!spyreop.df16", 2}};
  for (const auto& [type, bytes] : expected) {
    EXPECT_EQ(element_bytes(scalar(type)), bytes) << type;
  }
}

TEST(HostValues, FloatsRoundOnceToTheNearest) {
  EXPECT_EQ(kept("f16", 1 + 0x1p-11), 1);                      // a tie, to even
  EXPECT_EQ(kept("f16", 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);  // float would lose the tail first
  EXPECT_EQ(kept("f16", 65519.9), 65504);
  EXPECT_EQ(kept("f16", 65520), kInfinity);
  EXPECT_EQ(kept("f16", 0x1p-24), 0x1p-24);
  EXPECT_EQ(kept("bf16", 1 + 0x1p-8), 1);
  EXPECT_EQ(kept("bf16", 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
  EXPECT_EQ(kept("f32", 1 + 0x1p-24), 1);
  EXPECT_EQ(kept("f32", 1 + 0x1p-24 + 0x1p-50), 1 + 0x1p-23);
  EXPECT_EQ(kept("f32", 1e300), kInfinity);
  EXPECT_EQ(kept("f64", 0.1), 0.1);
  EXPECT_EQ(kept("f16", -kInfinity), -kInfinity);
  EXPECT_TRUE(std::isnan(kept("f16", std::nan(""))));
  EXPECT_EQ(kept("f8E4M3FN", 448), 448);
}

TEST(HostValues, IntegersRoundToTheNearestAndSaturate) {
  EXPECT_EQ(kept("i8", 2.5), 2);
  EXPECT_EQ(kept("i8", -2.5), -2);
  EXPECT_EQ(kept("i8", 127.6), 127);
  EXPECT_EQ(kept("i8", -1000), -128);
  EXPECT_EQ(kept("ui8", -3), 0);
  EXPECT_EQ(kept("ui8", 300), 255);
  EXPECT_EQ(kept("i32", 2147483647), 2147483647);
  EXPECT_EQ(kept("i32", kInfinity), 2147483647);
  EXPECT_EQ(kept("i64", -kInfinity), -0x1p63);
  EXPECT_EQ(kept("ui64", 0x1p80), 0x1p64);  // the nearest double of 2^64 - 1
  EXPECT_EQ(kept("i32", std::nan("")), 0);
  EXPECT_EQ(kept("i1", 1), 1);
  EXPECT_EQ(kept("i1", 0.2), 0);
  EXPECT_EQ(kept("index", -5), -5);
}

TEST(HostValues, CodesComeBackAsTheyWere) {
  std::mt19937 random(5);
  for (const char* type : {"f16", "bf16", "f32", "f64", "i1", "i8", "ui8", "i16", "i32", "ui32"}) {
    for (int round = 0; round < 50; ++round) {
      const HostArray array = random_array(scalar(type), random);
      const std::vector<double> values = to_doubles(array);
      const HostArray again = from_doubles(array.element, array.shape, values);
      ASSERT_EQ(again.bytes.size(), array.bytes.size());
      const auto step = static_cast<std::size_t>(element_bytes(array.element));
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) continue;  // its payload is lost
        ASSERT_TRUE(std::equal(&array.bytes[i * step], &array.bytes[i * step] + step,
                               &again.bytes[i * step]))
            << type << " " << values[i];
      }
    }
  }
}

TEST(HostValues, WhatDoesNotFitTheShapeIsRefused) {
  EXPECT_THROW((void)from_doubles(scalar("f16"), {3}, std::vector<double>(4)),
               std::invalid_argument);
  EXPECT_THROW((void)to_doubles({scalar("f16"), {3}, std::vector<std::byte>(4)}),
               std::invalid_argument);
}

}  // namespace
}  // namespace spyre::runtime::test
