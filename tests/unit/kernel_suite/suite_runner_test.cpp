// What is judged how, with runners that stand for the simulation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/unit/kernel_suite/suite_fixture.h"

namespace spyre::runtime::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

KernelRunner refusing(const std::string& message) {
  return [message](const KernelRequest&, const KernelOptions&) -> KernelOutcome {
    throw PlanError(message);
  };
}

class SuiteRunner : public SuiteFolder {};

TEST_F(SuiteRunner, RightValuesAreOk) {
  const SuiteRow row = run(kCopy, adding(0)).at(0);
  EXPECT_EQ(row.status, SuiteStatus::ok) << row.reason;
  EXPECT_EQ(row.file, "k.mlir");
  EXPECT_EQ(row.kernel, "copy");
  EXPECT_EQ(row.max_rel_err, 0.0);
  EXPECT_EQ(row.cycles, 1234U);
  EXPECT_GE(row.cpu_s, 0);
}

TEST_F(SuiteRunner, AnErrorWithinTheToleranceIsOkAndBeyondItFails) {
  EXPECT_EQ(run(kCopy, adding(0.01)).at(0).status, SuiteStatus::ok);
  const SuiteRow row = run(kCopy, adding(0.5)).at(0);
  EXPECT_EQ(row.status, SuiteStatus::failed);
  EXPECT_THAT(row.reason, HasSubstr("x[0, 0] is 0.5, expected 0: relative error 0.165, tolerance"));
  EXPECT_NEAR(*row.max_abs_err, 0.5, 1e-6);
}

TEST_F(SuiteRunner, AnAbsoluteToleranceWillDoAsWell) {
  std::string runs = kCopy;
  runs.replace(runs.find("relative: 0.01"), 14, "absolute: 0.6 ");
  EXPECT_EQ(run(runs, adding(0.5)).at(0).status, SuiteStatus::ok);
  EXPECT_EQ(run(runs, adding(0.7)).at(0).status, SuiteStatus::failed);
}

TEST_F(SuiteRunner, WithoutDataNothingIsCompared) {
  options_.kernel.data = false;
  const SuiteRow row = run(kCopy, adding(100)).at(0);
  EXPECT_EQ(row.status, SuiteStatus::ran);
  EXPECT_FALSE(row.max_rel_err);
}

TEST_F(SuiteRunner, ArraysAreBuiltAsTheSuiteSays) {
  KernelRequest seen;
  const auto spy = [&](const KernelRequest& request, const KernelOptions& options) {
    seen = request;
    return adding(0)(request, options);
  };
  (void)run(
      "- file: k.mlir\n  function: f\n  arguments:\n"
      "    x: {value: \"arange:f16[3]\", repeat: 2, minus_infinity_from: 2}\n    n: 7\n"
      "    e: 0.5\n  memory:\n    m: {value: \"ones:i32[2]\", element: 10}\n"
      "    l: {value: \"ones:f16[2]\", byte: 10, core: 1}\n",
      spy);
  EXPECT_EQ(seen.function, "f");
  EXPECT_EQ(seen.text, kKernel);
  const HostArray& x = std::get<HostArray>(seen.arguments.at("x"));
  EXPECT_THAT(x.shape, ElementsAre(2, 3));
  EXPECT_THAT(to_doubles(x), ElementsAre(0, 1, -INFINITY, 0, 1, -INFINITY));
  EXPECT_EQ(std::get<std::int64_t>(seen.arguments.at("n")), 7);
  EXPECT_EQ(std::get<double>(seen.arguments.at("e")), 0.5);
  ASSERT_EQ(seen.images.size(), 2U);
  EXPECT_EQ(seen.images[0].name, "l");
  EXPECT_EQ(seen.images[0].address, 10U);
  EXPECT_EQ(seen.images[0].lx_core, 1);
  EXPECT_EQ(seen.images[1].address, 40U);  // element 10 of 4 bytes
  EXPECT_EQ(seen.images[1].lx_core, -1);
}

