// `op` as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/program.h"

namespace spyre::e2e {
namespace {

class OpCommand : public ProgramTest {};

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(OpCommand, ListsEveryOpWithItsSizes) {
  const Outcome op = run("op list");
  EXPECT_EQ(op.exit_code, 0);
  EXPECT_THAT(op.out, AllOf(HasSubstr("matmul"), HasSubstr("PAGE_TOKENS=16"),
                            HasSubstr("elementwise: ROWS=1024 COLS=1024")));
}

TEST_F(OpCommand, ReportsTimeAndValues) {
  const Outcome op = run("op softmax --size ROWS=127,COLS=131 -q");
  EXPECT_EQ(op.exit_code, 0);
  EXPECT_THAT(op.out, AllOf(HasSubstr("softmax 127 x 131, fp16"), HasSubstr("roofline"),
                            HasSubstr("values: max relative error"),
                            HasSubstr("(bound 2^-9) over 16,637 elements")));
}

TEST_F(OpCommand, ShowsFlashAndNaiveSideBySide) {
  const Outcome op =
      run("op flash-attention --size HEADS=2,KV_HEADS=1,QUERIES=70,KEYS=130 --numerics spyre -q");
  EXPECT_EQ(op.exit_code, 0);
  EXPECT_THAT(op.out, AllOf(HasSubstr("naive-attention"), HasSubstr("DRAM bytes"),
                            HasSubstr("equal within")));
}

TEST_F(OpCommand, WritesJsonAndAPlanThatRuns) {
  const Outcome op = run("op add-row --size ROWS=70,COLS=70 --json - --plan plan.yaml");
  ASSERT_EQ(op.exit_code, 0);
  EXPECT_THAT(op.out, AllOf(::testing::StartsWith("{"), HasSubstr("\"op\": \"add-row\""),
                            HasSubstr("\"elements\": 4900"), HasSubstr("\"right\": true")));
  const Outcome again = run("run plan.yaml -q");
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.out, HasSubstr("add-row 70 x 70, fp16, 32 cores"));
}

TEST_F(OpCommand, SaysWhatIsWrong) {
  for (const auto& [words, sentence] : {
           std::pair{"op sofmax", "there is no op 'sofmax': did you mean 'softmax'?"},
           std::pair{"op softmax --size M=2", "softmax has no size 'M'; its sizes are ROWS, COLS"},
           std::pair{"op softmax --size ROWS", "--size ROWS: write NAME=number"},
           std::pair{"op softmax --tile X=1", "--tile X=1: there is no 'X'"},
           std::pair{"op bmm --layout up", "--layout up: 'up' is not batch-outer or row-outer"},
           std::pair{"op softmax --cores 99", "--cores 99: the machine 'spyre' has 1 to 32 cores"},
           std::pair{"op softmax --size COLS=400000", "a whole row must fit: use shorter rows"},
       }) {
    const Outcome op = run(words);
    EXPECT_EQ(op.exit_code, 2) << words;
    EXPECT_THAT(op.err, HasSubstr(sentence));
  }
}

}  // namespace
}  // namespace spyre::e2e
