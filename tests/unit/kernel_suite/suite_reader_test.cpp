// Suite files: what they say, and every fault with its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "models/diagnostics/diagnostics.h"
#include "runtime/suite/suite.h"

namespace spyre::runtime::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

KernelSuite suite_of(const std::string& runs) {
  return parse_suite("suite: 1\nruns:\n" + runs, "folder/s.yaml");
}
std::string fault(const std::string& runs) {
  try {
    (void)suite_of(runs);
  } catch (const models::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SuiteReader, ReadsAWholeRun) {
  const KernelSuite suite = suite_of(R"(- file: a/add.mlir
  name: two adds
  function: add
  expect: ok
  arguments:
    x: random(1):f16[4]
    w: {value: "ones:f16[4]", repeat: 3, minus_infinity_from: 2}
    f: data.npy
    n: 4
  memory:
    d: {value: "zeros:i32[4]", element: 100}
    l: {value: "zeros:f16[4]", byte: 128, core: 3}
  reference: add_first
  roles: {a: x, b: d, before: w, count: 2, y: w}
  tolerance: {relative: 1.0e-2, absolute: 0.5}
- file: b.mlir
  expect: "error: too large"
- file: c.mlir
  function: f
  expect: parse-only
)");
  ASSERT_EQ(suite.runs.size(), 3U);
  const SuiteRun& run = suite.runs[0];
  EXPECT_EQ(run.file, "a/add.mlir");
  EXPECT_EQ(run.name, "two adds");
  EXPECT_EQ(run.function, "add");
  EXPECT_EQ(run.arguments.at("x").spec.seed, 1U);
  EXPECT_EQ(run.arguments.at("w").repeat, 3);
  EXPECT_EQ(run.arguments.at("w").minus_infinity_from, 2);
  EXPECT_EQ(run.arguments.at("f").spec.file, "folder/data.npy");
  EXPECT_EQ(run.arguments.at("n").spec.integer, 4);
  EXPECT_TRUE(run.memory.at("d").in_elements);
  EXPECT_EQ(run.memory.at("d").position, 100U);
  EXPECT_EQ(run.memory.at("d").lx_core, -1);
  EXPECT_FALSE(run.memory.at("l").in_elements);
  EXPECT_EQ(run.memory.at("l").lx_core, 3);
  EXPECT_EQ(run.roles.at("count"), SuiteRole(2.0));
  EXPECT_EQ(run.roles.at("a"), SuiteRole("x"));
  EXPECT_EQ(run.tolerance.relative, 1e-2);
  EXPECT_EQ(run.tolerance.absolute, 0.5);
  EXPECT_EQ(suite.runs[1].name, "b");
  EXPECT_EQ(suite.runs[1].expect.kind, SuiteExpectation::Kind::error);
  EXPECT_EQ(suite.runs[1].expect.message, "too large");
  EXPECT_EQ(suite.runs[2].name, "f");
  EXPECT_EQ(suite.runs[2].expect.kind, SuiteExpectation::Kind::parse_only);
}

TEST(SuiteReader, FaultsHaveTheirPlace) {
  EXPECT_THAT(fault("- file: a\n  argumens: {}\n"),
              HasSubstr("s.yaml:4:3: error: unknown key 'runs[0].argumens': did you mean"));
  EXPECT_THAT(fault("- name: a\n"), HasSubstr("s.yaml:3:3: error: missing key 'runs[0].file'"));
  EXPECT_THAT(
      fault("- file: a\n  arguments:\n    x: randon(1):f16[4]\n"),
      HasSubstr("s.yaml:5:8: error: 'runs[0].arguments.x': 'randon(1):f16[4]' is no value"));
  EXPECT_THAT(fault("- file: a\n  arguments:\n    x: zeros\n"),
              HasSubstr("'runs[0].arguments.x' is 'zeros': a suite says type and shape"));
  EXPECT_THAT(fault("- file: a\n  expect: fails\n"),
              HasSubstr("'fails'; it must be ok, parse-only"));
  EXPECT_THAT(fault("- file: a\n  memory:\n    m: {value: \"zeros:f16[4]\"}\n"),
              HasSubstr("must have one of 'element' and 'byte'"));
  EXPECT_THAT(fault("- file: a\n  memory:\n    m: {value: 3, byte: 0}\n"),
              HasSubstr("'runs[0].memory.m.value' is a number; it must be an array"));
  EXPECT_THAT(fault("- file: a\n  tolerance: {relative: -1}\n"), HasSubstr("tolerance.relative"));
  EXPECT_THAT(fault("- file: a\n  arguments: {x: 1, x: 2}\n"), HasSubstr("stands twice"));
  EXPECT_THAT(fault("{}"), HasSubstr("'runs' must be a list of runs"));
}

TEST(SuiteReader, RolesMustFitTheReference) {
  const std::string run =
      "- file: a\n  arguments:\n    x: zeros:f16[4]\n    y: zeros:f16[4]\n    n: 4\n"
      "  memory:\n    l: {value: \"zeros:f16[4]\", byte: 0, core: 0}\n";
  const auto with = [&](const std::string& rest) { return fault(run + rest); };
  EXPECT_THAT(with("  reference: ad\n  roles: {a: x}\n"), HasSubstr("there is no reference 'ad'"));
  EXPECT_THAT(with("  roles: {a: x}\n"), HasSubstr("'roles' stands without a 'reference'"));
  EXPECT_THAT(with("  reference: add\n  roles: {a: x, b: z, y: y}\n"),
              HasSubstr("'runs[0].roles.b' is 'z', which is no argument and no memory"));
  EXPECT_THAT(with("  reference: add\n  roles: {a: x, y: y}\n"),
              HasSubstr("the reference add (y = a + b) needs the role 'b'"));
  EXPECT_THAT(with("  reference: add\n  roles: {a: x, b: n, y: y}\n"),
              HasSubstr("the role 'b' of the reference add must be an array"));
  EXPECT_THAT(with("  reference: constant\n  roles: {before: x, value: x, y: y}\n"),
              HasSubstr("the role 'value' of the reference constant must be a number"));
  EXPECT_THAT(with("  reference: add\n  roles: {a: x, b: y, c: y, y: y}\n"),
              HasSubstr("has no role 'c': its arrays are a, b; its numbers none; its outputs y"));
  EXPECT_THAT(with("  reference: add\n  roles: {a: x, b: y}\n"),
              HasSubstr("none of the outputs of the reference add (y) is compared"));
  EXPECT_THAT(with("  reference: add\n  roles: {a: x, b: y, y: l}\n"),
              HasSubstr("the output 'y' must be an argument or lie in DRAM"));
}

TEST(SuiteReader, DamagedSuitesAreRefusedOrRead) {
  const std::string text =
      "suite: 1\nruns:\n- file: a\n  arguments:\n    x: zeros:f16[4]\n"
      "  reference: copy\n  roles: {x: x, y: x}\n  tolerance: {relative: 0}\n";
  for (std::size_t length = 0; length < text.size(); ++length) {
    for (const char c : {'\0', ':', '[', '-', '\n', '{', '9'}) {
      std::string mutant = text.substr(0, length);
      if (c != '\0') {
        mutant = text;
        mutant[length] = c;
      }
      try {
        (void)parse_suite(mutant, "s.yaml");
      } catch (const models::InputError& error) {
        ASSERT_THAT(error.what(), StartsWith("s.yaml"));
      }
    }
  }
}

TEST(ShippedSuite, NamesEveryPublicFile) {
  const KernelSuite suite = read_suite(shipped_suite());
  std::set<std::string> files, names;
  for (const SuiteRun& run : suite.runs) {
    files.insert(run.file);
    names.insert(run.name);
    const bool runs = run.expect.kind == SuiteExpectation::Kind::ok;
    EXPECT_EQ(runs, !run.reference.empty()) << run.name;
    EXPECT_LE(run.name.size(), 26U) << run.name;  // whole in the table
  }
  EXPECT_EQ(files.size(), 36U);
  EXPECT_EQ(names.size(), suite.runs.size());
}

}  // namespace
}  // namespace spyre::runtime::test