TEST_F(SuiteRunner, ExpectedRefusals) {
  const std::string large = "- file: k.mlir\n  expect: \"error: 16777216\"\n";
  EXPECT_EQ(run(large, refusing("a tile of 16,777,216 B, LX has 2,097,152")).at(0).status,
            SuiteStatus::refused);
  EXPECT_EQ(run(large, refusing("a tile of 16777216 B")).at(0).status, SuiteStatus::refused);
  const SuiteRow other = run(large, refusing("no such function")).at(0);
  EXPECT_EQ(other.status, SuiteStatus::failed);
  EXPECT_THAT(other.reason, HasSubstr("not with '16777216': error: no such function"));
  EXPECT_THAT(run(large, adding(0)).at(0).reason, HasSubstr("it ran, but was to be refused"));
  EXPECT_EQ(run("- file: k.mlir\n  expect: error\n", refusing("x")).at(0).status,
            SuiteStatus::refused);
}

TEST_F(SuiteRunner, AMissingFileIsNoExpectedRefusal) {
  const SuiteRow row = run("- file: none.mlir\n  expect: error\n", adding(0)).at(0);
  EXPECT_EQ(row.status, SuiteStatus::failed);
  EXPECT_THAT(row.reason, HasSubstr("cannot read"));
}

TEST_F(SuiteRunner, OneFailureDoesNotStopTheRest) {
  const auto crashing = [](const KernelRequest&, const KernelOptions&) -> KernelOutcome {
    throw std::logic_error("index 3");
  };
  const auto rows = run(std::string(kCopy) + "- file: k.mlir\n  expect: parse-only\n", crashing);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].status, SuiteStatus::failed);
  EXPECT_THAT(rows[0].reason, HasSubstr("internal error: index 3"));
  EXPECT_EQ(rows[1].status, SuiteStatus::parsed) << rows[1].reason;
  EXPECT_FALSE(all_as_expected(rows));
}

TEST_F(SuiteRunner, AnInternalErrorIsNoExpectedRefusal) {
  const auto crashing = [](const KernelRequest&, const KernelOptions&) -> KernelOutcome {
    throw std::logic_error("16777216");
  };
  EXPECT_EQ(run("- file: k.mlir\n  expect: error\n", crashing).at(0).status, SuiteStatus::failed);
}

TEST_F(SuiteRunner, AMissingOutputIsTold) {
  const auto nothing = [](const KernelRequest&, const KernelOptions&) { return KernelOutcome{}; };
  EXPECT_THAT(run(kCopy, nothing).at(0).reason, HasSubstr("gave back no array 'x'"));
}

TEST_F(SuiteRunner, OnlyChoosesByFileOrName) {
  const std::string runs =
      std::string(kCopy) + "- file: k.mlir\n  name: other\n  expect: parse-only\n";
  options_.only = "*the*";
  EXPECT_EQ(run(runs, adding(0)).size(), 1U);
  options_.only = "k.*";
  EXPECT_EQ(run(runs, adding(0)).size(), 2U);
  options_.only = "nothing";
  EXPECT_THAT(message_of([&] { (void)run(runs, adding(0)); }),
              HasSubstr("'nothing' matches no file and no name of the 2 runs"));
}

TEST_F(SuiteRunner, AnInterruptionEndsTheSuite) {
  const auto stopping = [](const KernelRequest&, const KernelOptions&) {
    KernelOutcome outcome;
    outcome.result.interrupted = true;
    return outcome;
  };
  int told = 0;
  options_.on_row = [&](const SuiteRow&) { ++told; };
  const auto rows = run(std::string(kCopy) + kCopy, stopping);
  EXPECT_EQ(rows.size(), 1U);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(rows[0].reason, "interrupted");
}

TEST_F(SuiteRunner, TheFolderMustExist) {
  options_.directory = path("nowhere");
  EXPECT_THAT(message_of([&] {
                (void)run_suite(parse_suite("suite: 1\nruns:\n- file: a\n", "s.yaml"), adding(0),
                                options_);
              }),
              HasSubstr("there is no folder '" + path("nowhere")));
}

TEST(SuiteTolerances, AreWiderUnderSpyreNumerics) {
  EXPECT_EQ(tolerance_for({0.01, 1}, models::Numerics::ieee).relative, 0.01);
  EXPECT_EQ(tolerance_for({0.01, 1}, models::Numerics::spyre).relative, 0.04);
  EXPECT_EQ(tolerance_for({0.01, 1}, models::Numerics::spyre).absolute, 4);
  EXPECT_EQ(tolerance_for({0, 0}, models::Numerics::spyre).relative, 0x1p-8);
}

}  // namespace
}  // namespace spyre::runtime::test
