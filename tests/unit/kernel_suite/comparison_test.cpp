// The error measure of docs/ktir_suite.md.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "runtime/suite/comparison.h"

namespace spyre::runtime::test {
namespace {

const double kInfinity = INFINITY;

Comparison of(const std::vector<double>& got, const std::vector<double>& want) {
  return compare(got, want);
}

TEST(Comparison, TheFloorIsTheRootMeanSquareOfWhatIsFinite) {
  EXPECT_EQ(error_floor(std::vector<double>{3, -4, 0, 0}), 2.5);
  EXPECT_EQ(error_floor(std::vector<double>{3, -3, kInfinity, NAN}), 3);
  EXPECT_EQ(error_floor(std::vector<double>{0, 0}), 0x1p-24);
  EXPECT_EQ(error_floor(std::vector<double>{}), 0x1p-24);
}

TEST(Comparison, LargeElementsAreJudgedByThemselvesSmallOnesByTheUsualSize) {
  const Comparison large = of({11, 0}, {10, 0});
  EXPECT_DOUBLE_EQ(large.max_relative, 0.1);
  EXPECT_DOUBLE_EQ(large.max_absolute, 1);
  EXPECT_EQ(large.worst, 0U);
  const Comparison small = of({10, 1}, {10, 0});
  EXPECT_DOUBLE_EQ(small.max_relative, 1 / std::sqrt(50.0));
  EXPECT_EQ(small.worst, 1U);
  EXPECT_EQ(small.got, 1);
  EXPECT_EQ(small.want, 0);
}

TEST(Comparison, WhatIsNotFiniteMustAgree) {
  EXPECT_EQ(of({kInfinity, -kInfinity, NAN}, {kInfinity, -kInfinity, NAN}).max_relative, 0);
  EXPECT_EQ(of({kInfinity}, {-kInfinity}).max_relative, kInfinity);
  EXPECT_EQ(of({NAN}, {1}).max_relative, kInfinity);
  EXPECT_EQ(of({1}, {NAN}).max_relative, kInfinity);
  EXPECT_EQ(of({1}, {kInfinity}).max_absolute, kInfinity);
  EXPECT_EQ(of({1, NAN, 3}, {1, 2, 3}).worst, 1U);
}

TEST(Comparison, EqualArraysHaveNoError) {
  const Comparison same = of({0, -0.0, 5}, {0, 0.0, 5});
  EXPECT_EQ(same.max_relative, 0);
  EXPECT_EQ(same.max_absolute, 0);
}

}  // namespace
}  // namespace spyre::runtime::test
