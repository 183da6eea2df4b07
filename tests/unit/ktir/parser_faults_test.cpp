// One fault per case: its place is marked with "@@", its message must be the one given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/ktir/ktir_fixture.h"

namespace spyre::kernels::ktir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void expect_fault(const std::string& marked, const std::string& message) {
  SCOPED_TRACE(marked);
  const MarkedText text = without_marks(marked);
  ASSERT_EQ(text.places.size(), 1U);
  EXPECT_THAT(faults_of(text.text), ElementsAre(HasSubstr(text.places[0] + ": " + message)));
}

void expect_operation_fault(const std::string& operations, const std::string& message) {
  expect_fault(kernel_with(operations), message);
}

TEST(KtirParserFaults, NameWhatWasExpectedAndWhatWasFound) {
  expect_fault("@@kernel", "expected 'module', 'func.func' or an alias");
  expect_fault("module {\n func.func @@main() {", "expected a name (@name), found 'main'");
  expect_fault("module { func.func @f(%a@@) { return } }", "expected ':', found ')'");
  expect_fault("func.func @f() { return } @@]", "expected 'module'");
  expect_operation_fault("%a = @@arith.addf %x : tensor<4x8xf16>",
                         "'arith.addf' takes 2 operands, here are 1");
  expect_operation_fault("%a = arith.constant 1 : @@float", "expected an element type");
  expect_operation_fault("%a = tensor.empty() : tensor<4 @@f16>", "expected 'x'");
  expect_operation_fault("%a = math.exp %x : @@vector<4xf16>", "expected a type");
  expect_operation_fault("%l = ktdp.load %t : <@@4x8xf16> -> tensor<4x8xf16>",
                         "the elements of an access tile are 'index', not 'f16'");
}

TEST(KtirParserFaults, OfferTheNearestSupportedOperations) {
  expect_operation_fault("%a = @@arith.adff %x, %y : tensor<4x8xf16>",
                         "'arith.adff' is not supported: did you mean 'arith.addf'?");
  expect_operation_fault("@@scf.while (%c0) {}",
                         "'scf.while' is not supported: supported of 'scf': "
                         "scf.for, scf.if, scf.yield");
  expect_operation_fault("%a = @@gpu.thread_id x",
                         "'gpu.thread_id' is not supported: supported are "
                         "the dialects func, arith");
  expect_operation_fault("@@\"ktdp.laod\"(%t) : () -> ()", "'\"ktdp.laod\"' is not supported: did");
}

TEST(KtirParserFaults, PointIntoAliases) {
  expect_fault("#a = affine_map<(d0) -> (@@d1)>\n", "'d1' is no dimension or symbol");
  expect_fault("#a = @@#a\n", "'#a' is defined by itself");
  expect_fault("#a = [#b]\n#b = [@@#a]\n", "'#a' is defined by itself");
  expect_fault("#a = 1\n@@#a = 2\n", "'#a' is already defined in line 1");
  expect_fault("!t = @@!u\n", "'!u' is not defined: '!u = ...' is missing");
  expect_fault("func.func @f() { return loc(@@#loc9) }", "'#loc9' is not defined");
}

TEST(KtirParserFaults, RefuseWhatIsNotAffine) {
  expect_fault("#a = affine_map<(a, b) -> (a * @@b)>",
               "the product of two dimensions is not affine");
  expect_fault("#a = affine_map<(a, b) -> (a mod @@b)>", "division by a dimension is not affine");
  expect_fault("#a = affine_map<(a) -> (a floordiv @@0)>", "the divisor is 0: it must be positive");
  expect_fault("#a = affine_map<(a, @@a) -> (a)>", "the name 'a' stands twice here");
  expect_fault("#a = affine_set<(a) : (a @@> 0)>", "expected '>=', '<=' or '=='");
  expect_fault("#a = affine_map<(a) -> (@@99999999999999999999)>",
               "'99999999999999999999' does not fit");
}

TEST(KtirParserFaults, RefuseNumbersTheirTypeCannotHold) {
  expect_operation_fault("%a = arith.constant @@300 : i8", "300 does not fit in i8");
  expect_operation_fault("%a = arith.constant @@-129 : i8", "-129 does not fit in i8");
  expect_operation_fault("%a = arith.constant @@1 : f16", "a float is written with a '.'");
  expect_operation_fault("%a = arith.constant @@0x1FC00 : f16", "'0x1FC00' has more bits than f16");
  expect_operation_fault("%a = arith.constant @@1.5 : i32", "a real number is no i32");
  expect_operation_fault("%a = arith.constant dense@@<[1.0, 2.0]> : tensor<3xf32>",
                         "the elements form 2, the type says tensor<3xf32>");
  expect_operation_fault("%a = arith.constant dense<[[1, 2], @@[3]]> : tensor<2x2xi32>",
                         "this list has 1 entries, the ones before it 2");
  expect_operation_fault("%a = arith.constant dense<[[1], @@2]> : tensor<2x1xi32>",
                         "the lists in dense<...> are not equally deep");
}

TEST(KtirParserFaults, RefuseScheduledCodeAndBranches) {
  expect_fault("func.func @f(%a: memref<4xf16, @@\"L1\">) { return }",
               "memory spaces named by a string stand in scheduled code only");
  expect_operation_fault("scf.if %b {\n  ^bb1:\n@@^bb2:\n}", "a second block");
  expect_fault("func.func @f() { return\n@@^bb1: return }", "a second block");
}

TEST(KtirParserFaults, ReportTextThatEndsTooEarly) {
  expect_fault("module {@@", "expected 'func.func', an alias or '}', found the end of the text");
  expect_fault("#a = @@\"text", "this string does not end on its line");
  expect_fault("module {\nktdf_arch.device @d attributes @@{ x = [1, 2", "'{' is never closed");
}

TEST(KtirParserFaults, ReportTypesThatContradictTheDefinition) {
  expect_operation_fault(
      "%a = math.exp @@%x : tensor<4x8xf32>",
      "'%x' is used as tensor<4x8xf32>, but line 1 defines it as tensor<4x8xf16>");
  expect_operation_fault("%a = arith.index_cast @@%i : i64 to index", "'%i' is used as i64");
  expect_operation_fault("@@%a, %b2 = math.exp %h : f16", "2 results are named, 'math.exp' has 1");
  expect_operation_fault(
      "%a:2 = ktdp.get_compute_tile_id : index, index\n"
      "%c = arith.addi %a#0, @@%a#2 : index",
      "'%a' has 2 results, so there is no number 2");
}

TEST(KtirParserFaults, AreAllReportedInTheOrderOfTheText) {
  const MarkedText text =
      without_marks(kernel_with("%a = math.exp @@%x : tensor<4x8xf32>\n"
                                "%b2 = arith.addf @@%nowhere, %h : f16\n"
                                "%c = @@arith.addi %h, %h : f16\n"
                                "@@%c0 = arith.constant 7 : index"));
  const std::vector<std::string> faults = faults_of(text.text);
  ASSERT_EQ(faults.size(), 4U);
  for (std::size_t i = 0; i < faults.size(); ++i) {
    EXPECT_THAT(faults[i], testing::StartsWith(text.places[i] + ": "));
  }
}

}  // namespace
}  // namespace spyre::kernels::ktir
