// Texts made to exhaust a reader: deep, long, self-referring, multiplying.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "kernels/ktir/parser.h"
#include "tests/unit/ktir/ktir_fixture.h"

namespace spyre::kernels::ktir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string repeated(const std::string& text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

TEST(KtirLimits, NestingIsCountedToTheLevel) {
  const auto nested = [](std::size_t levels) {
    return "#a = " + repeated("[", levels) + "1" + repeated("]", levels) +
           "\nfunc.func @f() { return }";
  };
  const auto deepest = static_cast<std::size_t>(kMaxNesting) - 2;  // the alias and the number
  EXPECT_THAT(faults_of(nested(deepest)), IsEmpty());
  EXPECT_THAT(faults_of(nested(deepest + 1)), ElementsAre(HasSubstr("deeper than 64 levels")));
}

TEST(KtirLimits, RefuseEveryKindOfDepth) {
  const std::size_t far = 100000;
  for (const std::string& text :
       {"#a = " + repeated("[", far), "#a = " + repeated("{a = ", far),
        "#a = affine_map<(i) -> (" + repeated("(", far),
        "#a = affine_map<(i) -> (" + repeated("-", far), "#a = loc(" + repeated("\"n\"(", far),
        "#a = loc(" + repeated("fused[", far), "!a = " + repeated("!ktdp.tile_future<", far),
        kernel_with(repeated("scf.if %b {\n", far))}) {
    EXPECT_THAT(faults_of(text), ElementsAre(HasSubstr("levels"))) << text.substr(0, 40);
  }
  EXPECT_THAT(faults_of("#a = dense<" + repeated("[", far)),
              ElementsAre(HasSubstr("at most 32 dimensions")));
  EXPECT_THAT(faults_of("#a = #x.y" + repeated("<", far)), ElementsAre(HasSubstr("never closed")));
}

TEST(KtirLimits, LongChainsNeedNoDeepStack) {
  const std::string sum = "#a = affine_map<(i) -> (i" + repeated(" + i", 200000) + ")>\n";
  EXPECT_THAT(faults_of(sum + "func.func @f() { return }"), IsEmpty());
  std::string operations;
  for (int i = 0; i < 50000; ++i) {
    operations += fmt::format("%a{} = arith.addi %{}, %c1 : index\n", i,
                              i == 0 ? std::string("p") : fmt::format("a{}", i - 1));
  }
  EXPECT_THAT(faults_of(kernel_with(operations)), IsEmpty());
}

TEST(KtirLimits, AliasesThatMultiplyAreRefused) {
  std::string text = "#a0 = [1, 2, 3, 4, 5, 6, 7, 8]\n";
  for (int i = 1; i < 30; ++i)
    text += fmt::format("#a{} = [#a{}, #a{}, #a{}]\n", i, i - 1, i - 1, i - 1);
  EXPECT_THAT(faults_of(text), ElementsAre(HasSubstr("the aliases stand for more than 64 times")));
}

TEST(KtirLimits, ResultCountsAreNotTakenAtTheirWord) {
  EXPECT_THAT(faults_of(kernel_with("%a:18446744073709551615 = ktdp.get_compute_tile_id : index")),
              ElementsAre(HasSubstr("18446744073709551615 results are named")));
  EXPECT_THAT(faults_of(kernel_with("%a:9223372036854775809, %b2:9223372036854775809 = "
                                    "ktdp.get_compute_tile_id : index"))
                  .size(),
              1U);
}

TEST(KtirLimits, LargeShapesCostNothing) {
  EXPECT_THAT(
      faults_of(kernel_with("%a = arith.constant dense<0.0> : tensor<4611686018427387904x4xf32>")),
      IsEmpty());
  EXPECT_THAT(faults_of(kernel_with("%a = tensor.empty() : tensor<4611686018427387905xf32>")),
              ElementsAre(HasSubstr("is larger than 2^62")));
  EXPECT_THAT(faults_of(kernel_with("%a = tensor.empty() : tensor<" + repeated("1x", 33) + "f32>")),
              ElementsAre(HasSubstr("at most 32 dimensions")));
}

TEST(KtirLimits, ManyFaultsEndTheReading) {
  std::string operations;
  for (int i = 0; i < 5000; ++i) operations += "math.exp %x : tensor<4x8xf32>\n";
  const std::vector<std::string> faults = faults_of(kernel_with(operations));
  EXPECT_LE(faults.size(), 201U);
  EXPECT_THAT(faults.back(), HasSubstr("more than 200 faults"));
}

}  // namespace
}  // namespace spyre::kernels::ktir
